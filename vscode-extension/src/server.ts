// spmd-clangd as a language client: started, watched, started again.

import * as os from "node:os";
import * as path from "node:path";

import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

import { BackOff } from "./backOff";
import { resolveServerPath } from "./serverPath";
import { Status } from "./statusText";

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly backOff = new BackOff();
  private timer: NodeJS.Timeout | undefined;
  private readonly started = new vscode.EventEmitter<LanguageClient>();
  private readonly analysed = new vscode.EventEmitter<Status>();
  private readonly died = new vscode.EventEmitter<void>();
  /** What it said last, for tests and the curious. */
  lastMessage = "";

  readonly onStarted = this.started.event;
  readonly onAnalysed = this.analysed.event;
  readonly onDied = this.died.event;

  get running(): LanguageClient | undefined {
    return this.client?.isRunning() ? this.client : undefined;
  }

  static path(): string {
    const setting = vscode.workspace.getConfiguration("spmd-tidy").get<string>("clangd.path", "");
    return resolveServerPath(setting, os.homedir(), vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
  }

  /** The command line tool lies beside the server. */
  static toolPath(): string {
    const server = Server.path();
    return server.includes(path.sep) ? path.join(path.dirname(server), "spmd-tidy") : "spmd-tidy";
  }

  async start(): Promise<void> {
    clearTimeout(this.timer);
    this.backOff.begin(Date.now());
    const client = this.create();
    this.client = client;
    client.onNotification("spmd/status", (status: Status) => this.analysed.fire(status));
    try {
      await client.start();
      this.started.fire(client);
    } catch (error) {
      if (this.client === client) this.client = undefined;
      this.cannotStart(error);
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) await client.stop();
  }

  async restart(): Promise<void> {
    this.backOff.reset();
    await this.stop();
    await this.start();
  }

  dispose(): void {
    void this.stop();
  }

  private create(): LanguageClient {
    const settings = vscode.workspace.getConfiguration("spmd-tidy");
    const server: ServerOptions = {
      command: Server.path(),
      args: settings.get<string[]>("clangd.arguments", []),
    };
    const options: LanguageClientOptions = {
      documentSelector: ["cpp", "c", "cuda-cpp"].map((language) => ({ scheme: "file", language })),
      outputChannelName: "spmd-tidy",
      initializationOptions: { spmd: { ...Server.shown(), status: true } },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.hasDied();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    };
    return new LanguageClient("spmd-tidy", "spmd-tidy", server, options);
  }

  /** What the user wants to be shown. */
  static shown(): { inlayHints: boolean | string[]; codeLens: boolean } {
    const settings = vscode.workspace.getConfiguration("spmd-tidy");
    const axes = settings.get<string[]>("inlayHints.axes", []);
    const hints = settings.get<boolean>("inlayHints.enabled", true);
    return { inlayHints: hints && axes.length ? axes : hints, codeLens: settings.get<boolean>("codeLens", true) };
  }

  async show(): Promise<void> {
    await this.running?.sendNotification("workspace/didChangeConfiguration", { settings: { spmd: Server.shown() } });
  }

  private hasDied(): void {
    if (!this.client) return; // we stopped it ourselves
    this.client = undefined;
    this.died.fire();
    const wait = this.backOff.next(Date.now());
    if (wait === undefined)
      return this.say("spmd-clangd has died five times in a row and is not started again. The output 'spmd-tidy' says why.", "Start Again");
    this.lastMessage = `spmd-clangd has died; it is started again in ${wait / 1000} s.`;
    vscode.window.setStatusBarMessage(this.lastMessage, wait);
    this.timer = setTimeout(() => void this.start(), wait);
  }

  private cannotStart(error: unknown): void {
    if (this.timer) clearTimeout(this.timer);
    this.died.fire();
    const why = error instanceof Error ? error.message : String(error);
    this.say(`spmd-tidy could not start '${Server.path()}': ${why}. Set spmd-tidy.clangd.path to the spmd-clangd program.`, "Open Settings");
  }

  private say(message: string, action: "Start Again" | "Open Settings"): void {
    this.lastMessage = message;
    void vscode.window.showErrorMessage(message, action).then(async (chosen) => {
      if (chosen === "Open Settings")
        await vscode.commands.executeCommand("workbench.action.openSettings", "spmd-tidy.clangd.path");
      if (chosen === "Start Again") await this.restart();
    });
  }
}
