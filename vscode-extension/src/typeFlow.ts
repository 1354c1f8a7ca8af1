// The type-flow view: the function around the cursor as a graph beside it.

import { randomBytes } from "node:crypto";

import * as vscode from "vscode";

import { draw, Flow } from "./flowLayout";
import { Server } from "./server";

export class TypeFlowView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private readonly watch: vscode.Disposable;
  private at: { uri: vscode.Uri; position: vscode.Position } | undefined;
  /** What is shown. */
  flow: Flow | undefined;

  constructor(private readonly server: Server) {
    this.watch = vscode.Disposable.from(
      server.onAnalysed((status) => {
        if (vscode.Uri.parse(status.uri).toString() === this.at?.uri.toString()) void this.update();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        if (!this.panel || textEditor.document.uri.scheme !== "file" || !this.at) return;
        this.at = { uri: textEditor.document.uri, position: selections[0].active };
        if (!this.flow || !this.isInside(selections[0].active)) void this.update();
      }),
    );
  }

  private isInside(position: vscode.Position): boolean {
    const { start, end } = this.flow!.range;
    return this.flow!.uri === this.at!.uri.toString() && position.line >= start.line && position.line <= end.line;
  }

  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return;
    this.at = { uri: editor.document.uri, position: editor.selection.active };
    if (!this.panel) {
      this.panel = vscode.window.createWebviewPanel("spmd-tidy.typeFlow", "SPMD Type Flow",
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { enableScripts: true });
      this.panel.onDidDispose(() => (this.panel = this.at = this.flow = undefined));
      this.panel.webview.onDidReceiveMessage((message: { node?: number }) => this.reveal(message.node));
    }
    await this.update();
  }

  private async update(): Promise<void> {
    const client = this.server.running;
    if (!client || !this.at || !this.panel) return;
    const flow = await client.sendRequest<Flow | null>("spmd/typeFlow",
      { textDocument: { uri: this.at.uri.toString() }, position: client.code2ProtocolConverter.asPosition(this.at.position) })
      .catch(() => null); // the text has changed meanwhile: the next answer comes
    if (!this.panel) return;
    this.flow = flow?.nodes ? flow : undefined;
    this.panel.title = this.flow ? `SPMD: ${this.flow.function}` : "SPMD Type Flow";
    this.panel.webview.html = page(this.flow);
  }

  /** A click on a node shows where it is in the source. */
  async reveal(node?: number): Promise<void> {
    const range = node === undefined ? undefined : this.flow?.nodes[node]?.range;
    if (!range || !this.flow) return;
    const selection = new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
    await vscode.window.showTextDocument(vscode.Uri.parse(this.flow.uri), { viewColumn: vscode.ViewColumn.One, selection });
  }

  dispose(): void {
    this.panel?.dispose();
    this.watch.dispose();
  }
}

function page(flow?: Flow): string {
  const nonce = randomBytes(16).toString("hex");
  const body = flow ? draw(flow) : "<p>Put the cursor into a function that computes with annotated tensors.</p>";
  return `<!DOCTYPE html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">
svg { font: 13px var(--vscode-editor-font-family); fill: var(--vscode-editor-foreground); }
path { fill: none; stroke: var(--vscode-descriptionForeground); }
rect { fill: var(--vscode-editorWidget-background); stroke: var(--vscode-editorWidget-border, gray); }
.node { cursor: pointer; }
.node:hover rect, .node:focus rect { stroke: var(--vscode-focusBorder); stroke-width: 2; }
.collective rect { stroke: var(--vscode-charts-orange); stroke-width: 2; }
.conversion rect { stroke-dasharray: 4; }
.value rect { rx: 20; }
.type { font-weight: bold; } .detail { font-size: 11px; opacity: 0.8; }
</style></head><body>${body}<script nonce="${nonce}">
const vscode = acquireVsCodeApi();
for (const node of document.querySelectorAll(".node")) {
  const go = () => vscode.postMessage({ node: Number(node.dataset.node) });
  node.addEventListener("click", go);
  node.addEventListener("keydown", (e) => { if (e.key === "Enter") go(); });
}
</script></body></html>`;
}
