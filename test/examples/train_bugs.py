#!/usr/bin/env python3
"""Runs the examples with each of their bug patches, and shows which mistakes the
loss curve would have revealed, beside the check that finds them without running.

A patched program trains on four ranks; its losses are compared with those of the
right program on one rank. Modes of the Megatron-style trainer are tried until
one reveals the mistake.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import demo
import run_bugs
import training

SOURCE = run_bugs.SOURCE
EXACT, VISIBLE = 1e-4, 1e-2
MODES = {
    "megatron": [["--dp=2", "--tp=2", f"--sequence-parallel={s}", f"--vocabulary-parallel={v}"]
                 for v in (1, 0) for s in (0, 1)],
    "zero": [["--ranks=4", f"--stage={stage}"] for stage in (1, 2)],
}


class PatchedProgram:
    """Compiles the one file that a patch changes, as the build does, and links it
    with what the build has made of the others."""

    def __init__(self, build, example, root):
        self.build, self.example, self.root = build.resolve(), example, root
        self.original = SOURCE / "examples" / example
        database = json.loads((self.build / "compile_commands.json").read_text())
        program = f"examples/{example}/CMakeFiles/{example}.dir/"
        self.compile = {pathlib.Path(c["file"]): c["command"] for c in database
                        if program in c["command"]}
        commands = subprocess.run(["ninja", "-C", self.build, "-t", "commands", example],
                                  check=True, text=True, capture_output=True).stdout
        self.link = commands.splitlines()[-1]

    def make(self, patch):
        folder = self.root / "examples" / self.example
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.original, folder)
        with open(patch.path, encoding="utf-8") as text:
            subprocess.run(["patch", "-p1", "--batch", "-s"], cwd=self.root, stdin=text, check=True)
        source = self.original / pathlib.Path(patch.file).name
        command = self.compile[source]
        object_file = re.search(r" -o (\S+)", command)[1]
        patched_object, program = str(self.root / "patched.o"), self.root / self.example
        command = command.replace(object_file, patched_object)
        self.run(command.replace(str(source), str(folder / source.name)))
        link = self.link.replace(object_file, patched_object)
        self.run(link.replace(f" -o examples/{self.example}/{self.example}", f" -o {program}"))
        return program

    def run(self, command):
        run = subprocess.run(command, shell=True, cwd=self.build, text=True, capture_output=True)
        if run.returncode:
            raise training.Failed(run.stderr or run.stdout)


def first_over(differences, limit):
    return next((step + 1 for step, d in enumerate(differences) if d > limit), None)


def outcome(program, folder, example, expected, steps):
    """Worst difference, steps until 1e-4 and 1%, mode; or the program's error."""
    best = None
    for mode in MODES[example]:
        name = " ".join(m.lstrip("-") for m in mode)
        try:
            found = training.losses(program, folder, [*mode, f"--steps={steps}"], timeout=300)
            found = training.differences(found, expected)
        except training.Failed as error:
            return ["ends with an error", "1", "1", f"{name}: {error}"]
        if best is None or max(found) > max(best[0]):
            best = found, name
        if max(found) > VISIBLE:
            break
    found, name = best
    steps = [first_over(found, limit) for limit in (EXACT, VISIBLE)]
    worst = f"{max(found):.1e}" if max(found) < float("inf") else "NaN"
    return [worst, *[str(s) if s else "never" for s in steps], name]


def curve(right, wrong, points=20):
    """The losses of the demo's mistake, which it draws."""
    at = [*range(0, len(right), len(right) // points), len(right) - 1]
    rows = [("step", [str(n + 1) for n in at]), ("right", [f"{right[n]:.3f}" for n in at]),
            ("wrong", [f"{wrong[n]:.3f}" for n in at])]
    head, *others = (f"| {name} | {' | '.join(cells)} |" for name, cells in rows)
    return "\n".join([head, "|---" * (len(at) + 1) + "|", *others])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("pattern", nargs="?", default="", help="only patches whose path has this")
    options = parser.parse_args()

    print("| patch | largest | over 1e-4 | over 1% | mode | found without running by |\n"
          "|---|---|---|---|---|---|")
    hidden = count = 0
    story = ""
    for example in MODES:
        right = options.build / "examples" / example / example
        if not os.access(right, os.X_OK):
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            patched = PatchedProgram(options.build, example, folder)
            expected = training.losses(right, folder, [f"--steps={options.steps}"])
            for path in sorted((SOURCE / "examples" / example / "bugs").glob("*.patch")):
                if options.pattern not in str(path):
                    continue
                patch = run_bugs.read_patch(path)
                program = patched.make(patch)
                cells = outcome(program, folder, example, expected, options.steps)
                if path == SOURCE / "examples" / demo.STORY:
                    mode = MODES[example][0]
                    story = curve(expected, training.losses(program, folder, [*mode, f"--steps={options.steps}"]))
                count += 1
                hidden += cells[2] == "never"
                print(f"| {example}/{path.stem} | " + " | ".join(cells) + f" | `{patch.check}` |",
                      flush=True)
    print(f"\n{hidden} of {count} stay below 1% for {options.steps} steps.\n\n{story}")


if __name__ == "__main__":
    sys.exit(main())
