"""Paper 000, table 6 and figure 14: a farm of 3 x 3 convolutions over a stream of small matrices."""

import itertools

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment
from croft.experiments.published import is_misprint, published
from croft.parameter_sweep import Point

# Which published run-time each of our channels is compared with. The paper's ra_sm homes each slot at its worker; ours
# leaves it to the machine, which hashes, until a program can name a home.
RUNTIMES = {"ra": "ra_sm"}
TYPES = ("int", "float")
SIZES = (32, 64, 128)


class FarmConvolution(Experiment):
    """Service time against the number of workers, for matrices of 32, 64 and 128 rows of int and float."""

    name = "farm_convolution"
    title = "Farm of 3 x 3 convolutions"
    source = "paper 000, table 6 and figure 14"
    machine = "tilepro64"
    tolerances = {"calibrated": 0.05, "predicted": 0.20}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        cases = [("int", 32)] if quick else list(itertools.product(TYPES, SIZES))
        workers = (1, 4, 16, 56) if quick else (1, 2, 4, 8, 16, 24, 32, 40, 48, 56)
        return [
            farm_point(kind, size, number, channel)
            for (kind, size), channel in itertools.product(cases, RUNTIMES)
            for number in (0, *workers)
        ]

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        table = published("farm_convolution")
        found = []
        for (kind, size), rows in measured.groupby(["type", "size"], sort=False):
            paper = table[(table["type"] == kind) & (table["size"] == size)].set_index("runtime")["service_time_us"]
            sequential = rows.loc[rows["workers"] == 0, "service_time_ns"].min() / 1e3
            found.append(self._cell(f"{kind} {size} sequential", paper["sequential"], sequential, "calibrated"))
            for channel, runtime in RUNTIMES.items():
                own = rows[(rows["workers"] > 0) & (rows["channel"] == channel)]
                best = own["service_time_ns"].min() / 1e3
                found.append(self._cell(f"{kind} {size} {runtime}", paper[runtime], best, "predicted"))
        return found

    def _cell(self, what: str, paper: float, ours: float, kind: str) -> Cell:
        name = f"{what} service time"
        scored = not is_misprint(self.name, name)
        return Cell(name, "us", float(paper), float(ours), kind, self.tolerances[kind], scored)

    def draw(self, measured: pd.DataFrame) -> Figure:
        table = published("farm_convolution")
        sizes = sorted(measured["size"].unique())
        figure = Figure(figsize=(1 + 4.5 * len(sizes), 4.5), layout="constrained")
        panels = figure.subplots(1, len(sizes), squeeze=False)[0]
        for axes, size in zip(panels, sizes, strict=True):
            highest = 1.0
            for number, kind in enumerate(TYPES):
                rows = speedups(measured[(measured["type"] == kind) & (measured["size"] == size)])
                if rows.empty:
                    continue
                axes.plot(rows["workers"], rows["speedup"], "s-", color=f"C{number}", label=f"{kind}, croft")
                paper = table[(table["type"] == kind) & (table["size"] == size) & (table["runtime"] == "ra_sm")]
                best = float(paper["speedup"].iloc[0])
                highest = max(highest, best, rows["speedup"].max())
                axes.axhline(best, color=f"C{number}", ls="--", label=f"{kind}, best of the paper: {best:g}")
            axes.plot([0, 56], [0, 56], color="grey", lw=0.8, label="ideal")
            axes.set(title=f"{size} x {size}", xlabel="workers", ylabel="speedup", xlim=(0, 58))
            axes.set_ylim(0, 1.4 * highest)
            axes.legend(fontsize="small")
            axes.grid(alpha=0.3)
        figure.suptitle(f"{self.title}, flags in shared memory")
        return figure


def farm_point(kind: str, size: int, workers: int, channel: str = "ra") -> Point:
    """One run of the farm; 0 workers is the sequential program. The bigger a matrix, the fewer suffice."""
    count = {32: 600, 64: 300, 128: 120}[size] if workers else {32: 100, 64: 40, 128: 20}[size]
    arguments = ("--size", str(size), "--type", kind, "--workers", str(workers), "--count", str(count))
    return Point("farm_convolution", (*arguments, "--channel", channel), {"workers": workers})


def speedups(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with workers, and the sequential service time over theirs as ``speedup``."""
    sequential = rows.loc[rows["workers"] == 0, "service_time_ns"].min()
    parallel = rows[rows["workers"] > 0].sort_values("workers")
    return parallel.assign(speedup=sequential / parallel["service_time_ns"])
