"""Conducts an experiment: runs it, writes its tables and figures, gives its verdict."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from croft.base.errors import UsageError
from croft.experiments.accelerator import Accelerator
from croft.experiments.bigtiny_256 import BigTiny256
from croft.experiments.bigtiny_speedup import BigTinySpeedup
from croft.experiments.chips import Chips
from croft.experiments.coherence_operations import CoherenceOperations
from croft.experiments.coherence_requests import CoherenceRequests
from croft.experiments.contention import Contention
from croft.experiments.defaults import Defaults
from croft.experiments.energy import Energy
from croft.experiments.experiment import Cell, Experiment, cells_frame, verdict
from croft.experiments.farm_convolution import FarmConvolution
from croft.experiments.forwarding import Forwarding
from croft.experiments.grain import Grain
from croft.experiments.granularity import Granularity
from croft.experiments.map_gemv import MapGemv
from croft.experiments.map_matvec import MapMatvec
from croft.experiments.memory_grain import MemoryGrain
from croft.experiments.names import check_name
from croft.experiments.native_latency import NativeLatency
from croft.experiments.o3x1_calibration import O3x1Calibration
from croft.experiments.own_stealing import OwnStealing
from croft.experiments.pingpong import PingPong
from croft.experiments.queue_latency import QueueLatency
from croft.experiments.read_latency import ReadLatency
from croft.experiments.scaling import Scaling
from croft.experiments.selection import Selection
from croft.experiments.sg2042 import Sg2042
from croft.experiments.stream_matmul import StreamMatmul
from croft.experiments.time_breakdown import TimeBreakdown
from croft.experiments.traffic import Traffic
from croft.experiments.uli import Uli
from croft.experiments.work_span import WorkSpan
from croft.experiments.write_latency import WriteLatency
from croft.experiments.xeon_latency import XeonLatency
from croft.sweeps.many_runs import How

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for each in (
        ReadLatency(),
        WriteLatency(),
        NativeLatency(),
        XeonLatency(),
        Contention(),
        PingPong(),
        Selection(),
        QueueLatency(),
        FarmConvolution(),
        CoherenceRequests(),
        Defaults(),
        MapMatvec(),
        MapGemv(),
        StreamMatmul(),
        Accelerator(),
        Grain(),
        MemoryGrain(),
        O3x1Calibration(),
        BigTinySpeedup(),
        CoherenceOperations(),
        TimeBreakdown(),
        Traffic(),
        Uli(),
        BigTiny256(),
        WorkSpan(),
        Granularity(),
        Energy(),
        OwnStealing(),
        Sg2042(),
        Chips(),
        Forwarding(),
        Scaling(),
    )
}


@dataclass(frozen=True)
class ExperimentResult:
    """The measurements of an experiment. ``measured`` has a row for each measurement, ``table`` one for each cell."""

    name: str
    measured: pd.DataFrame
    cells: list[Cell]
    figure: Figure

    @property
    def table(self) -> pd.DataFrame:
        """Published beside measured."""
        return cells_frame(self.cells)

    def summary(self, most: int = 60) -> pd.DataFrame:
        """The table to look at: fewer columns, and of more than ``most`` cells only those that fall short."""
        shown = [cell for cell in self.cells if len(self.cells) <= most or not (cell.ok and cell.scored)]
        rows = [
            [
                cell.name,
                "" if cell.unit == "true" else cell.unit,
                cell.published,
                cell.measured,
                cell.ratio,
                cell.kind,
                "ok" if cell.ok else "short" if cell.scored else "not scored",
                cell.note,
            ]
            for cell in shown
        ]
        columns = ["cell", "unit", "published", "measured", "ratio", "kind", "", "note"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def passed(self) -> bool:
        """Whether every scored cell is within its tolerance."""
        return all(cell.ok for cell in self.cells if cell.scored)

    @property
    def verdict(self) -> str:
        """One line: ``verdict: NAME pass|short|unscored CELLS_OK/CELLS worst=RATIO``."""
        return verdict(self.name, self.cells)

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes both tables as CSV and the figure as SVG and PNG; returns the files. Raises UsageError."""
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tables = {folder / f"{self.name}.csv": self.table, folder / f"{self.name}-runs.csv": self.measured}
            for path, table in tables.items():
                table.to_csv(path, index=False)
            return [*tables, *save_figure(self.figure, folder / self.name)]
        except OSError as error:
            raise UsageError(f"{folder}: {error.strerror}") from error


def save_figure(figure: Figure, stem: Path) -> list[Path]:
    """Saves a figure as ``STEM.svg`` and ``STEM.png``, with no date or random name inside; returns both paths."""
    svg, png = stem.with_suffix(".svg"), stem.with_suffix(".png")
    with mpl.rc_context({"svg.hashsalt": "croft"}):
        figure.savefig(svg, metadata={"Date": None})
    figure.savefig(png, dpi=150)
    return [svg, png]


def experiment(
    name: str,
    *,
    quick: bool = False,
    jobs: int | None = None,
    on: str | None = None,
    store: str | None = None,
    fresh: bool = False,
    keys: Mapping[str, object] | None = None,
    said: str | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> ExperimentResult:
    """Runs the experiment called ``name``, ``jobs`` runs at a time (default: one a core).

    They go ``on`` threads of this host or a Dask cluster ("dask", "tcp://HOST:PORT", "scheduler.json"). They are kept
    in ``store`` (default: croft's cache), and shared with other experiments; with ``fresh`` they are done again.

    ``keys`` are keys of its machine that are to have other values than the paper's machine has, and ``said`` how errors
    name them, as in Machine.with_keys.

    Raises UsageError for an unknown name, and for keys if the experiment has several machines. Raises MachineError, and
    CroftError if a run that it cannot do without has failed.
    """
    check_name(name)
    chosen = EXPERIMENTS[name]
    if keys:
        chosen = chosen.on_machine_with(keys, said)
    measured = chosen.measure(quick, How(jobs, on, store, fresh, tell))
    return ExperimentResult(name, measured, chosen.cells(measured), chosen.draw(measured))
