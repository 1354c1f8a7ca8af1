// Starts spmd-clangd for C, C++ and CUDA. All analysis lives in the server.

import * as os from "node:os";

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

import { resolveServerPath } from "./serverPath";

let client: LanguageClient | undefined;

function serverPath(): string {
  const setting = vscode.workspace.getConfiguration("spmd-tidy").get<string>("clangd.path", "");
  return resolveServerPath(setting, os.homedir(), vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
}

function createClient(): LanguageClient {
  const settings = vscode.workspace.getConfiguration("spmd-tidy");
  const server: ServerOptions = {
    command: serverPath(),
    args: settings.get<string[]>("clangd.arguments", []),
  };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "cpp" },
      { scheme: "file", language: "c" },
      { scheme: "file", language: "cuda-cpp" },
    ],
    outputChannelName: "spmd-tidy",
  };
  return new LanguageClient("spmd-tidy", "spmd-tidy", server, options);
}

async function start(): Promise<void> {
  client = createClient();
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const open = "Open Settings";
    const message = `spmd-tidy could not start '${serverPath()}': ${error}. Set spmd-tidy.clangd.path to the spmd-clangd program.`;
    if ((await vscode.window.showErrorMessage(message, open)) === open)
      await vscode.commands.executeCommand("workbench.action.openSettings", "spmd-tidy.clangd.path");
  }
}

async function stop(): Promise<void> {
  await client?.stop();
  client = undefined;
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("spmd-tidy.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (!change.affectsConfiguration("spmd-tidy.clangd")) return;
      await stop();
      await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
