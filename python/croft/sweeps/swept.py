"""Does the sweep that a file describes: its points, the dataset of their results, and the picture."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from croft.base.digest import digest_of
from croft.base.errors import UsageError
from croft.base.nearest import did_you_mean, nearest
from croft.sweeps.dataset import POINT, SweepDataset
from croft.sweeps.description import Plot
from croft.sweeps.file import SweepFile
from croft.sweeps.many_runs import Done, How, run_many
from croft.sweeps.points import Point, rows_of, work_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


COUNTED = ("run_cycles", "run_instructions")
"""The columns of every run beside its point's labels and what it prints."""


@dataclass(frozen=True)
class Swept:
    """What came of a sweep: a row for each line that a point's run printed, in the order of the points."""

    rows: "pd.DataFrame"
    failed: int


def run_sweep(sweep: SweepFile, folder: Path, how: How) -> Swept:
    """Does the points that ``folder`` has no rows of, or with ``how.fresh`` all. One that fails is a row that says why.

    Raises CroftError for a program that cannot be built, or a folder, store or cluster that cannot be used.
    """
    _check_plot(sweep, COUNTED)
    dataset = SweepDataset(folder)
    names = [point_digest(point) for point in sweep.points]
    done = set() if how.fresh else dataset.done
    to_do = [number for number, name in enumerate(names) if name not in done]
    if before := len(names) - len(to_do):
        how.tell(f"{sweep.name}: {before} of {len(names)} points are in {folder} already")
    # A point that is listed twice has its rows once.
    to_do = list({names[number]: number for number in to_do}.values())

    def ended(number: int, outcome: Done) -> None:
        point = sweep.points[to_do[number]]
        rows = rows_of(point, outcome.kept, outcome.failed)
        dataset.add(names[to_do[number]], rows)
        if outcome.kept and len({each.program for each in sweep.points}) == 1:
            _check_plot(sweep, [key for row in rows for key in row], complete=True)

    try:
        works = [work_of(sweep.points[number], None, must_print=False) for number in to_do]
        if works:
            run_many(sweep.name, works, how, ended)
    except BaseException:
        dataset.flush()
        raise
    rows = dataset.close(names)
    return Swept(rows, int((rows.groupby(POINT)["error"].first() != "").sum()) if len(rows) else 0)


def point_digest(point: Point) -> str:
    """Which point it is, wherever and in whatever file it stands."""
    machine = point.machine.model_dump_json() if point.machine else ""
    more = [each for each in (dict(point.options), list(point.statistics)) if each]
    return digest_of(json.dumps([point.program, list(point.arguments), machine, *more]).encode())[:16]


def _check_plot(sweep: SweepFile, counted: Iterable[str], complete: bool = False) -> None:
    """Raises UsageError if the file asks for a picture of a column that seems to be a mistyped one.

    What programs print is known when the first has run; if ``counted`` is ``complete``, any other column is wrong.
    """
    known = list(dict.fromkeys([*sweep.points[0].labels, *counted]))
    for key, column in vars(sweep.plot).items() if sweep.plot else ():
        if column and column not in known and (complete or nearest(column, known)):
            meant = did_you_mean(column, known, f" (there are {', '.join(known)})")
            raise UsageError(f"sweep {sweep.name}: `plot.{key}` is {column!r}, and there is no such column{meant}")


def draw(sweep: SweepFile, rows: "pd.DataFrame") -> "Figure":
    """The picture that the file asks for; else cycles over the first axis of numbers, a line for each of the others.

    Two axes of numbers and nothing else are a map of shades. Raises UsageError for a column that is not there.
    """
    from matplotlib.figure import Figure

    good = rows[rows["error"] == ""]
    plot = sweep.plot or _default_plot(sweep, good)
    for column in (plot.x, plot.y, plot.by):
        if column and column not in good:
            raise UsageError(f"sweep {sweep.name}: there is no column {column!r} to draw (there are {', '.join(good)})")
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    numbers = [axis for axis in sweep.axes if _is_number(good[axis])]
    if not sweep.plot and len(sweep.axes) == 2 and len(numbers) == 2:
        table = good.pivot_table(index=numbers[1], columns=numbers[0], values=plot.y)
        image = axes.imshow(table, aspect="auto", origin="lower")
        axes.set_xticks(range(len(table.columns)), table.columns)
        axes.set_yticks(range(len(table.index)), table.index)
        axes.set(xlabel=numbers[0], ylabel=numbers[1], title=sweep.name)
        figure.colorbar(image, label=plot.y)
        return figure
    others = [plot.by] if plot.by else [axis for axis in sweep.axes if axis != plot.x] if not sweep.plot else []
    groups = good.groupby(others, sort=False) if others else [((), good)]
    for label, own in groups:
        own = own.groupby(plot.x, sort=True)[plot.y].mean()
        label = ", ".join(map(str, label if isinstance(label, tuple) else (label,)))
        axes.plot(own.index, own, "o-", ms=4, label=label or None)
    axes.set(xlabel=plot.x, ylabel=plot.y, title=sweep.name, ylim=(0, None))
    axes.grid(alpha=0.3)
    if others:
        axes.legend(fontsize="small", title=", ".join(others))
    return figure


def _default_plot(sweep: SweepFile, rows: "pd.DataFrame") -> Plot:
    numbers = [axis for axis in sweep.axes if _is_number(rows[axis])]
    return Plot(x=(numbers or sweep.axes or ["arguments"])[0])


def _is_number(column: "pd.Series") -> bool:
    import pandas as pd

    return pd.api.types.is_numeric_dtype(column)
