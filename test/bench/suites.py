#!/usr/bin/env python3
"""Runs spmd-tidy on a suite of programs of which somebody has written down what
is wrong with them, and prints precision and recall.

A suite is a folder. What is wrong with a file is what --label finds in its
text, or --path in its name from that folder on: group 1, or nothing where the
file is right. Files that neither speaks of are left out.

  ./x bench suites FOLDER --label '\\| (?:ERROR: (\\w+)|OK)' -- -I/usr/include/mpi
  ./x bench suites FOLDER --path '^(?:correct|\\w+/(\\w+)-)' -- -I/usr/include/mpi
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

SOURCES = {".c", ".cc", ".cpp", ".cu"}
AT_ONCE = 40  # files of one run


def read_arguments():
    given, _, compiler = "\0".join(sys.argv[1:]).partition("\0--\0")
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--label", type=re.compile, help="what a file's text says of it")
    kind.add_argument("--path", type=re.compile, help="what a file's name says of it")
    parser.add_argument("--build", default="build")
    parser.add_argument("--missed", action="store_true", help="list the files, too")
    arguments = parser.parse_args(given.split("\0"))
    arguments.compiler = compiler.split("\0") if compiler else []
    return arguments


def labels(arguments):
    """By file: what is wrong with it, or None."""
    out = {}
    for file in sorted(arguments.folder.rglob("*")):
        if file.suffix not in SOURCES:
            continue
        text = (str(file.relative_to(arguments.folder)) if arguments.path
                else file.read_text(errors="replace"))
        found = (arguments.path or arguments.label).search(text)
        if found:
            out[file.resolve()] = found.group(1)
    return out


def findings(tool, files, compiler):
    """The checks that find something, by file."""
    run = subprocess.run([tool, "--no-cache", "-j", "1", "--format=json", *map(str, files),
                          "--", *compiler], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, timeout=3600)
    try:
        report = json.loads(run.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{tool} ended with {run.returncode} and no report")
    out = collections.defaultdict(set)
    for one in report["diagnostics"]:
        if one["check"].startswith("spmd-"):
            out[pathlib.Path(one["file"]).resolve()].add(one["check"])
    return out


def main():
    arguments = read_arguments()
    wrong = labels(arguments)
    if not wrong:
        sys.exit(f"no file of {arguments.folder} says what it is")
    tool = f"{arguments.build}/bin/spmd-tidy"
    files = list(wrong)
    found = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for some in pool.map(lambda at: findings(tool, files[at:at + AT_ONCE], arguments.compiler),
                             range(0, len(files), AT_ONCE)):
            found.update(some)

    classes = collections.defaultdict(list)
    for file, what in wrong.items():
        classes[what].append(file)
    right = classes.pop(None, [])
    print(f"{'class':40} {'files':>6} {'found':>6}")
    for what, of in sorted(classes.items()):
        print(f"{what:40} {len(of):6} {sum(file in found for file in of):6}")
    alarms = [file for file in right if file in found]
    hits = [file for of in classes.values() for file in of if file in found]
    errors = sum(map(len, classes.values()))
    recalls = [sum(file in found for file in of) / len(of) for of in classes.values()]
    print(f"{'right':40} {len(right):6} {len(alarms):6}")
    if hits or alarms:
        print(f"precision {len(hits) / (len(hits) + len(alarms)):.3f}")
    if errors:
        print(f"recall {len(hits) / errors:.3f}, mean over classes {sum(recalls) / len(recalls):.3f}")
    for file in alarms:
        print(f"right, and reported: {file} {' '.join(sorted(found[file]))}")
    if arguments.missed:
        for what, of in sorted(classes.items()):
            for file in of:
                if file not in found:
                    print(f"missed: {what} {file}")


if __name__ == "__main__":
    main()
