// The JSON report of spmd-tidy. No vscode in here: tested by node alone.

import * as path from "node:path";

export interface Finding {
  check: string;
  severity: string;
  file: string;
  line: number;
  column: number;
  message: string;
  notes: { file: string; line: number; column: number; message: string }[];
}

/** Findings with absolute paths; throws at what is no report. */
export function findingsOf(report: string, folder: string): Finding[] {
  const parsed = JSON.parse(report) as { version: number; diagnostics: Finding[] };
  if (parsed.version !== 1) throw new Error(`a report of version ${parsed.version}, which is not known here`);
  return parsed.diagnostics.map((d) => ({
    ...d,
    file: path.resolve(folder, d.file),
    notes: (d.notes ?? []).filter((n) => n.file).map((n) => ({ ...n, file: path.resolve(folder, n.file) })),
  }));
}

export function counted(findings: Finding[]): string {
  if (!findings.length) return "no findings";
  const files = new Set(findings.map((f) => f.file)).size;
  return `${findings.length} finding${findings.length === 1 ? "" : "s"} in ${files} file${files === 1 ? "" : "s"}`;
}

/** What a line of --progress says; undefined: it is none. */
export function progressOf(line: string): { files: number; message: string } | undefined {
  const [, message, files] = /^(\d+\/(\d+) files, \d+ s left): /.exec(line) ?? [];
  return message ? { files: Number(files), message } : undefined;
}
