"""Paper 000, tables 1 and 3: read and synchronous write latency by state of the line, on the machine you are on."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, true_cell
from croft.experiments.native import run_here, this_processor
from croft.experiments.published import published
from croft.sweeps.many_runs import How

LEVELS = ("l1", "l2", "l3", "memory")
Row = tuple[str, str, str, str]

# What the program calls a line's place and state is here the paper's source and state. A line that both cores have read
# is in the measuring core's own cache, so there is no "shared" of the other one.
SOURCES = {"own": "local", "other": "same_chip"}
SIZES = ("--repeats", "5", "--memory", "65536")
QUICK_SIZES = ("--repeats", "1", "--l3", "1024", "--memory", "16384")

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

    def measure(self, quick: bool, how: How) -> pd.DataFrame:
        lines = run_here(self.name, QUICK_SIZES if quick else SIZES, how.tell)
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
            axes.set(title=operation, xlabel="cycles of the processor's counter", xscale="log")
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
    """What was measured, by the rows of the published tables: where those tell states not apart, the mean over them."""
    found = {}
    for operation, source, state, level in paper_latencies():
        place = {ours: theirs for theirs, ours in SOURCES.items()}.get(source)
        states = {"any": ("modified", "exclusive", "shared")}.get(state, tuple(state.split("_or_")))
        if place is None or (source, state) == ("same_chip", "shared"):
            continue
        rows = measured[
            (measured["access"] == operation)
            & (measured["place"] == place)
            & (measured["level"].str.lower() == level)
            & measured["state"].isin(states)
        ]
        if len(rows) == len(states):
            found[operation, source, state, level] = float(rows["cycles"].mean())
    return found


def label(row: Row) -> str:
    """A row's name in tables and figures."""
    operation, source, state, level = row
    words = [operation, source, *([] if state == "any" else [state]), level]
    return " ".join(words).replace("_", " ")
