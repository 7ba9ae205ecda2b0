"""Paper 000, table 2: how long a load takes, by where its line is and how far away."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.latency_table import LatencyTable, Row, draw_published, draw_range


class ReadLatency(LatencyTable):
    """One load of a prepared line, over pairs of requester and home at every distance and over all controllers."""

    name = "read_latency"
    title = "Memory read latency"
    source = "paper 000, table 2"
    table = "tilepro64_read_latency"
    columns = ("requester", "line_at", "mode")
    notes = {  # noqa: RUF012
        ("local", "memory", "incoherent"): "mean over tiles and controllers",
        ("remote_home", "memory", "coherent"): "range over pairs of tiles and controllers",
    }

    @staticmethod
    def label(row: Row) -> str:
        return " ".join(row).replace("_", " ").removesuffix(" any")

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(7.5, 5), layout="constrained")
        axes = figure.subplots()
        for number, (row, low, high) in enumerate(self.rows()):
            own, colour = self.measured_row(measured, row), f"C{number}"
            draw_range(axes, own, "hops", f"{self.label(row)}, croft", colour)
            draw_published(axes, own["hops"], low, high, f"{self.label(row)}, paper", colour)
        axes.set(title=self.title, xlabel="hops from requester to home", ylabel="cycles at 866 MHz", ylim=(0, None))
        axes.legend(fontsize="x-small", ncols=2)
        axes.grid(alpha=0.3)
        return figure
