"""Runs the example trainers on a mesh, by any of their backends, and reads the
losses back. Small models: seconds on two cores."""

import csv
import os
import pathlib
import shutil
import socket
import subprocess

SMALL = {
    "megatron": ["--hidden=32", "--sequence=32"],
    "zero": ["--channels=32", "--sequence=32"],
}
# More ranks than cores, as root in a container, over shared memory only.
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


class Failed(Exception):
    """The program ended with an error; the text is its last line."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def has_mpi():
    return shutil.which("mpirun") is not None


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if line.startswith(("megatron:", "zero:"))),
                lines[-1] if lines else "no message")


def run(command, ranks, backend, timeout=600):
    """Runs all ranks to their end. Failed when one fails or hangs."""
    # A launcher that started this script is not the trainer's.
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("RANK", "WORLD_SIZE") and not key.startswith("OMPI_COMM")}
    environment["OMP_NUM_THREADS"] = "1"
    environments = [environment]
    if backend == "mpi":
        command = ["mpirun", "-n", str(ranks), *command]
        environments = [{**environment, **MPI}]
    elif backend == "c10d":
        port = str(free_port())
        environments = [{**environment, "RANK": str(rank), "WORLD_SIZE": str(ranks),
                         "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
                        for rank in range(ranks)]
    processes = [subprocess.Popen(command, env=e, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) for e in environments]
    try:
        errors = [process.communicate(timeout=timeout)[1] for process in processes]
    except subprocess.TimeoutExpired:
        raise Failed(f"no end after {timeout} s") from None
    finally:
        for process in processes:
            process.kill()
    for process, error in zip(processes, errors):
        if process.returncode:
            raise Failed(last_line(error))


def losses(program, folder, options=(), ranks=1, backend="local", timeout=600):
    """The loss of every step of one run. \\p folder is for the program's files."""
    program = pathlib.Path(program)
    table = pathlib.Path(folder) / "losses.csv"
    table.unlink(missing_ok=True)
    run([str(program), *SMALL[program.stem], f"--losses={table}", *options], ranks, backend,
        timeout)
    with open(table, encoding="utf-8") as rows:
        return [float(row["loss"]) for row in csv.DictReader(rows)]


def differences(found, expected):
    """Of each step, relative to what is expected. A NaN differs infinitely."""
    if len(found) != len(expected):
        raise Failed(f"{len(found)} steps, expected {len(expected)}")
    pairs = [abs(a - b) / abs(b) for a, b in zip(found, expected)]
    return [d if d == d else float("inf") for d in pairs]
