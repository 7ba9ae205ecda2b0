"""Runs many points of a parameter space, and makes a table of what they printed and counted."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from croft.base.extras import require
from croft.machines.file import machine as read_machine
from croft.machines.model import Machine
from croft.results import fields
from croft.results.result import Result
from croft.runs.homes import homes_of
from croft.runs.host_script import HostScript
from croft.runs.runner import program_name
from croft.runs.sandbox import READ_ONLY, grant
from croft.runs.spec import swept
from croft.sweeps.kept_runs import KeptRun
from croft.sweeps.many_runs import How, Work, run_many

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Point:
    """One run: a program with its arguments. ``labels`` are columns that its row gets beside what it printed.

    ``options`` are those of a run that a sweep has (docs/run-options.md): ``{"seed": 3}``. Directories are only read.
    ``machine`` is where it runs, if not where all others do. ``statistics`` become columns as well: ``l1d.load_misses``
    added up, ``l1d.load_misses.0`` of one L1; and so does all of a ``part``, as ``part.name.index``. ``host`` is at the
    other end of the machine's link to a host. ``check`` is called with the result of a run that went well. If it
    raises an exception, the run is a failure. ``memory`` is how many bytes of a host's memory the run needs
    (default: by the machine's size).
    """

    program: str
    arguments: tuple[str, ...] = ()
    labels: dict[str, object] = field(default_factory=dict)
    part: str = ""
    host: HostScript | None = None
    check: Callable[[Result], None] | None = None
    machine: Machine | None = None
    memory: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    statistics: tuple[str, ...] = ()


def sweep(
    points: Sequence[Point],
    machine: Machine | str | None = None,
    *,
    name: str = "sweep",
    jobs: int | None = None,
    on: str | None = None,
    store: str | None = None,
    fresh: bool = False,
    tell: Callable[[str], None] = lambda sentence: None,
) -> "pd.DataFrame":
    """Runs all points, on ``machine`` or each on its own; returns what they printed, in the order of ``points``.

    There is a row for each line ``PROGRAM key=value ...`` that a program printed, of which most print one. It holds the
    point's labels, the line's fields, and ``cycles`` and ``instructions`` of the whole run as ``run_cycles`` and
    ``run_instructions``. A point that fails leaves the others alone: its row has its labels, and a sentence under
    ``error``, which is empty for all others.

    ``jobs`` at a time (default: one a core), ``on`` threads of this host or a Dask cluster ("dask", "tcp://HOST:PORT",
    "scheduler.json"). Runs are kept in ``store`` (default: croft's cache) as they end, and those that are there are not
    done again, unless ``fresh``.

    Raises CroftError for a program that cannot be built, a store or a cluster that cannot be used.
    """
    require("a sweep's data frame", "pandas")
    import pandas as pd

    chip = None if machine is None else read_machine(machine)
    works = [work_of(point, chip) for point in points]
    outcomes = run_many(name, works, How(jobs, on, store, fresh, tell))
    rows = [rows_of(point, done.kept, done.failed) for point, done in zip(points, outcomes, strict=True)]
    return pd.DataFrame(list(itertools.chain.from_iterable(rows)))


def work_of(point: Point, machine: Machine | None, *, must_print: bool = True) -> Work:
    """The run that a point is. If it ``must_print`` what a row is made of, it fails if it does not."""

    def check(result: Result) -> None:
        if must_print:
            fields.find_all(result.text, result.program)
        if point.check:
            point.check(result)

    chip = point.machine or machine or read_machine("tilepro64")
    spec = swept(point.options)
    more = {
        "arguments": tuple(point.arguments),
        "host": point.host,
        # Runs that are kept leave nothing else behind, and a worker may have another folder as its own.
        "directories": [f"{each.host}::{each.guest}{READ_ONLY}" for each in map(grant, spec.directories)],
        "homes": homes_of(spec.homes),
    }
    spec = spec.model_copy(update=more)
    return Work(point.program, chip, spec, part=point.part, check=check, memory=point.memory)


def rows_of(point: Point, kept: KeptRun | None, failed: str) -> list[dict[str, object]]:
    """The rows of a point's run: ``kept``, or ``failed`` and why. One row if it printed no line to make rows of."""
    if not kept:
        return [{**point.labels, "error": failed}]
    whole: dict[str, object] = {"run_cycles": kept.cycles, "run_instructions": kept.instructions}
    for counted, values in kept.statistics.get(point.part, {}).items():
        whole |= {f"{point.part}.{counted}.{index}": value for index, value in values.items()}
    whole |= {column: kept.counted(column) for column in point.statistics}
    lines = fields.lines_of(kept.text, program_name(point.program)) or [{}]
    return [{**point.labels, **line, **whole, "error": ""} for line in lines]
