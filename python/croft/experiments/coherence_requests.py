"""Paper 000, figures 11 and 15: what L2 caches ask of each other for messages and their events."""

import itertools

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, true_cell
from croft.experiments.published import published
from croft.sweeps.points import Point

SIZES = {"farm": (32, 64, 128), "map": (56, 168, 224)}
RUNTIMES = ("ra_udn", "ra_sm", "ff_queue")
KINDS = ("reads", "writes", "invalidations")
SHORT, LONG = 300, 600
"""Lengths of two streams: what the longer one has more, a matrix, is free of beginnings and ends."""
WORKERS = {"farm": (4, 8, 16, 32, 56), "map": (56,)}


class CoherenceRequests(Experiment):
    """Requests between L2s for payload and slot lines, a matrix: reads, invalidations, and bursts of stores to a line.

    Of the farm with the workers: the requests that reach the emitter's and the collector's L2.
    """

    name = "coherence_requests"
    title = "Requests between L2 caches"
    source = "paper 000, figures 11 and 15, and section 7.2's text"
    machine = "tilepro64"
    tolerances = {  # noqa: RUF012
        "points": 10.0,  # percentage points
        "none": 0.001,  # of all requests: a copy that a cache has lost without telling its home is still invalidated
        "growth": 1.0,  # requests a matrix
    }

    def points(self, quick: bool) -> list[Point]:
        found = []
        for pattern, runtime in itertools.product(SIZES, RUNTIMES):
            sizes = SIZES[pattern][:1] if quick else SIZES[pattern]
            cases = [(size, WORKERS[pattern][-1]) for size in sizes]
            cases += [(sizes[0], workers) for workers in WORKERS[pattern][:-1]]
            found += [
                Point(self.name, arguments(pattern, runtime, size, workers, count), part="requests")
                for (size, workers), count in itertools.product(cases, (SHORT, LONG))
            ]
        return found

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        rows = requests(measured)
        claims = published("claims").set_index("what")["value"]
        most = rows[rows["workers"] == WORKERS["farm"][-1]].set_index(["pattern", "size", "runtime"])["all"]
        for pattern, sizes in SIZES.items():
            known = [size for size in sizes if (pattern, size, "ra_udn") in most.index]
            if not known:
                continue
            each = [1 - most[pattern, size, "ra_udn"] / most[pattern, size, "ff_queue"] for size in known]
            paper = percent(next(value for what, value in claims.items() if f"L2 caches, {pattern}" in str(what)))
            note = ", ".join(f"{size}: {100 * one:.0f}%" for size, one in zip(known, each, strict=True))
            ours, tolerance = 100 * sum(each) / len(each), self.tolerances["points"] / paper
            name = f"{pattern}, fewer requests with ra_udn than with ff_queue"
            found.append(Cell(name, "%", paper, ours, "predicted", tolerance, note=note))
        farm = rows[(rows["pattern"] == "farm") & (rows["runtime"] == "ra_udn")]
        if not farm.empty:
            sent = float(farm["invalidations"].max())
            none = bool((farm["invalidations"] <= self.tolerances["none"] * farm["all"]).all())
            found.append(true_cell("farm, no invalidation with ra_udn", none, "predicted", f"{sent:.3f} a matrix"))
            smallest = farm[farm["size"] == farm["size"].min()]
            for end in ("emitter", "collector"):
                growth = float(smallest[end].max() - smallest[end].min())
                name = f"farm, ra_udn: requests at the {end}'s L2 do not grow with the workers"
                holds, note = growth <= self.tolerances["growth"], f"within {growth:.2f} a matrix"
                found.append(true_cell(name, holds, "predicted", note))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        rows = requests(measured)
        figure = Figure(figsize=(12, 4.5), layout="constrained")
        left, middle, right = figure.subplots(1, 3)
        for axes, pattern in ((left, "farm"), (middle, "map")):
            bars = rows[(rows["pattern"] == pattern) & (rows["workers"] == WORKERS[pattern][-1])]
            places = range(len(bars))
            bottom = pd.Series(0.0, index=bars.index)
            for kind in KINDS:
                axes.bar(places, bars[kind], bottom=bottom, label=kind)
                bottom += bars[kind]
            axes.set_xticks(places, [f"{row.runtime}\n{row.size}" for row in bars.itertuples()], fontsize="x-small")
            axes.set(title=f"{pattern}, {WORKERS[pattern][-1]} workers", ylabel="requests a matrix", yscale="log")
            axes.legend(fontsize="small")
        farm = rows[(rows["pattern"] == "farm") & (rows["size"] == SIZES["farm"][0])].sort_values("workers")
        for runtime, end in itertools.product(RUNTIMES, ("emitter", "collector")):
            own = farm[farm["runtime"] == runtime]
            style = "-" if end == "emitter" else "--"
            colour = f"C{RUNTIMES.index(runtime)}"
            right.plot(own["workers"], own[end], f"s{style}", ms=4, color=colour, label=f"{runtime}, {end}")
        right.set(title="at the farm's ends", xlabel="workers", ylabel="requests a matrix")
        right.legend(fontsize="x-small")
        right.grid(alpha=0.3)
        figure.suptitle(self.title)
        return figure


def arguments(pattern: str, runtime: str, size: int, workers: int, count: int) -> tuple[str, ...]:
    """Of one run."""
    which = ("--pattern", pattern, "--runtime", runtime, "--size", str(size))
    return (*which, "--workers", str(workers), "--count", str(count))


def requests(measured: pd.DataFrame) -> pd.DataFrame:
    """A row for each pattern, run-time, size and number of workers: requests a matrix of each kind, of all, and those
    that reached the emitter's and the collector's L2.
    """
    found = []
    for key, pair in measured.groupby(["pattern", "runtime", "size", "workers"], sort=False):
        short, long = (pair[pair["count"] == count].iloc[0] for count in (SHORT, LONG))

        def at(name: str, tile: int, short: pd.Series = short, long: pd.Series = long) -> float:
            column = f"requests.{name}.{tile}"
            return (long[column] - short[column]) / (LONG - SHORT)

        tiles = [int(column.split(".")[2]) for column in measured.columns if column.startswith("requests.reads.")]
        row = dict(zip(("pattern", "runtime", "size", "workers"), key, strict=True))
        row |= {kind: sum(at(kind, tile) for tile in tiles) for kind in KINDS}
        row["all"] = sum(row[kind] for kind in KINDS)
        row |= {
            end: sum(at(kind, tile) for kind in KINDS)
            for end, tile in (("emitter", 0), ("collector", row["workers"] + 1))
        }
        found.append(row)
    return pd.DataFrame(found)


def percent(text: str) -> float:
    """The number in "57%"."""
    return float(str(text).rstrip("%"))
