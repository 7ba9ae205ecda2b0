"""Paper 002, figure 8: bytes on the on-chip network, by what they are for."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.big_tiny import (
    KERNELS,
    TITLES,
    TOGETHER,
    BigTinyExperiment,
    by_kernel,
    geometric_mean,
    listing,
)
from croft.experiments.experiment import Cell, true_cell
from croft.experiments.kernel_runs import Outcome
from croft.experiments.published import claim
from croft.experiments.stacked_bars import shares, stacks_figure

CATEGORIES = (
    "cpu_req",
    "wb_req",
    "data_resp",
    "sync_req",
    "sync_resp",
    "coh_req",
    "coh_resp",
    "dram_req",
    "dram_resp",
)
"""The figure's names, and those of the statistics of part "traffic"."""
WRITES_BEHIND = "cilk5-mt"
SIMILAR = "on-chip traffic of HCC-DTS-gwb against full MESI"


class Traffic(BigTinyExperiment):
    """Bytes on the network of all cores, banks and controllers, in units of those with MESI.

    The paper prints the figure and no numbers; scored is what its text says of it.
    """

    name = "traffic"
    title = "Bytes on the on-chip network"
    source = "paper 002, figure 8"
    tolerances = {"similar": 0.20}  # noqa: RUF012 - how far from the same "a similar amount" is

    def counts(self, outcome: Outcome) -> dict[str, float]:
        """Bytes of each category, and of all."""
        found = {f"traffic.{category}": float(outcome.total("traffic", category)) for category in CATEGORIES}
        return found | {"traffic": sum(found.values())}

    def compare(self, measured: pd.DataFrame) -> list[Cell]:
        whole = by_kernel(measured, "traffic").reindex(index=KERNELS, columns=list(TOGETHER)).astype(float)
        over = {name: geometric_mean(whole[name] / whole["bigtiny_mesi"]) for name in TOGETHER}
        note = ", ".join(f"{TITLES[name]} {value:.2f}" for name, value in over.items())
        name = f"DTS-gwb against MESI: {claim(SIMILAR)}"
        found = [Cell(name, "", 1.0, over["dts_gwb"], "predicted", self.tolerances["similar"], note=note)]
        for more, less, but, sentence in (
            ("hcc_gwt", "bigtiny_mesi", (), "HCC-gwt more than MESI"),
            ("hcc_gwt", "hcc_dnv", (), "HCC-gwt more than HCC-dnv"),
            ("hcc_gwt", "hcc_gwb", (WRITES_BEHIND,), f"HCC-gwb less than HCC-gwt, but {WRITES_BEHIND}"),
        ):
            wrong = [
                kernel for kernel in KERNELS if kernel not in but and not whole[more][kernel] > whole[less][kernel]
            ]
            note = f"not {listing(wrong)}" if wrong else ""
            found.append(true_cell(f"bytes in all kernels: {sentence}", not wrong, "predicted", note))
        for more, less, categories, sentence in (
            ("hcc_dnv", "bigtiny_mesi", ("cpu_req", "data_resp"), "HCC-dnv requests and gets more than MESI"),
            ("hcc_gwb", "hcc_dnv", CATEGORIES, "HCC-gwb moves more than HCC-dnv"),
            ("hcc_gwt", "bigtiny_mesi", ("wb_req",), "HCC-gwt writes more than MESI"),
            ("hcc_gwt", "bigtiny_mesi", ("sync_req", "sync_resp"), "HCC-gwt synchronises more than MESI"),
            ("hcc_dnv", "dts_dnv", ("cpu_req", "data_resp"), "DTS-dnv requests and gets less than HCC-dnv"),
            ("hcc_gwt", "dts_gwt", ("cpu_req", "data_resp"), "DTS-gwt requests and gets less than HCC-gwt"),
            ("hcc_gwb", "dts_gwb", ("cpu_req", "data_resp"), "DTS-gwb requests and gets less than HCC-gwb"),
            ("hcc_gwb", "dts_gwb", ("wb_req",), "DTS-gwb writes less than HCC-gwb"),
            ("hcc_gwb", "dts_gwb", ("sync_req", "sync_resp"), "DTS-gwb synchronises less than HCC-gwb"),
        ):
            ours = {each: self._mean(measured, each, categories) for each in (more, less)}
            note = ", ".join(f"{TITLES[each]} {value:.3f}" for each, value in ours.items()) + " of MESI's bytes"
            found.append(true_cell(f"mean: {sentence}", ours[more] > ours[less], "predicted", note))
        return found

    def _mean(self, measured: pd.DataFrame, name: str, categories: tuple[str, ...]) -> float:
        """Of a configuration's bytes of some categories, over the kernel's bytes with MESI."""
        table = shares(measured, "traffic", CATEGORIES, "bigtiny_mesi").xs(name, level="configuration")
        return float(table[list(categories)].sum(axis=1, skipna=False).reindex(KERNELS).mean(skipna=False))

    def draw(self, measured: pd.DataFrame) -> Figure:
        table = shares(measured, "traffic", CATEGORIES, "bigtiny_mesi")
        return stacks_figure(table, self.title, "over the bytes with MESI")
