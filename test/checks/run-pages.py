#!/usr/bin/env python3
"""Runs the code blocks of the checks' pages through spmd-tidy.

A block under "Example" must be found exactly on its lines marked
`// expect: <check>`; every other block must be silent. A block marked `fixed`
is what --fix makes of the example, character for character, and repairing it
again changes nothing.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "lint" / "checks").glob("spmd-*.md"))
PRELUDE = """#include <torch/torch.h>
#include <spmd/torch.h>
[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;
"""
FLAGS = ["--", "-std=c++20", "-isystem", str(ROOT / "test/stubs"),
         "-I", str(ROOT / "runtime/include"), "-I", str(ROOT / "rules/types/include")]
BLOCK = re.compile(r"^```cpp ?(\w*)\n(.*?)^```$", re.S | re.M)
MARK = re.compile(r" *// expect: (\S+)$", re.M)

tool = "spmd-tidy"


def lint(source, *options):
    """The findings in `source` as {(line, check)}, and the source afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.cpp"
        path.write_text(PRELUDE + source)
        run = subprocess.run([tool, "--format=json", *options, str(path), *FLAGS],
                             capture_output=True, text=True)
        assert run.returncode in (0, 1), run.stderr
        offset = PRELUDE.count("\n")
        found = {(d["line"] - offset, d["check"])
                 for d in json.loads(run.stdout)["diagnostics"]}
        return found, path.read_text()[len(PRELUDE):]


class Pages(unittest.TestCase):
    def check(self, page):
        example, _, rest = page.read_text().partition("## Use instead")
        for kind, code in BLOCK.findall(example):
            wanted = {(code[:m.start()].count("\n") + 1, m.group(1))
                      for m in MARK.finditer(code)}
            self.assertTrue(wanted, f"an example of {page.stem} expects nothing")
            self.assertEqual(lint(code)[0], wanted)
            bad = code
        for kind, code in BLOCK.findall(rest):
            self.assertEqual(lint(code)[0], set(), code)
            if kind == "fixed":
                fixed = lint(MARK.sub("", bad), "--fix")[1]
                self.assertEqual(fixed, code)
                self.assertEqual(lint(fixed, "--fix")[1], fixed)


for page in PAGES:
    def test(self, page=page):
        self.check(page)
    setattr(Pages, "test_" + page.stem.replace("-", "_"), test)

if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        tool = sys.argv.pop(1)
    unittest.main()
