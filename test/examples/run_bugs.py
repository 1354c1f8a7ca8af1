#!/usr/bin/env python3
"""Lints the examples as they are, then with each of their bug patches.

A patch in examples/<name>/bugs/ is a unified diff below a few header lines:

    # check: spmd-partial-nonlinear
    # file: block.cpp
    # line: gelu(            (a line number, or text that the line contains)
    # fix: yes               (yes: --fix must leave no finding)

The unpatched example must be silent. Everything happens in a temporary copy.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = {".cpp", ".cc", ".cxx", ".cu", ".c"}


@dataclasses.dataclass
class Patch:
    path: pathlib.Path
    example: str
    title: str
    check: str
    file: str
    line: str
    fix: bool

    @property
    def name(self):
        return f"{self.example}/{self.path.name}"


@dataclasses.dataclass
class Outcome:
    patch: Patch
    found: str = "not found"
    repaired: str = ""
    message: str = ""
    problem: str = ""


class BadPatch(Exception):
    pass


def read_patch(path):
    header, title = {}, ""
    for line in path.read_text().splitlines():
        if line.startswith(("---", "diff ")):
            break
        if match := re.match(r"#\s*(check|file|line|fix):\s*(.+?)\s*$", line):
            header[match[1]] = match[2]
        elif line.startswith("#") and not title:
            title = line.lstrip("# ").rstrip()
    missing = {"check", "file", "line", "fix"} - header.keys()
    if missing:
        raise BadPatch(f"{path}: no '# {sorted(missing)[0]}:' line")
    if header["fix"] not in ("yes", "no"):
        raise BadPatch(f"{path}: '# fix:' must be yes or no")
    return Patch(path, path.parent.parent.name, title, header["check"],
                 header["file"], header["line"], header["fix"] == "yes")


class Sandbox:
    """A copy of one example at a time in a tree that otherwise is the source
    tree, with compile commands that name the copy."""

    def __init__(self, root, tool, database):
        self.root, self.tool, self.database = root, tool, database
        for entry in SOURCE.iterdir():
            if entry.name != "examples" and not entry.name.startswith((".git", "build")):
                (root / entry.name).symlink_to(entry)
        (root / "examples").mkdir()

    def load(self, example):
        self.folder = self.root / "examples" / example
        shutil.rmtree(self.folder, ignore_errors=True)
        original = SOURCE / "examples" / example
        shutil.copytree(original, self.folder)
        commands = [c for c in self.database if f"{original}/" in c["file"]]
        text = json.dumps(commands).replace(f"{original}/", f"{self.folder}/")
        self.options = []
        if commands:
            (self.root / "compile_commands.json").write_text(text)
            self.options = ["-p", str(self.root)]

    def apply(self, patch):
        text = patch.path.read_text()
        target = re.search(r"^\+\+\+ \S+?/(\S+)", text, re.M)
        if not target:
            raise BadPatch(f"{patch.path}: no '+++ b/…' line")
        base = self.root if target[1].startswith("examples/") else self.folder
        run = subprocess.run(
            ["patch", "-p1", "--forward", "--batch", "--no-backup-if-mismatch",
             "--reject-file=-"],
            cwd=base, input=text, text=True, capture_output=True)
        if run.returncode:
            raise BadPatch(f"does not apply: {run.stdout.strip().splitlines()[-1]}")
        changed = base / target[1]
        return changed if changed.suffix in SUFFIXES else self.folder

    def lint(self, target, *extra):
        run = subprocess.run(
            [self.tool, *self.options, "--format=json", str(target), *extra],
            cwd=self.folder, text=True, capture_output=True)
        if run.returncode not in (0, 1):
            last = (run.stderr.strip().splitlines() or ["no output"])[-1]
            raise BadPatch(f"spmd-tidy ended with {run.returncode}: {last}")
        try:
            return json.loads(run.stdout)["diagnostics"]
        except (ValueError, KeyError):
            raise BadPatch("spmd-tidy printed no JSON report") from None

    def text(self, target):
        run = subprocess.run([self.tool, *self.options, str(target)],
                             cwd=self.folder, text=True, capture_output=True)
        return (run.stdout + run.stderr).replace(f"{self.root}/", "")


@contextlib.contextmanager
def sandboxes(make, jobs):
    """A queue of as many as there are jobs, each made by make(root)."""
    with tempfile.TemporaryDirectory(prefix="spmd-bugs-") as scratch:
        pool = queue.Queue()
        for index in range(max(1, jobs)):
            root = pathlib.Path(scratch) / str(index)
            root.mkdir()
            pool.put(make(root))
        yield pool


def try_all(pool, jobs, try_one, patches):
    """try_one(sandbox, patch) of each patch, in their order."""
    def work(patch):
        sandbox = pool.get()
        try:
            return try_one(sandbox, patch)
        finally:
            pool.put(sandbox)

    with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
        return list(threads.map(work, patches))


def matches(sandbox, patch, finding):
    file = pathlib.Path(finding["file"])
    file = file if file.is_absolute() else sandbox.folder / file
    if finding["check"] != patch.check or file.name != pathlib.Path(patch.file).name:
        return False
    if patch.line.isdigit():
        return finding["line"] == int(patch.line)
    return patch.line in file.read_text().splitlines()[finding["line"] - 1]


def try_patch(sandbox, patch):
    outcome = Outcome(patch)
    try:
        sandbox.load(patch.example)
        target = sandbox.apply(patch)
        findings = sandbox.lint(target)
        hits = [f for f in findings if matches(sandbox, patch, f)]
        if not hits:
            seen = "; ".join(f"{pathlib.Path(f['file']).name}:{f['line']} {f['check']}"
                             for f in findings) or "no finding"
            outcome.problem = f"expected {patch.check} at '{patch.line}', got {seen}"
            return outcome
        hit = hits[0]
        outcome.found = f"{pathlib.Path(hit['file']).name}:{hit['line']}"
        outcome.message = hit["message"]
        if not patch.fix:
            outcome.repaired = "by hand"
            return outcome
        sandbox.lint(target, "--fix")
        left = sandbox.lint(target)
        outcome.repaired = "no" if left else "yes"
        if left:
            outcome.problem = f"after --fix: {left[0]['check']}: {left[0]['message']}"
    except BadPatch as error:
        outcome.problem = str(error)
    return outcome


def print_table(outcomes):
    rows = [("patch", "expected check", "found at", "repaired")]
    rows += [(o.patch.name, o.patch.check, o.found, o.repaired or "-") for o in outcomes]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for index, row in enumerate(rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))
    for outcome in outcomes:
        if outcome.problem:
            print(f"{outcome.patch.name}: {outcome.problem}")


def lint_clean(sandbox, examples):
    """Every example as it stands must be silent."""
    bad = 0
    for example in examples:
        sandbox.load(example)
        try:
            findings = sandbox.lint(sandbox.folder)
        except BadPatch as error:
            print(f"examples/{example}: {error}")
            bad += 1
            continue
        print(f"examples/{example}: {len(findings)} findings")
        for f in findings:
            print(f"  {pathlib.Path(f['file']).name}:{f['line']}: {f['message']} [{f['check']}]")
        bad += bool(findings)
    return bad


def explain_one(sandbox, patches):
    """The full text of one finding, as a user sees it."""
    patch = next((p for p in patches if p.fix), patches[0])
    print(f"\nOne of them in full, {patch.name}:")
    sandbox.load(patch.example)
    print(sandbox.text(sandbox.apply(patch)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--demo", action="store_true", help="also show one finding in full")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("pattern", nargs="?", default="", help="only patches whose path has this")
    options = parser.parse_args()

    tool = (options.build / "bin" / "spmd-tidy").resolve()
    database_file = options.build / "compile_commands.json"
    database = json.loads(database_file.read_text()) if database_file.exists() else []
    folders = sorted(f for f in (SOURCE / "examples").iterdir() if f.is_dir())
    try:
        patches = [read_patch(p) for f in folders for p in sorted(f.glob("bugs/*.patch"))
                   if options.pattern in str(p.relative_to(SOURCE))]
    except BadPatch as error:
        sys.exit(f"run_bugs: {error}")

    with sandboxes(lambda root: Sandbox(root, str(tool), database), options.jobs) as pool:
        first = pool.get()
        print("The examples as they are:")
        bad = lint_clean(first, [f.name for f in folders])
        pool.put(first)
        print(f"\nEach with one mistake ({len(patches)} patches):", flush=True)
        outcomes = try_all(pool, options.jobs, try_patch, patches)
        print_table(outcomes)
        wrong = sum(bool(o.problem) for o in outcomes)
        if options.demo and patches:
            explain_one(first, patches)
    print(f"\n{len(outcomes) - wrong} of {len(outcomes)} patches reported as expected")
    return 1 if bad or wrong or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
