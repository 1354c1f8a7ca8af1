#!/usr/bin/env python3
"""Trains on several meshes and compares the losses with one process's."""

import os
import re
import socket
import subprocess
import sys

MESHES = [(1, 2), (2, 1), (2, 2)]
MODES = ["--vocabulary-parallel=1", "--vocabulary-parallel=0"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def numbers(program, dp, tp, *options):
    """Loss and gradient length of each step, as rank 0 prints them."""
    world, port = dp * tp, free_port()
    ranks = []
    for rank in range(world):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(world),
                           MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                           OMP_NUM_THREADS="1")
        ranks.append(subprocess.Popen(
            [program, f"--dp={dp}", f"--tp={tp}", "--steps=5", *options],
            env=environment, stdout=subprocess.PIPE, text=True))
    outputs = [rank.communicate(timeout=120)[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        sys.exit(f"dp={dp} tp={tp} {options}: a rank failed")
    return [float(n) for n in re.findall(r"(?:loss|gradient) (\S+)", outputs[0])]


def main():
    program = sys.argv[1]
    expected = numbers(program, 1, 1)
    for dp, tp in MESHES:
        for mode in MODES:
            for sequence in "01":
                options = [mode, f"--sequence-parallel={sequence}"]
                found = numbers(program, dp, tp, *options)
                close = [abs(a - b) <= 1e-4 * abs(b) for a, b in zip(found, expected)]
                if len(found) != len(expected) or not all(close):
                    sys.exit(f"dp={dp} tp={tp} {options}: {found}, expected {expected}")
                print(f"dp={dp} tp={tp} {' '.join(options)}: as one process")


if __name__ == "__main__":
    main()
