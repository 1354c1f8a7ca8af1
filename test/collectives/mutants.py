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
ONE_RANK = "stays right: only rank 0 comes here, and the root is rank 0"
OF_CALLER = "who calls decides: "
UNREPORTED = {
    "right.c:inPlace": {
        "collective of one rank": ONE_RANK,
        "root rebound": ONE_RANK,
        "count rebound": OF_CALLER + "n may be 1",
    },
    "right.c:gatherInPlace": {"collective of one rank": ONE_RANK, "root rebound": ONE_RANK},
    "right.c:balanced": {
        "collective of one rank": ONE_RANK,
        "root rebound": ONE_RANK,
        "count rebound": "stays right: the count of rank 0 is 1",
    },
    "right.c:mastersLoop": {
        "collective of one rank": ONE_RANK,
        "root rebound": ONE_RANK,
        "count rebound": "stays right: the count of rank 0 is 1",
    },
    "right.c:equalSignatures": {"collective of one rank": ONE_RANK, "root rebound": ONE_RANK},
    "right.c:twoCommunicators": {
        "collective of one rank": OF_CALLER + "a column may have one rank",
    },
    "right.c:otherCode": {
        "collective of one rank": "who knows: code that is not seen may communicate",
    },
    "right.c:grid": {"collective of one rank": ONE_RANK},
    "right.c:anySource": {
        "collective of one rank": "a limit: messages from any source, which --strict says",
    },
    "right.c:leader_and_others": {
        "collective of one rank": OF_CALLER + "there may be no leader and no member",
    },
    "right.c:squareGrid": {
        "calls swapped on one side": "stays right: a column is all of one parity",
    },
    "right.c:count_mine": {
        "collective of one rank": OF_CALLER + "others may go on with its request",
    },
    "right.c:ask_all": {
        "collective of one rank": OF_CALLER + "others may go on with its request",
    },
    "right.c:null_is_waited_for": {"wait removed": "stays right: nothing is begun"},
    "right.c:never_started": {"wait removed": "stays right: nothing is started"},
    "right.c:of_the_file": {"wait removed": OF_CALLER + "x may be another"},
    "right.c:advanced": {"wait removed": OF_CALLER + "the requests are its"},
    "right.cu:only_read": {
        "wait removed": "stays right: what is written is not used any more",
        "stream swapped": "stays right: all kernels only read",
    },
    "right.cu:overlapped": {"wait removed": OF_CALLER + "it may wait itself"},
    "right.cu:managed": {
        "wait removed": "a limit: the host's reach is only known where it is allocated",
    },
    "right.cu:group_joins": {
        "calls swapped on one side": "stays right: they are on two communicators in a group",
        "stream swapped": "stays right: a group begins behind all its streams",
    },
}
FUNCTION = re.compile(r"^\w[^;{}()=]*?(\w+)\([^;{}]*\)\s*\{", re.M)
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


def within(text, at):
    """The function that \p at is in."""
    return [f[1] for f in FUNCTION.finditer(text, 0, at)][-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
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
                jobs.append((kind, path, within(text, first.end()), out))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            before = {}
            for name in options.files:
                path = SOURCE / name
                before[path] = lint(options.tool, path, path.parent) or set()
            results = list(pool.map(lambda j: lint(options.tool, j[3], j[1].parent), jobs))
    table = collections.defaultdict(lambda: [0, 0, 0])
    unexplained, explained = [], set()
    for (kind, path, function, _), found in zip(jobs, results):
        if found is None:
            continue
        table[kind][0] += 1
        if len(found) > len(before[path]):
            table[kind][1] += 1
            continue
        where = f"{path.name}:{function}"
        reason = UNREPORTED.get(where, {}).get(kind)
        if reason:
            table[kind][2] += 1
            explained.add((where, kind))
        else:
            unexplained.append(f"{where}, {kind}")
        if options.v:
            print(f"not found: {where}, {kind}: {reason or 'no reason is known'}")
    print(f"{'mistake':28}mutants  found  right, or open")
    for kind, (made, found, right) in sorted(table.items()):
        print(f"{kind:28}{made:7}{found:7}{right:16}")
    print(f"{'all':28}" + "".join(
        f"{sum(row[i] for row in table.values()):{width}}"
        for i, width in enumerate((7, 7, 16))))
    stale = {(w, k) for w, kinds in UNREPORTED.items() for k in kinds} - explained
    for line in unexplained:
        print(f"not found, and no reason is known: {line}")
    if options.files == FILES:
        for where, kind in sorted(stale):
            print(f"found, though it is listed as one that is not: {where}, {kind}")
    return 1 if unexplained or (stale and options.files == FILES) else 0


if __name__ == "__main__":
    raise SystemExit(main())
