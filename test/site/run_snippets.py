#!/usr/bin/env python3
"""Runs what the pages show, as a reader would paste it.

A block of C++, C or CUDA is a whole file: it compiles without a warning but about
attributes, with the real libtorch, MPI and NCCL where they are installed, and
spmd-tidy finds in it exactly what its lines announce by `// expect: <check>`. A block of YAML is
a whole .spmd-tidy. What docs/generate.py writes is that script's to check.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = re.compile(r"<!-- begin: .*?<!-- end -->", re.S)
BLOCK = re.compile(r"^```(cpp|c|cuda|yaml)\n(.*?)^```$", re.S | re.M)
MARK = re.compile(r"// expect: (\S+)")
SUFFIX = {"cpp": ".cpp", "c": ".c", "cuda": ".cu", "yaml": ".yaml"}
OURS = [f"-I{ROOT}/runtime/include", f"-I{ROOT}/rules/types/include"]
STUBS = ["-isystem", str(ROOT / "test/stubs")]


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page):
    """The blocks of a page that nobody generates, by the line they begin on."""
    text = page.read_text()
    kept = GENERATED.sub(lambda m: "\n" * m[0].count("\n"), text)
    for m in BLOCK.finditer(kept):
        yield kept.count("\n", 0, m.start()) + 2, m[1], m[2]


class Snippets:
    def __init__(self, options, folder):
        self.options = options
        self.folder = pathlib.Path(folder)
        self.failures = []
        self.torch = None

    def fail(self, where, what):
        self.failures.append(f"{where}: {what}")

    def run(self):
        linted = {}
        count = 0
        for page in pages():
            for line, language, code in blocks(page):
                where = f"{page.relative_to(ROOT)}:{line}"
                path = self.folder / f"{count:03}{SUFFIX[language]}"
                path.write_text(code)
                count += 1
                if language == "yaml":
                    self.read_configuration(where, path)
                else:
                    linted[path] = where
                    self.compile(where, path, code)
        # CUDA's own stubs come with the tool.
        for cuda in True, False:
            self.lint({path: where for path, where in linted.items() if (path.suffix == ".cu") == cuda},
                      OURS if cuda else STUBS + OURS)
        return count

    def lint(self, linted, flags):
        run = subprocess.run([self.options.tool, "--no-cache", "--format=json", *map(str, linted),
                              "--", *flags], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            self.fail("spmd-tidy", run.stderr)
            return
        found = {path: set() for path in linted}
        for d in json.loads(run.stdout)["diagnostics"]:
            found[pathlib.Path(d["file"])].add((d["line"], d["check"]))
        for path, where in linted.items():
            wanted = {(number, mark) for number, text in enumerate(path.read_text().splitlines(), 1)
                      for mark in MARK.findall(text)}
            if found[path] != wanted:
                self.fail(where, f"found {sorted(found[path])}, announced {sorted(wanted)}")

    def read_configuration(self, where, path):
        beside = path.with_suffix("")
        beside.mkdir()
        (beside / ".spmd-tidy").write_text(path.read_text())
        run = subprocess.run([self.options.tool, f"--show-config={beside}/any.cpp"],
                             capture_output=True, text=True)
        if run.returncode:
            self.fail(where, run.stderr)

    def compile(self, where, path, code):
        """What this machine has no headers for is left to the linter and its stubs."""
        flags = [*OURS, "-fsyntax-only", "-Wall", "-Wextra"]
        if "mpi.h" in code:
            if not self.options.mpi:
                return
            flags += [f"-isystem{i}" for i in self.options.mpi.split(":")]
        if path.suffix == ".cu" or "nccl" in code:
            return
        if path.suffix == ".c":
            command = [self.options.cc, "-std=c11", *flags]
        elif "torch" in code:
            if not self.options.torch:
                return
            command = [self.options.clang, "-std=c++17", "-Wno-unknown-attributes", *self.torch_flags(), *flags]
        else:
            command = [self.options.clang, "-std=c++17", "-Wno-unknown-attributes", *flags]
        run = subprocess.run([*command, str(path)], capture_output=True, text=True)
        if run.returncode or run.stderr:
            self.fail(where, run.stderr)

    def torch_flags(self):
        """libtorch, read once for all."""
        includes = [f"-isystem{i}" for i in self.options.torch.split(":") if i != "/usr/include"]
        if not self.torch:
            self.torch = self.folder / "torch.pch"
            header = self.folder / "torch.hpp"
            header.write_text("#include <torch/torch.h>\n#include <spmd/torch.h>\n")
            subprocess.run([self.options.clang, "-x", "c++-header", "-fpch-instantiate-templates", "-std=c++17", *includes, *OURS,
                            "-Wno-unknown-attributes", str(header), "-o", str(self.torch)], check=True)
        return [*includes, "-include-pch", str(self.torch)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--torch", default="", help="libtorch's include folders, with colons between")
    parser.add_argument("--mpi", default="", help="MPI's include folders, with colons between")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spmd-snippets-") as folder:
        snippets = Snippets(options, folder)
        count = snippets.run()
    print("\n".join(snippets.failures))
    print(f"{count} blocks, {len(snippets.failures)} that do not do as the page says")
    sys.exit(bool(snippets.failures) or not count)


if __name__ == "__main__":
    main()
