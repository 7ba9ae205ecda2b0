"""The form of paper 002's figures 7 and 8: a stack for each kernel and configuration, all in units of one of them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from croft.experiments.big_tiny import KERNELS, TITLES, TOGETHER


def by_run(measured: pd.DataFrame) -> pd.DataFrame:
    """The measurements by kernel and configuration, also those that are missing: no numbers."""
    rows = pd.MultiIndex.from_product([KERNELS, TOGETHER], names=["kernel", "configuration"])
    return measured.set_index(["kernel", "configuration"]).reindex(rows)


def shares(measured: pd.DataFrame, prefix: str, categories: Sequence[str], unit: str) -> pd.DataFrame:
    """The columns PREFIX.CATEGORY by kernel and configuration, in units of their kernel's sum with ``unit``."""
    table = by_run(measured)
    table = table.reindex(columns=[f"{prefix}.{category}" for category in categories]).astype(float)
    table.columns = list(categories)
    whole = table.sum(axis=1, skipna=False)
    by_unit = whole.xs(unit, level="configuration")
    return table.div(table.index.get_level_values("kernel").map(by_unit), axis=0)


def stacks_figure(table: pd.DataFrame, title: str, ylabel: str) -> Figure:
    """Stacks of all kernels on all machines with 64 cores, big and tiny ones."""
    figure = Figure(figsize=(16, 6), layout="constrained")
    axes = figure.subplots()
    draw_stacks(axes, table, KERNELS, {name: TITLES[name] for name in TOGETHER})
    axes.set(title=title, ylabel=ylabel)
    return figure


def draw_stacks(axes: Axes, table: pd.DataFrame, kernels: Sequence[str], titles: dict[str, str]) -> None:
    """Stacks of the columns of ``table``; of each kernel one for each of the configurations ``titles`` names."""
    width = 0.85 / len(titles)
    offsets = (np.arange(len(titles)) - (len(titles) - 1) / 2) * width
    places = (np.arange(len(kernels))[:, None] + offsets).ravel()
    rows = pd.MultiIndex.from_product([kernels, list(titles)], names=["kernel", "configuration"])
    ordered = table.reindex(rows).fillna(0.0)
    bottom = np.zeros(len(rows))
    colours = [f"C{number}" for number in range(len(table.columns))]
    for category, colour in zip(table.columns, colours, strict=True):
        axes.bar(places, ordered[category], width * 0.92, bottom=bottom, color=colour, label=category)
        bottom += ordered[category].to_numpy()
    axes.set_xticks(places, [titles[name] for _ in kernels for name in titles], rotation=90, fontsize=5)
    for number, kernel in enumerate(kernels):
        axes.annotate(kernel, (number, -0.2), xycoords=("data", "axes fraction"), ha="center", fontsize="small")
    axes.set_xlim(-0.6, len(kernels) - 0.4)
    axes.axhline(1, color="grey", lw=0.8)
    axes.legend(fontsize="small", ncols=len(table.columns), loc="upper left")
    axes.grid(alpha=0.3, axis="y")
