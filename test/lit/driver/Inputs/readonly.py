"""Runs spmd-tidy --fix on a folder with a file that nobody may write, root least of all."""

import os
import pathlib
import subprocess
import sys

tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
locked = folder / "locked.cpp"
locked.write_text("int b; // NOLINT(spmd-*): x\n")
locked.chmod(0o444)
folder.chmod(0o777)
(folder / "free.cpp").chmod(0o666)


def as_nobody():
    if os.getuid() == 0:
        os.setuid(65534)


run = subprocess.run([tool, "--fix", "--no-cache", str(folder)], preexec_fn=as_nobody)
sys.exit(0 if run.returncode == 4 else f"ended with {run.returncode}")
