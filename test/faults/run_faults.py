#!/usr/bin/env python3
"""Something goes wrong in one of several MPI processes: every other one is to be told what, in
words, within the deadline. One case a run; see mpi_faults.cpp for what each does."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

# In ms. On a busy machine ranks that are well are late, too: then again, with more time.
DEADLINES = (1000, 4000, 16000)
# Where nothing is to fail, ranks may take their time.
PATIENT = 60000
LINE = re.compile(r"^rank (\d+)( again)? after (\d+) ms: (.*)$", re.M)
DISAGREE = (r"the ranks disagree: rank 0 calls all_reduce\(P -> R\) of f32\[4\] at train.cpp:10, "
            r"rank 3 all_reduce\(P -> R\) of f32\[5\] at train.cpp:10$")
UNLIKE = (r"the ranks disagree: rank 0 calls all_reduce\(P -> R\) of f32\[4\] at train.cpp:10, after "
          r"1 that was started \([0-9a-f]{4}\), rank 1 all_reduce\(P -> R\) of f32\[4\] at train.cpp:10, "
          r"after 1 that was started \([0-9a-f]{4}\)$")
ELSEWHERE = (r"rank \d waits in all_reduce\(P -> R\) of f32\[4\] at train.cpp:10 over axis '\w+' of "
             r"2 ranks, and did not come within \d+ ms$")


def late(rank):
    return rf": rank {rank} did not come within \d+ ms$"


# What each rank is told; one that is gone tells nothing.
CASES = {
    "kill": {0: late(2), 1: late(2), 3: late(2)},
    "delay": {0: late(1), 1: late(1), 2: late(1), 3: late(1)},
    "connect": {0: late(2), 1: late(2), 2: late(2), 3: late(2)},
    "started": {0: late(2), 1: late(2), 2: late(2), 3: late(2)},
    "diverge": {rank: ELSEWHERE for rank in range(4)},
    "mismatch": {rank: DISAGREE for rank in range(4)},
    "unlike": {rank: UNLIKE for rank in range(4)},
    "corrupt": {rank: r"^train.cpp:30: spmd::convert\(R -> P\) of f32\[4\] over axis 'dp' of 4 ranks: "
                      r"the operand is typed R, but differs between rank 0 and rank 1$"
                for rank in range(4)},
    "memory": {0: late(1), 1: r"^train.cpp:40: .*: no memory is left for what the operator needs",
               2: late(1), 3: late(1)},
    "communicators": {0: "^nothing$", 1: "^nothing$"},
    "numbers": {0: r"^spmd::Axis: MPI_Comm_dup: .*, with \d{4,} communicators of axes open in this "
                   r"process$"},
}


class Failure(Exception):
    """What is not as it should be, and what the ranks said."""


def fail(why, text):
    raise Failure(f"{why}\n{text}")


def run(case, arguments, ranks, folder, deadline, recovery=True):
    if case == "communicators":
        deadline = PATIENT
    environment = dict(os.environ, SPMD_DEADLINE=f"{deadline}ms", SPMD_FLIGHT_DIR=folder,
                       SPMD_CHECK="1" if case == "corrupt" else "0")
    command = [arguments.mpiexec, "-n", str(ranks), arguments.program, case]
    if recovery:  # else mpirun ends all processes when one is killed
        command.insert(1, "--enable-recovery")
    began = time.monotonic()
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=250)
    return done, time.monotonic() - began


def check(case, text, deadline):
    told = {int(m[1]): m for m in LINE.finditer(text) if not m[2]}
    if set(told) != set(CASES[case]):
        fail(f"{case}: told were the ranks {sorted(told)}", text)
    for rank, expected in CASES[case].items():
        if not re.search(expected, told[rank][4]):
            fail(f"{case}: rank {rank} was not told {expected}", text)
    if case in ("communicators", "numbers"):
        return
    # Whoever gives up listens to the others for a while, and machines are busy.
    slowest = max(int(m[3]) for m in told.values())
    if slowest > 2 * deadline + 5000:
        fail(f"{case}: a rank was told after {slowest} ms", text)
    for m in LINE.finditer(text):
        if m[2] and (int(m[3]) > deadline / 2 or "an earlier operator failed: " not in m[4]):
            fail(f"{case}: what comes later is not told at once", text)
    print(f"{case}: told after at most {slowest} ms")


def check_flight(arguments, folder):
    """The survivors' records end with the call that waits for the one who is gone, and say so."""
    files = sorted(map(str, pathlib.Path(folder).glob("*.flight")))
    if len(files) != 3:
        fail("the survivors' flight records", str(files))
    for name in files:
        last = pathlib.Path(name).read_text().splitlines()[-1]
        if not last.endswith("train.cpp:10\twaiting"):
            fail(f"{name} ends with", last)
    done = subprocess.run([arguments.flight, "diff", *files], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode != 1 or "waits for 1 rank that left no record" not in done.stdout:
        fail("spmd-flight", done.stdout)


def check_middle(text, deadline, took):
    """Some are inside MPI and end, others have come to the next operator and are told."""
    ended = text.count("spmd: train.cpp:50: spmd::all_gather(S(0) -> R) of f32[67108864] over axis "
                       f"'dp' of 4 ranks has begun and is not done within {deadline} ms: ")
    if text.count("has begun") != ended:
        fail("what is said of the operator is not what it is", text)
    # Rank 2 may still be there when the time is up.
    told = (late(2)[:-1], r": all ranks came, and MPI has not done it within \d+ ms")
    if not ended and not any(re.search(one, text) for one in told):
        fail("nobody was told", text)
    print(f"middle: {ended} processes ended themselves, the job took {took:.1f} s")


def try_case(case, arguments, deadline):
    ranks = {"communicators": 2, "numbers": 1}.get(case, 4)
    with tempfile.TemporaryDirectory() as folder:
        if case == "unattended":
            # Without recovery mpirun ends the job itself; what counts is that it ends.
            done, _ = run("kill", arguments, ranks, folder, deadline, recovery=False)
            if done.returncode == 0:
                fail("mpirun says that all is well", done.stdout)
            return
        done, took = run(case, arguments, ranks, folder, deadline)
        if case == "middle":
            check_middle(done.stdout, deadline, took)
            return
        check(case, done.stdout, deadline)
        if case == "kill":
            check_flight(arguments, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=[*CASES, "middle", "unattended"])
    parser.add_argument("--program", required=True)
    parser.add_argument("--flight", required=True)
    parser.add_argument("--mpiexec", default="mpiexec")
    arguments = parser.parse_args()
    for deadline in DEADLINES:
        try:
            try_case(arguments.case, arguments, deadline)
            return
        except Failure as why:
            print(f"with {deadline} ms: {why}", flush=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
