#!/usr/bin/env python3
"""Makes one mistake after the other in right programs, and counts which are found.

A mutant is a right file with one edit: a collective that only rank 0 makes, a
wait left out, another stream, a root or a count that depends on the rank, two
calls that half of the ranks make in the other order. Not every one is wrong:
a function may be called by one rank, a stream may be waited for elsewhere.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FILES = [
    "test/lit/language/c-style-trainer.cu",
    "test/lit/collectives/right.c",
    "test/lit/collectives/messages.cu",
    "test/lit/async/right.c",
    "test/lit/async/right.cu",
]
COLLECTIVE = re.compile(
    r"^[ ]*(?:NCCLCHECK\(\s*)?((?:MPI_(?:I?(?:barrier|bcast|reduce|allreduce|allgather|gather|scatter"
    r"|alltoall|scan)))|nccl(?:AllReduce|AllGather|ReduceScatter|Broadcast|Bcast|Reduce))\(([^;{}]*?)\)\)?;",
    re.M | re.I,
)
WAIT = re.compile(
    r"^[ ]*(?:CUDACHECK\()?(?:MPI_Wait(?:all)?|cudaStreamSynchronize|cudaStreamWaitEvent"
    r"|cudaEventSynchronize|cudaDeviceSynchronize)\([^;{}]*\)\)?;[^\n]*",
    re.M,
)


def communicator(name, arguments):
    given = [a.strip() for a in arguments.split(",")]
    if name.startswith("nccl"):
        return given[-2], "ncclCommUserRank"
    return given[-2 if name[4] == "I" else -1], "MPI_Comm_rank"


def on_ranks(call, body):
    comm, ask = communicator(call[1], call[2])
    return f"{{ int own_rank = 0; {ask}({comm}, &own_rank); {body} }}"


def edits(text):
    """Kind, position, length and the new text of each edit."""
    calls = list(COLLECTIVE.finditer(text))
    for call in calls:
        statement = call[0].strip()
        yield "collective of one rank", call, on_ranks(
            call, f"if (own_rank == 0) {statement}"
        )
        arguments = [a.strip() for a in call[2].split(",")]
        lowered = call[1].lower()
        root = {"bcast": -2, "reduce": -2, "gather": -2, "scatter": -2}.get(
            lowered[4:]
        )
        if root and lowered.startswith("mpi"):
            changed = list(arguments)
            changed[root] = "own_rank % 2"
            yield "root rebound", call, on_ranks(
                call, f"{call[1]}({', '.join(changed)});"
            )
        count = {"allreduce": 2, "bcast": 1, "reduce": 2}.get(
            lowered.removeprefix("mpi_").removeprefix("nccl")
        )
        if count:
            changed = list(arguments)
            changed[count] = "1 + own_rank"
            yield "count rebound", call, on_ranks(
                call, f"{call[1]}({', '.join(changed)});"
            )
    for wait in WAIT.finditer(text):
        yield "wait removed", wait, ";"
    for first, second in zip(calls, calls[1:]):
        if text[first.end() : second.start()].strip():
            continue
        a, b = first[0].strip(), second[0].strip()
        yield "calls swapped on one side", (first, second), on_ranks(
            first, f"if (own_rank % 2) {{ {a} {b} }} else {{ {b} {a} }}"
        )
    for call in calls:
        if call[1].startswith("nccl") and "cudaStreamCreate" in text:
            changed = [a.strip() for a in call[2].split(",")]
            changed[-1] = "other_stream"
            yield "stream swapped", call, (
                "{ cudaStream_t other_stream; cudaStreamCreateWithFlags(&other_stream, "
                f"cudaStreamNonBlocking); {call[1]}({', '.join(changed)}); }}"
            )


def lint(tool, path, folder):
    flags = ["-I", str(folder), "-isystem", str(SOURCE / "test/stubs")]
    flags += ["-I", str(SOURCE / "runtime/include"), "-I", str(SOURCE / "rules/types/include")]
    if path.suffix == ".cu":
        flags = flags[4:]
    run = subprocess.run(
        [tool, "--no-cache", "-j1", "--config-file=/dev/null", str(path), "--", *flags],
        capture_output=True, text=True, timeout=120,
    )
    out = run.stdout + run.stderr
    if "clang-diagnostic-error" in out:
        return None
    return set(
        re.findall(r":(\d+):\d+: error: .*\[(spmd-(?:divergent-collective|collective-order"
                   r"|varying-metadata|collective-argument|async-hazard))\]", out)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--least", type=float, default=0, help="share to be found")
    parser.add_argument("-v", action="store_true", help="list those not found")
    parser.add_argument("files", nargs="*", default=FILES)
    options = parser.parse_args()
    jobs = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.files:
            path = SOURCE / name
            text = path.read_text()
            for kind, at, new in edits(text):
                first, last = at if isinstance(at, tuple) else (at, at)
                mutant = text[: first.start()] + new + text[last.end() :]
                out = pathlib.Path(scratch) / f"{len(jobs)}-{path.name}"
                out.write_text(mutant)
                line = text.count("\n", 0, first.start()) + 1
                jobs.append((kind, f"{name}:{line}", out, path.parent))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            before = {}
            for name in options.files:
                path = SOURCE / name
                before[name] = lint(options.tool, path, path.parent) or set()
            results = list(pool.map(lambda j: lint(options.tool, j[2], j[3]), jobs))
    table = collections.defaultdict(lambda: [0, 0])
    for (kind, where, _, _), found in zip(jobs, results):
        if found is None:
            continue
        known = len(before[where.rsplit(":", 1)[0]])
        table[kind][0] += 1
        table[kind][1] += len(found) > known
        if options.v and len(found) <= known:
            print(f"not found: {kind}, {where}")
    print(f"{'mistake':28}mutants  found")
    for kind, (made, found) in sorted(table.items()):
        print(f"{kind:28}{made:7}{found:7}")
    made = sum(m for m, _ in table.values())
    found = sum(f for _, f in table.values())
    print(f"{'all':28}{made:7}{found:7}")
    return 1 if found < options.least * made else 0


if __name__ == "__main__":
    raise SystemExit(main())
