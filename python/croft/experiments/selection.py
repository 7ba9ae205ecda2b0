"""Paper 001, figure 12: what it costs to receive from whichever of many senders is ready."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, true_cell
from croft.experiments.pingpong import CHANNELS, forms, interface_option, supports
from croft.experiments.published import published
from croft.sweeps.points import Point

MOST_IDLE = 55
"""The paper's largest set: one sender that plays, 55 that are idle."""
SHAPES = {"udn": "constant", "sm_home": "linear"}
"""What the paper says of each support's latency against the number of idle senders (claims.csv)."""
LONGEST_PAUSE = 2000
"""Cycles of the random pause before each round trip: longer than a look at all flags. Without it each message meets the
receiver at the same place of its round over the flags, and the curve has steps where that place jumps."""


class Selection(Experiment):
    """A ping-pong over one hop through an asymmetric interface, while 0 to 55 other senders are idle.

    The paper's figure has no numbers but its left ends, which are rows of its table III; its text says which curve is
    constant and which is linear. So those are the cells.
    """

    name = "selection"
    title = "Selection among many senders"
    source = "paper 001, figure 12"
    machine = "tilepro64"
    tolerances = {  # noqa: RUF012
        "constant": 2.0,  # cycles between the fastest and the slowest
        "linear": 0.02,  # by which r squared may be less than 1
        "predicted": 0.30,  # of the left end, as in pingpong
    }

    def points(self, quick: bool) -> list[Point]:
        idle = (0, 1, 8, 32, MOST_IDLE) if quick else (*range(8), *range(8, MOST_IDLE, 4), MOST_IDLE)
        return [
            Point(
                "pingpong",
                (
                    *("--hops", "1", "--count", "1000", "--channel", channel),
                    *interface_option("asymmetric"),
                    *("--senders", str(number + 1), "--pause", str(LONGEST_PAUSE)),
                ),
                {"support": support, "form": form, "idle": number},
            )
            for interface, support in supports()
            if interface == "asymmetric"
            for form, channel in forms(support).items()
            for number in idle
        ]

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        for support, shape in SHAPES.items():
            rows = rows_of(measured, support, "paper")
            if rows.empty:
                continue
            spread = float(rows["cycles"].max() - rows["cycles"].min())
            slope, fit = line(rows)
            if shape == "constant":
                holds, note = spread <= self.tolerances["constant"], f"within {spread:.2f} cycles"
            else:
                holds = fit >= 1 - self.tolerances["linear"] and slope > 0
                note = f"{slope:.2f} cycles a sender, r^2 = {fit:.4f}"
            found.append(true_cell(f"{support}, {shape} in the number of idle senders", holds, "predicted", note))
            ours = float(rows.loc[rows["idle"] == 0, "cycles"].iloc[0])
            name, tolerance = f"{support}, no idle sender", self.tolerances["predicted"]
            found.append(Cell(name, "cycles", left_end(support), ours, "predicted", tolerance))
            own = rows_of(measured, support, "croft")
            if not own.empty:
                own_name = f"{support}, no idle sender, croft's own form"
                note = f"{line(own)[0]:.2f} cycles a sender"
                first = float(own["cycles"].iloc[0])
                found.append(Cell(own_name, "cycles", left_end(support), first, "predicted", tolerance, False, note))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(7, 4.8), layout="constrained")
        axes = figure.subplots()
        for support, shape in SHAPES.items():
            colour = f"C{list(CHANNELS).index(support)}"
            axes.plot(0, left_end(support), "o", mfc="none", ms=9, color=colour, label=f"{support}, paper ({shape})")
            for form, style, name in (("paper", "s-", "croft"), ("croft", "^:", "croft's own form")):
                rows = rows_of(measured, support, form)
                if not rows.empty:
                    axes.plot(rows["idle"], rows["cycles"], style, ms=4, color=colour, label=f"{support}, {name}")
        axes.set(title=self.title, xlabel="idle senders", ylabel="one-way latency, cycles at 866 MHz", ylim=(0, None))
        axes.legend(fontsize="small")
        axes.grid(alpha=0.3)
        return figure


def rows_of(measured: pd.DataFrame, support: str, form: str) -> pd.DataFrame:
    """The runs of a support in the paper's form or in croft's, by the number of idle senders."""
    return measured[(measured["support"] == support) & (measured["form"] == form)].sort_values("idle")


def left_end(support: str) -> float:
    """The published latency without idle senders, over one hop."""
    rows = published("pingpong").query("interface == 'asymmetric' and support == @support and hops == 1")
    return float(rows["avg_cycles"].iloc[0])


def line(rows: pd.DataFrame) -> tuple[float, float]:
    """The slope of the straight line through latency against idle senders, and how well it fits (r squared)."""
    slope, offset = np.polyfit(rows["idle"], rows["cycles"], 1)
    rest = rows["cycles"] - (slope * rows["idle"] + offset)
    whole = rows["cycles"] - rows["cycles"].mean()
    return float(slope), 1 - float((rest**2).sum()) / max(float((whole**2).sum()), 1e-12)
