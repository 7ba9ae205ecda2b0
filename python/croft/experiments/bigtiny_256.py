"""Paper 002, table V: five kernels with larger inputs on 256 cores."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.big_tiny import (
    LARGE_CONFIGURATIONS,
    TITLES,
    BigTinyExperiment,
    geometric_mean,
    kernel_run,
    large_run,
    millions,
    table_iii,
)
from croft.experiments.experiment import Cell, Kind, true_cell
from croft.experiments.kernel_runs import KernelRun
from croft.experiments.published import published

COLUMNS: dict[str, Kind] = {
    "instructions": "calibrated",  # inputs are chosen by them
    "mesi_vs_o3x1": "predicted",
    "hcc_gwb": "predicted",
    "dts_gwb": "predicted",
}
SMALLER = ("serial", "hcc_gwb", "dts_gwb")
"""The configurations of table III whose runs are compared with."""


class BigTiny256(BigTinyExperiment):
    """4 big and 252 tiny cores. Instructions are those of the serial program, over those with table III's input."""

    name = "bigtiny_256"
    title = "Five kernels on 256 cores"
    source = "paper 002, table V"
    tolerances = {  # noqa: RUF012
        "geomean": 0.20,
        "instructions": 0.10,
        "kernel": 0.30,  # shown, not scored
    }

    def runs(self, quick: bool) -> list[KernelRun]:
        found = []
        for kernel, row in table_v().iterrows():
            size = row["instructions"] * 1e6 * millions(table_iii().loc[kernel, "dynamic_instructions"])
            for configuration in ("serial", "o3x1", *LARGE_CONFIGURATIONS):
                found.append(large_run(kernel, configuration, str(row["input"]), size, quick))
            found += [kernel_run(kernel, configuration, quick) for configuration in SMALLER]
        return found

    def compare(self, measured: pd.DataFrame) -> list[Cell]:
        ours, theirs = table_of(measured), table_v()
        found = []
        for column, kind in COLUMNS.items():
            if column == "instructions":
                continue
            mean, paper = geometric_mean(ours[column]), geometric_mean(theirs[column])
            name = f"{column}, geometric mean of {len(theirs)}"
            found.append(Cell(name, "", paper, mean, kind, self.tolerances["geomean"]))
        gain = {cores: geometric_mean(ours[f"gain_{cores}"]) for cores in (64, 256)}
        note = f"DTS-gwb over HCC-gwb: {gain[256]:.2f} with 256 cores, {gain[64]:.2f} with 64"
        name = "stealing directly gains more with 256 cores than with 64"
        found.append(true_cell(name, gain[256] > gain[64], "predicted", note))
        for column, kind in COLUMNS.items():
            scored = column == "instructions"
            tolerance = self.tolerances["instructions" if scored else "kernel"]
            for kernel, paper in theirs[column].items():
                value = float(ours.loc[kernel, column])
                found.append(Cell(f"{kernel}, {column}", "", float(paper), value, kind, tolerance, scored))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(11, 4.8), layout="constrained")
        ours, theirs = table_of(measured), table_v()
        panels = (("mesi_vs_o3x1",), ("hcc_gwb", "dts_gwb"))
        for axes, columns in zip(figure.subplots(1, 2), panels, strict=True):
            for number, column in enumerate(columns):
                places = np.arange(len(theirs)) + 0.4 * (number - (len(columns) - 1) / 2)
                axes.bar(places, ours[column], 0.36, color=f"C{number}", label=TITLES.get(column, "MESI"))
                axes.plot(places, theirs[column], "_", color="black", ms=12, label=None if number else "paper")
            axes.set_xticks(range(len(theirs)), theirs.index, fontsize="small")
            axes.legend(fontsize="small")
            axes.grid(alpha=0.3, axis="y")
            axes.set(ylabel="speedup over O3x1" if len(columns) == 1 else "speedup over MESI")
        figure.suptitle(self.title)
        return figure


def table_v() -> pd.DataFrame:
    """The published table V, a row a kernel."""
    return published("bigtiny256_speedup").set_index("kernel")


def table_of(measured: pd.DataFrame) -> pd.DataFrame:
    """Table V's columns, and by how much DTS-gwb is faster than HCC-gwb with 64 cores and with 256."""
    rows = []
    for kernel in table_v().index:
        mine = measured[measured["kernel"] == kernel]
        large = mine["machine"].str.startswith("big-tiny-256") | ~mine["configuration"].isin(SMALLER)
        # The serial program ran with both inputs, the larger one first.
        serial = mine[mine["configuration"] == "serial"]
        at_256 = mine[large].set_index("configuration")["cycles"].astype(float)
        at_64 = mine[~large].set_index("configuration")["cycles"].astype(float)
        rows.append(
            {
                "kernel": kernel,
                "instructions": serial["instructions"].iloc[0] / serial["instructions"].iloc[-1],
                "mesi_vs_o3x1": at_256["o3x1"] / at_256["bigtiny_mesi"],
                "hcc_gwb": at_256["bigtiny_mesi"] / at_256["hcc_gwb"],
                "dts_gwb": at_256["bigtiny_mesi"] / at_256["dts_gwb"],
                "gain_64": at_64["hcc_gwb"] / at_64["dts_gwb"],
                "gain_256": at_256["hcc_gwb"] / at_256["dts_gwb"],
            }
        )
    return pd.DataFrame(rows).set_index("kernel")
