// Where the nodes of a type-flow graph go, and the picture of it. No vscode in
// here: tested by node alone.

export interface Position {
  line: number;
  character: number;
}
export interface Range {
  start: Position;
  end: Position;
}
export interface FlowNode {
  kind: "value" | "op" | "collective" | "conversion" | "call" | "return";
  label: string;
  detail: string;
  types: Record<string, string>;
  range?: Range;
}
export interface FlowEdge {
  from: number;
  to: number;
}
export interface Flow {
  uri: string;
  function: string;
  range: Range;
  nodes: FlowNode[];
  edges: FlowEdge[];
}

export interface Placed {
  x: number;
  y: number;
  width: number;
  height: number;
}

const ROW = 78;
const GAP = 24;
const HEIGHT = 44;

function typeWords(node: FlowNode): string[] {
  return Object.entries(node.types).map(([axis, type]) => `${axis}: ${type}`);
}

/** Each node a row below what it is made of, inputs just above their first use. */
export function rowsOf(flow: Flow): number[] {
  const rows = flow.nodes.map(() => 0);
  const into = flow.nodes.map(() => [] as number[]);
  const outOf = flow.nodes.map(() => [] as number[]);
  for (const { from, to } of flow.edges) {
    if (from >= to) continue; // round a loop: not part of the picture's order
    into[to].push(from);
    outOf[from].push(to);
  }
  flow.nodes.forEach((_, i) => {
    rows[i] = into[i].reduce((row, from) => Math.max(row, rows[from] + 1), 0);
  });
  flow.nodes.forEach((_, i) => {
    if (!into[i].length && outOf[i].length)
      rows[i] = Math.max(0, Math.min(...outOf[i].map((to) => rows[to])) - 1);
  });
  return rows;
}

export function place(flow: Flow): Placed[] {
  const rows = rowsOf(flow);
  const used: number[] = [];
  return flow.nodes.map((node, i) => {
    const text = Math.max(node.label.length, typeWords(node).join(" ").length, node.detail.length * 0.8);
    const width = Math.max(80, 24 + 7.4 * text);
    const x = used[rows[i]] ?? GAP;
    used[rows[i]] = x + width + GAP;
    return { x, y: GAP + rows[i] * ROW, width, height: HEIGHT };
  });
}

/** The hue of an axis: the same one in every picture. */
export function hueOf(axis: string): number {
  let hash = 7;
  for (const c of axis) hash = (hash * 31 + c.charCodeAt(0)) % 3600;
  return (hash * 137) % 360;
}

function escape(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function drawNode(node: FlowNode, at: Placed, number: number): string {
  let x = at.x + 12;
  const types = typeWords(node).map((text) => {
    const axis = text.slice(0, text.indexOf(":"));
    const word = `<text x="${x}" y="${at.y + 35}" class="type" fill="hsl(${hueOf(axis)},70%,45%)">${escape(text)}</text>`;
    x += 7.4 * (text.length + 1);
    return word;
  });
  const tip = node.detail ? `<title>${escape(node.detail)}</title>` : "";
  return `<g class="node ${node.kind}" data-node="${number}" tabindex="0" role="button">${tip}` +
    `<rect x="${at.x}" y="${at.y}" width="${at.width}" height="${at.height}" rx="6"/>` +
    `<text x="${at.x + 12}" y="${at.y + 18}">${escape(node.label)}</text>${types.join("")}` +
    (node.detail ? `<text x="${at.x}" y="${at.y + at.height + 12}" class="detail">${escape(node.detail)}</text>` : "") +
    `</g>`;
}

/** An SVG picture; each node has its number in data-node. */
export function draw(flow: Flow): string {
  const placed = place(flow);
  const width = Math.max(...placed.map((p) => p.x + p.width), 0) + GAP;
  const height = Math.max(...placed.map((p) => p.y + p.height), 0) + 2 * GAP;
  const edges = flow.edges.map(({ from, to }) => {
    const a = placed[from], b = placed[to];
    const x1 = a.x + a.width / 2, y1 = a.y + a.height, x2 = b.x + b.width / 2, y2 = b.y;
    return `<path d="M${x1} ${y1} C${x1} ${y1 + 24} ${x2} ${y2 - 24} ${x2} ${y2}"/>`;
  });
  const nodes = flow.nodes.map((node, i) => drawNode(node, placed[i], i));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${edges.join("")}${nodes.join("")}</svg>`;
}
