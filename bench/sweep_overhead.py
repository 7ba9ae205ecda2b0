"""What a sweep adds to its runs: tiny points by a sweep beside bare runs, and points of a second here beside Dask."""

import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import croft
from croft.base.host import host_cores
from croft.runs.spec import RunSpec
from croft.sweeps.executors import pool_on
from croft.sweeps.file import read_sweep
from croft.sweeps.many_runs import How, Work, run_many
from croft.sweeps.swept import run_sweep

POINTS = 10_000
LONG_POINTS = 8
ROUNDS = 5
TINY = "int main(void) { return 0; }\n"
LONG = """
#include <stdlib.h>
int main(int count, char** with) {
    for (volatile long i = 0; i < 1000000L * atoi(with[1]); ++i) {}
    return 0;
}
"""
SWEEP = """
programs = ["tiny.elf"]
machines = ["io1"]
arguments = "{{number}}"
[vary]
number = {{ from = 1, to = {points}, step = 1 }}
"""


def _seconds(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def tiny_points(folder: Path, points: int = POINTS) -> None:
    """Prints what a sweep of ``points`` adds to each, in ms."""
    (folder / "tiny.c").write_text(TINY)
    program = croft.build(folder / "tiny.c", output=folder / "tiny.elf")
    text = SWEEP.format(points=points).replace("tiny.elf", str(program))
    (folder / "sweep.toml").write_text(text)
    machine = croft.machine("io1")

    def bare() -> None:
        with ThreadPoolExecutor(host_cores()) as pool:
            for _ in pool.map(lambda number: croft.run(program, machine, arguments=[str(number)]), range(points)):
                pass

    def swept() -> None:
        run_sweep(read_sweep(folder / "sweep.toml"), folder / "out", How(store=str(folder / "store")))

    alone, all_of_it = _seconds(bare), _seconds(swept)
    again = _seconds(swept)
    print(f"{points:,} points of next to nothing, {host_cores()} at a time")
    print(f"  bare runs      {alone:8.1f} s")
    print(f"  a sweep        {all_of_it:8.1f} s   {(all_of_it - alone) / points * 1e3:.2f} ms a point more")
    print(f"  the same again {again:8.1f} s   {again / points * 1e3:.2f} ms a point, all kept")


def long_points(folder: Path) -> None:
    """Prints the time of points of about a second on threads and on Dask's workers, and the ratio."""
    (folder / "long.c").write_text(LONG)
    program = croft.build(folder / "long.c", output=folder / "long.elf")
    millions = 1
    while (took := croft.run(program, "io1", arguments=[str(millions)]).host_seconds) < 0.5:
        millions *= 2
    millions = max(round(millions / took), 1)
    specs = [RunSpec(arguments=[str(millions), str(number)]) for number in range(LONG_POINTS)]
    works = [Work(str(program), croft.machine("io1"), spec) for spec in specs]

    def on(where: str | None, store: str) -> float:
        how = How(on=where, store=str(folder / store))
        return _seconds(lambda: run_many("long", works, how))

    with pool_on("dask") as pool:
        address = pool.client.scheduler.address
        on(address, "first")  # its workers have imported croft then
        rounds = [(on(None, f"here {i}"), on(address, f"there {i}")) for i in range(ROUNDS)]
    print(f"{LONG_POINTS} points of about 1 s, {host_cores()} at a time, on threads and on Dask's workers in turn")
    for here, there in rounds:
        print(f"  threads {here:8.2f} s   Dask {there:8.2f} s   ratio {there / here:.3f}")
    print(f"  median ratio {statistics.median(there / here for here, there in rounds):.3f}")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="croft-bench-") as name:
        tiny_points(Path(name))
        long_points(Path(name))


if __name__ == "__main__":
    main()
