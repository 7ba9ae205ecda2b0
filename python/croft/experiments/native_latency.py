"""Paper 000, tables 1 and 3: read and synchronous write latency by state of the line, on the machine you are on."""

from collections.abc import Callable

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, true_cell
from croft.experiments.native import run_here, this_processor
from croft.experiments.published import published

LEVELS = ("l1", "l2", "l3", "memory")
Row = tuple[str, str, str, str]

# Statements that hold on any machine whose caches are kept coherent by hardware: the first takes less than the second.
ORDERS: tuple[tuple[Row, Row], ...] = (
    (("read", "local", "any", "l1"), ("read", "local", "any", "l2")),
    (("read", "local", "any", "l2"), ("read", "local", "any", "memory")),
    (("read", "local", "any", "l1"), ("read", "same_chip", "modified", "l1")),
    (("write", "local", "modified_or_exclusive", "l1"), ("write", "local", "shared", "l1")),
    (("write", "local", "modified_or_exclusive", "l1"), ("write", "same_chip", "modified", "l1")),
)


class NativeLatency(Experiment):
    """The paper's benchmark on this host, beside its numbers for an Intel Xeon E5-2650 of 2012.

    Another processor has other latencies, so these cells are shown and not scored; scored is what the paper's tables
    say of any such machine: which access takes less than which.
    """

    name = "native_latency"
    title = "Memory latency of this host"
    source = "paper 000, tables 1 and 3"
    machine = "this host"
    tolerances = {"predicted": 0.0}  # noqa: RUF012

    def measure(self, quick: bool, jobs: int | None, tell: Callable[[str], None]) -> pd.DataFrame:
        lines = run_here(self.name, ["--quick"] if quick else [], tell)
        return pd.DataFrame(lines).assign(processor=this_processor())

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        paper, ours = paper_latencies(), own_latencies(measured)
        note = f"a Xeon E5-2650; here {measured['processor'].iloc[0]}"
        found = [
            Cell(label(row), "cycles", paper[row], ours[row], "predicted", 0.0, scored=False, note=note)
            for row in paper
            if row in ours
        ]
        for less, more in ORDERS:
            if less in ours and more in ours:
                said = f"{ours[less]:.1f} and {ours[more]:.1f} cycles"
                found.append(true_cell(f"{label(less)} < {label(more)}", ours[less] < ours[more], "predicted", said))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        paper, ours = paper_latencies(), own_latencies(measured)
        figure = Figure(figsize=(12, 5), layout="constrained")
        for axes, operation in zip(figure.subplots(1, 2, sharex=True), ("read", "write"), strict=True):
            rows = [row for row in paper if row[0] == operation and row in ours]
            for position, row in enumerate(rows):
                labels = ("Xeon E5-2650, paper", "this host") if position == 0 else (None, None)
                axes.barh(position - 0.2, paper[row], 0.36, color="C0", alpha=0.5, label=labels[0])
                axes.barh(position + 0.2, ours[row], 0.36, color="C1", label=labels[1])
            axes.set_yticks(range(len(rows)), [label(row).partition(" ")[2] for row in rows], fontsize="small")
            axes.invert_yaxis()
            axes.set(title=operation, xlabel="cycles of the processor's counter")
            axes.grid(alpha=0.3, axis="x")
            axes.legend()
        figure.suptitle(f"{self.title}: {measured['processor'].iloc[0]}")
        return figure


def paper_latencies() -> dict[Row, float]:
    """The published latencies; a range ("304-312") as its middle."""
    found = {}
    for row in published("sandybridge_latency").to_dict(orient="records"):
        for level in LEVELS:
            ends = [float(end) for end in str(row[level]).split("-") if end not in ("", "nan")]
            if ends:
                found[row["operation"], row["source"], row["state"], level] = sum(ends) / len(ends)
    return found


def own_latencies(measured: pd.DataFrame) -> dict[Row, float]:
    """What was measured, by the same rows."""
    keys = measured[["operation", "source", "state", "level"]].itertuples(index=False, name=None)
    return dict(zip(keys, map(float, measured["cycles"]), strict=True))


def label(row: Row) -> str:
    """A row's name in tables and figures."""
    operation, source, state, level = row
    words = [operation, source, *([] if state == "any" else [state]), level]
    return " ".join(words).replace("_", " ")
