// Which program the setting names. No vscode in here: tested by node alone.

import * as path from "node:path";

/** A bare name is looked up on PATH; anything else becomes an absolute path. */
export function resolveServerPath(setting: string, home: string, workspace?: string): string {
  let text = setting.trim() || "spmd-clangd";
  if (text === "~" || text.startsWith("~/")) text = home + text.slice(1);
  if (workspace) text = text.split("${workspaceFolder}").join(workspace);
  const isBareName = !text.includes("/") && !text.includes(path.sep);
  if (isBareName || path.isAbsolute(text) || !workspace) return text;
  return path.resolve(workspace, text);
}
