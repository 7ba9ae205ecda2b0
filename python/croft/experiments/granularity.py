"""Paper 002, figure 4: how many vertices a task of ligra-tc should have."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.big_tiny import (
    BigTinyExperiment,
    Configuration,
    analysed_run,
    configured_run,
    kernel_run,
    table_iii,
)
from croft.experiments.experiment import Cell, true_cell
from croft.experiments.kernel_runs import KernelRun

KERNEL = "ligra-tc"
GRAINS, QUICK_GRAINS = (2, 8, 32, 128, 512, 2048, 8192), (2, 32, 256)
MANY = Configuration("tiny-64-mesi", "shared_deques")
"""The figure's machine: tiny cores only."""


class Granularity(BigTinyExperiment):
    """Speedup over the serial program on 64 tiny cores, and logical parallelism, against the grain of the loops.

    The paper prints the figure and no numbers; scored is what its text says of it. Its grain are triangles, ours the
    vertices whose triangles a task counts.
    """

    name = "granularity"
    title = "ligra-tc: speedup and logical parallelism against the grain"
    source = "paper 002, figure 4"
    tolerances = {  # noqa: RUF012
        "close": 0.10,  # the speedup with table III's grain is to be within this of the best
        "lower": 0.02,  # a speedup is below the best if it is so by more than this part of it
        "parallelism": 0.25,  # shown, not scored
    }

    def runs(self, quick: bool) -> list[KernelRun]:
        found = [kernel_run(KERNEL, "serial", quick)]
        for grain in QUICK_GRAINS if quick else GRAINS:
            more = ("--grain", str(grain))
            found += [configured_run(KERNEL, "tiny_mesi", MANY, quick, more), analysed_run(KERNEL, quick, more)]
        return found

    def compare(self, measured: pd.DataFrame) -> list[Cell]:
        table = by_grain(measured)
        speedup, best = table["speedup"], table["speedup"].max()
        grain = int(table_iii().loc[KERNEL, "grain"])
        note = ", ".join(f"{each}: {value:.1f}" for each, value in speedup.items())
        least, most = (1 - self.tolerances["close"]) * best, (1 - self.tolerances["lower"]) * best
        chosen = float(speedup.get(grain, float("nan")))
        parallelism = table["parallelism"]
        ours, paper = float(parallelism.get(grain, float("nan"))), float(table_iii().loc[KERNEL, "parallelism"])
        falls = bool((parallelism.diff().iloc[1:] < 0).all())
        shown = ", ".join(f"{each}: {value:.0f}" for each, value in parallelism.items())
        return [
            true_cell(f"a grain of {grain} is the best or close to it", chosen >= least, "predicted", note),
            true_cell("the smallest grain is too small", speedup.iloc[0] < most, "predicted", note),
            true_cell("the largest grain is too large", speedup.iloc[-1] < most, "predicted", note),
            true_cell("logical parallelism falls as the grain grows", falls, "predicted", shown),
            Cell(
                f"logical parallelism with a grain of {grain}",
                "",
                paper,
                ours,
                "predicted",
                self.tolerances["parallelism"],
                False,
                "the paper counts x86 instructions",
            ),
        ]

    def draw(self, measured: pd.DataFrame) -> Figure:
        table = by_grain(measured)
        figure = Figure(figsize=(7, 4.8), layout="constrained")
        axes = figure.subplots()
        axes.plot(table.index, table["speedup"], "s-", color="C0", label="speedup on 64 tiny cores")
        axes.set(title=self.title, xlabel="vertices of a task", ylabel="speedup over the serial program", xscale="log")
        axes.set_ylim(0, None)
        axes.axvline(int(table_iii().loc[KERNEL, "grain"]), color="grey", lw=1, ls=":", label="table III's grain")
        other = axes.twinx()
        other.plot(table.index, table["parallelism"], "o--", color="C1", label="logical parallelism")
        other.set(ylabel="logical parallelism", yscale="log")
        lines = [*axes.get_lines(), *other.get_lines()]
        axes.legend(lines, [str(line.get_label()) for line in lines], fontsize="small", loc="lower left")
        axes.grid(alpha=0.3)
        return figure


def by_grain(measured: pd.DataFrame) -> pd.DataFrame:
    """Speedup and logical parallelism by grain."""
    rows = {name: mine.set_index("grain") for name, mine in measured.groupby("configuration")}
    serial = float(rows["serial"]["cycles"].iloc[0])
    table = pd.DataFrame(
        {"speedup": serial / rows["tiny_mesi"]["cycles"], "parallelism": rows["analysis"]["parallelism"]}
    )
    return table.astype(float).sort_index()
