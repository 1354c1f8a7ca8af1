"""A folder as the root of a machine that has only what a test puts there."""

import os
import pathlib
import shutil
import subprocess
import sys

IN_ROOT = """
set -e
root=$1; shift
while [ "$1" != -- ]; do
  mkdir -p "$root$1"; mount --bind "$1" "$root$1"; shift
done
shift
exec chroot "$root" "$@"
"""


def possible():
    """Whether this user may change the root, in a namespace of its own if need be."""
    return subprocess.run([*unshare(), "true"], capture_output=True).returncode == 0


def unshare():
    return ["unshare", "--mount"] + ([] if os.getuid() == 0 else ["--user", "--map-root-user"])


def run(root, *command, code=0, shown=()):
    """Runs a command in it with an empty environment; the folders `shown` are this machine's."""
    done = subprocess.run([*unshare(), "sh", "-c", IN_ROOT, "sh", root, *shown, "--",
                           *map(str, command)], env={"PATH": os.environ["PATH"]}, text=True,
                          capture_output=True, timeout=300)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def expect(what, text):
    if what not in text:
        sys.exit(f"expected {what!r} in:\n{text}")


def empty(path):
    root = pathlib.Path(path)
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("tmp", "dev", "work"):
        (root / folder).mkdir(parents=True)
    return root
