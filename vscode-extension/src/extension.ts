// Starts spmd-clangd for C, C++ and CUDA. All analysis lives in the server.

import * as vscode from "vscode";

import { tellOfConflicts } from "./conflicts";
import { WorkspaceLint } from "./lintWorkspace";
import { Server } from "./server";
import { StatusBar } from "./status";
import { TypeFlowView } from "./typeFlow";

const CONFIG = `# What spmd-tidy is told of this project; its schema completes the keys.
Checks: "*"
Mesh:
  dp: 8
  tp: 4
`;

/** What the tests of the extension look at. */
export interface Api {
  statusText(): string;
  flow(): unknown;
  reveal(node: number): Promise<void>;
  lastMessage(): string;
  conflict: string | undefined;
}

async function fixAll(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) return;
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider", document.uri, whole, "source.fixAll.spmd");
  const action = actions?.find((a) => a.edit && a.kind?.value === "source.fixAll.spmd");
  if (action?.edit) await vscode.workspace.applyEdit(action.edit);
  else void vscode.window.showInformationMessage("spmd-tidy: nothing here can be repaired safely.");
}

async function explain(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const here = editor ? vscode.languages.getDiagnostics(editor.document.uri) : [];
  const code = (d: vscode.Diagnostic) => String(typeof d.code === "object" ? d.code.value : d.code ?? "");
  const checks = [...new Set(here
    .filter((d) => code(d).startsWith("spmd-"))
    .sort((a, b) => Number(b.range.contains(editor!.selection.active)) - Number(a.range.contains(editor!.selection.active)))
    .map(code))];
  const check = checks.length > 1 ? await vscode.window.showQuickPick(checks, { title: "Explain which check?" }) : checks[0];
  if (check) await vscode.commands.executeCommand("spmd.explain", check);
  else void vscode.window.showInformationMessage("spmd-tidy: no finding in this file.");
}

async function annotateFile(): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  if (!uri) return;
  const edits = await vscode.commands.executeCommand<number>("spmd.writeAnnotations", { uri });
  if (!edits) void vscode.window.showInformationMessage("spmd-tidy: no function here has a contract that can be written as a whole.");
}

async function newConfig(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) return void vscode.window.showInformationMessage("spmd-tidy: no folder is open.");
  const file = vscode.Uri.joinPath(folder.uri, ".spmd-tidy");
  const exists = await vscode.workspace.fs.stat(file).then(() => true, () => false);
  if (!exists) await vscode.workspace.fs.writeFile(file, Buffer.from(CONFIG));
  await vscode.window.showTextDocument(file);
}

async function showTypes(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("spmd-tidy");
  const shown = settings.get<boolean>("inlayHints.enabled", true);
  await settings.update("inlayHints.enabled", !shown, vscode.ConfigurationTarget.Workspace);
}

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const server = new Server();
  const bar = new StatusBar(server);
  const lint = new WorkspaceLint();
  const flow = new TypeFlowView(server);
  const command = (name: string, act: () => unknown) => vscode.commands.registerCommand(`spmd-tidy.${name}`, act);
  context.subscriptions.push(
    server, bar, lint, flow,
    command("restart", () => server.restart()),
    command("lintWorkspace", () => lint.run()),
    command("fixAll", fixAll),
    command("showTypes", showTypes),
    command("typeFlow", () => flow.show()),
    command("explain", explain),
    command("newConfig", newConfig),
    command("annotateFile", annotateFile),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("spmd-tidy.clangd")) await server.restart();
      else if (change.affectsConfiguration("spmd-tidy")) await server.show();
    }),
  );
  const conflict = await tellOfConflicts(context.workspaceState);
  await server.start();
  return {
    statusText: () => bar.item.text,
    flow: () => flow.flow,
    reveal: (node) => flow.reveal(node),
    lastMessage: () => server.lastMessage,
    conflict,
  };
}
