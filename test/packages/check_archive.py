#!/usr/bin/env python3
"""Unpacks the archive into an empty root, without a C library and a shell even, and uses the tools
from there."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tarfile

from clean_root import empty, expect, possible, run

FREE_STANDING = """
#include <stddef.h>
void f([[spmd::type("tp: R")]] float *x, [[spmd::type("tp: X")]] float *y, size_t n);
"""
USING_LIBRARIES = """
#include <spmd/spmd.h>
#include <nccl.h>
#include <vector>
void f([[spmd::axis("tp")]] ncclComm_t tp, [[spmd::type("tp: R")]] float *x, cudaStream_t s) {
  ncclAllReduce(x, x, 4, ncclFloat, ncclSum, tp, s);
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not options.packages.is_dir():
        print("skipped: ./x package has made nothing here")
        return
    if not possible():
        print("skipped: this user may not change the root")
        return
    (archive,) = options.packages.glob("spmd-tidy-*-linux-*.tar.xz")
    root = empty(options.work / "archive-root")
    with tarfile.open(archive) as opened:
        opened.extractall(root)
    (folder,) = root.glob("spmd-tidy-*")
    # Wherever it is put.
    folder = folder.rename(root / "anywhere")
    tool = "/anywhere/bin/spmd-tidy"

    for program in (folder / "bin").iterdir():
        needed = subprocess.run(["readelf", "-d", program], text=True, capture_output=True).stdout
        if "NEEDED" in needed:
            sys.exit(f"{program.name} needs shared libraries:\n{needed}")

    expect("spmd-tidy ", run(root, tool, "--version"))
    expect("What it does", run(root, tool, "--explain=spmd-contract"))
    (root / "work/a.cpp").write_text(FREE_STANDING)
    found = run(root, tool, "/work/a.cpp", code=1)
    expect("expected R, I, V, P or S(dim), got 'X'", found)
    expect("1 error", found)
    expect("clangd version", run(root, "/anywhere/bin/spmd-clangd", "--version"))
    checked = run(root, "/anywhere/bin/spmd-clangd", "--check=/work/a.cpp", code=3)
    expect("[spmd-annotation]", checked)
    expect("usage", run(root, "/anywhere/bin/spmd-ir", "--help"))
    expect("usage", run(root, "/anywhere/bin/spmd-query", "--help"))

    # The library that programs include is the machine's, as for any compiler.
    for name in ("b.cpp", "b.cu"):
        (root / "work" / name).write_text(USING_LIBRARIES)
        found = run(root, tool, "--no-cache", f"/work/{name}", "--", "-H", code=1,
                    shown=("/usr/include", "/usr/lib/gcc"))
        expect("[spmd-src-type]", found)
        for header in ("lib/spmd-tidy/include/spmd/spmd.h", "share/spmd-tidy/cuda-stubs/nccl.h",
                       "lib/spmd-tidy/clang/include/stddef.h"):
            expect(f"/anywhere/{header}", found)

    shutil.rmtree(folder / "lib/spmd-tidy/clang")
    expect("Clang's builtin headers are missing", run(root, tool, "--no-cache", "/work/a.cpp", code=2))
    print("archive:", archive.name, archive.stat().st_size >> 20, "MiB")


if __name__ == "__main__":
    main()
