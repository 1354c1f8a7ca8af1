#!/usr/bin/env python3
"""Builds the image of packaging/Dockerfile, where there is what builds images, and lints in it."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LINTED = """#include <spmd/spmd.h>
void f([[spmd::type("tp: X")]] float *y);
"""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=1200, **options)


def engine():
    """What builds, runs with a folder as /src, and its name."""
    for name in ("docker", "podman"):
        if shutil.which(name) and run(name, "info").returncode == 0:
            return name
    return "buildah" if shutil.which("buildah") else None


def lint(name, image, folder):
    command = ["spmd-tidy", "--no-cache", "a.cpp"]
    if name != "buildah":
        return run(name, "run", "--rm", "-v", f"{folder}:/src", image, *command)
    container = run(name, "from", image).stdout.strip()
    try:
        return run(name, "run", "-v", f"{folder}:/src", container, "--", *command)
    finally:
        run(name, "rm", container)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not options.packages.is_dir():
        print("skipped: ./x package has made nothing here")
        return
    name = engine()
    if name is None:
        print("skipped: no docker, podman or buildah that works")
        return
    os.environ.setdefault("BUILDAH_ISOLATION", "chroot")
    image = "spmd-tidy-test"
    built = run(name, "build", "-t", image, "-f", SOURCE / "packaging/Dockerfile", options.packages)
    if built.returncode != 0 and "bookworm-slim" in built.stdout.splitlines()[-1]:
        print("skipped: the base image cannot be had:", built.stdout.splitlines()[-1])
        return
    if built.returncode != 0:
        sys.exit(built.stdout)
    options.work.mkdir(parents=True, exist_ok=True)
    (options.work / "a.cpp").write_text(LINTED)
    linted = lint(name, image, options.work.resolve())
    if linted.returncode != 1 or "expected R, I, V, P or S(dim), got 'X'" not in linted.stdout:
        sys.exit(linted.stdout)
    print("image built and used by", name)


if __name__ == "__main__":
    main()
