"""Papers 001 and 004, tables IV and V, figures 14 and 15: a map of matrix-vector products over a stream of matrices."""

import itertools

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell
from croft.experiments.published import published
from croft.experiments.service_times import TYPES, Case, ServiceTimes, cases_of, label, row_of, rows_of
from croft.sweeps.points import Point


class MapMatvec(ServiceTimes):
    """c = A b for matrices of 56, 112 and 168 rows of int and float; the collector passes its pointers on."""

    name = "map_matvec"
    title = "Map of matrix-vector products"
    source = "papers 001 and 004, tables IV and V, figures 14 and 15"
    sizes = (56, 112, 168)
    runtimes = ("udn_tree", "sm_tree", "fastflow", "sm_linear", "lock_queue")
    own = {"ra_home_tree": "sm_tree", "ra_home_linear": "sm_linear"}  # noqa: RUF012
    """The run-times over croft's own form of a channel, which are shown beside those over the paper's."""
    collector = "passes"

    def points(self, quick: bool) -> list[Point]:
        cases = [("int", self.sizes[0])] if quick else itertools.product(TYPES, self.sizes)
        return super().points(quick) + [
            self.point(case, runtime, number, self.collector)
            for case, runtime in itertools.product(cases, self.own)
            for number in self.few_numbers
        ]

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = super().cells(measured)
        for case, (own, runtime) in itertools.product(cases_of(measured), self.own.items()):
            paper = row_of(published(self.name), case, runtime)
            ours = rows_of(measured, case, own, self.collector)
            if paper is not None and not ours.empty:
                best = ours.loc[ours["service_time_ns"].idxmin()]
                name, note = f"{label(case, own)} service time, beside {runtime}", f"{best['workers']} workers"
                times = float(paper["service_time_us"]), best["service_time_ns"] / 1e3
                found.append(Cell(name, "us", *times, "predicted", self.tolerances["predicted"], False, note))
        return found

    def _others(self, case: Case, runtime: str, paper: pd.Series, ours: pd.DataFrame) -> list[Cell]:
        best = float(ours["service_time_ns"].min()) / 1e3
        alone = ours.loc[ours["workers"] == 1, "service_time_ns"]
        tolerance = self.tolerances["predicted"]
        gigabits = Cell(
            f"{label(case, runtime)} throughput",
            "Gb/s",
            float(paper["throughput_gbps"]),
            throughput(case, best),
            "predicted",
            tolerance,
            False,
        )
        if alone.empty:
            return [gigabits]
        scalability = float(alone.iloc[0]) / 1e3 / best
        name = f"{label(case, runtime)} scalability"
        return [gigabits, Cell(name, "", float(paper["scalability"]), scalability, "predicted", tolerance, False)]

    def draw(self, measured: pd.DataFrame) -> Figure:
        return self._panels(measured, "throughput, Gb/s")

    def _quantity(self, measured: pd.DataFrame, case: Case, microseconds: float, published: bool = False) -> float:
        return throughput(case, microseconds)


def throughput(case: Case, microseconds: float) -> float:
    """Gigabits of matrices a second, of 32 bits an element, at a service time."""
    return 32 * case[1] ** 2 / microseconds / 1e3
