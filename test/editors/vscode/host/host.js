// Runs inside VS Code, by its real API, and writes what it saw to a file. A
// request to the driver, for a picture or a click, is a file that it answers.

const fs = require("node:fs");
const path = require("node:path");

const vscode = require("vscode");

const results = process.env.SPMD_TEST_RESULTS;
const seen = [];
let asked = 0;

function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

/** Waits for what `ask` says to be true; its value. */
async function until(what, ask) {
  for (let i = 0; i < 120; ++i) {
    const value = await ask();
    if (value) return value;
    await sleep(250);
  }
  throw new Error(`there was never ${what}`);
}

async function step(name, act) {
  const said = await act();
  seen.push({ step: name, said });
  fs.writeFileSync(path.join(results, "progress.json"), JSON.stringify(seen, null, 1));
}

/** Has the driver do something in the window. */
async function driver(action, argument = "") {
  const file = path.join(results, `ask-${asked++}-${action}`);
  fs.writeFileSync(file, argument);
  await until(`an answer to ${action}`, () => fs.existsSync(`${file}.done`));
}

function check(condition, what) {
  if (!condition) throw new Error(what);
}

/** In a folder that nobody trusts, its settings name a server: another one answers. */
async function restricted() {
  const root = vscode.workspace.workspaceFolders[0].uri;
  const file = vscode.Uri.joinPath(root, "step.cpp");
  const settings = vscode.workspace.getConfiguration("spmd-tidy");
  await step("a workspace that is not trusted", async () => {
    check(!vscode.workspace.isTrusted, "the workspace is trusted");
    await vscode.extensions.getExtension("spmd-tidy.spmd-tidy").activate();
    await vscode.window.showTextDocument(file);
    const [d] = await until("a finding", () => {
      const found = vscode.languages.getDiagnostics(file);
      return found.length && found;
    });
    check(fs.readFileSync(path.join(root.fsPath, ".vscode/settings.json"), "utf8").includes("server.sh"), "the folder names no server");
    check(settings.get("clangd.path").endsWith("/build/bin/spmd-clangd"), settings.get("clangd.path"));
    check(!fs.existsSync(path.join(root.fsPath, "was-run")), "the folder's own program has been run");
    await driver("picture", "restricted");
    return d.message;
  });
}

async function run() {
  const root = vscode.workspace.workspaceFolders[0].uri;
  const file = vscode.Uri.joinPath(root, "step.cpp");
  const ours = await vscode.extensions.getExtension("spmd-tidy.spmd-tidy").activate();
  const document = await vscode.workspace.openTextDocument(file);
  const editor = await vscode.window.showTextDocument(document);
  const findings = () => vscode.languages.getDiagnostics(file);
  const code = (d) => (typeof d.code === "object" ? d.code.value : d.code);
  const at = (word) => {
    const offset = document.getText().indexOf(word);
    check(offset >= 0, `no ${word} in the text`);
    return document.positionAt(offset);
  };

  await step("other servers for C++", async () => {
    check(ours.conflict?.startsWith("clangd and C/C++ IntelliSense also answer for C++ here"), ours.conflict);
    await vscode.commands.executeCommand("notifications.showList");
    await driver("picture", "conflict");
    await driver("click-button", "Turn Off clangd and C/C++ IntelliSense in This Workspace");
    const value = (section, key) => vscode.workspace.getConfiguration(section).inspect(key).workspaceValue;
    await until("both off", () => value("clangd", "enable") === false && value("C_Cpp", "intelliSenseEngine") === "disabled");
    await vscode.commands.executeCommand("notifications.hideList");
    return ours.conflict;
  });
  await step("finding", async () => {
    const [d] = await until("a finding", () => findings().length && findings());
    check(code(d) === "spmd-partial-nonlinear", code(d));
    check(d.severity === vscode.DiagnosticSeverity.Error, "its level");
    check(String(d.code.target).endsWith("spmd-partial-nonlinear.md"), `its page: ${d.code.target}`);
    await driver("picture", "squiggle");
    return d.message;
  });
  await step("status bar", async () => {
    await until("a status", () => ours.statusText().includes("tp"));
    check(/^SPMD tp=4  \$\(error\) 1 \$\(warning\) 0  tp 100 %$/.test(ours.statusText()), ours.statusText());
    return ours.statusText();
  });
  await step("hover", async () => {
    const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", file, at("h + spmd"));
    const text = hovers.flatMap((h) => h.contents.map((c) => c.value)).join("\n");
    check(text.includes("`tp: V`") && text.includes("of 'up' (V)"), text);
    return text.slice(text.indexOf("**SPMD"));
  });
  await step("inlay hints", async () => {
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const labels = async () =>
      (await vscode.commands.executeCommand("vscode.executeInlayHintProvider", file, whole))
        .map((h) => (typeof h.label === "string" ? h.label : h.label.map((p) => p.value).join("")))
        .filter((l) => l.startsWith("["));
    const shown = await labels();
    check(shown.join() === "[tp: V],[tp: V]", shown.join());
    await vscode.commands.executeCommand("spmd-tidy.showTypes");
    await until("no hint after they were turned off", async () => !(await labels()).length);
    await vscode.commands.executeCommand("spmd-tidy.showTypes");
    await until("hints after they were turned on", async () => (await labels()).length === 2);
    await driver("picture", "hints");
    return shown;
  });
  await step("code lens", async () => {
    const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", file, 10);
    check(lenses.some((l) => l.command?.title === "SPMD: x: tp: R; w: tp: S(0); q: tp: P -> tp: V | write annotations"),
      JSON.stringify(lenses.map((l) => l.command)));
    return lenses.map((l) => l.command.title);
  });
  await step("completion", async () => {
    const before = document.getText();
    const where = at("tp: P").translate(0, 3);
    const list = await vscode.commands.executeCommand("vscode.executeCompletionItemProvider", file, where);
    const labels = list.items.map((i) => (typeof i.label === "string" ? i.label : i.label.label));
    check(["R", "I", "V", "P", "S(0)"].every((a) => labels.includes(a)), labels.slice(0, 9).join());
    check(document.getText() === before, "completion changed the text");
    return labels.slice(0, 7);
  });
  await step("outline", async () => {
    const symbols = await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", file);
    const inside = symbols.flatMap((s) => s.children.map((c) => `${c.name}: ${c.detail}`));
    check(inside.includes("all_reduce on tp: P -> R, moves 2(N-1)/N of it"), inside.join());
    return inside;
  });
  await step("type flow", async () => {
    editor.selection = new vscode.Selection(at("h + spmd"), at("h + spmd"));
    await vscode.commands.executeCommand("spmd-tidy.typeFlow");
    const flow = await until("a graph", () => ours.flow());
    check(flow.nodes.some((n) => n.kind === "op" && n.label === "matmul" && n.types.tp === "V"), JSON.stringify(flow));
    await driver("picture", "type-flow");
    await driver("click-node", "relu");
    await driver("picture", "clicked");
    await until("the op in the editor", () => {
      const shown = vscode.window.activeTextEditor;
      return shown && document.getText(shown.selection) === "at::relu(up)" && shown;
    });
    return flow.nodes.map((n) => `${n.kind} ${n.label}`);
  });
  await step("quick fix", async () => {
    const [d] = findings();
    const actions = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", file, d.range, "quickfix");
    const fix = actions.find((a) => a.isPreferred && a.edit);
    check(fix?.title.startsWith("take 'y' through all_reduce from P to R on 'tp'"), actions.map((a) => a.title).join());
    check(actions.some((a) => a.title.startsWith("accept this")) && actions.some((a) => a.title.startsWith("explain")), "what else can be done");
    await vscode.workspace.applyEdit(fix.edit);
    await until("no finding after the repair", () => !findings().length);
    await vscode.commands.executeCommand("undo");
    await until("the finding again", () => findings().length);
    return fix.title;
  });
  await step("fix all that is safe", async () => {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("spmd-tidy.fixAll");
    await until("no finding", () => !findings().length);
    await until("a calm status", () => ours.statusText().includes("$(check)"));
    await until("the graph again", () => ours.flow()?.nodes.length);
    check(document.getText().split("#include <spmd/torch.h>").length === 2, "the library is included twice");
    await driver("picture", "fixed");
    return document.lineAt(at("relu();")).text.trim();
  });
  await step("annotate this file", async () => {
    await vscode.commands.executeCommand("spmd-tidy.annotateFile");
    await until("the annotation", () => document.getText().includes('[[spmd::type("tp: V")]] at::Tensor mlp('));
    await sleep(1500); // until the lens above it has gone
    await driver("picture", "annotated");
    return document.lineAt(at("mlp(")).text;
  });
  await step("a change of .spmd-tidy", async () => {
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(root, ".spmd-tidy"), Buffer.from("Mesh: {tp: 16}\n"));
    await until("the new mesh", () => ours.statusText().startsWith("SPMD tp=16"));
    return ours.statusText();
  });
  await step("lint the workspace", async () => {
    const said = await vscode.commands.executeCommand("spmd-tidy.lintWorkspace");
    check(said === "spmd-tidy: 1 finding in 1 file", said);
    const other = vscode.languages.getDiagnostics(vscode.Uri.joinPath(root, "other.cpp"));
    check(other.length === 1 && code(other[0]) === "spmd-partial-nonlinear", JSON.stringify(other));
    await driver("picture", "workspace");
    return said;
  });
  await step("a lint of the workspace that is cancelled", async () => {
    const slow = path.join(process.env.SPMD_TEST_WORK, "slow");
    const settings = vscode.workspace.getConfiguration("spmd-tidy");
    await settings.update("clangd.path", path.join(slow, "spmd-clangd"), vscode.ConfigurationTarget.Workspace);
    const lint = vscode.commands.executeCommand("spmd-tidy.lintWorkspace");
    const id = await until("a tool that runs", () => fs.existsSync(path.join(slow, "runs")) && fs.readFileSync(path.join(slow, "runs"), "utf8"));
    await vscode.commands.executeCommand("notifications.showList");
    await driver("see-notification", "workspace: 2/5 files, 9 s left");
    await driver("picture", "lint-runs");
    await driver("click-button", "Cancel");
    const said = await lint;
    check(said === "spmd-tidy: the lint of the workspace was cancelled.", said);
    await until("no tool any more", () => !fs.existsSync(`/proc/${Number(id)}`));
    await vscode.commands.executeCommand("notifications.hideList");
    await settings.update("clangd.path", undefined, vscode.ConfigurationTarget.Workspace);
    await until("the server again", () => ours.statusText().startsWith("SPMD tp=16"));
    return said;
  });
  await step("the schema of .spmd-tidy", async () => {
    const extension = vscode.extensions.getExtension("spmd-tidy.spmd-tidy");
    const [wired] = extension.packageJSON.contributes.yamlValidation;
    const schema = vscode.Uri.joinPath(extension.extensionUri, wired.url);
    check(wired.fileMatch === ".spmd-tidy", wired.fileMatch);
    const keys = Object.keys(JSON.parse(Buffer.from(await vscode.workspace.fs.readFile(schema)).toString()).properties);
    check(keys.includes("Mesh") && keys.includes("Checks"), keys.join());
    return keys;
  });
  await step("explain", async () => {
    const other = vscode.Uri.joinPath(root, "other.cpp");
    await vscode.window.showTextDocument(other);
    await until("the server's finding", () => vscode.languages.getDiagnostics(other).length);
    await vscode.commands.executeCommand("spmd-tidy.explain");
    const page = await until("the page", () => vscode.window.activeTextEditor?.document.fileName.endsWith(".md") && vscode.window.activeTextEditor);
    return path.basename(page.document.fileName);
  });
  await step("new .spmd-tidy", async () => {
    await vscode.commands.executeCommand("spmd-tidy.newConfig");
    const shown = await until("the file", () => vscode.window.activeTextEditor?.document.fileName.endsWith(".spmd-tidy") && vscode.window.activeTextEditor);
    check(shown.document.getText() === "Mesh: {tp: 16}\n", "what was there has been overwritten");
    check(shown.document.languageId === "yaml", shown.document.languageId);
    return shown.document.languageId;
  });
  await step("a server that dies is started again", async () => {
    await vscode.window.showTextDocument(document);
    await driver("kill-server");
    await until("a message", () => /has died; it is started again in 1 s/.test(ours.lastMessage()));
    await until("the status bar to say so", () => ours.statusText().includes("no server"));
    await until("a new server", () => ours.statusText().startsWith("SPMD tp=16"));
    return ours.lastMessage();
  });
  await step("a server that is not there", async () => {
    const settings = vscode.workspace.getConfiguration("spmd-tidy");
    await settings.update("clangd.path", "/nonexistent/spmd-clangd", vscode.ConfigurationTarget.Workspace);
    await until("a message", () => /could not start '\/nonexistent\/spmd-clangd'.*Set spmd-tidy.clangd.path/.test(ours.lastMessage()));
    await driver("picture", "no-server");
    return ours.lastMessage();
  });
}

exports.activate = () => {
  if (!results) return;
  (process.env.SPMD_TEST_PART === "restricted" ? restricted() : run()).then(
    () => fs.writeFileSync(path.join(results, "results.json"), JSON.stringify({ seen })),
    (error) => fs.writeFileSync(path.join(results, "results.json"), JSON.stringify({ seen, error: String(error.stack) })));
};
