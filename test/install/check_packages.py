#!/usr/bin/env python3
"""Makes the packages, unpacks them where nothing else is, and uses the linter from there."""

import argparse
import pathlib
import shutil
import subprocess
import sys

LINTED = """
#include <spmd/spmd.h>
void f([[spmd::type("tp: R")]] float *x, [[spmd::type("tp: X")]] float *y);
"""


def run(*command, code=0):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def expect(what, text):
    if what not in text:
        sys.exit(f"expected {what!r} in:\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--cpack", default="cpack")
    options = parser.parse_args()
    build = options.build.resolve()
    work = build / "test-packages"
    shutil.rmtree(work, ignore_errors=True)
    run(options.cpack, "--config", build / "CPackConfig.cmake", "-B", work / "made")
    packages = {p.name.split("_")[0]: p for p in (work / "made").glob("*.deb")}
    if set(packages) != {"spmd-tidy", "libspmd-dev"}:
        sys.exit(f"made {sorted(packages)}")

    root, owner = work / "root", {}
    for name, package in packages.items():
        run("dpkg-deb", "-x", package, root)
        for line in run("dpkg-deb", "-c", package).splitlines():
            path = line.split()[5]
            if not path.endswith("/") and owner.setdefault(path, name) != name:
                sys.exit(f"{path} is in both packages")
        if not (root / "usr/share/doc" / name / "copyright").exists():
            sys.exit(f"{name} has no copyright")

    fields = run("dpkg-deb", "-I", packages["spmd-tidy"])
    for needed in ("libclang-common-22-dev", "libclang-cpp22", "libc6"):
        expect(needed, fields)
    version = run("dpkg-deb", "-f", packages["spmd-tidy"], "Version").strip()
    tool = root / "usr/bin/spmd-tidy"
    expect(f"spmd-tidy {version}", run(tool, "--version"))
    expect("spmd-annotation", run(tool, "--explain=spmd-annotation"))
    source = work / "a.cpp"
    source.write_text(LINTED)
    found = run(tool, "--no-cache", "--format=sarif", source, code=1)
    expect("expected R, I, V, P or S(dim), got 'X'", found)
    expect(f"{root}/usr/share/doc/spmd-tidy/lint/checks/spmd-annotation.md", found)
    expect("spmd-tidy", (root / "usr/share/man/man1/spmd-tidy.1").read_text().replace("\\", ""))
    expect("_spmd_tidy", (root / "usr/share/bash-completion/completions/spmd-tidy").read_text())
    print("packages:", ", ".join(sorted(p.name for p in packages.values())))


if __name__ == "__main__":
    main()
