// The status bar: the mesh, what was found, how much has a type.

import * as vscode from "vscode";

import { Server } from "./server";
import { statusText, statusTip, Status } from "./statusText";

export class StatusBar implements vscode.Disposable {
  readonly item = vscode.window.createStatusBarItem("spmd-tidy.status", vscode.StatusBarAlignment.Left, 10);
  private readonly byFile = new Map<string, Status>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(server: Server) {
    this.item.name = "spmd-tidy";
    this.item.command = "spmd-tidy.showTypes";
    this.subscriptions = [
      server.onStarted(() => this.update()),
      server.onAnalysed((status) => {
        this.byFile.set(vscode.Uri.parse(status.uri).toString(), status);
        this.update();
      }),
      server.onDied(() => {
        this.byFile.clear();
        this.item.text = "$(warning) SPMD: no server";
        this.item.tooltip = "spmd-clangd does not run";
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
    ];
    this.update();
  }

  private update(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !["cpp", "c", "cuda-cpp"].includes(document.languageId)) return this.item.hide();
    const status = this.byFile.get(document.uri.toString());
    this.item.text = statusText(status);
    this.item.tooltip = statusTip(status);
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
    for (const s of this.subscriptions) s.dispose();
  }
}
