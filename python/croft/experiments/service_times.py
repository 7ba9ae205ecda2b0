"""What the papers' tables of service times have in common: a stream of matrices, worked on by 1 to 56 workers."""

import itertools
import math
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, Kind, true_cell
from croft.experiments.published import is_misprint, published
from croft.sweeps.points import Point

TYPES = ("int", "float")
WORKERS = (1, 4, 8, 14, 28, 42, 56)
MOST_WORKERS = 56
MOST_MATRICES = 3000
"""A stream ends when its service time is stable to 1%, not before 300 matrices; at the latest after so many."""
TIED = 0.05
"""Published service times that differ by less than this are in no order: the papers' standard deviation is larger."""
ENOUGH, FAR_OFF, FEW = 0.75, 2.0, 0.05
"""The rule for all service times together: how many have to be within the tolerance, and how few beyond a factor."""

Case = tuple[str, int]


class ServiceTimes(Experiment):
    """Service time against the number of workers, for each run-time, size and type; the best one is the table's."""

    machine = "tilepro64"
    tolerances = {"calibrated": 0.05, "predicted": 0.20}  # noqa: RUF012
    sizes: tuple[int, ...]
    runtimes: tuple[str, ...]
    """As the table and the program call them, the fastest first."""
    collector: str
    """What the paper's collector does with a result, "reads" or "passes"; the other one is measured as well."""
    numbers: tuple[int, ...] = (1, 2, 4, 8, 14, 28, 42, MOST_WORKERS)
    few_numbers: tuple[int, ...] = (1, 8, 28, MOST_WORKERS)
    """Of workers; the few are those of a quick run."""
    known: frozenset[tuple[Case, str]] = frozenset()
    """Cells that decided that a mechanism is there: no predictions, though nothing was set to meet them."""

    def points(self, quick: bool) -> list[Point]:
        cases = [("int", self.sizes[0])] if quick else list(itertools.product(TYPES, self.sizes))
        numbers = self.few_numbers if quick else self.numbers
        found = [self.point(case, "sequential", 0, self.collector) for case in cases]
        for case, runtime in itertools.product(cases, self.runtimes):
            found += [self.point(case, runtime, number, self.collector) for number in numbers]
            found.append(self.point(case, runtime, MOST_WORKERS, self.other_collector))
        return found

    @property
    def other_collector(self) -> str:
        """What the collector does in the runs that are shown and not scored."""
        return "passes" if self.collector == "reads" else "reads"

    def point(self, case: Case, runtime: str, workers: int, collector: str) -> Point:
        """One run; 0 workers is the sequential program."""
        which = ("--sequential",) if workers == 0 else ("--runtime", runtime, "--workers", str(workers))
        length = ("--stable", "--count", str(MOST_MATRICES))
        size = ("--type", case[0], "--size", str(case[1]))
        return Point(self.name, (*which, *size, *length, "--collector", collector))

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        table = published(self.name)
        times: list[Cell] = []
        others: list[Cell] = []
        for case in cases_of(measured):
            for runtime in ("sequential", *self.runtimes):
                paper = row_of(table, case, runtime)
                ours = rows_of(measured, case, runtime, self.collector)
                if paper is None or ours.empty:
                    continue
                best = ours.loc[ours["service_time_ns"].idxmin()]
                times.append(self._service_time(case, runtime, paper, best))
                others += self._others(case, runtime, paper, ours)
                others += self._other_collector(case, runtime, paper, measured)
        predicted = [cell for cell in times if cell.kind == "predicted"]
        return [*times, *self._rule(predicted), *self._orders(measured), *self._narrowings(measured), *others]

    def _service_time(self, case: Case, runtime: str, paper: pd.Series, best: pd.Series) -> Cell:
        tolerance = self.tolerances["calibrated" if runtime == "sequential" else "predicted"]
        kind: Kind = "calibrated" if runtime == "sequential" or (case, runtime) in self.known else "predicted"
        name = f"{label(case, runtime)} service time"
        note = "" if runtime == "sequential" else f"{best['workers']} workers"
        scored = not is_misprint(self.name, name)
        ours = best["service_time_ns"] / 1e3
        return Cell(name, "us", paper["service_time_us"], ours, kind, tolerance, scored, note)

    def _others(self, case: Case, runtime: str, paper: pd.Series, ours: pd.DataFrame) -> list[Cell]:
        """What else the table has of a run-time; it follows from the service times and is not scored."""
        return []

    def _other_collector(self, case: Case, runtime: str, paper: pd.Series, measured: pd.DataFrame) -> list[Cell]:
        rows = rows_of(measured, case, runtime, self.other_collector)
        if rows.empty:
            return []
        name = f"{label(case, runtime)} service time, the collector {self.other_collector}"
        ours, note = rows["service_time_ns"].min() / 1e3, f"{MOST_WORKERS} workers"
        return [
            Cell(name, "us", paper["service_time_us"], ours, "predicted", self.tolerances["predicted"], False, note)
        ]

    def _rule(self, cells: Sequence[Cell]) -> list[Cell]:
        scored = [cell for cell in cells if cell.scored]
        if not scored:
            return []
        near = sum(cell.ok for cell in scored)
        far = sum(cell.miss > math.log(FAR_OFF) for cell in scored)
        near_name = f"at least {ENOUGH:.0%} of the service times within {self.tolerances['predicted']:.0%}"
        far_name = f"at most {FEW:.0%} of them off by more than a factor of {FAR_OFF:g}"
        return [
            true_cell(near_name, near >= ENOUGH * len(scored), "predicted", f"{near} of {len(scored)}"),
            true_cell(far_name, far <= FEW * len(scored), "predicted", f"{far} of {len(scored)}"),
        ]

    def _orders(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        for case in cases_of(measured):
            paper, ours = self._times(case), best_times(measured, case, self.runtimes, self.collector)
            known = [runtime for runtime in paper if runtime in ours]
            pairs = [(a, b) for a, b in itertools.permutations(known, 2) if paper[a] * (1 + TIED) <= paper[b]]
            wrong = [f"{a} not before {b}" for a, b in pairs if ours[a] >= ours[b]]
            if pairs:
                found.append(true_cell(f"{label(case)} order as published", not wrong, "predicted", ", ".join(wrong)))
        return found

    def _narrowings(self, measured: pd.DataFrame) -> list[Cell]:
        """That the others come nearer to the fastest run-time as matrices grow, where they do in the paper."""
        found = []
        cases = cases_of(measured)
        for kind, slower in itertools.product(TYPES, self.runtimes[1:]):
            of_kind = [case for case in cases if case[0] == kind]
            if len(of_kind) < 2:
                continue
            paper = [ratio(self._times(case), slower, self.runtimes[0]) for case in of_kind]
            ours = [
                ratio(best_times(measured, case, self.runtimes, self.collector), slower, self.runtimes[0])
                for case in of_kind
            ]
            if falling(paper):
                note = " > ".join(f"{each:.2f}" for each in ours)
                name = f"{kind}, {slower} comes nearer to {self.runtimes[0]} as matrices grow"
                found.append(true_cell(name, falling(ours), "predicted", note))
        return found

    def _times(self, case: Case) -> dict[str, float]:
        rows = {runtime: row_of(published(self.name), case, runtime) for runtime in self.runtimes}
        return {runtime: float(row["service_time_us"]) for runtime, row in rows.items() if row is not None}

    def _panels(self, measured: pd.DataFrame, quantity: str) -> Figure:
        """A panel a case: ``quantity`` of each run (what _quantity makes of it) against the number of workers."""
        cases = cases_of(measured)
        columns = len({size for _, size in cases})
        figure = Figure(figsize=(1 + 4.5 * columns, 0.6 + 4 * len(cases) // columns), layout="constrained")
        panels: list[Axes] = list(figure.subplots(len(cases) // columns, columns, squeeze=False).flat)
        for axes, case in zip(panels, cases, strict=True):
            for number, runtime in enumerate(self.runtimes):
                rows = rows_of(measured, case, runtime, self.collector).sort_values("workers")
                paper = row_of(published(self.name), case, runtime)
                if rows.empty or paper is None:
                    continue
                ours = [self._quantity(measured, case, each) for each in rows["service_time_ns"] / 1e3]
                theirs = self._quantity(measured, case, float(paper["service_time_us"]), published=True)
                axes.plot(rows["workers"], ours, "s-", ms=4, color=f"C{number}", label=f"{runtime}, croft")
                axes.axhline(theirs, color=f"C{number}", ls="--", lw=1, label=f"best of the paper: {theirs:.3g}")
            axes.set(title=f"{case[1]} x {case[1]} {case[0]}", xlabel="workers", ylabel=quantity, xlim=(0, 58))
            axes.set_ylim(0, 1.5 * axes.get_ylim()[1])  # room for the legend
            axes.legend(fontsize="x-small", ncols=2, loc="upper left")
            axes.grid(alpha=0.3)
        figure.suptitle(self.title)
        return figure

    def _quantity(self, measured: pd.DataFrame, case: Case, microseconds: float, published: bool = False) -> float:
        """What the figure shows of a service time."""
        raise NotImplementedError


def cases_of(measured: pd.DataFrame) -> list[Case]:
    """The types and sizes that were measured."""
    return list(measured[["type", "size"]].drop_duplicates().itertuples(index=False, name=None))


def rows_of(measured: pd.DataFrame, case: Case, runtime: str, collector: str) -> pd.DataFrame:
    """The runs of a run-time."""
    same = (measured["type"] == case[0]) & (measured["size"] == case[1]) & (measured["runtime"] == runtime)
    return measured[same & (measured["collector"] == collector)]


def row_of(table: pd.DataFrame, case: Case, runtime: str) -> pd.Series | None:
    """A published row; None if there is none."""
    rows = table[(table["type"] == case[0]) & (table["size"] == case[1]) & (table["runtime"] == runtime)]
    return None if rows.empty else rows.iloc[0]


def sequential_time(experiment: ServiceTimes, table: pd.DataFrame, case: Case) -> float:
    """Of a published table, or of what was measured, in microseconds."""
    if "service_time_us" in table.columns:
        paper = row_of(table, case, "sequential")
        return float("nan") if paper is None else float(paper["service_time_us"])
    return float(rows_of(table, case, "sequential", experiment.collector)["service_time_ns"].min()) / 1e3


def best_times(measured: pd.DataFrame, case: Case, runtimes: Sequence[str], collector: str) -> dict[str, float]:
    """The best service time of each run-time that was measured, in microseconds."""
    rows = {runtime: rows_of(measured, case, runtime, collector) for runtime in runtimes}
    return {runtime: float(found["service_time_ns"].min()) / 1e3 for runtime, found in rows.items() if not found.empty}


def ratio(times: dict[str, float], slower: str, fastest: str) -> float:
    """By how much one run-time is slower than another."""
    return times[slower] / times[fastest]


def falling(numbers: Sequence[float]) -> bool:
    """Whether each is less than the one before."""
    return all(a > b for a, b in itertools.pairwise(numbers))


def label(case: Case, runtime: str = "") -> str:
    """A case's name in tables."""
    return " ".join([case[0], str(case[1]), *([runtime] if runtime else [])])
