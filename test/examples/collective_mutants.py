#!/usr/bin/env python3
"""Breaks the order of the examples' collectives in one place after the other.

A mutant is an example with one edit: a collective or a barrier that only rank 0
of its axis makes, a wait that is left out, two calls that half of the ranks make
in the other order. Each must be found, but for those in UNREPORTED.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

import run_bugs

SOURCE = run_bugs.SOURCE
NOT_ITS_BUFFER = "no collective's buffer is touched before the kernel or the copy is done"
UNREPORTED = {
    ("megatron/checkpoint.cpp", "calls swapped on one side"):
        "stays right: those on one axis have the same rank on the other",
    ("zero/adamw.cu", "wait removed"): NOT_ITS_BUFFER,
    ("zero/collectives.cpp", "wait removed"): NOT_ITS_BUFFER,
    ("zero/model.cpp", "wait removed"): NOT_ITS_BUFFER,
    ("zero/parallel.cpp", "wait removed"): NOT_ITS_BUFFER,
}
CALL = re.compile(
    r"\b(?:spmd::)?(all_reduce|all_reduce_max|all_gather|reduce_scatter|barrier|sum_over)\(")
WAIT = re.compile(r"^ *CUDACHECK\(cudaStreamSynchronize\([^;]*;\n", re.M)


class Example(run_bugs.Sandbox):
    """A copy of an example; libtorch is replaced by stub headers."""

    def load(self, example):
        super().load(example)
        if run_bugs.needs_torch(self.folder):
            self.options = []

    def lint(self, target, *extra):
        flags = [] if self.options else self.stub_flags()
        return super().lint(target, "-j1", *extra, *flags)


def arguments(text, at):
    """The arguments of the call whose parenthesis opens before \\p at, and its end."""
    depth, begin, found = 0, at, []
    for end in range(at, len(text)):
        if text[end] in "([{":
            depth += 1
        elif text[end] in ")]}":
            depth -= 1
            if depth < 0:
                return found + [text[begin:end].strip()], end + 1
        elif text[end] == "," and depth == 0:
            found.append(text[begin:end].strip())
            begin = end + 1
    raise ValueError("a call without an end")


def edits(text):
    """Kind, begin, end and the new text of each edit."""
    statements = []
    for call in CALL.finditer(text):
        given, end = arguments(text, call.end())
        before = text[: call.start()].rstrip()
        axis = next((a for a in given if re.fullmatch(r"(parallel_?\.)?(dp|tp)_?|axis", a)), None)
        if not axis:
            continue  # a declaration
        whole = text[call.start() : end]
        if before.endswith((";", "{", "}")) and text[end] == ";":
            yield ("collective of one rank", call.start(), end,
                   f"if ({axis}.rank() == 0) {whole}")
            statements.append((call.start(), end + 1, axis))
        else:
            value = given[0]
            yield ("collective of one rank", call.start(), end,
                   f"({axis}.rank() == 0 ? {whole} : {value})")
    for (begin, middle, axis), (second, end, _) in zip(statements, statements[1:]):
        if not text[middle:second].strip():
            a, b = text[begin:middle], text[second:end]
            yield ("calls swapped on one side", begin, end,
                   f"if ({axis}.rank() % 2) {{ {a} {b} }} else {{ {b} {a} }}")
    for wait in WAIT.finditer(text):
        yield "wait removed", wait.start(), wait.end(), ""


def mutants(example):
    for path in sorted(example.glob("*.c*")):
        text = path.read_text()
        for kind, begin, end, new in edits(text):
            line = text.count("\n", 0, begin) + 1
            yield path, line, kind, text[:begin] + new + text[end:]


def try_mutant(sandbox, mutant):
    """Whether it is found; what is wrong with it where it is no program."""
    path, _, _, text = mutant
    sandbox.load(path.parent.name)
    (sandbox.folder / path.name).write_text(text)
    try:
        return mutant, bool(sandbox.lint(sandbox.folder, "--whole-program")), ""
    except run_bugs.BadPatch as error:
        return mutant, False, str(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tool = str((options.build / "bin" / "spmd-tidy").resolve())
    database = json.loads((options.build / "compile_commands.json").read_text())
    all_mutants = [m for e in sorted((SOURCE / "examples").iterdir()) if e.is_dir() for m in mutants(e)]
    table = collections.defaultdict(lambda: [0, 0, 0])
    bad = 0
    with run_bugs.sandboxes(lambda root: Example(root, tool, database), options.jobs) as pool:
        for (path, line, kind, _), found, error in run_bugs.try_all(
                pool, options.jobs, try_mutant, all_mutants):
            reason = UNREPORTED.get((f"{path.parent.name}/{path.name}", kind))
            row = table[kind]
            row[0] += 1
            row[1] += found
            row[2] += not found and reason is not None
            if not found and (error or not reason):
                print(f"{path.parent.name}/{path.name}:{line}, {kind}: {error or 'not found'}")
                bad += 1
    print(f"{'mistake':28}mutants  found  right, or another's")
    for kind, (made, found, right) in sorted(table.items()):
        print(f"{kind:28}{made:7}{found:7}{right:21}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
