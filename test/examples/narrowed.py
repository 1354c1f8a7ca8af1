#!/usr/bin/env python3
"""Lints the examples without the annotations inside of them.

Left are the types of the parameters and of the inputs of the top-level module,
the axes that communicators span, rules of ops, and what functions marked
[[spmd::no_typecheck]] promise, whose bodies are not analysed. The rest is
inferred with --whole-program.

  narrowed.py patches   each bug patch must still be found
  narrowed.py types     what is inferred, beside what the annotations say;
                        with --list every difference
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

import run_bugs

SOURCE = run_bugs.SOURCE
KEPT = {
    "megatron": {
        "config.h": {"centering"},
        "embedding.h": {"table_", "positions_"},
        "head.h": {"table_"},
        "linear.h": {"weight_", "bias_"},
        "model.h": {"tokens", "targets"},
        "norm.h": {"weight_", "bias_"},
    },
    "zero": {
        "model.h": {"tokens", "targets"},
        "parameters.h": {"values", "gradients"},
    },
}
# What only a declared type contradicts.
UNSEEN = {
    "megatron/backward-on-local-loss.patch": "its gradients are summed over dp: right without a word",
    "zero/loss-of-one-rank.patch": "the loss that is printed was declared to be R",
    "zero/norm-of-own-part.patch": "the norm was declared to be R; by itself a norm of V is a V",
}
ANNOTATION = re.compile(r'\[\[spmd::type\("[^"]*"\)\]\]')
DECLARED = re.compile(r"[^;,(){=]*?(\w+)\s*(?:=[^;,)]*)?[;,)]")
TRUSTED = re.compile(r"\[\[spmd::no_typecheck\]\][^;]*;")


def narrow(path, kept):
    """Blanks in place of annotations, so that every place stays where it was."""
    text = path.read_text()
    trusted = [m.span() for m in TRUSTED.finditer(text)]

    def blank(match):
        declared = DECLARED.match(text, match.end())
        if declared and declared[1] in kept:
            return match[0]
        if any(begin < match.start() < end for begin, end in trusted):
            return match[0]
        return " " * len(match[0])

    path.write_text(ANNOTATION.sub(blank, text))


class Narrowed(run_bugs.Sandbox):
    """A copy of an example, linted as one program with stub headers."""

    def __init__(self, root, tool):
        super().__init__(root, tool, [])

    def narrow(self):
        for path in self.folder.iterdir():
            if path.suffix in {".h", ".cpp", ".cu"}:
                narrow(path, KEPT[self.folder.name].get(path.name, ()))

    def run(self, *extra):
        flags = ["-std=c++17", f"-I{SOURCE}/runtime/include"]
        if self.folder.name == "megatron":
            flags.append(f"-I{SOURCE}/test/stubs")
        flags += ["-include", str(self.prelude())]
        run = subprocess.run([self.tool, "-j1", self.cache(), "--whole-program", *extra,
                              str(self.folder), "--", *flags],
                             cwd=self.folder, text=True, capture_output=True)
        if run.returncode not in (0, 1):
            raise run_bugs.BadPatch(run.stderr.strip() or f"ended with {run.returncode}")
        return run.stdout

    def findings(self):
        return [f"{pathlib.Path(f['file']).name}:{f['line']} {f['check']}"
                for f in json.loads(self.run("--format=json"))["diagnostics"]]

    def types(self):
        """By place and name: the inferred types, one for each calling context."""
        found = {}
        for line in json.loads(self.run("--dump-types=json")):
            where = (os.path.relpath(line["file"], self.root), line["line"], line["column"],
                     line["name"])
            found.setdefault(where, set()).add(line["type"])
        return found


def try_patch(sandbox, patch):
    sandbox.load(patch.example)
    sandbox.apply(patch)
    sandbox.narrow()
    return sandbox.findings()


def patches(pool, jobs):
    bad = 0
    first = pool.get()
    for example in KEPT:
        first.load(example)
        first.narrow()
        findings = first.findings()
        print(f"{example} as it is: {len(findings)} findings")
        bad += bool(findings)
    pool.put(first)

    every = [run_bugs.read_patch(p) for e in KEPT
             for p in sorted((SOURCE / "examples" / e / "bugs").glob("*.patch"))]
    outcomes = list(zip(every, run_bugs.try_all(pool, jobs, try_patch, every)))
    for patch, findings in outcomes:
        expected = UNSEEN.get(patch.name)
        print(f"{patch.name}: {'; '.join(findings) or f'not found: {expected}'}")
        if bool(findings) == bool(expected):
            print("  this was not expected")
            bad += 1
    print(f"{sum(bool(f) for _, f in outcomes)} of {len(outcomes)} patches found")
    return bad


# `axis` is what functions that take a communicator call theirs.
AXIS = re.compile(r"\b(dp|tp): (\S+?)(?:,|$)")


def by_axis(types, dims=True):
    """The members on each axis, over all contexts: {'tp': {'R', 'V'}}."""
    out = {}
    for one in types:
        for axis, members in AXIS.findall(one):
            names = members.split("|") if dims else re.sub(r"S\(.*?\)", "V", members).split("|")
            out.setdefault(axis, set()).update(names)
    return out


def compare(annotated, inferred):
    was, now = by_axis(annotated), by_axis(inferred)
    if was == now:
        return "the same"
    if by_axis(annotated, dims=False) == by_axis(inferred, dims=False):
        return "the same but for the dim of a shard"
    if was.keys() - now.keys():
        return "unknown"
    if all(now[axis] <= was.get(axis, now[axis]) for axis in now):
        return "narrower"
    return "wider"


def shown(types):
    return " / ".join(sorted(types)) or "nothing"


def types(pool, listed):
    sandbox = pool.get()
    for example in KEPT:
        sandbox.load(example)
        annotated = sandbox.types()
        sandbox.narrow()
        inferred = sandbox.types()
        groups = {}
        for where, was in annotated.items():
            # Types in headers are the annotations themselves.
            if by_axis(was) and not where[0].endswith(".h"):
                what = compare(was, inferred.get(where, set()))
                groups.setdefault(what, []).append(where)
        print(f"{example}, values of which the annotated program knows a type:")
        for what in sorted(groups, key=lambda g: -len(groups[g])):
            print(f"{len(groups[what]):6} {what}")
        for what in sorted(groups.keys() - {"the same"}) if listed else []:
            print(f"\n{what}, annotated => inferred:")
            for where in sorted(groups[what]):
                file, line, column, name = where
                print(f"  {pathlib.Path(file).name}:{line}:{column} {name[:60]}: "
                      f"{shown(annotated[where])} => {shown(inferred.get(where, ()))}")
        print()
    pool.put(sandbox)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["patches", "types"])
    parser.add_argument("--list", action="store_true", help="of types, every difference")
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    tool = str((options.build / "bin" / "spmd-tidy").resolve())
    with run_bugs.sandboxes(lambda root: Narrowed(root, tool), options.jobs) as pool:
        if options.what == "types":
            return types(pool, options.list)
        return 1 if patches(pool, options.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
