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


def library_headers(text):
    """What is included in angle brackets whatever macros are defined."""
    depth, found = 0, set()
    for line in text.splitlines():
        if re.match(r"#\s*if", line):
            depth += 1
        elif re.match(r"#\s*endif", line):
            depth -= 1
        elif (match := re.match(r"#\s*include <(.+?)>", line)) and depth == 0:
            found.add(match[1])
    return found


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

    def cache(self):
        """One for all sandboxes: what their files begin with is parsed once."""
        return f"--cache-dir={self.root.parent / 'cache'}"

    def prelude(self):
        """A header with all library headers that the example includes, but for those
        that it has itself: named first, it is parsed once, not in each file and with
        each patch."""
        path = self.root / f"{self.folder.name}-prelude.h"
        if not path.exists():
            headers = set()
            for source in SOURCE.glob(f"examples/{self.folder.name}/*.*"):
                if source.suffix in SUFFIXES | {".h"}:
                    headers |= library_headers(source.read_text())
            own = [str(h) for h in SOURCE.glob(f"examples/{self.folder.name}/**/*.h")]
            headers = {h for h in headers if not any(o.endswith(f"/{h}") for o in own)}
            path.write_text("".join(f"#include <{h}>\n" for h in sorted(headers)))
        return path

    def stub_flags(self):
        """Flags with which libraries are replaced by stub headers."""
        return ["--", "-std=c++17", f"-I{SOURCE}/runtime/include",
                f"-I{SOURCE}/rules/types/include", "-isystem", f"{SOURCE}/test/stubs",
                "-include", str(self.prelude())]

    def lint(self, target, *extra):
        run = subprocess.run(
            [self.tool, *self.options, self.cache(), "--format=json", str(target), *extra],
            cwd=self.folder, text=True, capture_output=True)
        if run.returncode not in (0, 1):
            last = (run.stderr.strip().splitlines() or ["no output"])[-1]
            raise BadPatch(f"spmd-tidy ended with {run.returncode}: {last}")
        try:
            return json.loads(run.stdout)["diagnostics"]
        except (ValueError, KeyError):
            raise BadPatch("spmd-tidy printed no JSON report") from None


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
    """Yields try_one(sandbox, patch) of each patch, in their order."""
    def work(patch):
        sandbox = pool.get()
        try:
            return try_one(sandbox, patch)
        finally:
            pool.put(sandbox)

    with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
        yield from threads.map(work, patches)


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


def print_table(patches, outcomes):
    """A row for each outcome as it comes; returns them."""
    rows = [("patch", "expected check", "found at", "repaired")]
    widths = [max(len(rows[0][0]), *(len(p.name) for p in patches), 0),
              max(len(rows[0][1]), *(len(p.check) for p in patches), 0), 28, 8]

    def show(cells):
        print("  ".join(c.ljust(w) for c, w in zip(cells, widths)).rstrip(), flush=True)

    show(rows[0])
    show(["-" * width for width in widths])
    done = []
    for o in outcomes:
        show((o.patch.name, o.patch.check, o.found, o.repaired or "-"))
        done.append(o)
    for outcome in done:
        if outcome.problem:
            print(f"{outcome.patch.name}: {outcome.problem}")
    return done


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
        print(f"examples/{example}: {len(findings)} findings", flush=True)
        for f in findings:
            print(f"  {pathlib.Path(f['file']).name}:{f['line']}: {f['message']} [{f['check']}]")
        bad += bool(findings)
    return bad


def needs_torch(folder):
    return any("<torch/" in path.read_text() for path in folder.glob("*.h"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("pattern", nargs="?", default="", help="only patches whose path has this")
    options = parser.parse_args()

    tool = (options.build / "bin" / "spmd-tidy").resolve()
    database_file = options.build / "compile_commands.json"
    database = json.loads(database_file.read_text()) if database_file.exists() else []
    folders = sorted(f for f in (SOURCE / "examples").iterdir() if f.is_dir())
    # One that needs no libtorch is read at once.
    folders.sort(key=needs_torch)
    try:
        patches = [read_patch(p) for f in folders for p in sorted(f.glob("bugs/*.patch"))
                   if options.pattern in str(p.relative_to(SOURCE))]
    except BadPatch as error:
        sys.exit(f"run_bugs: {error}")

    with sandboxes(lambda root: Sandbox(root, str(tool), database), options.jobs) as pool:
        first = pool.get()
        bad = 0
        outcomes = []
        for folder in folders:
            mine = [p for p in patches if p.example == folder.name]
            if not mine:
                continue
            print(f"The example {folder.name} as it is, then with one mistake each:", flush=True)
            bad += lint_clean(first, [folder.name])
            pool.put(first)
            outcomes += print_table(mine, try_all(pool, options.jobs, try_patch, mine))
            first = pool.get()
            print()
        wrong = sum(bool(o.problem) for o in outcomes)
    print(f"{len(outcomes) - wrong} of {len(outcomes)} patches reported as expected")
    return 1 if bad or wrong or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
