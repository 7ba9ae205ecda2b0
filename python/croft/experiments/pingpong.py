"""Paper 000, table 5 and figure 13; paper 001, tables II and III and figure 11: one-way latency by distance."""

import random

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, Kind, true_cell
from croft.experiments.offered import offered
from croft.experiments.published import published
from croft.sweeps.points import Point

# Which of our channels each published support is.
CHANNELS = {"udn": "udn", "sm_home": "ra-home-allocating", "sm_hash": "ra"}
OWN = {"sm_home": "ra-home"}
"""Croft's own form of a support, which is measured as well, and shown: stores do not allocate, flags are not packed."""
CALIBRATED = ("symmetric", "udn", 1)
"""The one row that set the machine file."""
ENOUGH = 9
"""How many of the predicted rows have to be within the tolerance "close"."""
TILES = 64

Row = tuple[str, str, int]


class PingPong(Experiment):
    """A one-word message there and back, over 1 to 14 hops; for hashed homes over a hundred pairs of tiles and lines.

    With hashed homes the home of a line is any third tile, so the distance of the two partners says nothing: the
    paper's three numbers are three samples, and their mean stands beside the mean over many placements.
    """

    name = "pingpong"
    title = "One-way latency of a one-word message"
    source = "paper 000, table 5 (rows exchanged: see misprints); papers 001 and 004, tables II and III"
    machine = "tilepro64"
    tolerances = {  # noqa: RUF012
        "calibrated": 0.05,
        "predicted": 0.30,
        "close": 0.15,
        "hashed": 0.15,
        "growth": 0.30,
    }

    def points(self, quick: bool) -> list[Point]:
        count = "1000" if quick else "4000"
        found = []
        for interface, support in supports():
            if support == "sm_hash":
                places = [
                    ("--cores", f"{a},{b}", *skip_option(number))
                    for number, (a, b) in enumerate(pairs(20 if quick else 100))
                ]
            else:
                places = [("--hops", str(hops)) for hops in ((1, 8, 14) if quick else range(1, 15))]
            for form, channel in forms(support).items():
                which = ("--channel", channel, *interface_option(interface))
                labels: dict[str, object] = {"interface": interface, "support": support, "form": form}
                found += [Point("pingpong", (*place, "--count", count, *which), labels) for place in places]
        return found

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        own = measured[measured["form"] == "croft"]
        measured = measured[measured["form"] == "paper"]
        paper, ours = latencies(published("pingpong"), "avg_cycles"), latencies(measured, "cycles")
        rows = []
        for row in (row for row in paper if row in ours):
            kind: Kind = "calibrated" if row == CALIBRATED else "predicted"
            rows.append(Cell(label(row), "cycles", paper[row], ours[row], kind, self.tolerances[kind]))
        found = [*rows, *self._hashed(measured)]
        if len(rows) == len(paper):
            close = self.tolerances["close"]
            within = sum(abs(cell.ratio - 1) <= close for cell in rows if cell.kind == "predicted")
            name = f"predicted rows within {close:.0%}"
            found.append(Cell(name, "rows", ENOUGH, within, "predicted", 0, rule="at_least"))
        found += self._growths(paper, ours) + self._orders(paper, ours)
        tolerance = self.tolerances["predicted"]
        for row, cycles in latencies(own, "cycles").items():
            if row not in paper:  # the paper prints three of fourteen distances
                continue
            name = f"{label(row)}, croft's own form"
            found.append(Cell(name, "cycles", paper[row], cycles, "predicted", tolerance, scored=False))
        return found

    def _hashed(self, measured: pd.DataFrame) -> list[Cell]:
        own = measured.loc[measured["support"] == "sm_hash", "cycles"]
        if own.empty:
            return []
        paper = published("pingpong").query("support == 'sm_hash'")["avg_cycles"]
        name, note = "symmetric, sm_hash, mean over placements", f"mean over {len(own)} placements"
        tolerance = self.tolerances["hashed"]
        return [Cell(name, "cycles", float(paper.mean()), float(own.mean()), "predicted", tolerance, note=note)]

    def _growths(self, paper: dict[Row, float], ours: dict[Row, float]) -> list[Cell]:
        found = []
        for interface, support in dict.fromkeys(row[:2] for row in paper if row in ours):
            rows = [row for row in paper if row[:2] == (interface, support) and row in ours]
            distances = [hops for _, _, hops in rows]
            theirs, mine = (float(np.polyfit(distances, [of[row] for row in rows], 1)[0]) for of in (paper, ours))
            name = f"{interface}, {support}, growth"
            found.append(Cell(name, "cycles a hop", theirs, mine, "predicted", self.tolerances["growth"]))
        return found

    def _orders(self, paper: dict[Row, float], ours: dict[Row, float]) -> list[Cell]:
        found = []
        for distance in dict.fromkeys(hops for _, _, hops in paper):
            rows = [row for row in paper if row[2] == distance and row in ours]
            expected, got = (sorted(rows, key=table.__getitem__) for table in (paper, ours))
            note = " < ".join(f"{interface} {support}" for interface, support, _ in got)
            if len(rows) > 1:
                found.append(
                    true_cell(
                        f"order as published, {distance} hop{'s' if distance > 1 else ''}",
                        expected == got,
                        "predicted",
                        note,
                    )
                )
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(12, 4.8), layout="constrained")
        for axes, interface in zip(figure.subplots(1, 2, sharey=True), ("symmetric", "asymmetric"), strict=True):
            table = published("pingpong").query("interface == @interface")
            for support, paper in table.groupby("support", sort=False):
                colour = f"C{list(CHANNELS).index(support)}"
                axes.plot(
                    paper["hops"], paper["avg_cycles"], "o--", color=colour, mfc="none", label=f"{support}, paper"
                )
                of_both = measured[(measured["interface"] == interface) & (measured["support"] == support)]
                if of_both.empty:
                    continue
                own = of_both[of_both["form"] == "paper"]
                better = of_both[of_both["form"] == "croft"].sort_values("hops")
                if not better.empty:
                    axes.plot(better["hops"], better["cycles"], "^:", color=colour, ms=4, label=f"{support}, own form")
                if support == "sm_hash":
                    axes.plot(own["hops"], own["cycles"], ".", color=colour, ms=4, label=f"{support}, croft, each pair")
                    mean = own["cycles"].mean()
                    axes.axhline(mean, color=colour, lw=1, label=f"{support}, croft, mean {mean:.0f}")
                else:
                    own = own.sort_values("hops")
                    axes.plot(own["hops"], own["cycles"], "s-", color=colour, label=f"{support}, croft")
            axes.set(title=f"{interface} interface", xlabel="hops between the two tiles")
            axes.set_ylabel("cycles at 866 MHz")
            axes.legend(fontsize="small", ncols=2, loc="upper left")
            axes.grid(alpha=0.3)
        most = max(measured["cycles"].max(), published("pingpong")["avg_cycles"].max())
        figure.axes[0].set_ylim(0, 1.4 * most)  # room for the legends
        figure.suptitle(self.title)
        return figure


def supports() -> list[tuple[str, str]]:
    """The published pairs of interface and support whose channel the program has."""
    rows = published("pingpong")[["interface", "support"]].drop_duplicates().itertuples(index=False, name=None)
    channels = offered("pingpong", "--channel")
    interfaces = offered("pingpong", "--interface") or ("symmetric",)
    return [
        (interface, support) for interface, support in rows if interface in interfaces and CHANNELS[support] in channels
    ]


def forms(support: str) -> dict[str, str]:
    """The channels by which a support is measured: the paper's, and croft's own if that is another."""
    own = OWN.get(support)
    return {"paper": CHANNELS[support]} | ({"croft": own} if own in offered("pingpong", "--channel") else {})


def interface_option(interface: str) -> tuple[str, ...]:
    """How the program is asked for an interface."""
    return ("--interface", interface) if offered("pingpong", "--interface") else ()


def skip_option(lines: int) -> tuple[str, ...]:
    """How the program is asked to leave so many lines out, so that its channels lie in others, with other homes."""
    return ("--skip", str(lines)) if offered("pingpong", "--skip") else ()


def pairs(number: int) -> list[tuple[int, int]]:
    """Pairs of different tiles, always the same ones.

    Without tiles 0 and 1, where the program's two threads begin: neither can move to where the other still is.
    """
    generator = random.Random(1)
    return [(a, b) for a, b in (generator.sample(range(2, TILES), 2) for _ in range(number))]


def latencies(table: pd.DataFrame, column: str) -> dict[Row, float]:
    """The latency of each interface, support and distance, without the support for which distance says nothing."""
    rows = table[table["support"] != "sm_hash"]
    keys = rows[["interface", "support", "hops"]].itertuples(index=False, name=None)
    return dict(zip(keys, map(float, rows[column]), strict=True))


def label(row: Row) -> str:
    """A row's name in tables."""
    interface, support, hops = row
    return f"{interface}, {support}, {hops} hop{'s' if hops > 1 else ''}"
