#!/usr/bin/env python3
"""Fills the generated parts of the pages from the tool itself.

A page says what belongs between two marks, and this script puts it there:

    <!-- begin: run <command> -->      the command, and what it prints
    <!-- begin: figures <command> ; sample <command> -->
                                       the same of a command that takes minutes
    <!-- begin: show <file> -->        a source file
    <!-- begin: diff <file> <file> --> what changed from one to the other
    <!-- begin: checks -->             the list of checks
    <!-- begin: transitions -->        the operators and their backward
    <!-- begin: ops -->                the op catalogue, by family
    <!-- begin: oprules -->            the rules of each op
    <!-- begin: calls -->              the calls of communication libraries, by kind
    <!-- begin: keys -->               the keys of .spmd-tidy, from its schema
    <!-- end -->

With --check nothing is written; a page that is out of date is an error. Figures
are then not counted again: what their sample prints must stand among them, line
by line.
"""

import argparse
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
PAGES = ["README.md", "docs/tutorial.md", "docs/checks.md", "docs/configuration.md", "docs/architecture.md", "docs/rules.md", "docs/oracle.md", "docs/inference.md",
         "docs/planner.md", "docs/sharding.md", "docs/ops.md",
         "docs/ir.md", "docs/apis.md"]
PART = re.compile(r"(<!-- begin: (.+?) -->\n)(.*?)(<!-- end -->)", re.S)


class Generator:
    def __init__(self, build, check, cache):
        self.check = check
        self.environment = dict(os.environ, XDG_CACHE_HOME=cache,
                                PATH=f"{build / 'bin'}:{os.environ['PATH']}")

    def output(self, command):
        run = subprocess.run(command, shell=True, cwd=SOURCE, env=self.environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode not in (0, 1):
            sys.exit(f"{command} ended with {run.returncode}:\n{run.stdout}")
        return run.stdout

    def fill(self, what, old):
        kind, _, rest = what.partition(" ")
        if kind == "figures":
            return self.figures(rest, old)
        return getattr(self, f"fill_{kind}")(rest)

    def figures(self, commands, old):
        whole, sample = commands.split(" ; sample ")
        if not self.check:
            return self.fill_run(whole)
        lines = old.splitlines()
        missing = [line for line in self.output(sample).splitlines() if line not in lines]
        return old + "".join(f"{line}\n" for line in missing)

    def fill_run(self, command):
        return f"```console\n$ {command}\n{self.output(command)}```\n"

    def fill_show(self, path):
        return f"```cpp\n{(SOURCE / path).read_text()}```\n"

    def fill_diff(self, paths):
        before, after = ((SOURCE / p).read_text().splitlines() for p in paths.split())
        lines = list(difflib.unified_diff(before, after, n=1, lineterm=""))[2:]
        return "```diff\n" + "\n".join(lines) + "\n```\n"

    def fill_checks(self, _):
        rows = [line.split(None, 2) for line in self.output("spmd-tidy --list-checks").splitlines()]
        return ("| check | severity | reports |\n|---|---|---|\n" +
                "".join(f"| [`{name}`](../lint/checks/{name}.md) | {level} | {what} |\n"
                        for name, level, what in rows))

    def fill_transitions(self, _):
        rows = []
        for line in self.output("spmd-tidy --list-rules").splitlines()[1:]:
            if not line:
                break
            forward, backward, *notes = re.split(r"  +(?:backward )?", line)
            rows.append(f"| `{forward}` | `{backward}` | {', '.join(notes)} |\n")
        return "| forward | backward | |\n|---|---|---|\n" + "".join(rows)

    def families(self):
        """What --list-rules says of each op: name, signature, types, dims and roles."""
        families = {}
        for line in self.output("spmd-tidy --list-rules").splitlines():
            # The operators, before the families, have their own table.
            if line.startswith("# operators"):
                continue
            if line.startswith("# calls of "):
                break
            if line.startswith("# "):
                ops = families[f"{line[2:]}.yaml"] = []
            elif families and line.startswith("    dims: "):
                ops[-1]["dims"] = line.removeprefix("    dims: ")
            elif families and line.startswith("    roles: "):
                ops[-1]["roles"] = line.removeprefix("    roles: ")
            elif families and "(" in line:
                signature, types = line.split(" = ", 1)
                ops.append({"name": line.split("(")[0], "signature": signature,
                            "types": types, "dims": "", "roles": ""})
        return families

    def fill_ops(self, _):
        families = self.families()
        total = sum(map(len, families.values()))
        known = sum(bool(op["dims"]) for ops in families.values() for op in ops)
        rows = "".join(
            f"| [`{name}`](../rules/ops/{name}) | {len(ops)} | "
            f"{sum(bool(op['dims']) for op in ops)} | "
            f"{', '.join('`' + op['name'] + '`' for op in ops)} |\n"
            for name, ops in families.items())
        return (f"{total} ops in {len(families)} families; of {known} it is known what they do "
                f"to dims.\n\n| family | ops | dims known | |\n|---|---|---|---|\n{rows}")

    def fill_oprules(self, _):
        def code(text):
            # A bar would end the cell.
            return f"`{text}`".replace("|", "\\|") if text else ""
        return "\n".join(
            f"## {name.removesuffix('.yaml').capitalize()}\n\n"
            f"{len(ops)} ops, {sum(bool(op['dims']) for op in ops)} with a rule for dims.\n\n"
            "| op | types | dims |\n|---|---|---|\n" + "".join(
                f"| {code(op['signature'])} | {code(op['types'])}"
                f"{op['roles'] and ', ' + op['roles']} | {code(op['dims'])} |\n"
                for op in ops)
            for name, ops in self.families().items())

    def fill_keys(self, _):
        def rows(properties, prefix):
            for key, value in properties.items():
                yield f"| `{prefix}{key}` | {value['description']} |\n"
                inner = value.get("additionalProperties")
                for form in inner.get("anyOf", []) if inner else []:
                    yield from rows(form.get("properties", {}), f"{prefix}{key}.<axis>.")
                yield from rows(value.get("properties", {}), f"{prefix}{key}.")
        schema = json.loads((SOURCE / "lint/spmd-tidy.schema.json").read_text())
        return "| key | says |\n|---|---|\n" + "".join(rows(schema["properties"], ""))

    def fill_calls(self, _):
        apis = {}
        for line in self.output("spmd-tidy --list-rules").splitlines():
            if line.startswith("# calls of "):
                kinds = apis[line.removeprefix("# calls of ")] = {}
            elif apis:
                kind, call = line.split(": ", 1)
                kinds.setdefault(kind, []).append(call)
        return "\n".join(
            f"### {api}\n\n| kind | calls |\n|---|---|\n" + "".join(
                f"| {kind} | {', '.join(f'`{call}`' for call in calls)} |\n"
                for kind, calls in kinds.items())
            for api, kinds in apis.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="only say what is out of date")
    parser.add_argument("pages", nargs="*", default=PAGES, help="only these, not all")
    options = parser.parse_args()
    # A cache left by an earlier run must not decide what a page says.
    with tempfile.TemporaryDirectory(prefix="spmd-docs-") as cache:
        fill(options, Generator(options.build.resolve(), options.check, cache))


def fill(options, generator):
    stale = []
    for name in options.pages:
        page = SOURCE / name
        old = page.read_text()
        new = PART.sub(lambda m: m[1] + generator.fill(m[2], m[3]) + m[4], old)
        if new == old:
            continue
        if options.check:
            stale.append(name)
            sys.stdout.writelines(difflib.unified_diff(
                old.splitlines(True), new.splitlines(True), name, f"{name}, generated"))
        else:
            page.write_text(new)
            print("updated", name)
    if stale:
        sys.exit(f"out of date: {', '.join(stale)}; run ./x docs")


if __name__ == "__main__":
    main()
