"""Paper 002, figure 7: what the tiny cores' time goes to."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.big_tiny import (
    KERNELS,
    TITLES,
    TOGETHER,
    BigTinyExperiment,
    geometric_mean,
)
from croft.experiments.experiment import Cell, true_cell
from croft.experiments.kernel_runs import Outcome
from croft.experiments.stacked_bars import by_run, shares, stacks_figure

CATEGORIES = {
    "other": "other",
    "inst fetch": "inst_fetch",
    "data load": "data_load",
    "data store": "data_store",
    "atomic": "atomic",
    "flush": "flush",
}
"""By what the figure calls them, the statistics of part "time"; "other" are cycles in which the core executes."""
LOSING = "cilk5-mt"


class TimeBreakdown(BigTinyExperiment):
    """Cycles of the tiny cores by what they went to, in units of all of them with MESI.

    The paper prints the figure and no numbers; scored is what its text says of it.
    """

    name = "time_breakdown"
    title = "Execution time of the tiny cores"
    source = "paper 002, figure 7"
    tolerances = {"sum": 0.01}  # noqa: RUF012 - by which the categories may miss the whole time

    def counts(self, outcome: Outcome) -> dict[str, float]:
        """Cycles of a tiny core in each category, and how long the region took."""
        first = outcome.machine.big.count if outcome.machine.big else 0
        found = {
            f"time.{category}": outcome.total("time", name, first) / (outcome.machine.cores - first)
            for category, name in CATEGORIES.items()
        }
        return found | {"region_cycles": outcome.total("region", "cycles")}

    def compare(self, measured: pd.DataFrame) -> list[Cell]:
        table = shares(measured, "time", tuple(CATEGORIES), "bigtiny_mesi")
        runs = by_run(measured)
        whole = runs[[f"time.{category}" for category in CATEGORIES]].sum(axis=1, skipna=False)
        off = (whole / runs["region_cycles"] - 1).abs().max(skipna=False)
        complete = "categories add up to the measured time"
        found = [true_cell(complete, off <= self.tolerances["sum"], "predicted", f"off by at most {100 * off:.3g}%")]
        loses = {name: float(table.loc[(LOSING, name), "data store"]) for name in ("hcc_dnv", "bigtiny_mesi")}
        note = ", ".join(f"{TITLES[name]} {value:.3f}" for name, value in loses.items())
        name = f"{LOSING}: more time in stores with HCC-dnv than with MESI"
        found.append(true_cell(name, loses["hcc_dnv"] > loses["bigtiny_mesi"], "predicted", note))
        for slower, faster, category, sentence in (
            ("hcc_gwt", "bigtiny_mesi", "atomic", "atomics take longer with HCC-gwt than with MESI"),
            ("hcc_gwb", "bigtiny_mesi", "atomic", "atomics take longer with HCC-gwb than with MESI"),
            ("hcc_gwt", "dts_gwt", "atomic", "stealing directly takes time from atomics with GPU-WT"),
            ("hcc_gwb", "dts_gwb", "atomic", "stealing directly takes time from atomics with GPU-WB"),
            ("hcc_gwb", "dts_gwb", "flush", "stealing directly takes time from flushes with GPU-WB"),
        ):
            mean = {
                each: float(table.xs(each, level="configuration")[category].reindex(KERNELS).mean(skipna=False))
                for each in (slower, faster)
            }
            note = "mean: " + ", ".join(f"{TITLES[each]} {value:.4f}" for each, value in mean.items())
            found.append(true_cell(sentence, mean[slower] > mean[faster], "predicted", note))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        table = shares(measured, "time", tuple(CATEGORIES), "bigtiny_mesi")
        whole = table.sum(axis=1).groupby(level="configuration").agg(geometric_mean)
        means = ", ".join(f"{TITLES[name]} {whole[name]:.2f}" for name in TOGETHER)
        return stacks_figure(table, f"{self.title}; geometric means: {means}", "over the time with MESI")
