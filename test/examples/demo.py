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


def curves():
    """The steps that ./x bench training wrote down, with the right and the wrong loss of each."""
    page = (run_bugs.SOURCE / "docs/training.md").read_text()
    rows = (re.search(rf"^\| {name} \|(.+)\|$", page, re.M)[1] for name in ("step", "right", "wrong"))
    return [[float(cell) for cell in row.split("|")] for row in rows]


def drawn(steps, right, wrong, height=9, width=3):
    """Both in one picture: `o` right, `x` wrong, `*` both."""
    least, most = min(right + wrong), max(right + wrong)

    def line_of(loss):
        return round((most - loss) / (most - least) * (height - 1))

    lines = [f"{most - (most - least) * n / (height - 1):6.2f} |" for n in range(height)]
    for r, w in zip(right, wrong):
        for n in range(height):
            here = (line_of(r) == n, line_of(w) == n)
            lines[n] += {(True, True): "*", (True, False): "o", (False, True): "x"}.get(here, " ").rjust(width)
    lines.append(f"       +{'-' * width * len(steps)}  step {steps[-1]:.0f}")
    return "\n".join(line.rstrip() for line in lines) + "\n        o right, x wrong, * both"


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
    print(drawn(*curves()))
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
