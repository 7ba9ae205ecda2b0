"""The library's own choices on the papers' smallest streams, beside the best that the papers reached there."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment
from croft.experiments.farm_convolution import farm_point
from croft.experiments.published import published
from croft.sweeps.points import Point

AIM = 28.0
"""The speedup asked of either, twice what paper 000 reached with the farm and half as much again as with the map."""
STREAMS = {"farm_convolution": ("farm of 32 x 32 int", 32), "map_gemv": ("map of 56 x 56 int", 56)}
WORKERS = {"farm_convolution": (8, 16, 32, 54), "map_gemv": (8, 14, 28, 56)}


class Defaults(Experiment):
    """What a user gets who names nothing: several emitters for a farm whose tasks are made by number; for a map whose
    workers return nothing, a tree of words over the network and one word each to the collector.
    """

    name = "defaults"
    title = "The library's defaults on the papers' smallest streams"
    source = "paper 000, tables 6 and 7 (their best)"
    machine = "tilepro64"
    tolerances = {"aim": 0.0}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        numbers = {name: some[-1:] if quick else some for name, some in WORKERS.items()}
        return [
            farm_point(("int", 32), "sequential", 0),
            *(farm_point(("int", 32), "croft", workers) for workers in numbers["farm_convolution"]),
            map_point("--sequential"),
            *(map_point("--runtime", "croft", "--workers", str(workers)) for workers in numbers["map_gemv"]),
        ]

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        for name, (title, size) in STREAMS.items():
            rows = speedups(measured, size)
            paper = published(name).query("type == 'int' and size == @size")["speedup"].max()
            best, note = rows["speedup"].max(), f"{rows.loc[rows['speedup'].idxmax(), 'service_time_ns'] / 1e3:.2f} us"
            found.append(
                Cell(
                    f"{title}, speedup", "", AIM, best, "predicted", self.tolerances["aim"], True, note, rule="at_least"
                )
            )
            found.append(Cell(f"{title}, speedup, the paper's best", "", paper, best, "predicted", 1.0, False, note))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(7, 4.8), layout="constrained")
        axes = figure.subplots()
        for number, (name, (title, size)) in enumerate(STREAMS.items()):
            rows = speedups(measured, size)
            axes.plot(rows["workers"], rows["speedup"], "s-", color=f"C{number}", label=f"{title}, croft")
            paper = published(name).query("type == 'int' and size == @size")["speedup"].max()
            axes.axhline(paper, color=f"C{number}", ls="--", lw=1, label=f"{title}, the paper's best: {paper:g}")
        axes.plot([0, 56], [0, 56], color="grey", lw=0.8, label="ideal")
        axes.set(title=self.title, xlabel="workers", ylabel="speedup", xlim=(0, 58), ylim=(0, 60))
        axes.legend(fontsize="small")
        axes.grid(alpha=0.3)
        return figure


def map_point(*which: str) -> Point:
    """One run of the map; the collector passes what it gets on, as the farm's does."""
    size = ("--type", "int", "--size", "56", "--collector", "passes")
    return Point("map_gemv", (*which, *size, "--stable", "--count", "3000"))


def speedups(measured: pd.DataFrame, size: int) -> pd.DataFrame:
    """The parallel rows of a size, with the sequential service time over theirs as ``speedup``."""
    rows = measured[measured["size"] == size]
    alone = rows.loc[rows["workers"] == 0, "service_time_ns"].min()
    parallel = rows[rows["workers"] > 0].sort_values("workers")
    return parallel.assign(speedup=alone / parallel["service_time_ns"])
