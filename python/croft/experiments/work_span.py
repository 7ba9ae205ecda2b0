"""Paper 002, table III: work, span and logical parallelism of the kernels, which Cilkview measured there."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.big_tiny import (
    KERNELS,
    BigTinyExperiment,
    analysed_run,
    kernel_run,
    millions,
    table_iii,
)
from croft.experiments.experiment import Cell, Kind
from croft.experiments.kernel_runs import KernelRun

COLUMNS = {
    "instructions": "instructions of the serial program",
    "work": "work",
    "span": "span",
    "parallelism": "logical parallelism",
    "instructions_per_strand": "instructions a strand",
}
SCORED = ("work", "span", "parallelism")


class WorkSpan(BigTinyExperiment):
    """Instructions of each kernel's tasks, and of the longest way through them, by ``croft run --analyze``.

    The paper's are x86 instructions, these are RISC-V's, so a quarter more or less is no difference.
    """

    name = "work_span"
    title = "Work, span and logical parallelism of the thirteen kernels"
    source = "paper 002, table III, columns work to IPT"
    tolerances = {"column": 0.25}  # noqa: RUF012

    def runs(self, quick: bool) -> list[KernelRun]:
        serial = [kernel_run(kernel, "serial", quick) for kernel in KERNELS]
        return serial + [analysed_run(kernel, quick) for kernel in KERNELS]

    def compare(self, measured: pd.DataFrame) -> list[Cell]:
        ours, theirs = columns(measured), published_columns()
        found = []
        for column, name in COLUMNS.items():
            for kernel in KERNELS:
                paper, value = float(theirs.loc[kernel, column]), float(ours.loc[kernel, column])
                # The edges of the graphs are chosen by the instructions.
                kind: Kind = "calibrated" if column == "instructions" and kernel.startswith("ligra") else "predicted"
                tolerance, scored = self.tolerances["column"], column in SCORED
                found.append(Cell(f"{kernel}, {name}", "", paper, value, kind, tolerance, scored))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(10, 4.8), layout="constrained")
        axes = figure.subplots()
        ratios = columns(measured) / published_columns()
        for number, column in enumerate(SCORED):
            axes.bar(np.arange(len(KERNELS)) + 0.27 * (number - 1), ratios[column], 0.25, label=COLUMNS[column])
        axes.axhspan(1 - self.tolerances["column"], 1 + self.tolerances["column"], color="grey", alpha=0.2, zorder=0)
        axes.set_xticks(range(len(KERNELS)), KERNELS, rotation=30, ha="right", fontsize="small")
        axes.set(title=self.title, ylabel="over what table III prints", yscale="log")
        axes.legend(fontsize="small")
        axes.grid(alpha=0.3, axis="y")
        return figure


def columns(measured: pd.DataFrame) -> pd.DataFrame:
    """Ours, a row a kernel."""
    rows = {name: mine.set_index("kernel") for name, mine in measured.groupby("configuration")}
    table = rows["analysis"].reindex(index=KERNELS, columns=[*SCORED, "instructions_per_strand"])
    return table.assign(instructions=rows["serial"]["instructions"].reindex(KERNELS)).astype(float)


def published_columns() -> pd.DataFrame:
    """Table III's, in instructions."""
    table = table_iii()
    return pd.DataFrame(
        {
            "instructions": 1e6 * table["dynamic_instructions"].map(millions),
            "work": 1e6 * table["work"].map(millions),
            "span": 1e6 * table["span"].map(millions),
            "parallelism": table["parallelism"].astype(float),
            "instructions_per_strand": 1e3 * table["instructions_per_task"].str.rstrip("K").astype(float),
        }
    )
