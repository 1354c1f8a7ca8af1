#!/usr/bin/env python3
"""Tests about the repository itself: what a reviewer would otherwise repeat."""

import importlib
import json
import pathlib
import re
import sys
import tomllib
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PARTS = ["rules", "fixits", "lint", "runtime", "examples", "test", "cmake", "docs",
         "vscode-extension"]
CODE = {".cpp", ".h", ".cu", ".cuh", ".py", ".cmake", ".yaml", ".ts", ".js"}
HEADINGS = ["What it does", "Why it matters", "Example", "Use instead"]


def files(*parts, suffixes=CODE):
    for part in parts or PARTS:
        for path in sorted((SOURCE / part).rglob("*")):
            inside = path.relative_to(SOURCE).parts
            built = {"node_modules", "out"} & set(inside)
            if path.suffix in suffixes and path.is_file() and not built:
                yield path


def name(path):
    return str(path.relative_to(SOURCE))


class Sources(unittest.TestCase):
    def test_a_long_file_says_why_in_its_head(self):
        for path in files():
            lines = path.read_text(errors="replace").splitlines()
            head = "\n".join(lines[:20])
            if len(lines) > 500 and "Length:" not in head:
                self.fail(f"{name(path)} has {len(lines)} lines; split it, or give the "
                          "reason in a 'Length: …' line at its head")

    def test_no_unfinished_work_is_marked(self):
        mark = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
        for path in files(suffixes=CODE | {".md"}):
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                self.assertIsNone(mark.search(line), f"{name(path)}:{number}: {line.strip()}")

    def test_rules_read_and_print_nothing_by_themselves(self):
        # A print that somebody looked for a mistake with is not forgotten here.
        own = re.compile(r"\b(getenv|errs|dbgs|cerr|f?printf)\b")
        for path in files("rules", "fixits", suffixes={".cpp", ".h"}):
            if {"tool", "tools"} & set(path.parts):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                code = re.sub(r'//.*|"[^"]*"', "", line)
                self.assertIsNone(own.search(code), f"{name(path)}:{number}: {line.strip()}")

    def test_a_file_name_says_what_is_inside(self):
        vague = re.compile(r"^(utils?|misc|helpers?|common|stuff)$|(Utils?|Misc|Helpers?)$", re.I)
        for path in files():
            self.assertIsNone(vague.search(path.stem), name(path))

    def test_dependencies_point_one_way(self):
        forbidden = {
            "rules": r'"(clang/|spmd/(fixits|lint|oracle)/)',
            "fixits": r'"(clang/|spmd/(lint|oracle)/)',
            "lint": r'"spmd/oracle/',
            "runtime": r'["<](clang/|llvm/|spmd/(fixits|lint)/)',
        }
        for part, pattern in forbidden.items():
            include = re.compile(r"^\s*#\s*include\s*" + pattern)
            for path in files(part):
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    self.assertIsNone(include.match(line), f"{name(path)}:{number}: {line}")

    def test_a_header_is_guarded(self):
        for path in files("rules", "fixits", "lint", "runtime", "test/oracle", suffixes={".h"}):
            text = path.read_text()
            self.assertTrue("#ifndef SPMD_" in text or "#pragma once" in text, name(path))


class Layers(unittest.TestCase):
    """Who includes whom: of files (a header and the source of its name are one) and of
    folders (a header in include/ belongs to the folder of its source)."""

    include = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)

    def included(self, part):
        """Each file of a part, with those of the same part that it includes."""
        paths = [p for p in files(part, suffixes={".h", ".cpp"}) if "cuda-stubs" not in p.parts]
        out = {}
        for path in paths:
            out[path] = set()
            for what in self.include.findall(path.read_text()):
                beside = path.parent / what
                found = [beside] if beside in paths else [
                    p for p in paths if str(p).endswith(f"/{what}")]
                out[path].update(p for p in found if p != path)
        return out

    def circles(self, edges):
        """Those nodes that reach themselves, by what they reach."""
        reached = {node: set(after) for node, after in edges.items()}
        while True:
            more = {node: after.union(*(reached.get(a, ()) for a in after))
                    for node, after in reached.items()}
            if more == reached:
                break
            reached = more
        return {node: sorted(a for a in after if node in reached.get(a, ()))
                for node, after in reached.items() if node in after}

    def edges(self, part, group):
        out = {}
        for path, after in self.included(part).items():
            out.setdefault(group(path), set()).update(
                group(a) for a in after if group(a) and group(a) != group(path))
        out.pop(None, None)
        return out

    def test_no_circle_of_files(self):
        for part in ["lint", "fixits"]:
            self.assertEqual({}, self.circles(self.edges(part, lambda path: path.stem)), part)

    def test_no_circle_of_headers(self):
        # A table and the static assertions about it are one.
        def header(path):
            return name(path).replace("Proof.h", ".h")

        for part in ["rules", "lint", "fixits", "test/oracle"]:
            self.assertEqual({}, self.circles(self.edges(part, header)), part)

    def test_no_circle_of_folders(self):
        def room_of_rules(path):
            return path.relative_to(SOURCE / "rules").parts[0]

        homes = {p.stem: name(p.parent) for p in files("lint", suffixes={".cpp"})}

        def room_of_lint(path):
            public = "include" in path.relative_to(SOURCE).parts
            return homes.get(path.stem) if public else name(path.parent)

        self.assertEqual({}, self.circles(self.edges("rules", room_of_rules)))
        self.assertEqual({}, self.circles(self.edges("rules/inference", lambda p: name(p.parent))))
        self.assertEqual({}, self.circles(self.edges("lint", room_of_lint)))


class Configuration(unittest.TestCase):
    def test_the_schema_knows_the_keys(self):
        source = (SOURCE / "lint/lib/config/ConfigKeys.cpp").read_text()
        table = source[source.index("static constexpr ConfigKey Keys[]"):]
        keys = set(re.findall(r'\{"(\w+)", *(?:::)?parse', table))
        schema = json.loads((SOURCE / "lint/spmd-tidy.schema.json").read_text())
        self.assertEqual(keys, set(schema["properties"]))

    def test_schema_and_page_know_the_roles_of_ops(self):
        source = (SOURCE / "rules/ops/lib/OpRole.cpp").read_text()
        roles = re.findall(r'\{OpRole::\w+, "(\w+)"', source)
        schema = json.loads((SOURCE / "lint/spmd-tidy.schema.json").read_text())
        self.assertEqual(roles, schema["definitions"]["role"]["enum"])
        page = (SOURCE / "docs/ops.md").read_text()
        self.assertEqual(roles, re.findall(r"^\| `(\w+)` \|", page, re.M))


class Trainers(unittest.TestCase):
    """Recipes for programs that are not here (test/bench/trainers.py)."""

    def setUp(self):
        sys.path.insert(0, str(SOURCE / "test/bench"))
        sys.dont_write_bytecode = True
        self.bench = importlib.import_module("trainers")

    def test_recipes_say_what_can_be_done(self):
        edits = {"put": 3, "drop": 2, "double": 2, "if": 3, "add": 3, "behind": 3, "before": 3}
        for path in sorted(self.bench.RECIPES.glob("*.toml")):
            recipe = tomllib.loads(path.read_text())
            self.assertRegex(recipe["commit"], r"^[0-9a-f]{7,40}$", name(path))
            for pattern, _ in recipe["annotations"]:
                re.compile(pattern)
            made = [*recipe.get("prepare", []), *recipe["mistakes"].values(),
                    *recipe.get("arithmetic", {}).values()]
            for edit in made:
                for what, pattern, *more in edit if isinstance(edit[0], list) else [edit]:
                    self.assertEqual(edits[what.split()[0]], 2 + len(more), f"{name(path)}: {edit}")
                    re.compile(pattern)

    def test_edits_are_of_statements(self):
        text = "a(1, {2});\nfor (;;) {\n  b();\n}\nc();\n"
        for edit, expected in {
                ("drop", "a"): ";\nfor (;;) {\n  b();\n}\nc();\n",
                ("double", "c"): "a(1, {2});\nfor (;;) {\n  b();\n}\nc(); c();\n",
                ("if", "for", "x"): "a(1, {2});\nif (x) { for (;;) {\n  b();\n} }\nc();\n",
                ("behind", "a", "for"): ";\nfor (;;) {\n  b();\n} a(1, {2}); \nc();\n",
                ("before", "c", "a"): " c(); a(1, {2});\nfor (;;) {\n  b();\n}\n;\n",
                ("put", r"(b)\(", r"\1\1("): "a(1, {2});\nfor (;;) {\n  bb();\n}\nc();\n"}.items():
            files = {"f.c": text}
            self.bench.edit(files, *edit)
            self.assertEqual(expected, files["f.c"], edit)
        with self.assertRaises(self.bench.Unfit):
            self.bench.edit({"f.c": text}, "drop", "nothing")


class Release(unittest.TestCase):
    def test_the_version_is_that_of_the_project(self):
        project = (SOURCE / "CMakeLists.txt").read_text()
        version = re.search(r"^project\(spmd-tidy VERSION ([\d.]+)", project, re.M)[1]
        package = json.loads((SOURCE / "vscode-extension/package.json").read_text())
        lock = json.loads((SOURCE / "vscode-extension/package-lock.json").read_text())
        npm = json.loads((SOURCE / "package.json").read_text())
        self.assertEqual({version}, {package["version"], lock["version"],
                                     lock["packages"][""]["version"], npm["version"],
                                     *npm["optionalDependencies"].values()})
        changes = (SOURCE / "CHANGELOG.md").read_text()
        self.assertEqual(version, re.search(r"^## (\S+)", changes, re.M)[1])
        # Everything else is told by the build.
        for path in files("rules", "fixits", "lint", "runtime", suffixes={".cpp", ".h"}):
            self.assertNotIn(f'"{version}"', path.read_text(), name(path))

    def test_the_licence_is_one(self):
        words = "Apache-2.0 WITH LLVM-exception"
        self.assertIn(f'SPDX-License-Identifier = "{words}"', (SOURCE / "REUSE.toml").read_text())
        for package in ("vscode-extension/package.json", "package.json"):
            self.assertEqual(words, json.loads((SOURCE / package).read_text())["license"])
        text = (SOURCE / "LICENSE.txt").read_text()
        self.assertIn("Version 2.0, January 2004", text)
        self.assertIn("---- LLVM Exceptions to the Apache 2.0 License ----", text)
        # A file that names a licence of its own names this one.
        for path in files(suffixes=CODE | {".md", ".txt"}):
            for found in re.findall(r"SPDX-License-Identifier: *(\w.+)", path.read_text(errors="replace")):
                self.assertEqual(words, found.strip(" */"), name(path))


class Manual(unittest.TestCase):
    def test_the_page_about_the_ir_explains_its_words(self):
        page = (SOURCE / "docs/ir.md").read_text()
        said = re.sub(r"<!-- begin: .*?<!-- end -->", "", page, flags=re.S)
        names = (SOURCE / "rules/ir/lib/IRNames.h").read_text()
        # What nobody writes: parameters have no kind, a sum is what a reduction is.
        words = set(re.findall(r'"([a-z_]+)"', names)) - {"param", "sum"}
        self.assertLess(25, len(words))
        for word in sorted(words):
            self.assertTrue(re.search(rf"\b{word}\b", said), f"docs/ir.md: {word}")


class Checks(unittest.TestCase):
    folder = SOURCE / "lint" / "checks"

    def pages(self):
        return sorted(self.folder.glob("spmd-*.md"))

    def test_every_check_in_the_source_has_a_page(self):
        known = {page.stem for page in self.pages()}
        used = set()
        for path in files("lint", suffixes={".cpp", ".h"}):
            if path.name == "Attributes.cpp":  # names of attributes, not of checks
                continue
            used |= set(re.findall(r'"(spmd-[a-z][a-z-]*[a-z])"', path.read_text()))
        used -= {"spmd-tidy", "spmd-module"}  # the tool and its clang-tidy module
        self.assertEqual(set(), used - known, "checks without a page in lint/checks")

    def test_a_page_has_the_fixed_headings_in_order(self):
        for page in self.pages():
            found = re.findall(r"^## (.+?)\s*$", page.read_text(), re.M)
            kept = [heading for heading in found if heading in HEADINGS]
            self.assertEqual(HEADINGS, kept, name(page))

    def test_a_page_shows_bad_and_good_code(self):
        for page in self.pages():
            text = page.read_text()
            self.assertGreaterEqual(text.count("```cpp") + text.count("```cuda"), 2, name(page))


class Examples(unittest.TestCase):
    def test_every_example_has_its_bugs(self):
        for folder in sorted((SOURCE / "examples").iterdir()):
            if folder.is_dir():
                patches = list(folder.glob("bugs/*.patch"))
                self.assertGreaterEqual(len(patches), 8, f"{name(folder)}/bugs")


if __name__ == "__main__":
    unittest.main()
