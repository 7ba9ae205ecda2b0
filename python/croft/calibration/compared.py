"""What was measured beside what the fitted machine takes: fitted rows, and those that were held out."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from croft.calibration.measured import Figure
from croft.calibration.rows import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Kind = Literal["fitted", "predicted", "given"]
NEAR = 0.25
"""How far a prediction may be from what was measured to be counted as near, in parts of it."""
LEAST_CYCLES = 2.0
"""Less than that, a ratio is of how two instructions overlap, and not of the memory system."""


@dataclass(frozen=True)
class Compared:
    """A row's cycles on the host and on the machine. Those of a write are what it takes beside a fence.

    ``spread`` is that of the host's figure, in parts of it. A row is ``given`` if the machine cannot differ: the clock,
    and the fence, which no key has (docs/lab/calibrate.md).
    """

    name: str
    ns: float
    spread: float
    cycles: float
    simulated: float
    kind: Kind

    @property
    def ratio(self) -> float | None:
        """Simulated over measured; None for what is too short to compare, or given."""
        return None if self.kind == "given" or self.cycles < LEAST_CYCLES else self.simulated / self.cycles

    @property
    def is_near(self) -> bool:
        """Whether the ratio is within NEAR of 1."""
        return self.ratio is not None and abs(self.ratio - 1) <= NEAR


def compare(
    figures: Mapping[Row, Figure], simulated: Mapping[Row, float], fitted: Sequence[Row], clock_ghz: float
) -> list[Compared]:
    """All rows that were measured and simulated, in the order of the figures."""
    fence = next((row for row in simulated if row.what == "fence"), None)
    found = []
    for row, figure in figures.items():
        if row not in simulated:
            continue
        beside = fence if row.access == "write" and fence else None
        ns = figure.ns - (figures[beside].ns if beside else 0)
        cycles = simulated[row] - (simulated[beside] if beside else 0)
        name = f"{row.name}, beside a fence" if beside else row.name
        kind: Kind = "fitted" if row in fitted else "given" if row.what in ("add", "fence") else "predicted"
        found.append(Compared(name, ns, figure.spread, ns * clock_ghz, cycles, kind))
    return found


def summary(rows: Sequence[Compared]) -> list[str]:
    """A sentence for the fitted rows and one for the held-out ones: how many, how far off."""
    sentences = []
    for kind in ("fitted", "predicted"):
        ratios = [row.ratio for row in rows if row.kind == kind and row.ratio is not None]
        if ratios:
            near = sum(row.is_near for row in rows if row.kind == kind)
            off = statistics.median(max(ratio, 1 / ratio) if ratio > 0 else math.inf for ratio in ratios)
            worst = max(ratios, key=lambda ratio: abs(math.log(ratio)) if ratio > 0 else math.inf)
            sentences.append(
                f"{kind}: {len(ratios)} rows, {near} of them within {NEAR:.0%} of what was measured; half are off by a "
                f"factor of {off:.2f} or less; the farthest is simulated / measured = {worst:.2f}"
            )
    return sentences


def draw(rows: Sequence[Compared], title: str) -> "Drawing":
    """Measured against simulated cycles; on the line both are equal."""
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(7.5, 7), layout="constrained")
    axes = drawing.subplots()
    shown = [row for row in rows if row.ratio is not None and row.simulated > 0]
    for kind, mark in (("fitted", "o"), ("predicted", "x")):
        own = [row for row in shown if row.kind == kind]
        axes.scatter([row.cycles for row in own], [row.simulated for row in own], marker=mark, label=kind)
    for row in shown:
        if not row.is_near:
            axes.annotate(row.name, (row.cycles, row.simulated), fontsize=6, xytext=(3, 3), textcoords="offset points")
    ends = [0.8 * min(row.cycles for row in shown), 1.25 * max(row.cycles for row in shown)] if shown else [1, 10]
    axes.plot(ends, ends, color="0.5", lw=0.8)
    axes.fill_between(
        ends, [end * (1 - NEAR) for end in ends], [end * (1 + NEAR) for end in ends], color="0.9", zorder=0
    )
    axes.set(xscale="log", yscale="log", xlabel="measured here, cycles", ylabel="simulated, cycles", title=title)
    axes.legend()
    axes.grid(alpha=0.3)
    return drawing
