"""Paper 000, tables 1 and 3: how long a load and a synchronous store take on two Xeon E5-2650, by the line's state."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, Spread, range_cells
from croft.experiments.latency_table import draw_bar
from croft.experiments.published import published
from croft.sweeps.points import Point

LEVELS = ("l1", "l2", "l3", "memory")


@dataclass(frozen=True)
class Span:
    """A published range of one row, and the levels that it spans."""

    access: str
    source: str
    state: str
    levels: tuple[str, ...]
    low: float
    high: float

    @property
    def label(self) -> str:
        """Its name in cells and figures."""
        state = "" if self.state == "any" or self.levels == ("memory",) else f" {self.state}"
        return f"{self.access} {self.source}{state} {'-'.join(self.levels)}".replace("_", " ")

    def of(self, measured: pd.DataFrame) -> pd.DataFrame:
        """What was measured for it; a line in memory has no state."""
        state = "none" if self.levels == ("memory",) else self.state
        return measured[
            (measured["access"] == self.access)
            & (measured["source"] == self.source)
            & (measured["state"] == state)
            & measured["level"].isin(self.levels)
        ]


class XeonLatency(Experiment):
    """One access to a prepared line, by its state, and by who has it where, over pairs of cores.

    A published range is that of all timed accesses, of all levels that it spans; a single number is their mean. The
    tables set the machine file, so all cells are calibrated.
    """

    name = "xeon_latency"
    title = "Memory latency of two Xeon E5-2650"
    source = "paper 000, tables 1 and 3"
    machine = "xeon-e5-2650x2"
    tolerances = {"calibrated": 0.10}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        sizes = ("--chip", "8", "--controllers", "4", "--l1", "32", "--l2", "256")
        return [Point("chip_latency", (*sizes, "--pairs", "1" if quick else "4", "--lines", "8" if quick else "32"))]

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        for span in spans():
            own = span.of(measured)
            spread = Spread(float(own["least"].min()), float(own["cycles"].mean()), float(own["most"].max()))
            tolerance = self.tolerances["calibrated"]
            found += range_cells(span.label, "cycles", (span.low, span.high), spread, "calibrated", tolerance)
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(13, 6), layout="constrained")
        for axes, access in zip(figure.subplots(1, 2, sharex=True), ("read", "write"), strict=True):
            rows = [span for span in spans() if span.access == access]
            for position, span in enumerate(rows):
                own = span.of(measured)
                labels = ("paper", "croft") if position == 0 else (None, None)
                draw_bar(axes, position, span.low, span.high, 0.6, "C0", 0.3, labels[0])
                ends = (own["cycles"].mean(),) * 2 if span.low == span.high else (own["least"].min(), own["most"].max())
                draw_bar(axes, position, *ends, 0.22, "C1", 1.0, labels[1])
            axes.set_yticks(range(len(rows)), [span.label.partition(" ")[2] for span in rows], fontsize="small")
            axes.invert_yaxis()
            axes.set(title=access, xscale="log", xlabel="cycles at 2 GHz (a range over places; one number is a mean)")
            axes.grid(alpha=0.3, axis="x")
            axes.legend(loc="upper right")
        figure.suptitle(self.title)
        return figure


def spans() -> list[Span]:
    """The published ranges, each once. Levels of a row that have the same numbers are one, as in the paper.

    A line in memory has no state, and the paper has one number for the memory of the core's own chip.
    """
    rows = published("sandybridge_latency").to_dict(orient="records")
    found = {span.label: span for row in rows for span in _spans_of(row)}
    return [span for span in found.values() if (span.source, span.levels) != ("same_chip", ("memory",))]


def _spans_of(row: dict[str, object]) -> Iterator[Span]:
    said = {level: str(row[level]) for level in LEVELS if str(row[level]) not in ("", "nan")}
    for text in dict.fromkeys(said.values()):
        low, _, high = text.partition("-")
        levels = tuple(level for level in said if said[level] == text)
        yield Span(str(row["operation"]), str(row["source"]), str(row["state"]), levels, float(low), float(high or low))
