import * as assert from "node:assert";
import { test } from "node:test";

import { BackOff } from "./backOff";

test("each start waits twice as long, until there is no more", () => {
  const wait = new BackOff();
  wait.begin(0);
  assert.deepStrictEqual([1, 2, 3, 4, 5, 6].map((n) => wait.next(n)), [1000, 2000, 4000, 8000, 16000, undefined]);
});

test("no wait is longer than half a minute", () => {
  const wait = new BackOff(9);
  wait.begin(0);
  let last;
  for (let i = 0; i < 9; ++i) last = wait.next(i);
  assert.strictEqual(last, 30000);
});

test("a server that has run for long is in order", () => {
  const wait = new BackOff(1);
  wait.begin(0);
  assert.strictEqual(wait.next(1), 1000);
  assert.strictEqual(wait.next(2), undefined);
  wait.begin(10);
  assert.strictEqual(wait.next(200000), 1000);
});

test("who asks for it gets a new start", () => {
  const wait = new BackOff(1);
  wait.begin(0);
  wait.next(1);
  wait.reset();
  assert.strictEqual(wait.next(2), 1000);
});
