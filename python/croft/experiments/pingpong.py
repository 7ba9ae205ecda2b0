"""Paper 000, table 5 and figure 13: one-way latency of a one-word message against distance."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment
from croft.experiments.published import published
from croft.parameter_sweep import Point

# Which published support each of our channels is.
SUPPORTS = {"ra": "sm_hash"}


class PingPong(Experiment):
    """The channels that exist so far, over 1 to 14 hops."""

    name = "pingpong"
    title = "One-way latency of a one-word message"
    source = "paper 000, table 5 (rows exchanged: see misprints); papers 001 and 004, tables II and III"
    machine = "tilepro64"
    tolerances = {"predicted": 0.15}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        hops = (1, 8, 14) if quick else range(1, 15)
        count = "1000" if quick else "10000"
        return [
            Point("pingpong", ("--hops", str(distance), "--count", count, "--channel", channel))
            for channel in SUPPORTS
            for distance in hops
        ]

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        table = published("pingpong").query("interface == 'symmetric'")
        found = []
        for channel, support in SUPPORTS.items():
            # With hashed homes a line's home is any third tile, so only the mean over placements means something.
            found.append(
                Cell(
                    name=f"symmetric, {support}, mean over distances",
                    unit="cycles",
                    published=float(table.loc[table["support"] == support, "avg_cycles"].mean()),
                    measured=float(measured.loc[measured["channel"] == channel, "cycles"].mean()),
                    kind="predicted",
                    tolerance=self.tolerances["predicted"],
                )
            )
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        axes = figure.subplots()
        table = published("pingpong").query("interface == 'symmetric'")
        for number, (support, rows) in enumerate(table.groupby("support", sort=False)):
            axes.plot(
                rows["hops"], rows["avg_cycles"], "o--", color=f"C{number}", mfc="none", label=f"{support}, paper"
            )
            for channel, own in SUPPORTS.items():
                if own == support:
                    rows = measured[measured["channel"] == channel].sort_values("hops")
                    axes.plot(rows["hops"], rows["cycles"], "s-", color=f"C{number}", label=f"{support}, croft")
        axes.set(title=self.title, xlabel="hops between the two tiles", ylabel="cycles at 866 MHz", ylim=(0, None))
        axes.legend(fontsize="small")
        axes.grid(alpha=0.3)
        return figure
