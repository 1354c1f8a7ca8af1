// Other extensions that would answer for the same files.

import * as vscode from "vscode";

interface Conflict {
  id: string;
  name: string;
  section: string;
  key: string;
  on: (value: unknown) => boolean;
  off: unknown;
}

const CONFLICTS: Conflict[] = [
  { id: "llvm-vs-code-extensions.vscode-clangd", name: "clangd", section: "clangd", key: "enable", on: (v) => v !== false, off: false },
  { id: "ms-vscode.cpptools", name: "C/C++ IntelliSense", section: "C_Cpp", key: "intelliSenseEngine",
    on: (v) => String(v ?? "default").toLowerCase() !== "disabled", off: "disabled" },
];

export function conflicts(): Conflict[] {
  return CONFLICTS.filter((c) => vscode.extensions.getExtension(c.id) && c.on(vscode.workspace.getConfiguration(c.section).get(c.key)));
}

/** Each answer would come twice: says so, and offers to turn the others off here. */
export async function tellOfConflicts(memory: vscode.Memento): Promise<string | undefined> {
  const found = conflicts();
  if (!found.length || memory.get<boolean>("keepBoth")) return undefined;
  const names = found.map((c) => c.name).join(" and ");
  const message = `${names} also ${found.length > 1 ? "answer" : "answers"} for C++ here, so that hovers and completions come twice. spmd-tidy's server is a full clangd.`;
  void vscode.window.showWarningMessage(message, `Turn Off ${names} in This Workspace`, "Keep Both").then(async (chosen) => {
    if (chosen === "Keep Both") await memory.update("keepBoth", true);
    else if (chosen)
      for (const c of found)
        await vscode.workspace.getConfiguration(c.section).update(c.key, c.off, vscode.ConfigurationTarget.Workspace);
  });
  return message;
}
