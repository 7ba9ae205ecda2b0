"""What the read and write latency tables of paper 000, 4.2, have in common: a row is a state of the line."""

from abc import abstractmethod

import pandas as pd
from matplotlib.axes import Axes

from croft.experiments.experiment import Cell, Experiment, Spread, range_cells
from croft.experiments.published import published
from croft.sweeps.points import Point

Row = tuple[str, str, str]


class LatencyTable(Experiment):
    """A published table of ranges, and a program that measures every row of it in many places of the machine.

    A published range is that of all timed accesses; a single number is their mean. The table sets the machine file, so
    all its cells are calibrated.
    """

    machine = "tilepro64"
    tolerances = {"calibrated": 0.10}  # noqa: RUF012
    table: str
    """The published table, and which columns name a row of it, as in what the program prints."""
    columns: tuple[str, str, str]
    notes: dict[Row, str]
    """Rows that need a rule of their own, and the rule."""

    def points(self, quick: bool) -> list[Point]:
        return [Point(self.name, ("--pairs", "2" if quick else "16"))]

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        for row, low, high in self.rows():
            own = self.measured_row(measured, row)
            spread = Spread(float(own["least"].min()), float(own["cycles"].mean()), float(own["most"].max()))
            tolerance, note = self.tolerances["calibrated"], self.notes.get(row, "")
            found += range_cells(self.label(row), "cycles", (low, high), spread, "calibrated", tolerance, note)
        return found

    def rows(self) -> list[tuple[Row, float, float]]:
        """The rows of the published table, each with its range."""
        table = published(self.table)
        keys = table[list(self.columns)].itertuples(index=False, name=None)
        return list(zip(keys, table["low"].astype(float), table["high"].astype(float), strict=True))

    def measured_row(self, measured: pd.DataFrame, row: Row) -> pd.DataFrame:
        """What was measured for one row of the table."""
        chosen = pd.Series(True, index=measured.index)
        for column, value in zip(self.columns, row, strict=True):
            chosen &= measured[column] == value
        return measured[chosen]

    @staticmethod
    @abstractmethod
    def label(row: Row) -> str:
        """The row's name in cells and figures."""

    def draw_ranges(self, axes: Axes, measured: pd.DataFrame) -> None:
        """The whole table: of each row the published range, and in it the range of what was measured."""
        rows = self.rows()
        names = []
        for position, (row, low, high) in enumerate(rows):
            own = self.measured_row(measured, row)
            names.append(self.label(row))
            labels = ("paper", "croft") if position == 0 else (None, None)
            draw_bar(axes, position, low, high, 0.6, "C0", 0.3, labels[0])
            if low == high:
                mean = own["cycles"].mean()
                draw_bar(axes, position, mean, mean, 0.22, "C1", 1.0, labels[1])
            else:
                draw_bar(axes, position, own["least"].min(), own["most"].max(), 0.22, "C1", 1.0, labels[1])
        axes.set_yticks(range(len(rows)), names, fontsize="small")
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlim(1.5, 500)
        axes.set_xticks([2, 5, 10, 20, 50, 100, 200, 400], ["2", "5", "10", "20", "50", "100", "200", "400"])
        axes.minorticks_off()
        axes.set_xlabel("cycles at 866 MHz (a range over places; a single number is a mean)")
        axes.grid(alpha=0.3, axis="x")
        axes.legend(loc="upper right")


def draw_bar(
    axes: Axes, position: int, low: float, high: float, height: float, colour: str, alpha: float, label: str | None
) -> None:
    """A range as a horizontal bar; a single number as a narrow one."""
    left, right = (low, high) if high > low else (low / 1.04, high * 1.04)
    axes.barh(position, right - left, height, left=left, color=colour, alpha=alpha, lw=0, label=label)


def draw_range(axes: Axes, rows: pd.DataFrame, against: str, label: str, colour: str) -> None:
    """The mean over placements against one of the columns, with the range of all accesses as bars."""
    groups = rows.groupby(against).agg(cycles=("cycles", "mean"), least=("least", "min"), most=("most", "max"))
    bars = [groups["cycles"] - groups["least"], groups["most"] - groups["cycles"]]
    axes.errorbar(groups.index, groups["cycles"], bars, fmt="s-", ms=4, lw=1, capsize=2, color=colour, label=label)


def draw_ends(axes: Axes, low: float, high: float, label: str, colour: str) -> None:
    """A published range as two lines."""
    axes.axhline(low, color=colour, ls="--", lw=1, label=label)
    axes.axhline(high, color=colour, ls="--", lw=1)
