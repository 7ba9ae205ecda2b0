"""Paper 000, table 6 and figure 14: a farm of 3 x 3 convolutions over a stream of small matrices."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.published import published as published_table
from croft.experiments.service_times import Case, ServiceTimes, sequential_time
from croft.sweeps.points import Point

CHANNELS = {"ra_udn": "ra-udn", "ra_sm": "ra-hf-drop", "ff_queue": "ff-queue", "croft": "turns"}
"""What the program calls each run-time. The first two home each slot at its worker and forward it; the last is the
library's default, with as many emitters as it finds right."""
SEQUENTIAL = {32: 60, 64: 30, 128: 12}
"""How many matrices of a size the sequential program filters."""


class FarmConvolution(ServiceTimes):
    """Matrices of 32, 64 and 128 rows of int and float; the collector passes results on without reading them.

    It cannot have read them in the paper: of 32 x 32, 64 lines at 40 cycles and more (table 2) and 192 L1 misses at 8
    take longer than the 3,256 cycles published for all.
    """

    name = "farm_convolution"
    title = "Farm of 3 x 3 convolutions"
    source = "paper 000, table 6 and figure 14"
    sizes = (32, 64, 128)
    runtimes = ("ra_udn", "ra_sm", "ff_queue")
    collector = "passes"
    numbers = (1, 2, 4, 8, 16, 24, 32, 40, 48, 56)
    few_numbers = (1, 4, 16, 56)
    known = frozenset({(("int", 64), "ra_udn"), (("int", 128), "ra_udn")})  # that stores are merged

    def point(self, case: Case, runtime: str, workers: int, collector: str) -> Point:
        return farm_point(case, runtime, workers, collector)

    def draw(self, measured: pd.DataFrame) -> Figure:
        return self._panels(measured, "speedup")

    def _quantity(self, measured: pd.DataFrame, case: Case, microseconds: float, published: bool = False) -> float:
        return sequential_time(self, published_table(self.name) if published else measured, case) / microseconds


def farm_point(case: Case, runtime: str, workers: int, collector: str = "passes") -> Point:
    """One run of the farm; 0 workers is the sequential program."""
    kind, size = case
    which = ["--workers", str(workers), "--count", "3000" if workers else str(SEQUENTIAL[size])]
    if workers:
        which += ["--stable", "--channel", CHANNELS[runtime], "--emitters", "0" if runtime == "croft" else "1"]
    arguments = ("--size", str(size), "--type", kind, *which, "--collector", collector)
    return Point("farm_convolution", arguments, {"runtime": runtime, "workers": workers})


def speedups(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with workers, and the sequential service time over theirs as ``speedup``."""
    sequential = rows.loc[rows["workers"] == 0, "service_time_ns"].min()
    parallel = rows[rows["workers"] > 0].sort_values("workers")
    return parallel.assign(speedup=sequential / parallel["service_time_ns"])
