"""Other libraries' farms across processes, each a program of its own: what a round of each finds."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.across_table import TASKS
from bench.mpi_launch import PREFIXES, FailedError, Mpi, ended, free_ports, start

MPI4PY = PREFIXES / "mpi4py"
FUTURES = Path(__file__).resolve().parent / "mpi" / "futures_farm.py"

Found = Iterator[tuple[str, str, float]]
"""Task, way and nanoseconds a task."""


Note = Callable[[str], None]


def futures(mpi: Mpi, build: Path, processes: int, rate: float, seconds: float, note: Note) -> Found:
    """It looks for messages without pause where it has a core for that, and else as it does by itself."""
    environment = {"PYTHONPATH": str(MPI4PY), "MPI4PY_LIBMPI": str(mpi.library())}
    if processes <= len(os.sched_getaffinity(0)):
        environment["MPI4PY_FUTURES_BACKOFF"] = "0"
    library = str(build / "libbench_task.so")
    command = [sys.executable, str(FUTURES), library, str(rate), str(seconds), json.dumps(TASKS)]
    measured = [json.loads(line) for line in mpi.run(processes, command, environment).splitlines()]
    backoff = environment.get("MPI4PY_FUTURES_BACKOFF", "its own")
    sizes = ", ".join(f"{each['chunksize']:,}" for each in measured)
    note(f"mpi4py.futures: in chunks of {sizes} tasks; its workers' and its master's backoff is {backoff}.")
    yield from ((each["tasks"], "mpi4py.futures, in chunks", each["batched"]) for each in measured)
    yield from ((each["tasks"], "mpi4py.futures, each task for itself", each["single"]) for each in measured)


SHORT = 1e5
BATCH = 64
"""Shorter tasks than that have FastFlow put so many into a message, longer ones go each for itself."""


def groups(processes: int, protocol: str, batch: int) -> dict[str, object]:
    """FastFlow's configuration."""
    ports = free_ports(processes)
    each = [{"name": f"G{i}", "endpoint": f"localhost:{port}", "batchSize": batch} for i, port in enumerate(ports)]
    return {"protocol": protocol, "groups": each}


def nanoseconds_said(said: str) -> float:
    """By bench/mpi/fastflow_farm.cpp; FastFlow itself says more, anywhere between."""
    if line := re.search(r"a task takes ([0-9.]+) ns", said):
        return float(line[1])
    raise FailedError("it has not said how long it took")


def fastflow(mpi: Mpi, build: Path, processes: int, rate: float, seconds: float, note: Note, protocol: str) -> Found:
    note(f"FastFlow: a worker in each process, its source's too; {BATCH} tasks a message if shorter than 100 us.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "groups.json"
        for name, size in TASKS.items():
            file.write_text(json.dumps(groups(processes, protocol, BATCH if size < SHORT else 1)), encoding="utf-8")
            count = int(min(max(seconds * 1e9 / size, 20), seconds * 5e4))
            work = [str(processes), str(count), str(int(size * rate))]
            program = [str(build / f"bench_fastflow_{protocol.lower()}"), f"--DFF_Config={file}"]
            if protocol == "MPI":
                said = mpi.run(processes, [*program, *work], {}, seconds=60)
            else:
                said = ended([start([*program, f"--DFF_GName=G{i}", *work], {}) for i in range(processes)], seconds=60)
            yield name, f"FastFlow, by {protocol}", nanoseconds_said(said)
