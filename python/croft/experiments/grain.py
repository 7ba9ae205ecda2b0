"""Paper 003, figure 6, left: how long a task has to be for its distribution to pay."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, true_cell
from croft.sweeps.points import Point

WORKERS = (8, 16, 32, 54)
MULTIPLICATIONS = tuple(round(1820 * 10 ** (half / 2)) for half in range(9))
"""In a task: 10 us to 100 ms on the simulated TILEPro64, by half decades."""
FEW_MULTIPLICATIONS = (MULTIPLICATIONS[0], MULTIPLICATIONS[4], MULTIPLICATIONS[6])
LONG_MS, LONGEST_MS = 9.0, 90.0
"""The paper's 10 ms and 100 ms, less what a grain may be off the round number."""
GOOD, LARGEST = 0.75, 0.95
"""What part of the workers a good speedup is, and the maximum one."""


class Grain(Experiment):
    """Speedup of a map of multiplications, without memory, against how long an item takes one thread.

    Of a stream of such items, which is what the cells are about; and, shown beside it, of a map made for one item,
    whose threads have to be started first. The paper does not say which it measured.
    """

    name = "grain"
    title = "Speedup against the grain of a task"
    source = "paper 003, figure 6, left"
    machine = "tilepro64"
    tolerances = {}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        numbers = (0, WORKERS[-1]) if quick else (0, *WORKERS)
        grains = FEW_MULTIPLICATIONS if quick else MULTIPLICATIONS
        return [
            Point(self.name, ("--workers", str(workers), "--multiplications", str(grain)))
            for grain in grains
            for workers in numbers
        ]

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        table = speedups(measured)
        found = []
        for workers, rows in table.groupby("workers"):
            for least, part, word in ((LONG_MS, GOOD, "good"), (LONGEST_MS, LARGEST, "the maximum")):
                long = rows[rows["grain_ms"] >= least]
                if long.empty:
                    continue
                worst = float(long["speedup"].min())
                once = ", ".join(f"{value:.1f}" for value in long["whole_speedup"])
                name = f"{workers} workers: the speedup is {word} from {round(least, -1):g} ms on"
                note = f"at least {worst:.1f}; of a map made for one item: {once}"
                found.append(true_cell(name, worst >= part * workers, "predicted", note))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        for number, (workers, rows) in enumerate(speedups(measured).groupby("workers")):
            colour = f"C{number}"
            axes.semilogx(rows["grain_ms"], rows["speedup"], "s-", ms=4, color=colour, label=f"{workers} workers")
            label = f"{workers} workers, a map made for one item"
            axes.semilogx(rows["grain_ms"], rows["whole_speedup"], "o--", ms=4, lw=1, color=colour, label=label)
            axes.axhline(workers, color=colour, ls=":", lw=1)
        axes.axvline(10, color="grey", lw=1)
        axes.annotate("the paper: good from here on", (10, 1), rotation=90, ha="right", va="bottom", fontsize="small")
        axes.set(title=self.title, xlabel="grain: an item's time in one thread, ms", ylabel="speedup", ylim=(0, None))
        axes.legend(fontsize="small", ncols=2)
        axes.grid(alpha=0.3)
        return figure


def speedups(measured: pd.DataFrame) -> pd.DataFrame:
    """The rows with workers, each with its ``grain_ms``, ``speedup`` in a stream and ``whole_speedup`` of one item."""
    alone = measured[measured["workers"] == 0].set_index("multiplications")["service_time_ns"]
    rows = measured[measured["workers"] > 0].sort_values(["workers", "multiplications"])
    grain = rows["multiplications"].map(alone)
    return rows.assign(
        grain_ms=grain / 1e6, speedup=grain / rows["service_time_ns"], whole_speedup=grain / rows["whole_ns"]
    )
