"""Paper 000, table 4: how long a store and its fence take, by the line's state, its distance, and the copies of it."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.latency_table import LatencyTable, Row, draw_ends, draw_range


class WriteLatency(LatencyTable):
    """One synchronous store to a prepared line, over distances and over 1 to all copies in other caches."""

    name = "write_latency"
    title = "Synchronous write latency"
    source = "paper 000, table 4"
    table = "tilepro64_write_latency"
    columns = ("home", "line_state", "line_at")
    notes = {  # noqa: RUF012
        ("remote", "none", "memory_with_read"): "nothing has to be written back for it",
        ("remote", "none", "memory_without_read"): "with the write hint; nothing has to be written back for it",
        ("local", "none", "memory_with_read"): "evicts a dirty line, whose write-back the fence awaits",
        ("local", "none", "memory_without_read"): "with the write hint; evicts a dirty line, as above",
    }

    @staticmethod
    def label(row: Row) -> str:
        home, state, line_at = row
        words = f"{home} home, {state}, {line_at}" if state != "none" else f"{home} home, {line_at}"
        return words.replace(", cache", "").replace("_", " ")

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(14, 5.5), layout="constrained")
        table, by_copies = figure.subplots(1, 2, width_ratios=[1.3, 1])
        self.draw_ranges(table, measured)
        shared = [each for each in self.rows() if "shared" in each[0][1]]
        for number, (row, low, high) in enumerate(shared):
            label, colour = self.label(row), f"C{number + 2}"
            draw_range(by_copies, self.measured_row(measured, row), "copies", f"{label}, croft", colour)
            draw_ends(by_copies, low, high, f"{label}, paper's range", colour)
        by_copies.set(xlabel="copies in other caches", ylabel="cycles at 866 MHz", ylim=(0, None))
        by_copies.legend(fontsize="small", loc="lower right")
        by_copies.grid(alpha=0.3)
        figure.suptitle(f"{self.title} (a store and a fence)")
        return figure
