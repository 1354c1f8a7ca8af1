#!/usr/bin/env python3
"""Makes one mistake after the other in right programs, and counts which are found.

A mutant is a right file with one edit: a collective that only rank 0 makes, a
wait left out, another stream, a root or a count that depends on the rank, two
calls that half of the ranks make in the other order. Those that are not found
must be the ones that UNREPORTED has, with what keeps them right, or who decides.

One file has mistakes in several functions that have nothing to do with each other.
What is not found there is looked at by itself, unless that is known of it.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
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


def lint(tool, path, folder, cache):
    flags = ["-I", str(folder), "-isystem", str(SOURCE / "test/stubs")]
    flags += ["-I", str(SOURCE / "runtime/include"), "-I", str(SOURCE / "rules/types/include")]
    if path.suffix == ".cu":
        flags = flags[4:]
    run = subprocess.run(
        [tool, f"--cache-dir={cache}", "-j1", "--config-file=/dev/null", str(path), "--", *flags],
        capture_output=True, text=True, timeout=120,
    )
    out = run.stdout + run.stderr
    if "clang-diagnostic-error" in out:
        return None
    return set(
        re.findall(r":(\d+):\d+: error: .*\[(spmd-(?:divergent-collective|collective-order"
                   r"|varying-metadata|collective-argument|async-hazard))\]", out)
    )


@dataclasses.dataclass
class Function:
    name: str
    begin: int
    body: str
    first_line: int

    @property
    def lines(self):
        return set(range(self.first_line, self.first_line + self.body.count("\n")))

    def calls(self, other):
        return re.search(rf"\b{other.name}\b", self.body)


def functions(text):
    starts = list(FUNCTION.finditer(text))
    ends = [f.start() for f in starts[1:]] + [len(text)]
    return [Function(f[1], f.start(), text[f.start() : end], text.count("\n", 0, f.start()) + 1)
            for f, end in zip(starts, ends)]


@dataclasses.dataclass
class Mutant:
    kind: str
    path: pathlib.Path
    function: str
    lines: set  # where it may be found: in functions with mistakes that it calls, too
    begin: int
    end: int
    new: str

    @property
    def where(self):
        return f"{self.path.name}:{self.function}"

    @property
    def known(self):
        return UNREPORTED.get(self.where, {}).get(self.kind)


def mutants_of(path):
    text = path.read_text()
    parts = functions(text)

    def within(at):
        return [f for f in parts if f.begin < at][-1]

    def ends(at):
        return (at[0].start(), at[0].end(), at[-1].end())

    every = [(kind, *ends(at if isinstance(at, tuple) else (at,)), new)
             for kind, at, new in edits(text)]
    changed = {within(end).name: within(end) for _, _, end, _, _ in every}
    for kind, begin, first_end, end, new in every:
        function = within(first_end)
        lines = function.lines.union(*(f.lines for f in changed.values() if function.calls(f)))
        # All other lines stay where they are.
        new += "\n" * (text.count("\n", begin, end) - new.count("\n"))
        yield Mutant(kind, path, function.name, lines, begin, end, new)


def batches(path):
    """Mutants that one file can have: of functions that have no lines in common."""
    out = []
    for mutant in mutants_of(path):
        for batch in out:
            if not any(mutant.lines & m.lines for m in batch):
                batch.append(mutant)
                break
        else:
            out.append([mutant])
    return out


class Linter:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.before, self.names = tool, folder, {}, itertools.count()

    def lint(self, path, mutants):
        """The findings in the file with those mistakes; None where it is no program."""
        text = path.read_text()
        for m in sorted(mutants, key=lambda m: m.begin, reverse=True):
            text = text[: m.begin] + m.new + text[m.end :]
        out = self.folder / f"{next(self.names)}-{path.name}"
        out.write_text(text)
        # What all mutants of a file include is parsed once.
        return lint(self.tool, out, path.parent, self.folder / "cache")

    def as_it_is(self, path):
        self.before[path] = self.lint(path, []) or set()

    def judge(self, batch):
        """Of each mutant, whether it is found; None where it is no program."""
        def within(mutant, found):
            return sum(int(line) in mutant.lines for line, _ in found)

        path = batch[0].path
        found = self.lint(path, batch)
        return [True if found is not None and within(m, found) > within(m, self.before[path])
                else False if found is not None and m.known
                else self.judge_alone(m) for m in batch]

    def judge_alone(self, mutant):
        found = self.lint(mutant.path, [mutant])
        return None if found is None else len(found) > len(self.before[mutant.path])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("-v", action="store_true", help="list those not found")
    parser.add_argument("files", nargs="*", default=FILES)
    options = parser.parse_args()
    paths = [SOURCE / name for name in options.files]
    together = [batch for path in paths for batch in batches(path)]
    with tempfile.TemporaryDirectory() as scratch:
        linter = Linter(options.tool, pathlib.Path(scratch))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for path in paths:
                linter.as_it_is(path)
            results = list(pool.map(linter.judge, together))
    table = collections.defaultdict(lambda: [0, 0, 0])
    unexplained, explained = [], set()
    judged = [pair for batch, result in zip(together, results) for pair in zip(batch, result)]
    for mutant, found in judged:
        if found is None:
            continue
        row = table[mutant.kind]
        row[0] += 1
        if found:
            row[1] += 1
            continue
        if mutant.known:
            row[2] += 1
            explained.add((mutant.where, mutant.kind))
        else:
            unexplained.append(f"{mutant.where}, {mutant.kind}")
        if options.v:
            print(f"not found: {mutant.where}, {mutant.kind}: {mutant.known or 'no reason is known'}")
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
