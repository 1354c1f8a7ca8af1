import * as assert from "node:assert";
import { test } from "node:test";

import { counted, findingsOf, progressOf } from "./report";

const one = { check: "spmd-src-type", severity: "error", file: "a/f.cpp", line: 1, column: 2, message: "m", notes: [{ file: "a/g.h", line: 3, column: 4, message: "n" }, { message: "of no place" }] };

test("paths are absolute, notes without a place are left out", () => {
  const [found] = findingsOf(JSON.stringify({ version: 1, diagnostics: [one] }), "/w");
  assert.strictEqual(found.file, "/w/a/f.cpp");
  assert.deepStrictEqual(found.notes.map((n) => n.file), ["/w/a/g.h"]);
});
test("another version is refused", () => assert.throws(() => findingsOf('{"version":2,"diagnostics":[]}', "/w"), /version 2/));
test("counts", () => {
  const found = findingsOf(JSON.stringify({ version: 1, diagnostics: [one, one] }), "/w");
  assert.strictEqual(counted(found), "2 findings in 1 file");
  assert.strictEqual(counted([]), "no findings");
});
test("how far the tool is", () => {
  assert.deepStrictEqual(progressOf("3/12 files, 9 s left: a/f.cpp"), { files: 12, message: "3/12 files, 9 s left" });
  assert.strictEqual(progressOf("spmd-tidy: error: no file"), undefined);
});
