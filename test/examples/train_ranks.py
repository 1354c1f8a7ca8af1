#!/usr/bin/env python3
"""Trains on several meshes, in every mode and by every backend, and compares the
losses of all steps with those of a single rank: float32, to 1e-4 relative.

With --quick every mode runs on threads and one mesh by the other backends.
"""

import argparse
import itertools
import os
import pathlib
import re
import sys
import tempfile

import training

WITHIN = 1e-4
MESHES = [(1, 1), (2, 1), (4, 1), (1, 2), (1, 4), (2, 2)]  # dp, tp
BACKENDS = ["local", "mpi", "c10d"]


def modes(tp):
    """Options, and what they are called."""
    if tp == 1:
        return [([], "data parallel")]
    out = []
    for sequence, vocabulary in itertools.product([0, 1], [1, 0]):
        name = "tensor parallel" + (", sequence parallel" if sequence else "")
        name += "" if vocabulary else ", whole vocabulary"
        out.append(([f"--sequence-parallel={sequence}", f"--vocabulary-parallel={vocabulary}"],
                    name))
    return out


class Table:
    """Of Markdown, written row by row: the whole takes minutes."""

    def __init__(self, header):
        self.bad = 0
        self.row(header)
        self.row(["---"] * len(header))

    def cell(self, difference):
        self.bad += isinstance(difference, str) or difference > WITHIN
        return difference if isinstance(difference, str) else f"{difference:.1e}"

    def row(self, cells):
        print(f"| {' | '.join(cells)} |", flush=True)


def worst(expected, *args, **options):
    """The largest relative difference over all steps, or what went wrong."""
    try:
        return max(training.differences(training.losses(*args, **options), expected))
    except training.Failed as error:
        return str(error)


def megatron(program, folder, options):
    steps = [f"--steps={options.steps}"]
    expected = training.losses(program, folder, steps)
    print(f"megatron, {options.steps} steps: loss {expected[0]:.4f} -> {expected[-1]:.4f}. "
          "Largest difference from one rank:\n", flush=True)
    backends = [b for b in BACKENDS if b != "mpi" or (options.mpi and training.has_mpi())]
    table = Table(["mesh", "mode", *backends])
    for dp, tp in MESHES:
        for mode, name in modes(tp):
            if not re.search(options.only, f"dp={dp} tp={tp} {name}"):
                continue
            all_of_it = not options.quick or ((dp, tp) == (2, 2) and name == modes(tp)[-2][1])
            row = [f"dp={dp} tp={tp}", name if dp * tp > 1 else "one rank"]
            for backend in backends:
                if backend != "local" and not all_of_it:
                    row.append("-")
                    continue
                row.append(table.cell(worst(
                    expected, program, folder, [f"--dp={dp}", f"--tp={tp}", *mode, *steps],
                    ranks=dp * tp, backend=backend)))
            table.row(row)
    return table.bad


def zero(program, folder, options):
    steps = [f"--steps={options.steps}"]
    expected = training.losses(program, folder, steps)
    print(f"\nzero on the host, {options.steps} steps: loss {expected[0]:.4f} -> "
          f"{expected[-1]:.4f}. Largest difference from one rank at stage 1:\n", flush=True)
    table = Table(["ranks", "stage 1", "stage 2"])
    for ranks in (1, 2, 4):
        table.row([str(ranks)] + [
            table.cell(worst(expected, program, folder,
                             [f"--ranks={ranks}", f"--stage={stage}", *steps]))
            for stage in (1, 2)])
    return table.bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-mpi", dest="mpi", action="store_false")
    parser.add_argument("--only", default="", help="rows of the first table that this matches")
    parser.add_argument("examples", nargs="*", default=["megatron", "zero"])
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for example, train in (("megatron", megatron), ("zero", zero)):
            program = options.build / "examples" / example / example
            if example in options.examples and os.access(program, os.X_OK):
                bad += train(program, folder, options)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
