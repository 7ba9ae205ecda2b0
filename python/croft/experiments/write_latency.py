"""Paper 000, table 4: how long a store and its fence take, by the line's state, its distance, and the copies of it."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.latency_table import LatencyTable, Row, draw_published, draw_range


class WriteLatency(LatencyTable):
    """One synchronous store to a prepared line, over distances and over 1 to all copies in other caches."""

    name = "write_latency"
    title = "Synchronous write latency"
    source = "paper 000, table 4"
    table = "tilepro64_write_latency"
    columns = ("home", "line_state", "line_at")
    notes = {  # noqa: RUF012
        ("remote", "none", "memory_with_read"): "the set of the home's L2 has room",
        ("remote", "none", "memory_without_read"): "with the write hint; the set of the home's L2 has room",
        ("local", "none", "memory_with_read"): "evicts a dirty line, whose write-back the fence awaits",
        ("local", "none", "memory_without_read"): "with the write hint; evicts a dirty line, as above",
    }

    @staticmethod
    def label(row: Row) -> str:
        home, state, line_at = row
        words = f"{home} home, {state}, {line_at}" if state != "none" else f"{home} home, {line_at}"
        return words.replace(", cache", "").replace("_", " ")

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(13, 5.5), layout="constrained")
        by_distance, by_copies = figure.subplots(1, 2)
        for number, (row, low, high) in enumerate(self.rows()):
            own, colour, label = self.measured_row(measured, row), f"C{number % 10}", self.label(row)
            shared = "shared" in row[1]
            axes, against = (by_copies, "copies") if shared else (by_distance, "hops")
            draw_range(axes, own, against, f"{label}, croft", colour)
            draw_published(axes, own[against], low, high, f"{label}, paper", colour)
        by_distance.set(title="no other copies", xlabel="hops from core to home (0: its own line)")
        by_copies.set(title="shared lines, over all distances", xlabel="copies in other caches")
        for axes in (by_distance, by_copies):
            axes.set(ylabel="cycles at 866 MHz", ylim=(0, None))
            axes.set_ylim(0, 1.5 * axes.get_ylim()[1])
            axes.legend(fontsize="xx-small", ncols=2, loc="upper left")
            axes.grid(alpha=0.3)
        figure.suptitle(f"{self.title} (a store and a fence)")
        return figure
