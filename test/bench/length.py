#!/usr/bin/env python3
"""Times spmd-tidy on functions of more and more lines: cost is to be linear.

Each line is `if (c) a[i] += w[j] * k; else a[i] = a[j] * 2;`, all in one
function. What a line costs is fitted over all lengths but the smallest.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

LINE = "  if (c) a[i] += w[j] * k; else a[i] = a[j] * 2;\n"


def program(lines, differs):
    return ("struct T {\n"
            '  [[spmd::type("dp: V")]] float *a;\n'
            '  [[spmd::type("dp: R")]] float *w;\n'
            "};\n"
            f'void f(T &t, [[spmd::type("dp: {"V" if differs else "R"}")]] bool c,\n'
            "       float k, int i, int j) {\n"
            "  float *a = t.a, *w = t.w;\n" + LINE * lines + "}\n")


def measure(tool, text):
    """Seconds and MB of one run."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "long.cpp"
        source.write_text(text)
        start = time.perf_counter()
        run = subprocess.Popen([tool, "--no-cache", "-j", "1", str(source), "--"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = run.stdout.read()
        _, status, used = os.wait4(run.pid, 0)
        if status:
            sys.exit(f"{tool} ended with {status}:\n{output.decode()}")
        return time.perf_counter() - start, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--lines", type=int, nargs="+",
                        default=[250, 1000, 4000, 10000, 20000])
    options = parser.parse_args()
    tool = str((options.build / "bin" / "spmd-tidy").resolve())
    for differs in (False, True):
        print("the condition differs between ranks" if differs else "one function")
        points = []
        for lines in options.lines:
            spent, space = measure(tool, program(lines, differs))
            points.append((lines, spent, space))
            print(f"  {lines:6} lines {spent:7.2f} s {space:6.0f} MB", flush=True)
        (first, least, small), (last, most, large) = points[1], points[-1]
        print(f"  a line more: {1e6 * (most - least) / (last - first):.0f} us, "
              f"{1024 * (large - small) / (last - first):.1f} KB")


if __name__ == "__main__":
    main()
