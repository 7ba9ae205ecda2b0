"""The farm by mpi4py.futures: ``mpiexec -n 2 python futures_farm.py LIBRARY STEPS_A_NANOSECOND SECONDS TASKS``.

TASKS: nanoseconds by name, in JSON. The task is the C++ one, in a shared library. Measured twice: in chunks, as
multiprocessing.Pool makes them (four for each worker), and each task for itself. Rank 0 only gives and takes, as this
executor's does.
"""

import ctypes
import itertools
import json
import sys
import time

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor

library = ctypes.CDLL(sys.argv[1])
work = library.bench_steps_of
work.argtypes = [ctypes.c_uint32, ctypes.c_uint32]
work.restype = ctypes.c_uint32

FEW = 50
"""Tasks by which it is seen how many there is time for."""


def task(number: int, steps: int) -> int:
    return work(number, steps)


def nanoseconds(executor, count: int, steps: int, chunk: int) -> float:
    begin = time.perf_counter()
    results = executor.map(task, range(count), itertools.repeat(steps), chunksize=chunk, unordered=True)
    total = sum(results)
    took = (time.perf_counter() - begin) * 1e9 / count
    if steps == 0 and total != count * (count - 1) // 2:
        raise SystemExit("futures_farm: other results")
    return took


def measure(executor, workers: int, rate: float, seconds: float, sizes: dict[str, float]) -> None:
    for name, size in sizes.items():
        steps = int(size * rate)
        most = int(min(max(seconds * 1e9 / size, 20), seconds * 2e6))
        single = nanoseconds(executor, FEW, steps, 1)
        count = int(min(max(seconds * 1e9 / single, 20), most))  # as many as take no longer than others' tasks
        single = nanoseconds(executor, count, steps, 1)
        chunk = -(-most // (4 * workers))
        batched = nanoseconds(executor, most, steps, chunk)
        print(json.dumps({"tasks": name, "chunksize": chunk, "batched": batched, "single": single}), flush=True)


if __name__ == "__main__":
    nanoseconds_of = json.loads(sys.argv[4])
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
        if executor is not None:
            nanoseconds(executor, 1000, 0, 100)  # starts the workers, and checks
            measure(executor, MPI.COMM_WORLD.size - 1, float(sys.argv[2]), float(sys.argv[3]), nanoseconds_of)
