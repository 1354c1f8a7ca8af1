#!/usr/bin/env python3
"""Lints the examples with global types.

examples/<name>/global.patch turns local annotations into global ones. That
variant must be silent; each bug patch must be found where it is found locally,
by the same check or by the one that its line `# global: <check>` names; and so
must be those in examples/<name>/bugs-global/, which only global types show: with
local ones nothing is found.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import run_bugs

SOURCE = run_bugs.SOURCE


class GlobalVariant(run_bugs.Sandbox):
    """A copy of an example with global types, linted with stub headers."""

    def __init__(self, root, tool):
        super().__init__(root, tool, [])

    def load(self, example, is_global=True):
        super().load(example)
        if not is_global:
            return
        with open(SOURCE / "examples" / example / "global.patch", encoding="utf-8") as text:
            subprocess.run(["patch", "-p1", "--batch", "-s"], cwd=self.root, stdin=text,
                           check=True)

    def lint(self, target, *extra):
        return super().lint(target, "-j1", *extra, *self.stub_flags())


def read_patch(path):
    patch = run_bugs.read_patch(path)
    if other := re.search(r"^# global: (\S+)$", path.read_text(), re.M):
        patch.check = other[1]
    return patch


def try_patch(sandbox, patch):
    outcome = run_bugs.try_patch(sandbox, patch)
    if patch.path.parent.name == "bugs-global" and not outcome.problem:
        sandbox.load(patch.example, is_global=False)
        if local := sandbox.lint(sandbox.apply(patch)):
            outcome.problem = f"local types show it too: {local[0]['message']}"
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("pattern", nargs="?", default="", help="only patches whose path has this")
    options = parser.parse_args()
    tool = str((options.build / "bin" / "spmd-tidy").resolve())

    examples = sorted(p.parent for p in (SOURCE / "examples").glob("*/global.patch"))
    patches = [read_patch(p) for e in examples
               for p in sorted(e.glob("bugs/*.patch")) + sorted(e.glob("bugs-global/*.patch"))
               if options.pattern in str(p)]
    with run_bugs.sandboxes(lambda root: GlobalVariant(root, tool), options.jobs) as pool:
        first = pool.get()
        bad = run_bugs.lint_clean(first, [e.name for e in examples])
        pool.put(first)
        outcomes = run_bugs.print_table(
            patches, run_bugs.try_all(pool, options.jobs, try_patch, patches))
    wrong = sum(bool(o.problem) for o in outcomes)
    print(f"\n{len(outcomes) - wrong} of {len(outcomes)} patches reported as expected")
    return 1 if bad or wrong or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
