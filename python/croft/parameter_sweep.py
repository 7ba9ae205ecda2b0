"""Runs many points of a parameter space side by side, one simulated run a host core."""

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from croft import fields
from croft.errors import CroftError
from croft.extras import require
from croft.host_script import HostScript
from croft.machine_file import machine as read_machine
from croft.machine_model import Machine
from croft.progress import SweepProgress
from croft.result import Result
from croft.runner import executable, program_name, run

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Point:
    """One run: a program with its arguments. ``labels`` are columns that its row gets beside what it printed.

    ``part`` names a part of the statistics that become columns as well, called ``part.name.index``. ``host`` is at the
    other end of the machine's link to a host. ``check`` is called with the result of a run that went well.
    """

    program: str
    arguments: tuple[str, ...]
    labels: dict[str, object] = field(default_factory=dict)
    part: str = ""
    host: HostScript | None = None
    check: Callable[[Result], None] | None = None


def host_cores() -> int:
    """How many cores of the host this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def sweep(
    points: Sequence[Point],
    machine: Machine | str,
    *,
    name: str = "sweep",
    jobs: int | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> "pd.DataFrame":
    """Runs all points on ``machine``, ``jobs`` at a time; returns what they printed, in the order of ``points``.

    There is a row for each line ``PROGRAM key=value ...`` that a program printed, of which most print one. It holds the
    point's labels, the line's fields, and ``cycles`` and ``instructions`` of the whole run as ``run_cycles`` and
    ``run_instructions``.

    The runs share this process: a simulated run does not hold the interpreter's lock.
    Raises CroftError if a program ends with another status than 0.
    """
    require("a sweep's data frame", "pandas")
    import pandas as pd

    chip = read_machine(machine)
    programs = {program: executable(program, tell=tell) for program in {point.program for point in points}}
    stopped = threading.Event()
    rows: list[list[dict[str, object]]] = [[] for _ in points]

    # What a run counted is some thousand rows: they are not kept beyond it.
    def one(number: int, progress: SweepProgress) -> list[dict[str, object]]:
        def update(cycles: int, instructions: int) -> bool:
            progress.update(number, instructions)
            return not stopped.is_set()

        point = points[number]
        path, title = programs[point.program], program_name(point.program)
        result = run(path, chip, name=title, arguments=point.arguments, host=point.host, progress=update)
        progress.update(number, result.instructions)
        return _rows(point, result)

    with SweepProgress(name, len(points)) as progress, ThreadPoolExecutor(jobs or host_cores()) as pool:
        futures = {pool.submit(one, number, progress): number for number in range(len(points))}
        try:
            for future in as_completed(futures):
                number = futures[future]
                rows[number] = future.result()
                progress.finish_one()
        except BaseException:
            stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return pd.DataFrame(list(itertools.chain.from_iterable(rows)))


def _rows(point: Point, result: Result) -> list[dict[str, object]]:
    if result.exit_status:
        said = result.message or result.errors.decode(errors="replace").strip() or "it gave no reason"
        command = " ".join((point.program, *point.arguments))
        raise CroftError(f"{command} on {result.machine.name}: {result.ending}, status {result.exit_status}: {said}")
    whole: dict[str, object] = {"run_cycles": result.cycles, "run_instructions": result.instructions}
    if point.check:
        point.check(result)
    if point.part:
        counted = result.frame[result.frame["part"] == point.part]
        whole |= {f"{row.part}.{row.name}.{row.index}": row.value for row in counted.itertuples(index=False)}
    return [{**point.labels, **line, **whole} for line in fields.find_all(result.text, result.program)]
