// Starts code-server with the extension and the test inside it, shows it in
// headless Chromium, does there what the test asks for, and prints what it saw.

import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [work, server, chromium, workspace, part] = process.argv.slice(2);
const { chromium: browserType } = createRequire(path.join(work, "package.json"))("playwright-core");
const results = path.join(work, "results", part);
fs.mkdirSync(results, { recursive: true });
const pictures = path.join(work, "pictures");
const port = 20000 + (process.pid % 20000);

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function startCode() {
  const config = path.join(work, "config.yaml");
  fs.writeFileSync(config, "");
  const child = spawn(process.execPath, [
    path.join(server, "out/node/entry.js"), "--config", config, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`,
    "--user-data-dir", path.join(work, "user"), "--extensions-dir", path.join(work, "extensions"),
    "--disable-telemetry", "--disable-update-check", ...(part === "trusted" ? ["--disable-workspace-trust"] : []), workspace,
  ], { env: { ...process.env, SPMD_TEST_RESULTS: results, SPMD_TEST_PART: part, SPMD_TEST_WORK: work, XDG_CACHE_HOME: path.join(work, "cache") }, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const log = fs.createWriteStream(path.join(work, "code-server.log"));
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  return child;
}

/** Until the workbench is there: a page that was asked for too early, or lost a
 * file on the way, is asked for again. */
async function open(page) {
  for (const end = Date.now() + 180000; Date.now() < end;) {
    try {
      await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`, { waitUntil: "commit", timeout: 20000 });
      return await page.waitForSelector(".monaco-workbench .statusbar", { timeout: 60000 });
    } catch {
      await sleep(500);
    }
  }
  throw new Error("there was no workbench within three minutes");
}

/** The webview's document is two frames deep. */
async function clickNode(page, label) {
  for (let i = 0; i < 40; ++i) {
    for (const frame of page.frames()) {
      const node = frame.locator(".node", { hasText: label }).first();
      if (await node.count().catch(() => 0)) return node.click();
    }
    await sleep(250);
  }
  throw new Error(`no node ${label} in any frame`);
}

/** A button of a notification. */
async function clickButton(page, label) {
  await page.locator(".notification-list-item .monaco-button", { hasText: label }).first().click({ timeout: 20000 });
}

/** The server is below code-server: no other one of its name. It calls its main
 * thread clangd.main. */
function killServer(root) {
  const processes = execFileSync("ps", ["-eo", "pid=,ppid=,comm="], { encoding: "utf8" })
    .trim().split("\n").map((l) => l.trim().split(/\s+/));
  const mine = new Set([String(root)]);
  for (let grown = true; grown;) {
    grown = false;
    for (const [pid, parent] of processes)
      if (mine.has(parent) && !mine.has(pid)) grown = Boolean(mine.add(pid));
  }
  const found = processes.filter(([pid, , name]) => mine.has(pid) && name.startsWith("clangd"));
  if (!found.length) throw new Error("no spmd-clangd runs below code-server");
  for (const [pid] of found) process.kill(Number(pid), "SIGKILL");
}

async function serve(page, root) {
  for (const name of fs.readdirSync(results)) {
    const [, , action] = /^ask-(\d+)-([a-z-]+)$/.exec(name) ?? [];
    const file = path.join(results, name);
    if (!action || fs.existsSync(`${file}.done`)) continue;
    const argument = fs.readFileSync(file, "utf8");
    await sleep(600); // what the API says is drawn a little later
    if (action === "picture") await page.screenshot({ path: path.join(pictures, `${argument}.png`) });
    else if (action === "click-node") await clickNode(page, argument);
    else if (action === "click-button") await clickButton(page, argument);
    else if (action === "see-notification")
      await page.locator(".notification-list-item", { hasText: argument }).first().waitFor({ timeout: 20000 });
    else if (action === "kill-server") killServer(root);
    fs.writeFileSync(`${file}.done`, "");
  }
}

const code = startCode();
const browser = await browserType.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
let failed = true;
try {
  const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
  await open(page);
  const report = path.join(results, "results.json");
  for (const end = Date.now() + 300000; !fs.existsSync(report);) {
    if (Date.now() > end) throw new Error("the test inside VS Code did not end within five minutes");
    await serve(page, code.pid);
    await sleep(200);
  }
  await sleep(200);
  const { seen, error } = JSON.parse(fs.readFileSync(report, "utf8"));
  for (const { step, said } of seen) console.log(`ok: ${step}: ${JSON.stringify(said)}`);
  if (error) console.log(`FAILED after these: ${error}`);
  failed = Boolean(error);
} catch (error) {
  console.log(`FAILED: ${error.stack}`);
  const progress = path.join(results, "progress.json");
  if (fs.existsSync(progress)) console.log(fs.readFileSync(progress, "utf8"));
  await browser.contexts()[0]?.pages()[0]?.screenshot({ path: path.join(pictures, "failed.png") }).catch(() => {});
} finally {
  await browser.close().catch(() => {});
  if (code.exitCode === null) process.kill(-code.pid, "SIGTERM");
}
process.exit(failed ? 1 : 0);
