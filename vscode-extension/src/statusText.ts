// What the status bar says. No vscode in here: tested by node alone.

export interface Status {
  uri: string;
  mesh?: string;
  errors?: number;
  warnings?: number;
  fixable?: number;
  coverage?: { axis: string; typed: number; of: number }[];
  collectives?: number;
  collectivesTyped?: number;
}

function percent(part: number, of: number): string {
  return `${Math.floor((100 * part) / of)} %`;
}

export function statusText(status?: Status): string {
  if (!status || status.errors === undefined) return "SPMD";
  const found = status.errors + (status.warnings ?? 0);
  const typed = (status.coverage ?? []).map((c) => `${c.axis} ${percent(c.typed, c.of)}`);
  return [
    status.mesh ? `SPMD ${status.mesh}` : "SPMD",
    found ? `$(error) ${status.errors} $(warning) ${status.warnings}` : "$(check)",
    ...typed,
  ].join("  ");
}

export function statusTip(status?: Status): string {
  if (!status || status.errors === undefined) return "SPMD types: nothing is known of this file";
  const lines = [status.mesh ? `Mesh: ${status.mesh}` : "No mesh in .spmd-tidy",
    `${status.errors} errors, ${status.warnings} warnings, ${status.fixable} with a safe repair`];
  for (const c of status.coverage ?? []) lines.push(`${c.typed} of ${c.of} tensor expressions have a type on ${c.axis}`);
  if (!status.coverage?.length) lines.push("No annotation: nothing is checked");
  if (status.collectives) lines.push(`Of ${status.collectivesTyped} of ${status.collectives} collectives it is known what they are given`);
  return lines.join("\n");
}
