"""What an experiment is: runs, cells measured beside published, a figure, a verdict."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd
from matplotlib.figure import Figure

from croft.parameter_sweep import Point

Kind = Literal["calibrated", "predicted"]


@dataclass(frozen=True)
class Cell:
    """One published number beside ours. ``calibrated`` cells set the machine file; all others are predictions.

    A cell that the paper's own tables contradict is reported and not ``scored``.
    """

    name: str
    unit: str
    published: float
    measured: float
    kind: Kind
    tolerance: float
    scored: bool = True

    @property
    def ratio(self) -> float:
        """Measured over published."""
        return self.measured / self.published

    @property
    def ok(self) -> bool:
        """Whether the ratio is within the tolerance of 1."""
        return abs(self.ratio - 1) <= self.tolerance


class Experiment(ABC):
    """A table or figure of a paper."""

    name: str
    title: str
    source: str
    machine: str
    tolerances: dict[str, float]
    """How far from 1 a cell's ratio may be, by kind."""

    @abstractmethod
    def points(self, quick: bool) -> list[Point]:
        """The runs that it takes; ``quick`` leaves out most."""

    @abstractmethod
    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        """The published numbers that the runs (rows of croft.sweep) have a counterpart of."""

    @abstractmethod
    def draw(self, measured: pd.DataFrame) -> Figure:
        """The paper's figure, measured beside published."""


def cells_frame(cells: Sequence[Cell]) -> pd.DataFrame:
    """The cells as a table with the columns cell, unit, published, measured, ratio, kind, tolerance, ok, scored."""
    return pd.DataFrame(
        [
            {
                "cell": cell.name,
                "unit": cell.unit,
                "published": cell.published,
                "measured": cell.measured,
                "ratio": cell.ratio,
                "kind": cell.kind,
                "tolerance": cell.tolerance,
                "ok": cell.ok,
                "scored": cell.scored,
            }
            for cell in cells
        ]
    )


def verdict(name: str, cells: Sequence[Cell]) -> str:
    """The last line of an experiment: ``verdict: NAME pass|short CELLS_OK/CELLS worst=RATIO``."""
    scored = [cell for cell in cells if cell.scored]
    good = sum(cell.ok for cell in scored)
    worst = max((cell.ratio for cell in scored), key=lambda ratio: abs(math.log(ratio)) if ratio > 0 else math.inf)
    return f"verdict: {name} {'pass' if good == len(scored) else 'short'} {good}/{len(scored)} worst={worst:.3f}"
