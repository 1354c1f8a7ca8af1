#!/usr/bin/env python3
"""Prints and parses what is lowered from the sources that tests have.

    run.py <ir-roundtrip> stubs          the lit tests and the checks' pages
    run.py <ir-roundtrip> examples       the example trainers, by their database
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What the sources include, most of it parsed once for all of them.
HEADERS = """algorithm array cmath cstdio cstdlib cstring functional limits map memory optional
sstream stdexcept string tuple type_traits unordered_map utility vector cuda_runtime.h mpi.h
nccl.h spmd/torch.h torch/csrc/distributed/c10d/ProcessGroup.hpp torch/torch.h""".split()


def pages_module():
    spec = importlib.util.spec_from_file_location("pages", ROOT / "test/checks/run-pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(tool, what):
    if what == "examples":
        files = sorted(p for p in (ROOT / "examples").rglob("*") if p.suffix in {".cpp", ".cu"})
        return subprocess.run([tool, *map(str, files)]).returncode
    pages = pages_module()
    with tempfile.TemporaryDirectory() as folder:
        blocks = []
        for page in pages.PAGES:
            for number, (_, code) in enumerate(pages.BLOCK.findall(page.read_text())):
                block = pathlib.Path(folder) / f"{page.stem}.{number}.cpp"
                block.write_text(pages.PRELUDE + code)
                blocks.append(str(block))
        tests = sorted(map(str, (ROOT / "test/lit").rglob("*.cpp")))
        common = pathlib.Path(folder) / "common.h"
        common.write_text("".join(f"#include <{header}>\n" for header in HEADERS))
        flags = [*pages.FLAGS, "-include", str(common)]
        return subprocess.run([tool, *blocks, *tests, *flags]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
