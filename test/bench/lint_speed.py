#!/usr/bin/env python3
"""Times spmd-tidy on a libtorch file against the compiler's own front end.

Runs are paired and alternate, so that a slow moment of the machine hits both.
Cold means an empty cache; warm is a second run with nothing changed.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def seconds(command, accepted=(0,), **options):
    start = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, **options)
    spent = time.perf_counter() - start
    if run.returncode not in accepted:
        sys.exit(f"{shlex.join(command)} ended with {run.returncode}:\n{run.stderr}")
    return spent


def torch_entry(database):
    """The largest source of the examples that computes on tensors."""
    entries = [e for e in database if "/examples/" in e["file"] and
               "at::Tensor" in pathlib.Path(e["file"]).read_text()]
    if not entries:
        sys.exit("bench: no libtorch example is configured; install libtorch-dev")
    return max(entries, key=lambda e: os.path.getsize(e["file"]))


def front_end(entry):
    words = shlex.split(entry["command"])
    while os.path.basename(words[0]) in ("cmake", "env", "ccache") or "=" in words[0] \
            or words[0] == "-E":
        words = words[1:]
    out = words.index("-o")
    del words[out:out + 2]
    # Cold is without a precompiled header; what it holds is included as text.
    while "-include-pch" in words:
        pch = words.index("-include-pch") - 1
        del words[pch:pch + 4]
    words[words.index("-c")] = "-fsyntax-only"
    return words


def collectives(tool, build, example, runs):
    """Seconds of a run's analysis, and of the part in which ranks are run."""
    both = []
    for _ in range(runs):
        run = subprocess.run([tool, "-p", build, "-j", "1", "--no-cache", "--stats", "--format=json",
                              str(SOURCE / "examples" / example)], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            sys.exit(f"spmd-tidy examples/{example} ended with {run.returncode}:\n{run.stderr}")
        stats = json.loads(run.stdout)["stats"]
        both.append((stats["analysisSeconds"], stats["collectivesSeconds"]))
    return [statistics.median(times) for times in zip(*both)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()

    tool = str((options.build / "bin" / "spmd-tidy").resolve())
    entry = torch_entry(json.loads((options.build / "compile_commands.json").read_text()))
    compile_command = front_end(entry)
    lint_command = [tool, "-p", str(options.build.resolve()), "-j", "1"]

    seconds(compile_command, cwd=entry["directory"])  # the page cache, once
    compiler, cold, warm = [], [], []
    for _ in range(options.pairs):
        compiler.append(seconds(compile_command, cwd=entry["directory"]))
        with tempfile.TemporaryDirectory() as cache:
            command = [*lint_command, f"--cache-dir={cache}", entry["file"]]
            cold.append(seconds(command, accepted=(0, 1)))
            warm.append(seconds(command, accepted=(0, 1)))

    name = os.path.relpath(entry["file"], SOURCE)
    print(f"{name}, median of {options.pairs} pairs")
    for label, times in [("clang++ -fsyntax-only", compiler), ("spmd-tidy, cold", cold),
                         ("spmd-tidy, warm", warm)]:
        ratio = statistics.median(t / c for t, c in zip(times, compiler))
        print(f"  {label:24}{statistics.median(times):7.2f} s   "
              f"{min(times):.2f}-{max(times):.2f}   {ratio:5.2f} x")
    print("ranks that are run for their collectives, share of the analysis, median of 3")
    for example in ["zero", "megatron"]:
        analysis, part = collectives(tool, str(options.build.resolve()), example, 3)
        print(f"  examples/{example:15}{1000 * part:7.2f} ms of {1000 * analysis:.0f} ms   "
              f"{100 * part / analysis:5.1f} %")


if __name__ == "__main__":
    main()
