#!/usr/bin/env python3
"""Times the runtime's operators beside the calls they make, and ranks as threads.

Two ranks; both sides of every row are measured in turn in one process, and the
overhead is the median over such pairs, which misses an aim where it does with a
certainty of 95 %. What is not built is left out.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_btl": "self,vader"}
TITLES = {
    "nothing": "The layer above a communicator, against nothing at all",
    "mpi": "Over MPI, two processes, against the same call of MPI",
    "around": "What a call takes before and after the Gloo group's own function",
    "gloo": "Over a Gloo process group, against the same call of the group",
    "itself": "A call against the same call: what two measurements differ by",
    "threads": "The sum of two threads, against MPI_Allreduce of two processes",
    "memcpy": "Two threads, against memcpy of the operand on both at once",
    "rows": "Packing S(i) on one thread, against memcpy of as much",
}
FLOOR = 1 << 20  # from here on overhead is a share, below it microseconds


def rows(command, environment):
    run = subprocess.run(command, env={**os.environ, **environment},
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stderr}")
    for line in run.stdout.splitlines():
        against, what, *numbers = line.split("\t")
        if what.endswith("by threads"):
            against, what = "threads", "all_reduce"
        if "pack of" in what:
            against = "rows"
        yield against, what, int(numbers[0]), *map(float, numbers[1:])


def size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024 or unit == "MiB":
            return f"{count} {unit}"
        count //= 1024


def time(micros):
    return f"{micros:.2f} us" if micros < 1000 else f"{micros / 1000:.2f} ms"


def verdict(against, count, ratio, ratio_low, extra, extra_low):
    """What the row says, and whether it is what we aim at; None without an aim.

    A row misses where the whole interval of its median is beyond the aim."""
    if against in ("mpi", "gloo"):
        if count >= FLOOR:
            return f"{100 * (ratio - 1):+.1f} %", ratio_low <= 1.05
        return f"{extra:+.2f} us", extra_low <= 1
    if against == "nothing":
        return f"{extra:+.2f} us", extra_low <= 1
    if against in ("around", "itself"):  # these explain the others
        return (f"{100 * (ratio - 1):+.1f} %" if count >= FLOOR else f"{extra:+.2f} us"), None
    if against == "threads":
        return f"{1 / ratio:.2f} x as fast", ratio_low < 1
    return f"{100 / ratio:.0f} % of it", ratio_low <= 1 / 0.9 if against == "rows" else None


# Half of them compute, half of them go through memory.
WORK = ["while True: sum(range(1000))", "x = bytearray(1 << 24)\nwhile True: x[:] = x"]


@contextlib.contextmanager
def busy(count):
    others = [subprocess.Popen([sys.executable, "-c", WORK[n % 2]]) for n in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def under_load(command, count):
    """The sum over MPI with nothing beside it, and with so many processes at work."""
    print(f"timing mpi, idle and beside {count} processes ...", file=sys.stderr)
    before = os.getloadavg()[0]
    idle = list(rows(command, MPI))
    with busy(count):
        loaded = list(rows(command, MPI))
    print(f"\nall_reduce over MPI, against MPI_Allreduce; {count} processes at work on "
          f"{os.cpu_count()} cores (load before it {before:.0f})\n"
          f"  {'size':>9}{'direct':>12}{'ours':>12}{'idle':>9}"
          f"{'direct':>12}{'ours':>12}{'at work':>9}")
    for (_, _, size_, direct, ours, ratio, *_), (_, _, _, then, mine, share, *_) in zip(idle, loaded):
        print(f"  {size(size_):>9}{time(direct):>12}{time(ours):>12}{100 * (ratio - 1):>+7.1f} %"
              f"{time(then):>12}{time(mine):>12}{100 * (share - 1):>+7.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--real-time", action="store_true",
                        help="before all other processes of the machine, as root")
    parser.add_argument("--load", type=int, default=4 * os.cpu_count(),
                        help="processes at work beside the rows under load; 0 leaves those out")
    parser.add_argument("--load-only", action="store_true", help="only those rows")
    options = parser.parse_args()

    prefix = ["chrt", "-f", "1"] if options.real_time else []
    folder = options.build / "bin"
    mpirun = ["mpirun", "--bind-to", "none", "-n", "2"]
    found = []
    for name, launcher in [("local", []), ("gloo", []),
                           ("mpi", mpirun)]:
        if options.load_only:
            break
        program = folder / f"runtime-bench-{name}"
        if not program.exists() or launcher and not shutil.which(launcher[0]):
            print(f"{name} is left out: not built, or no {launcher[0] if launcher else 'library'}")
            continue
        print(f"timing {name} ...", file=sys.stderr)
        found += rows([*prefix, *launcher, str(program)], MPI)

    missed = 0
    for kind, title in TITLES.items():
        mine = [row for row in found if row[0] == kind]
        if not mine:
            continue
        print(f"\n{title}\n  {'operator':30}{'size':>9}{'direct':>12}{'ours':>12}"
              f"{'':>16}  allocations")
        for _, what, count, direct, ours, *more, allocations in mine:
            text, good = verdict(kind, count, *more)
            missed += good is False
            print(f"  {what:30}{size(count):>9}{time(direct):>12}{time(ours):>12}"
                  f"{text:>16}{'  missed' if good is False else ''}  {allocations:g}")
    if found:
        print(f"\naims: at most 5 % from 1 MiB on and 1 us below, threads faster than MPI, "
              "packing at 90 % of memcpy; "
              f"{missed} rows miss theirs")

    program = folder / "runtime-bench-mpi"
    if options.load and program.exists() and shutil.which("mpirun"):
        under_load([*prefix, *mpirun, str(program), "sums"], options.load)


if __name__ == "__main__":
    main()
