"""What other latencies of big.TINY's L2 and memory would do to table III's column o3x1, paper 002."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.big_tiny import (
    KERNELS,
    BigTinyExperiment,
    geometric_mean,
    kernel_run,
    table_iii,
)
from croft.experiments.experiment import Cell, true_cell
from croft.experiments.kernel_runs import KernelRun
from croft.machines.file import machine

SERVICES, LATENCIES = (4, 10), (80, 120)
"""Cycles of an L2 bank and of memory that are tried; the machine files' are among them."""
QUICK_SERVICES, QUICK_LATENCIES = (4,), (80, 120)


class O3x1Calibration(BigTinyExperiment):
    """Speedups of one big core over the serial program on one tiny core, with latencies that are tried one by one.

    The machine files have theirs from documents (docs/evidence/big-tiny.md), and not from here: which pair has the
    least mean squared error of the 13 speedups, in logarithms, is shown.
    """

    name = "o3x1_calibration"
    title = "One big core against one tiny core, by the latencies of L2 and memory"
    source = "paper 002, table III, column o3x1"
    tolerances = {"geomean": 0.20, "kernel": 0.30}  # noqa: RUF012 - the latter is shown, not scored

    def runs(self, quick: bool) -> list[KernelRun]:
        services, latencies = (QUICK_SERVICES, QUICK_LATENCIES) if quick else (SERVICES, LATENCIES)
        return [
            replace(
                kernel_run(kernel, configuration, quick),
                changes=(
                    ("shared.service", service),
                    ("memory.latency", latency),
                    ("memory.write_latency", latency),
                ),
            )
            for kernel in KERNELS
            for configuration in ("serial", "o3x1")
            for service in services
            for latency in latencies
        ]

    def compare(self, measured: pd.DataFrame) -> list[Cell]:
        table = errors(measured)
        best = table["error"].idxmin()
        chip = machine("o3x1")
        chosen = (chip.shared.service, chip.memory.latency)
        note = f"best: {best[0]} and {best[1]} cycles; in the file: {chosen[0]} and {chosen[1]}"
        name = "the machine files have the best pair of latencies"
        found = [replace(true_cell(name, best == chosen, "predicted", note), scored=False)]
        ours, paper = table.loc[chosen], geometric_mean(table_iii()["o3x1"])
        tolerance = self.tolerances["geomean"]
        note = f"root of the mean squared error in logarithms: {ours['error']:.3f}"
        mean = float(ours["mean"])
        found.append(Cell("o3x1, geometric mean", "", paper, mean, "predicted", tolerance, note=note))
        tolerance = self.tolerances["kernel"]
        for kernel, paper in table_iii()["o3x1"].items():
            found.append(Cell(f"{kernel}, o3x1", "", paper, float(ours[kernel]), "predicted", tolerance, scored=False))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        table = errors(measured)["error"].unstack("latency")
        picture = axes.imshow(table, origin="lower", aspect="auto")
        axes.set_xticks(range(len(table.columns)), table.columns)
        axes.set_yticks(range(len(table.index)), table.index)
        for (row, column), value in np.ndenumerate(table.to_numpy()):
            axes.annotate(f"{value:.3f}", (column, row), ha="center", color="white")
        axes.set(title=self.title, xlabel="memory, cycles", ylabel="L2 bank, cycles")
        figure.colorbar(picture, label="error of 13 speedups, in logarithms")
        return figure


def errors(measured: pd.DataFrame) -> pd.DataFrame:
    """By the latencies of bank and memory: each kernel's speedup, their geometric mean and their error."""
    named = measured.assign(service=measured["shared.service"], latency=measured["memory.latency"])
    cycles = named.pivot_table(
        index=["service", "latency"], columns=["configuration", "kernel"], values="cycles", aggfunc="first"
    ).astype(float)
    table = (cycles["serial"] / cycles["o3x1"]).reindex(columns=list(KERNELS))
    off = np.log(table / table_iii()["o3x1"].astype(float))
    return table.assign(
        mean=table.apply(geometric_mean, axis=1), error=(off**2).mean(axis=1, skipna=False).map(math.sqrt)
    )
