import * as assert from "node:assert";
import { test } from "node:test";

import { resolveServerPath } from "./serverPath";

const cases: [string, string, string | undefined, string][] = [
  ["a bare name is left for PATH", "spmd-clangd", "/w", "spmd-clangd"],
  ["an empty setting is the default", "  ", "/w", "spmd-clangd"],
  ["an absolute path stays", "/opt/bin/spmd-clangd", "/w", "/opt/bin/spmd-clangd"],
  ["a relative path is the workspace's", "build/bin/spmd-clangd", "/w", "/w/build/bin/spmd-clangd"],
  ["so is one upward", "../tidy/spmd-clangd", "/w/a", "/w/tidy/spmd-clangd"],
  ["the workspace may be named", "${workspaceFolder}/b/s", "/w", "/w/b/s"],
  ["a $ in its name is no pattern", "${workspaceFolder}/s", "/w/$&", "/w/$&/s"],
  ["the home folder may be named", "~/bin/s", undefined, "/home/u/bin/s"],
  ["a relative path without a workspace stays", "bin/s", undefined, "bin/s"],
];

for (const [name, setting, workspace, wanted] of cases)
  test(name, () => assert.strictEqual(resolveServerPath(setting, "/home/u", workspace), wanted));
