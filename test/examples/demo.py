#!/usr/bin/env python3
"""Shows what the tool is for: a trainer with a mistake, the finding, the repair, and what training
would have shown; then all mistakes of the examples."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

import run_bugs

STORY = "zero/bugs/operator-called-twice.patch"


def title(text):
    print(f"\n\033[1m{text}\033[0m\n" if sys.stdout.isatty() else f"\n{text}\n", flush=True)


def shown(sandbox, *arguments):
    run = subprocess.run([sandbox.tool, *sandbox.options, sandbox.cache(), *arguments],
                         cwd=sandbox.folder, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    return run.stdout.replace(f"{sandbox.root}/", "").rstrip()


def measured(patch):
    """What ./x bench training wrote down about this mistake."""
    page = (run_bugs.SOURCE / "docs/training.md").read_text()
    row = re.search(rf"^\| {patch.example}/{patch.path.stem} \|(.+)\|$", page, re.M)
    largest, first, seen, mode, _ = (cell.strip() for cell in row[1].split("|"))
    eye = "by eye nobody would see it in 200 steps" if seen == "never" else \
        f"by eye one sees it from step {seen}"
    return (f"On {mode} its losses differ from the right ones by at most {float(largest):.1%}, "
            f"from step {first}; {eye}.\n(docs/training.md has the losses of all mistakes.)")


def story(sandbox, patch):
    sandbox.load(patch.example)
    target = sandbox.apply(patch)
    title(f"A change to the trainer in examples/{patch.example}, as in many a commit:")
    diff = patch.path.read_text()
    print(diff[diff.index("--- "):].rstrip())
    title("It compiles and trains. What spmd-tidy says of it, without running anything:")
    print(shown(sandbox, "--color=always" if sys.stdout.isatty() else "--color=never", str(target)))
    title("The repair, by --fix-dry-run:")
    print(shown(sandbox, "--fix-dry-run", "--quiet", "--format=text:/dev/null", str(target)))
    title("What training would have shown:")
    print(measured(patch))
    title("So with every mistake of the examples, each patched in alone:")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", type=pathlib.Path)
    options = parser.parse_args()
    print("spmd-tidy: types for programs that run on many ranks. Half a minute.", flush=True)
    tool = str((options.build / "bin" / "spmd-tidy").resolve())
    database = json.loads((options.build / "compile_commands.json").read_text())
    patch = run_bugs.read_patch(run_bugs.SOURCE / "examples" / STORY)
    with run_bugs.sandboxes(lambda root: run_bugs.Sandbox(root, tool, database), 1) as pool:
        story(pool.get(), patch)
    os.execv(sys.executable, [sys.executable, run_bugs.__file__, "--build", str(options.build)])


if __name__ == "__main__":
    main()
