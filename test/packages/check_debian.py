#!/usr/bin/env python3
"""Makes the Debian packages and unpacks them into a root that has the packages they depend on and
nothing else, from the files that are on this machine; there the linter must work."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import clean_root
from clean_root import expect

LINTED = """
#include <spmd/spmd.h>
void f([[spmd::type("tp: R")]] float *x, [[spmd::type("tp: X")]] float *y);
"""
CONSUMER = pathlib.Path(__file__).parents[1] / "install/consumer/core.cpp"
# Headers of the C++ library come with a compiler, which people who lint have.
LIBRARY = ("/usr/include", "/usr/lib/gcc")


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def depended_on(depends):
    """What is installed of the packages a field `Depends` asks for, with what those ask for."""
    todo, known = [depends], set()
    while todo:
        for alternatives in filter(None, re.split(r",\s*", todo.pop().strip())):
            names = [name.split()[0].split(":")[0] for name in alternatives.split("|")]
            installed = [name for name in names if subprocess.run(
                ["dpkg-query", "-s", name], capture_output=True).returncode == 0]
            if installed and installed[0] not in known:
                known.add(installed[0])
                todo += run("dpkg-query", "-W", "-f", "${Depends}\n${Pre-Depends}\n",
                            installed[0]).splitlines()
    return known


def copy_package(name, root):
    for path in map(pathlib.Path, run("dpkg-query", "-L", name).splitlines()):
        if not path.is_relative_to("/usr/share") and (path.is_symlink() or path.is_file()):
            copied = root / path.relative_to("/")
            copied.parent.mkdir(parents=True, exist_ok=True)
            if not copied.exists() and not copied.is_symlink():
                shutil.copy2(path, copied, follow_symlinks=False)


def debian_root(path, depends):
    root = clean_root.empty(path)
    for folder in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / folder).mkdir(parents=True)
        os.symlink(f"usr/{folder}", root / folder)
    for name in depended_on(depends):
        copy_package(name, root)
    return root


def check_runtime(work, packages, depends):
    """A program built with what libspmd-dev has runs where spmd-runtime alone is installed."""
    both = work / "building"
    for name in ("libspmd-dev", "spmd-runtime"):
        run("dpkg-deb", "-x", packages[name], both)
    library = next(both.rglob("libspmd.so")).parent
    program = work / "core"
    run("c++", "-std=c++17", CONSUMER, "-o", program, f"-I{both}/usr/include", f"-L{library}",
        "-lspmd", "-pthread")
    if not clean_root.possible():
        return
    root = debian_root(work / "running", depends)
    run("dpkg-deb", "-x", packages["spmd-runtime"], root)
    shutil.copy(program, root / "work/core")
    expect("right sums", clean_root.run(root, "/work/core"))
    expect("diff", clean_root.run(root, "/usr/bin/spmd-flight", "--help"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--cpack", default="cpack")
    options = parser.parse_args()
    build = options.build.resolve()
    work = build / "test-packages"
    shutil.rmtree(work, ignore_errors=True)
    run(options.cpack, "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", work / "made")
    packages = {p.name.split("_")[0]: p for p in (work / "made").glob("*.deb")}
    if set(packages) != {"spmd-tidy", "spmd-runtime", "libspmd-dev"}:
        sys.exit(f"made {sorted(packages)}")

    version = run("dpkg-deb", "-f", packages["spmd-tidy"], "Version").strip()
    fields = run("dpkg-deb", "-f", packages["spmd-tidy"], "Depends")
    for needed in ("libclang-common-22-dev", "libclang-cpp22", "libc6"):
        expect(needed, fields)
    expect(f"spmd-runtime (= {version})", run("dpkg-deb", "-f", packages["libspmd-dev"], "Depends"))
    where_run = run("dpkg-deb", "-f", packages["spmd-runtime"], "Depends")
    expect("libstdc++6", where_run)
    for heavy in ("llvm", "clang", "torch", "mpi", "nccl", "cuda"):
        if heavy in where_run:
            sys.exit(f"spmd-runtime depends on {where_run}")
    check_runtime(work, packages, where_run)
    root, owner = debian_root(work / "root", fields), {}
    for name, package in packages.items():
        run("dpkg-deb", "-x", package, root)
        for line in run("dpkg-deb", "-c", package).splitlines():
            path = line.split()[5]
            if not path.endswith("/") and owner.setdefault(path, name) != name:
                sys.exit(f"{path} is in two packages")
        if not (root / "usr/share/doc" / name / "copyright").exists():
            sys.exit(f"{name} has no copyright")
    expect("spmd-tidy", (root / "usr/share/man/man1/spmd-tidy.1").read_text().replace("\\", ""))
    expect("_spmd_tidy", (root / "usr/share/bash-completion/completions/spmd-tidy").read_text())

    if not clean_root.possible():
        print("not run: this user may not change the root")
        return
    tool = "/usr/bin/spmd-tidy"
    expect(f"spmd-tidy {version}", clean_root.run(root, tool, "--version"))
    expect("spmd-annotation", clean_root.run(root, tool, "--explain=spmd-annotation"))
    expect("clangd version", clean_root.run(root, "/usr/bin/spmd-clangd", "--version"))
    (root / "work/a.cpp").write_text(LINTED)
    found = clean_root.run(root, tool, "--no-cache", "--format=sarif", "/work/a.cpp", code=1,
                           shown=LIBRARY)
    expect("expected R, I, V, P or S(dim), got 'X'", found)
    expect("/usr/share/doc/spmd-tidy/lint/checks/spmd-annotation.md", found)
    print("packages:", ", ".join(sorted(p.name for p in packages.values())))


if __name__ == "__main__":
    main()
