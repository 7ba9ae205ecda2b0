"""Paper 000, table 6 and figure 14: a farm of 3 x 3 convolutions over a stream of small matrices."""

import itertools

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment
from croft.experiments.published import is_misprint, published
from croft.parameter_sweep import Point

RUNTIMES = {"ra-udn": "ra_udn", "ra-hf-drop": "ra_sm", "ff-queue": "ff_queue"}
"""Which published run-time each of our channels is. Both of the first home each slot at its worker and forward it."""
TYPES = ("int", "float")
SIZES = (32, 64, 128)
WORKERS = (1, 2, 4, 8, 16, 24, 32, 40, 48, 56)
FEW_WORKERS = (1, 4, 16, 56)
SCORED = "ignore"
"""Which collector the table is compared with: one that takes results and does not read them. Reading one of 32 x 32,
64 lines at 40 cycles and more (table 2) and 192 L1 misses at 8, takes longer than the 3,256 cycles published for all."""


class FarmConvolution(Experiment):
    """Service time against the number of workers, for matrices of 32, 64 and 128 rows of int and float."""

    name = "farm_convolution"
    title = "Farm of 3 x 3 convolutions"
    source = "paper 000, table 6 and figure 14"
    machine = "tilepro64"
    tolerances = {"calibrated": 0.05, "predicted": 0.20}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        cases = [("int", 32)] if quick else list(itertools.product(TYPES, SIZES))
        found = []
        for kind, size in cases:
            found.append(farm_point(kind, size, 0))
            for channel in RUNTIMES:
                workers = FEW_WORKERS if quick else WORKERS
                found += [farm_point(kind, size, number, channel) for number in workers]
                found.append(farm_point(kind, size, workers[-1], channel, "read"))
        return found

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        table = published("farm_convolution")
        found: list[Cell] = []
        for (kind, size), rows in measured.groupby(["type", "size"], sort=False):
            paper = table[(table["type"] == kind) & (table["size"] == size)].set_index("runtime")["service_time_us"]
            sequential = rows.loc[rows["workers"] == 0, "service_time_ns"].min() / 1e3
            found.append(self._cell(f"{kind} {size} sequential", paper["sequential"], sequential, "calibrated"))
            for channel, runtime in RUNTIMES.items():
                own = rows[(rows["workers"] > 0) & (rows["channel"] == channel)]
                best = own.loc[own["collector"] == SCORED, "service_time_ns"].min() / 1e3
                reading = own.loc[own["collector"] == "read", "service_time_ns"].min() / 1e3
                note = f"{reading:.2f} if the collector reads"
                found.append(self._cell(f"{kind} {size} {runtime}", paper[runtime], best, "predicted", note))
        return [*found, *enough(found), *orders(measured, table)]

    def _cell(self, what: str, paper: float, ours: float, kind: str, note: str = "") -> Cell:
        name = f"{what} service time"
        scored = not is_misprint(self.name, name)
        return Cell(name, "us", float(paper), float(ours), kind, self.tolerances[kind], scored, note=note)

    def draw(self, measured: pd.DataFrame) -> Figure:
        table = published("farm_convolution")
        cases = list(measured[["type", "size"]].drop_duplicates().itertuples(index=False, name=None))
        columns = len({size for _, size in cases})
        figure = Figure(figsize=(1 + 4.5 * columns, 4.5 * len(cases) // columns), layout="constrained")
        panels = figure.subplots(len(cases) // columns, columns, squeeze=False).flat
        for axes, (kind, size) in zip(panels, cases, strict=True):
            rows = speedups(measured[(measured["type"] == kind) & (measured["size"] == size)])
            paper = table[(table["type"] == kind) & (table["size"] == size)].set_index("runtime")["speedup"]
            for number, (channel, runtime) in enumerate(RUNTIMES.items()):
                own = rows[(rows["channel"] == channel) & (rows["collector"] == SCORED)]
                axes.plot(own["workers"], own["speedup"], "s-", ms=4, color=f"C{number}", label=f"{runtime}, croft")
                axes.axhline(
                    float(paper[runtime]), color=f"C{number}", ls="--", lw=1, label=f"best published: {paper[runtime]:g}"
                )
            axes.plot([0, 56], [0, 56], color="grey", lw=0.8, label="ideal")
            axes.set(title=f"{size} x {size} {kind}", xlabel="workers", ylabel="speedup", xlim=(0, 58))
            axes.set_ylim(0, 1.1 * max(float(paper.max()), float(rows["speedup"].max())))
            axes.legend(fontsize="x-small")
            axes.grid(alpha=0.3)
        figure.suptitle(self.title)
        return figure


def farm_point(kind: str, size: int, workers: int, channel: str = "ra", collector: str = SCORED) -> Point:
    """One run of the farm; 0 workers is the sequential program. The bigger a matrix, the fewer suffice."""
    count = {32: 600, 64: 400, 128: 300}[size] if workers else {32: 60, 64: 30, 128: 12}[size]
    arguments = ("--size", str(size), "--type", kind, "--workers", str(workers), "--count", str(count))
    return Point(
        "farm_convolution", (*arguments, "--channel", channel, "--collector", collector), {"workers": workers}
    )


def speedups(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with workers, and the sequential service time over theirs as ``speedup``."""
    sequential = rows.loc[rows["workers"] == 0, "service_time_ns"].min()
    parallel = rows[rows["workers"] > 0].sort_values("workers")
    return parallel.assign(speedup=sequential / parallel["service_time_ns"])
