#!/usr/bin/env python3
"""Adopts spmd-tidy on public programs, and puts mistakes into them one at a time.

A recipe in test/bench/trainers says what to annotate in which program, and
which mistakes to make; the program itself is no part of this project. FOLDER
has a checkout of it, or of several, each in a folder with the repository's name.

  git clone https://github.com/pytorch/examples FOLDER/examples
  ./x bench trainers FOLDER [RECIPE...]

A mistake is found where something is reported that is not reported of the
program as it is.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import difflib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
RECIPES = SOURCE / "test/bench/trainers"
NOT_COPIED = shutil.ignore_patterns(".git", "build", "*.pdf", "*.png", "*.ipynb")
LONGEST = 300  # seconds of one run


class Unfit(Exception):
    """A recipe that does not fit the program: another commit, most likely."""


def find(pattern, files, wanted=1):
    """The file and the place of one occurrence of a pattern."""
    for file, text in files.items():
        matches = list(re.finditer(pattern, text, re.M))
        if len(matches) >= wanted:
            return file, matches[wanted - 1]
        wanted -= len(matches)
    raise Unfit(f"there is no {pattern}")


def statement_end(text, at):
    """Where the statement ends that starts at a place: its semicolon, or its block."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if text[i] == "}" and not depth:
                return i + 1
        elif text[i] == ";" and not depth:
            return i + 1
    raise Unfit(f"no end of {text[at:at + 40]}")


def edit(files, what, pattern, *more):
    """Makes one edit: of the statement that a pattern is the start of, or of the match alone."""
    what, _, which = what.partition(" ")
    file, match = find(pattern, files, int(which or 1))
    text = files[file]
    start, end = match.start(), statement_end(text, match.start()) if what != "put" else match.end()
    statement = text[start:end]
    if what == "put":  # MATCH -> more[0]
        new = match.expand(more[0])
    elif what == "drop":
        new = ";"
    elif what == "double":
        new = statement + " " + statement
    elif what == "if":  # more[0]: the condition
        new = f"if ({more[0]}) {{ {statement} }}"
    elif what == "add":  # more[0]: what comes behind the statement
        new = statement + " " + more[0]
    elif what in ("behind", "before"):  # more[0]: the start of another statement
        files[file] = text[:start] + ";" + text[end:]
        other, target = find(more[0], files)
        at = target.start() if what == "before" else statement_end(files[other], target.start())
        files[other] = files[other][:at] + " " + statement + " " + files[other][at:]
        return
    else:
        raise Unfit(f"there is no edit '{what}'")
    files[file] = text[:start] + new + text[end:]


def annotate(recipe, files):
    """Puts the annotations in, each before what its pattern matches."""
    for pattern, text in recipe["annotations"]:
        file, match = find(pattern, files)
        attribute = text if text.startswith("[[") else f'[[spmd::type("{text}")]]'
        at = match.start()
        files[file] = files[file][:at] + attribute + " " + files[file][at:]


def read(recipe, folder):
    return {name: (folder / name).read_text()
            for name in recipe["files"] + recipe.get("headers", [])}


@contextlib.contextmanager
def copy_of(recipe, folder, files):
    """A copy of the program with these files, and with what it is to be found with."""
    with tempfile.TemporaryDirectory(prefix="trainers-") as scratch:
        copy = pathlib.Path(scratch) / "program"
        shutil.copytree(folder, copy, ignore=NOT_COPIED, symlinks=True)
        shims = {f"shims/{name}": text for name, text in recipe.get("shims", {}).items()}
        for name, text in {**files, **shims, ".spmd-tidy": recipe.get("config", "")}.items():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_text(text)
        yield copy


def run(tool, recipe, copy, *options):
    return subprocess.run([tool, "--no-cache", "-j", "1", *options, *recipe.get("options", []), *recipe["files"], "--",
                           *recipe["compiler"]], cwd=copy, capture_output=True, text=True, timeout=LONGEST)


def report_of(tool, recipe, copy):
    """What the tool says of a copy, as JSON."""
    ran = run(tool, recipe, copy, "--format=json")
    try:
        report = json.loads(ran.stdout)
    except json.JSONDecodeError:
        raise Unfit(f"spmd-tidy ended with {ran.returncode}: {ran.stderr[-400:]}") from None
    if report["parseErrors"]:
        raise Unfit(f"{len(report['parseErrors'])} errors: {report['parseErrors'][0]}")
    return report


def lint(tool, recipe, folder, files):
    with copy_of(recipe, folder, files) as copy:
        return report_of(tool, recipe, copy)


def findings(report):
    """How often what is said; lines move, and numbers of lines in messages with them."""
    return collections.Counter((one["check"], re.sub(r"\d+", "", one["message"]))
                               for one in report["diagnostics"])


def lines_of(files):
    return sum(bool(line.strip()) for text in files.values() for line in text.splitlines())


def mended(tool, recipe, folder, wrong, right):
    """What --fix makes of a mistake: how much is said of it still, and what it changed."""
    with copy_of(recipe, folder, wrong) as copy:
        run(tool, recipe, copy, "--fix")
        files = {name: (copy / name).read_text() for name in wrong}
        report = report_of(tool, recipe, copy)
    lines = [line for name in files
             for line in difflib.unified_diff(wrong[name].splitlines(), files[name].splitlines(),
                                              n=0, lineterm="")
             if re.match(r"[-+](?![-+])", line)]
    left = (findings(report) - right).total()
    return [f"      --fix leaves {left}"] + [f"      {line}" for line in lines]


def tried(tool, recipe, folder, annotated, right, edits, repairs):
    """What is found of one mistake, or why it could not be made."""
    files = dict(annotated)
    try:
        for one in edits if isinstance(edits[0], list) else [edits]:
            edit(files, *one)
        found = sorted(check for check, _ in findings(lint(tool, recipe, folder, files)) - right)
        return found, mended(tool, recipe, folder, files, right) if found and repairs else []
    except Unfit as why:
        return why
    except subprocess.TimeoutExpired:
        return Unfit("no end")


def trial(tool, name, recipe, folder, only, repairs):
    folder = folder / recipe.get("folder", "")
    files = read(recipe, folder)
    lines = lines_of(files)
    annotate(recipe, files)
    for one in recipe.get("prepare", []):  # what is wrong with the program itself, put right
        edit(files, *one)
    started = time.monotonic()
    report = lint(tool, recipe, folder, files)
    spent = time.monotonic() - started
    right = findings(report)
    print(f"== {name}: {recipe['repository']} {recipe['commit'][:8]}; "
          f"{len(recipe['annotations'])} annotations, {lines} lines, {spent:.1f} s")
    print("   " + coverage(report))
    expected = recipe.get("reported", 0)
    if right.total() != expected:
        for (check, message), _ in right.items():
            print(f"   reported as it is: {message} [{check}]")
    print(f"   reported as it is: {right.total()}, of which mistakes of the program: {expected}")
    totals = []
    for kind in ("mistakes", "arithmetic"):
        made = {what: edits for what, edits in recipe.get(kind, {}).items()
                if not only or re.search(only, what)}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda edits: tried(tool, recipe, folder, files, right, edits,
                                                        repairs), made.values()))
        for what, result in zip(made, results):
            tell(what, kind, result, only or repairs)
        totals.append((sum(not isinstance(r, Exception) and bool(r[0]) for r in results),
                       len(results)))
    print(f"   found {totals[0][0]} of {totals[0][1]}; of arithmetic {totals[1][0]} of {totals[1][1]}",
          flush=True)
    return totals


def tell(what, kind, result, all_of_it):
    if isinstance(result, Unfit):
        return print(f"   not made: {what}: {result}")
    found, changed = result
    if not found:
        print(f"   missed{' (arithmetic)' * (kind == 'arithmetic')}: {what}")
    elif all_of_it:
        print(f"   found: {what}: {' '.join(found)}", *changed, sep="\n")


def coverage(report):
    """As the line that a clean run ends with."""
    of = report["coverage"]
    return ", ".join(f"{typed} of {of['expressions']} expressions typed on {axis}"
                     for axis, typed in of["typed"].items()) + (
        f"; {of['collectivesGiven']} of {of['collectives']} collectives")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("recipes", nargs="*", help="all whose program is there, where none is named")
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", help="mistakes whose name this matches, and what is found of them")
    parser.add_argument("--repairs", action="store_true", help="what --fix makes of each that is found")
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.build).resolve() / "bin/spmd-tidy")
    totals = []
    for name in arguments.recipes or sorted(file.stem for file in RECIPES.glob("*.toml")):
        recipe = tomllib.loads((RECIPES / f"{name}.toml").read_text())
        folder = arguments.folder.resolve() / recipe["repository"].split("/")[-1]
        if not folder.is_dir():
            print(f"== {name}: no {folder}")
            continue
        try:
            totals.append(trial(tool, name, recipe, folder, arguments.only,
                                arguments.repairs))
        except Unfit as why:
            print(f"== {name}: {why}")
    found = [sum(total[kind][side] for total in totals) for kind in (0, 1) for side in (0, 1)]
    print(f"all: found {found[0]} of {found[1]}; of arithmetic {found[2]} of {found[3]}")


if __name__ == "__main__":
    main()
