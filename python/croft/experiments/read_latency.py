"""Paper 000, table 2: how long a load takes, by where its line is and how far away."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.latency_table import LatencyTable, Row, draw_ends, draw_range


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
        figure = Figure(figsize=(13, 4.5), layout="constrained")
        table, by_distance = figure.subplots(1, 2)
        self.draw_ranges(table, measured)
        remote = [each for each in self.rows() if each[0][0] == "remote_home"]
        for number, (row, low, high) in enumerate(remote):
            label, colour = self.label(row), f"C{number + 2}"
            draw_range(by_distance, self.measured_row(measured, row), "hops", f"{label}, croft", colour)
            draw_ends(by_distance, low, high, f"{label}, paper's range", colour)
        by_distance.set(xlabel="hops from requester to home", ylabel="cycles at 866 MHz", ylim=(0, None))
        by_distance.legend(fontsize="small", loc="center right")
        by_distance.grid(alpha=0.3)
        figure.suptitle(self.title)
        return figure
