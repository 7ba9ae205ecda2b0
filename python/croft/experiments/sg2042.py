"""Published measurements of the Sophon SG2042: loads by the size of their memory, and bandwidth on 1 and 64 cores."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, Kind
from croft.experiments.published import published
from croft.sweeps.points import Point

MOST_QUICK = 512
"""KiB that loads go through with ``quick``, which leaves out bandwidth."""
SIMULATED = 62500
"""KiB of each array of STREAM, a tenth of the published ones: two are still more than all caches. Parts of threads are
10^6 bytes apart for 10^7. Were they a power of two apart, all threads would be at the same controller at a time."""
Row = dict[str, Any]


class Sg2042(Experiment):
    """Each figure beside what the same steps take on the machine ``sg2042``.

    The published tables say which figures set the machine file, which it predicts, and which are only shown there. The
    caches are warm by fast-forward, so nothing is measured before the region that counts.
    """

    name = "sg2042"
    title = "Loads by size, and bandwidth, on the SG2042"
    source = "sbc-bench (ramlat, tinymembench) and Sophgo (STREAM); docs/evidence/sg2042.md"
    machine = "sg2042"
    tolerances = {"calibrated": 0.10, "predicted": 0.20}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        found = []
        for row in rows("latency"):
            if quick and row["kib"] > MOST_QUICK:
                continue
            arguments = ("--order", row["order"], "--kib", str(row["kib"]), "--chains", str(row["chains"]))
            found.append(Point("latency_by_size", arguments, {"figure": label(row)}, options={"fast_forward": True}))
        for row in () if quick else rows("bandwidth"):
            kib = SIMULATED if row["benchmark"] == "stream" else row["kib"]
            arguments = ("--kernel", row["kernel"], "--threads", str(row["threads"]), "--kib", str(kib))
            found.append(Point("memory_bandwidth", arguments, {"figure": label(row)}, options={"fast_forward": True}))
        return found

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        ours = measured.set_index("figure")
        found = []
        for row, unit, value in figures(ours):
            kind: Kind = row["kind"]
            paper = float(row["ns"] if unit == "ns" else row["mb_per_s"])
            found.append(Cell(label(row), unit, paper, value, kind, self.tolerances[kind]))
        predicted = [cell for cell in found if cell.kind == "predicted"]
        if predicted:
            share = 100 * sum(cell.ok for cell in predicted) / len(predicted)
            name = f"predicted figures within {self.tolerances['predicted']:.0%}"
            note = f"of {len(predicted)}"
            found.append(Cell(name, "%", 100, share, "predicted", 0, False, note, "at_least"))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(13, 5), layout="constrained")
        latency, bandwidth = figure.subplots(1, 2, width_ratios=(3, 2))
        found = list(figures(measured.set_index("figure")))
        draw_latency(latency, [(row, value) for row, unit, value in found if unit == "ns"])
        draw_bandwidth(bandwidth, [(row, value) for row, unit, value in found if unit != "ns"])
        figure.suptitle(self.title)
        return figure


def rows(table: str) -> list[Row]:
    """The rows of ``published/sg2042_TABLE.csv`` that are compared, in their order."""
    return published(f"sg2042_{table}").query("kind != 'shown'").to_dict(orient="records")


def label(row: Row) -> str:
    """A figure's name in cells and in the measurements."""
    if "kernel" in row:
        return f"{row['benchmark']}, {row['kernel'].replace('_', ' ')}, {cores(row['threads'])}"
    return f"{row['benchmark']}, {row['kib']} KiB, {row['chains']} load{'s' * (row['chains'] > 1)}"


def cores(number: int) -> str:
    return f"{number} core{'s' * (number > 1)}"


def figures(ours: pd.DataFrame) -> Iterator[tuple[Row, str, float]]:
    """Each published figure that was measured, its unit, and what was measured, counted in the same way."""
    for row in rows("latency"):
        if (name := label(row)) in ours.index:
            yield row, "ns", float(ours.loc[name, "ns"])
    for row in rows("bandwidth"):
        if (name := label(row)) in ours.index:
            arrays = float(ours.loc[name, "arrays"]) if row["benchmark"] == "stream" else 1
            yield row, "MB/s", float(ours.loc[name, "mb_per_s"]) * arrays


def draw_latency(axes: Axes, found: list[tuple[Row, float]]) -> None:
    """Time against size, a line for each benchmark and number of loads; calibrated figures have a ring."""
    series = dict.fromkeys((row["benchmark"], row["chains"]) for row, _ in found)
    for number, (benchmark, chains) in enumerate(series):
        own = [(row, value) for row, value in found if (row["benchmark"], row["chains"]) == (benchmark, chains)]
        sizes, colour = [row["kib"] for row, _ in own], f"C{number}"
        name = f"{benchmark}, {chains} load{'s' * (chains > 1)}"
        axes.plot(sizes, [row["ns"] for row, _ in own], "o--", ms=4, lw=1, color=colour, label=f"{name}, published")
        axes.plot(sizes, [value for _, value in own], "s-", ms=4, lw=1, color=colour, label=f"{name}, croft")
    rings = [(row["kib"], row["ns"]) for row, _ in found if row["kind"] == "calibrated"]
    axes.plot([x for x, _ in rings], [y for _, y in rings], "o", ms=11, mfc="none", color="black", label="calibrated")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(xlabel="KiB", ylabel="ns per step")
    axes.legend(fontsize="x-small", ncols=2)
    axes.grid(alpha=0.3)


def draw_bandwidth(axes: Axes, found: list[tuple[Row, float]]) -> None:
    """Bars, published beside measured."""
    for position, (row, value) in enumerate(found):
        labels = ("published", "croft") if position == 0 else (None, None)
        axes.barh(position - 0.2, row["mb_per_s"], 0.36, color="C0", alpha=0.5, label=labels[0])
        axes.barh(position + 0.2, value, 0.36, color="C1", label=labels[1])
    names = [label(row) + (" (calibrated)" if row["kind"] == "calibrated" else "") for row, _ in found]
    axes.set_yticks(range(len(found)), names, fontsize="small")
    axes.invert_yaxis()
    ticks = (1000, 2000, 5000, 10000, 20000, 50000)
    axes.set(xlabel="MB/s", xscale="log", xlim=(ticks[0], ticks[-1]))
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(alpha=0.3, axis="x")
    if found:
        axes.legend()
