"""Papers 001 and 004, tables IV and V, figures 14 and 15: a map of matrix-vector products over a stream of matrices."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell
from croft.experiments.service_times import Case, ServiceTimes, label


class MapMatvec(ServiceTimes):
    """c = A b for matrices of 56, 112 and 168 rows of int and float; the collector passes its pointers on."""

    name = "map_matvec"
    title = "Map of matrix-vector products"
    source = "papers 001 and 004, tables IV and V, figures 14 and 15"
    sizes = (56, 112, 168)
    runtimes = ("udn_tree", "sm_tree", "fastflow", "sm_linear", "lock_queue")
    collector = "passes"

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
