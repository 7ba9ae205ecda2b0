"""Paper 000, table 7 and figure 16: a map of general matrix-vector products over a stream of matrices."""

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.published import published as published_table
from croft.experiments.service_times import Case, ServiceTimes, sequential_time


class MapGemv(ServiceTimes):
    """c = alpha A x + beta y for matrices of 56, 168 and 224 rows of int and float; the collector reads c."""

    name = "map_gemv"
    title = "Map of general matrix-vector products"
    source = "paper 000, table 7 and figure 16"
    sizes = (56, 168, 224)
    runtimes = ("ra_udn", "ra_sm", "ff_queue")
    collector = "reads"

    def draw(self, measured: pd.DataFrame) -> Figure:
        return self._panels(measured, "speedup")

    def _quantity(self, measured: pd.DataFrame, case: Case, microseconds: float, published: bool = False) -> float:
        return sequential_time(self, published_table(self.name) if published else measured, case) / microseconds
