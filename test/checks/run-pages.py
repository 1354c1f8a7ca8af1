#!/usr/bin/env python3
"""Runs the code blocks of the checks' pages through spmd-tidy.

A block under "Example" must be found exactly on its lines marked
`// expect: <check>`; every other block must be silent. A block marked `fixed`
is what --fix makes of the example, character for character, and repairing it
again changes nothing.
"""

import collections
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


def lint(sources, *options):
    """Of each source the findings as {(line, check)}, and its text afterwards. One
    run for all of them: what they begin with is parsed once."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / f"{i}.cpp" for i in range(len(sources))]
        for path, source in zip(paths, sources):
            path.write_text(PRELUDE + source)
        run = subprocess.run([tool, "--no-cache", "--format=json", *options,
                              *map(str, paths), *FLAGS], capture_output=True, text=True)
        assert run.returncode in (0, 1), run.stderr
        offset = PRELUDE.count("\n")
        found = collections.defaultdict(set)
        for d in json.loads(run.stdout)["diagnostics"]:
            found[pathlib.Path(d["file"]).name].add((d["line"] - offset, d["check"]))
        return [(found[path.name], path.read_text()[len(PRELUDE):]) for path in paths]


def blocks(page):
    """The examples of a page, and what is to be used instead, with its kind."""
    example, _, rest = page.read_text().partition("## Use instead")
    return [code for _, code in BLOCK.findall(example)], BLOCK.findall(rest)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        codes = {code for page in PAGES for code in blocks(page)[0]}
        codes |= {code for page in PAGES for _, code in blocks(page)[1]}
        # What is to be repaired, and what must not change by it.
        repaired = set()
        for page in PAGES:
            bad, good = blocks(page)
            for kind, code in good:
                if kind == "fixed":
                    repaired |= {MARK.sub("", bad[-1]), code}
        cls.found = cls.run_all(codes, 0)
        cls.fixed = cls.run_all(repaired, 1, "--fix")

    @staticmethod
    def run_all(codes, which, *options):
        codes = sorted(codes)
        return {code: result[which] for code, result in zip(codes, lint(codes, *options))}

    def check(self, page):
        bad, good = blocks(page)
        for code in bad:
            wanted = {(code[:m.start()].count("\n") + 1, m.group(1))
                      for m in MARK.finditer(code)}
            self.assertTrue(wanted, f"an example of {page.stem} expects nothing")
            self.assertEqual(self.found[code], wanted)
        for kind, code in good:
            self.assertEqual(self.found[code], set(), code)
            if kind == "fixed":
                fixed = self.fixed[MARK.sub("", bad[-1])]
                self.assertEqual(fixed, code)
                self.assertEqual(self.fixed[fixed], fixed)


for page in PAGES:
    def test(self, page=page):
        self.check(page)
    setattr(Pages, "test_" + page.stem.replace("-", "_"), test)

if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        tool = sys.argv.pop(1)
    unittest.main()
