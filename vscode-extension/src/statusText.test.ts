import * as assert from "node:assert";
import { test } from "node:test";

import { statusText, statusTip } from "./statusText";

const right = { uri: "f", mesh: "dp=8, tp=4", errors: 0, warnings: 0, fixable: 0, coverage: [{ axis: "tp", typed: 2, of: 3 }], collectives: 1, collectivesTyped: 1 };

test("mesh, findings and coverage", () => assert.strictEqual(statusText(right), "SPMD dp=8, tp=4  $(check)  tp 66 %"));
test("findings are counted", () =>
  assert.strictEqual(statusText({ ...right, mesh: "", errors: 2, warnings: 1 }), "SPMD  $(error) 2 $(warning) 1  tp 66 %"));
test("nothing is claimed of what is not known", () => assert.strictEqual(statusText({ uri: "f" }), "SPMD"));
test("silence without annotations is explained", () =>
  assert.match(statusTip({ ...right, coverage: [] }), /No annotation: nothing is checked/));
test("the tip has the numbers", () => assert.match(statusTip(right), /2 of 3 tensor expressions have a type on tp/));
