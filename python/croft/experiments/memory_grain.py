"""Paper 003, figure 6, right: how much there is to be computed for each word of memory, so that memory is no limit."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, true_cell
from croft.sweeps.points import Point

WORKERS = (8, 16, 32, 54)
PER_ELEMENT = tuple(2**power for power in range(11))
FEW_PER_ELEMENT = (1, 16, 128, 1024)
MOST_BOUND = 16
"""Up to so many multiplications an element the paper finds memory the bottleneck."""
BOUND, FREE = 0.75, 0.90
"""Memory is the bottleneck if the speedup is below this part of the workers; and is none from the second part on."""


class MemoryGrain(Experiment):
    """Speedup of a map over an array, against the multiplications that each of its elements gets."""

    name = "memory_grain"
    title = "Speedup against multiplications an element"
    source = "paper 003, figure 6, right"
    machine = "tilepro64"
    tolerances = {}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        numbers = (0, WORKERS[-1]) if quick else (0, *WORKERS)
        grains = FEW_PER_ELEMENT if quick else PER_ELEMENT
        return [
            Point(self.name, ("--workers", str(workers), "--per-element", str(grain)))
            for grain in grains
            for workers in numbers
        ]

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        table = speedups(measured)
        most = table[table["workers"] == WORKERS[-1]].set_index("per_element")["speedup"]
        found = [
            true_cell(
                f"{number} an element, {WORKERS[-1]} workers: memory is the bottleneck",
                most[number] < BOUND * WORKERS[-1],
                "predicted",
                f"speedup {most[number]:.1f}",
            )
            for number in most.index
            if number <= MOST_BOUND
        ]
        last = most.index.max()
        name = f"{last} an element, {WORKERS[-1]} workers: it is not"
        found.append(true_cell(name, most[last] >= FREE * WORKERS[-1], "predicted", f"speedup {most[last]:.1f}"))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(7, 4.8), layout="constrained")
        axes = figure.subplots()
        for number, (workers, rows) in enumerate(speedups(measured).groupby("workers")):
            axes.plot(rows["per_element"], rows["speedup"], "s-", ms=4, color=f"C{number}", label=f"{workers} workers")
            axes.axhline(workers, color=f"C{number}", ls=":", lw=1)
        axes.set_xscale("log", base=2)
        axes.axvspan(1, MOST_BOUND, color="grey", alpha=0.15, label="the paper: memory is the bottleneck")
        axes.set(title=self.title, xlabel="multiplications an element", ylabel="speedup", ylim=(0, None))
        axes.legend(fontsize="small")
        axes.grid(alpha=0.3)
        return figure


def speedups(measured: pd.DataFrame) -> pd.DataFrame:
    """The rows with workers, each with its ``speedup`` over one thread."""
    alone = measured[measured["workers"] == 0].set_index("per_element")["time_ns"]
    rows = measured[measured["workers"] > 0].sort_values(["workers", "per_element"])
    return rows.assign(speedup=rows["per_element"].map(alone) / rows["time_ns"])
