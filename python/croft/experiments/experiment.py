"""What an experiment is: runs, cells measured beside published, a figure, a verdict."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import pandas as pd
from matplotlib.figure import Figure

from croft.base.errors import CroftError, UsageError
from croft.machines.file import machine, machine_names
from croft.machines.model import Machine
from croft.sweeps.many_runs import How
from croft.sweeps.points import Point, sweep

Kind = Literal["calibrated", "predicted"]


@dataclass(frozen=True)
class Cell:
    """One published number beside ours. ``calibrated`` cells set the machine file; all others are predictions.

    ``rule`` is what ours has to be: "equal" to the published number, within ``tolerance`` of it, or "at_least" as much
    (less the tolerance). ``note`` names a special way of measuring or of comparing. A cell that the paper's own tables
    contradict is reported and not ``scored``.
    """

    name: str
    unit: str
    published: float
    measured: float
    kind: Kind
    tolerance: float
    scored: bool = True
    note: str = ""
    rule: Literal["equal", "at_least"] = "equal"

    @property
    def ratio(self) -> float:
        """Measured over published."""
        if self.published == 0:
            return 1.0 if self.measured == 0 else math.inf
        return self.measured / self.published

    @property
    def ok(self) -> bool:
        """Whether the ratio is within the tolerance of 1, or above it where published is a bound."""
        # A part in 1e9 more, so that what is printed as the tolerance itself is within it.
        if self.rule == "at_least":
            return self.ratio >= 1 - self.tolerance - 1e-9
        return abs(self.ratio - 1) <= self.tolerance + 1e-9

    @property
    def miss(self) -> float:
        """How far off, whichever way: 0 for equal, or for a bound that is kept; infinite for nothing at all."""
        if self.rule == "at_least" and self.ratio >= 1:
            return 0.0
        return abs(math.log(self.ratio)) if 0 < self.ratio < math.inf else math.inf


@dataclass(frozen=True)
class Spread:
    """What a measurement that is repeated in many places gives."""

    least: float
    mean: float
    most: float


def true_cell(name: str, holds: bool, kind: Kind, note: str = "") -> Cell:
    """A published statement, which holds here or not: 1 beside 1 or 0."""
    return Cell(name, "true", 1.0, float(holds), kind, 0.0, note=note)


def range_cells(
    name: str,
    unit: str,
    published: tuple[float, float],
    measured: Spread,
    kind: Kind,
    tolerance: float,
    note: str = "",
) -> list[Cell]:
    """A cell for either end of a published range; for a range that is a single value, one cell, the mean."""
    low, high = map(float, published)
    if low == high:
        return [Cell(name, unit, low, measured.mean, kind, tolerance, note=note)]
    ends = {"least": (low, measured.least), "most": (high, measured.most)}
    return [Cell(f"{name}, {end}", unit, *pair, kind, tolerance, note=note) for end, pair in ends.items()]


class Experiment(ABC):
    """A table or figure of a paper."""

    name: str
    title: str
    source: str
    machine: str | Machine
    """A machine's name, or words that say where else it measures."""
    tolerances: dict[str, float]
    """All its tolerances in one place: how far from 1 a cell's ratio may be, by kind of cell."""

    def points(self, quick: bool) -> list[Point]:
        """The simulated runs that it takes; ``quick`` leaves out most."""
        return []

    def measure(self, quick: bool, how: How) -> pd.DataFrame:
        """Measures; by default runs all points on the machine, or each on its own, as croft.sweep does."""
        points = self.points(quick)
        if not points:
            raise UsageError(f"{self.name}: the programs do not offer yet what it compares")
        where = None if all(point.machine for point in points) else self.machine
        return sweep_points(self.name, points, where, how)

    def on_machine_with(self, keys: Mapping[str, object], said: str | None = None) -> Self:
        """The same experiment on its machine with other values of ``keys``, as in Machine.with_keys.

        Raises UsageError for one that has not one machine of its own, MachineError.
        """
        if self.machine not in machine_names():
            raise UsageError(f"{self.name} has no single machine whose keys could be set ({self.machine})")
        changed = copy.copy(self)
        changed.machine = machine(self.machine).with_keys(keys, said)
        return changed

    @abstractmethod
    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        """The published numbers that the measurements have a counterpart of."""

    @abstractmethod
    def draw(self, measured: pd.DataFrame) -> Figure:
        """The paper's figure, measured beside published."""


def sweep_points(name: str, points: Sequence[Point], machine: str | Machine | None, how: How) -> pd.DataFrame:
    """The rows of all points. Raises CroftError if one has failed; the others are kept."""
    rows = sweep(points, machine, name=name, jobs=how.jobs, on=how.on, store=how.store, fresh=how.fresh, tell=how.tell)
    failed = rows.loc[rows["error"] != "", "error"]
    if len(failed):
        raise CroftError(f"{name}: {len(failed)} of {len(points)} runs failed, the others are kept: {failed.iloc[0]}")
    return rows.drop(columns="error")


def cells_frame(cells: Sequence[Cell]) -> pd.DataFrame:
    """The cells as a table, one a row."""
    columns = ["cell", "unit", "published", "measured", "ratio", "kind", "tolerance", "rule", "ok", "scored", "note"]
    return pd.DataFrame(
        [
            [
                cell.name,
                cell.unit,
                cell.published,
                cell.measured,
                cell.ratio,
                cell.kind,
                cell.tolerance,
                cell.rule,
                cell.ok,
                cell.scored,
                cell.note,
            ]
            for cell in cells
        ],
        columns=columns,
    )


def verdict(name: str, cells: Sequence[Cell]) -> str:
    """The last line of an experiment: ``verdict: NAME pass|short|unscored CELLS_OK/CELLS worst=RATIO``.

    Only scored cells count. The worst ratio is the one farthest from 1; 1 if there is nothing to score.
    """
    scored = [cell for cell in cells if cell.scored]
    good = sum(cell.ok for cell in scored)
    farthest = max(scored, key=lambda cell: cell.miss, default=None)
    worst = farthest.ratio if farthest and farthest.miss else 1.0
    word = "unscored" if not scored else "pass" if good == len(scored) else "short"
    return f"verdict: {name} {word} {good}/{len(scored)} worst={worst:.3f}"
