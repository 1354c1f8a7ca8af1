// The command line tool on the whole workspace, with progress and cancel.

import { execFile } from "node:child_process";
import { createInterface } from "node:readline";

import * as vscode from "vscode";

import { counted, findingsOf, Finding, progressOf } from "./report";
import { Server } from "./server";

const LEVELS: Record<string, vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  note: vscode.DiagnosticSeverity.Information,
};

/** A report of findings is what it prints; anything but 0 and 1 is an error of its own. */
function run(args: string[], folder: string, cancel: vscode.CancellationToken, said: (line: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(Server.toolPath(), args, { cwd: folder, maxBuffer: 1 << 28 }, (error, out, err) => {
      const code = error ? (error.code as number | string | undefined) : 0;
      if (code === 0 || code === 1 || code === 3) resolve(out);
      else reject(new Error(err.trim().split("\n").pop() || error?.message || "it was ended"));
    });
    createInterface({ input: child.stderr! }).on("line", said);
    cancel.onCancellationRequested(() => child.kill());
  });
}

function asDiagnostic(finding: Finding): vscode.Diagnostic {
  const at = new vscode.Position(finding.line - 1, finding.column - 1);
  const out = new vscode.Diagnostic(new vscode.Range(at, at), finding.message, LEVELS[finding.severity] ?? LEVELS.warning);
  out.source = "spmd-tidy";
  out.code = finding.check;
  out.relatedInformation = finding.notes.map((note) =>
    new vscode.DiagnosticRelatedInformation(
      new vscode.Location(vscode.Uri.file(note.file), new vscode.Position(note.line - 1, note.column - 1)), note.message));
  return out;
}

export class WorkspaceLint implements vscode.Disposable {
  private readonly found = vscode.languages.createDiagnosticCollection("spmd-tidy workspace");
  private readonly opened = vscode.workspace.onDidOpenTextDocument((d) => this.found.delete(d.uri));

  async run(): Promise<string | undefined> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (!folders.length) return void vscode.window.showInformationMessage("spmd-tidy: no folder is open.");
    this.found.clear();
    let all: Finding[] = [];
    let cancelled = false;
    try {
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: "spmd-tidy", cancellable: true },
        async (progress, cancel) => {
          cancel.onCancellationRequested(() => (cancelled = true));
          for (const folder of folders) {
            progress.report({ message: folder.name });
            const report = await run(["--format=json", "--quiet", "--progress", folder.uri.fsPath], folder.uri.fsPath, cancel, (line) => {
              const far = progressOf(line);
              if (far) progress.report({ message: `${folder.name}: ${far.message}`, increment: 100 / far.files / folders.length });
            });
            all = all.concat(findingsOf(report, folder.uri.fsPath));
          }
        });
    } catch (error) {
      if (cancelled) return this.say("spmd-tidy: the lint of the workspace was cancelled.", false);
      return this.say(`spmd-tidy could not lint the workspace: ${error instanceof Error ? error.message : error}`, true);
    }
    this.show(all);
    return this.say(`spmd-tidy: ${counted(all)}`, false);
  }

  /** Open files have the server's own findings. */
  private show(all: Finding[]): void {
    const open = new Set(vscode.workspace.textDocuments.map((d) => d.uri.toString()));
    const byFile = new Map<string, vscode.Diagnostic[]>();
    for (const finding of all) byFile.set(finding.file, [...(byFile.get(finding.file) ?? []), asDiagnostic(finding)]);
    for (const [file, diagnostics] of byFile)
      if (!open.has(vscode.Uri.file(file).toString())) this.found.set(vscode.Uri.file(file), diagnostics);
  }

  private say(message: string, isError: boolean): string {
    void (isError ? vscode.window.showErrorMessage(message) : vscode.window.showInformationMessage(message));
    return message;
  }

  dispose(): void {
    this.found.dispose();
    this.opened.dispose();
  }
}
