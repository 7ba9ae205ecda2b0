"""Paper 003, figure 4: latency of FastFlow's queues against their size, on the TILEPro64 and on this host."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, sweep_points
from croft.experiments.native import run_here, this_processor
from croft.machines.file import machine
from croft.sweeps.many_runs import How
from croft.sweeps.points import Point

QUEUES = ("bounded", "unbounded", "channel")


class QueueLatency(Experiment):
    """The bounded and the unbounded single-producer single-consumer queue, and croft's channel, over their sizes.

    The latency is the time of a stream divided by its messages, as in the paper. It prints the figure and no number, so
    there is nothing to score: the figure is what there is to see.
    """

    name = "queue_latency"
    title = "Latency of FastFlow's queues"
    source = "paper 003, figure 4"
    machine = "tilepro64"
    tolerances = {}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        return [Point(self.name, ("--queue", queue, *sizes(quick))) for queue in QUEUES]

    def measure(self, quick: bool, how: How) -> pd.DataFrame:
        there = sweep_points(self.name, self.points(quick), self.machine, how)
        here = pd.DataFrame(run_here(self.name, sizes(quick), how.tell))
        return pd.concat(
            [there.assign(where=machine(self.machine).name), here.assign(where=this_processor())], ignore_index=True
        )

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        return []

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(12, 4.8), layout="constrained")
        places = list(measured.groupby("where", sort=False))
        for axes, (where, rows) in zip(figure.subplots(1, len(places), squeeze=False)[0], places, strict=True):
            for queue, own in rows.groupby("queue", sort=False):
                own = own.sort_values("size")
                axes.plot(own["size"], own["ns"], "s-", ms=4, label=queue)
            axes.set(title=where, xlabel="size of the buffer, messages", ylabel="average latency, ns", ylim=(0, None))
            axes.set_xscale("log", base=2)
            axes.legend(fontsize="small")
            axes.grid(alpha=0.3)
        figure.suptitle(self.title)
        return figure


def sizes(quick: bool) -> tuple[str, ...]:
    """The program's options: sizes from 2, doubling, and how many messages a stream has."""
    return (
        ("--largest", "128", "--count", "2000", "--repeats", "1") if quick else ("--count", "10000", "--repeats", "5")
    )
