import * as assert from "node:assert";
import { test } from "node:test";

import { draw, Flow, FlowNode, hueOf, place, rowsOf } from "./flowLayout";

const at = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
function node(label: string, more: Partial<FlowNode> = {}): FlowNode {
  return { kind: "op", label, detail: "", types: {}, ...more };
}
function flow(nodes: FlowNode[], edges: [number, number][]): Flow {
  return { uri: "file:///f.cpp", function: "f", range: at, nodes, edges: edges.map(([from, to]) => ({ from, to })) };
}

test("a value is below what it is made of", () =>
  assert.deepStrictEqual(rowsOf(flow([node("x"), node("w"), node("mul"), node("relu")], [[0, 2], [1, 2], [2, 3]])), [0, 0, 1, 2]));

test("an input stands just above its first use", () =>
  assert.deepStrictEqual(rowsOf(flow([node("x"), node("relu"), node("b"), node("add")], [[0, 1], [1, 3], [2, 3]])), [0, 1, 1, 2]));

test("what comes round a loop moves nothing", () =>
  assert.deepStrictEqual(rowsOf(flow([node("x"), node("mul")], [[0, 1], [1, 0], [1, 1]])), [0, 1]));

test("nodes of a row do not overlap", () => {
  const placed = place(flow([node("a long name of a value"), node("w"), node("mul")], [[0, 2], [1, 2]]));
  assert.ok(placed[0].x + placed[0].width < placed[1].x);
});

test("an axis has one colour", () => {
  assert.strictEqual(hueOf("tp"), hueOf("tp"));
  assert.notStrictEqual(hueOf("tp"), hueOf("dp"));
});

test("names are text, not markup", () => {
  const svg = draw(flow([node("f<T>\"", { types: { tp: "V" }, detail: "a & b" })], []));
  assert.ok(svg.includes("f&lt;T&gt;&quot;") && svg.includes("a &amp; b") && svg.includes("tp: V"));
  assert.ok(!svg.includes("f<T>"));
});

test("nothing is a picture, too", () => assert.ok(draw(flow([], [])).startsWith("<svg")));
