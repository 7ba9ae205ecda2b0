"""How a farm, a map, a parallel loop and fork-join scale to 1,023 cores, and what takes the cores' time there."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from croft.base.errors import CroftError
from croft.experiments.experiment import Cell, Experiment
from croft.machines.file import machine
from croft.reports.findings.time_spent import CAUSES_IN_WORDS
from croft.results import fields
from croft.sweeps.kept_runs import KeptRun
from croft.sweeps.many_runs import How, run_many
from croft.sweeps.points import Point, work_of

CORES = {"manycore-1024": (1, 4, 16, 64, 256, 1023), "tilepro64": (1, 4, 16, 64)}
QUICK_CORES = (1, 4, 16)
"""On the first machine alone."""
TASKS_BY = {"manycore-1024": "direct_stealing", "tilepro64": "default"}
"""The run-times of tasks. A worker of the default one zeroes 64 KiB more as it starts, and 1,023 start in turn."""
MOST_EMITTERS = 64
CORES_AN_EMITTER = 10
"""An emitter makes a matrix in about an eighth of the time that a worker takes for it, and a collector reads it."""
ITEMS_A_WORKER, LEAST_ITEMS = 2, 512


@dataclass(frozen=True)
class Problem:
    """One pattern at work on something of fixed size. Its program prints a line that begins with ``line``, of which the
    field ``time`` says how long that took."""

    title: str
    program: str
    line: str
    time: str
    arguments: Callable[[str, int, bool], tuple[str, ...]]
    """Of a machine, the cores, and whether it is to be quick."""


def _farm(cores: int, emitters: int) -> tuple[str, ...]:
    size = ("--size", "32")
    if cores == 1:
        return (*size, "--sequential", "--count", "256")
    workers = cores - 2 * emitters
    count = max(LEAST_ITEMS, ITEMS_A_WORKER * workers)
    roles = ("--workers", workers, "--emitters", emitters, "--collectors", emitters)
    return (*size, *map(str, roles), "--count", str(count))


def _emitters(cores: int) -> int:
    return min(max(1, cores // CORES_AN_EMITTER), MOST_EMITTERS)


def _map(cores: int) -> tuple[str, ...]:
    # A thread each for who makes the items and who collects them.
    return ("--workers", str(0 if cores == 1 else cores - 2), "--multiplications", "1000000")


def _tasks(chip: str, cores: int) -> tuple[str, ...]:
    return ("--runtime", TASKS_BY[chip], "--workers", str(cores))


def _loop(chip: str, cores: int, quick: bool) -> tuple[str, ...]:
    graph = ("--rmat", "500", "--edges", "4000") if quick else ("--rmat", "4000", "--edges", "40000")
    return (*graph, "--grain", "1", *_tasks(chip, cores))


def _fork_join(chip: str, cores: int, quick: bool) -> tuple[str, ...]:
    return ("--size", "7" if quick else "9", "--grain", "4", *_tasks(chip, cores))


PROBLEMS = {
    "farm": Problem(
        "farm, one emitter: a stream of 32 x 32 matrices",
        "farm_convolution",
        "farm_convolution",
        "service_time_cycles",
        lambda chip, cores, quick: _farm(cores, 1),
    ),
    "wide_farm": Problem(
        "farm, an emitter for ten cores, 64 at most: the same",
        "farm_convolution",
        "farm_convolution",
        "service_time_cycles",
        lambda chip, cores, quick: _farm(cores, _emitters(cores)),
    ),
    "map": Problem(
        "map: items of 1,000,000 multiplications",
        "grain",
        "grain",
        "service_time_cycles",
        lambda chip, cores, quick: _map(cores),
    ),
    "loop": Problem("parallel loop: triangles of a graph", "graph/triangles", "ligra-tc", "cycles", _loop),
    "fork_join": Problem("fork-join: queens", "cilk5/queens", "cilk5-nq", "cycles", _fork_join),
}


class Scaling(Experiment):
    """Speedup over one core, of problems whose size does not grow with the cores.

    One core runs a farm's or a map's work in one thread, without the pattern. It runs tasks by the run-time with one
    worker. Nothing is published. So a cell has the cores where others have a published number. Its note says what took
    the cores' time: of tasks in the measured region, else in the whole run. Scored is only that no map is faster than
    its cores: its work is in registers, so it gains nothing from more caches.
    """

    name = "scaling"
    title = "Speedup on up to 1,023 cores"
    source = "none: croft's patterns, on croft's largest machine and on the TILEPro64"
    machine = "manycore-1024, tilepro64"
    tolerances = {"cores": 0.0}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        chips = dict([next(iter(CORES.items()))]) if quick else CORES
        return [
            Point(
                problem.program,
                problem.arguments(chip, cores, quick),
                {"problem": name, "machine": chip, "cores": cores},
                machine=machine(chip),
                statistics=("core.active", *(f"core.{cause}" for cause in CAUSES_IN_WORDS)),
            )
            for chip, numbers in chips.items()
            for name, problem in PROBLEMS.items()
            for cores in (QUICK_CORES if quick else numbers)
        ]

    def measure(self, quick: bool, how: How) -> pd.DataFrame:
        points = self.points(quick)
        outcomes = run_many(self.name, [work_of(point, None, must_print=False) for point in points], how)
        failed = [done.failed for done in outcomes if not done.kept]
        if failed:
            raise CroftError(
                f"{self.name}: {len(failed)} of {len(points)} runs failed, the others are kept: {failed[0]}"
            )
        return pd.DataFrame([_row(point, done.kept) for point, done in zip(points, outcomes, strict=True) if done.kept])

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        table = speedups(measured)
        parallel = table[table["cores"] > 1]
        found = [
            Cell(
                f"{row['problem']} on {row['cores']} cores of {row['machine']}",
                "",
                float(row["cores"]),
                float(row["speedup"]),
                "predicted",
                self.tolerances["cores"],
                False,
                time_spent(row),
            )
            for _, row in parallel.iterrows()
        ]
        for chip, rows in parallel[parallel["problem"] == "map"].groupby("machine"):
            spare = float((rows["cores"] / rows["speedup"]).min())
            name = f"cores over the map's speedup on {chip}, the least"
            tolerance = self.tolerances["cores"]
            found.append(Cell(name, "", 1.0, spare, "predicted", tolerance, rule="at_least"))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        table = speedups(measured)
        chips = [chip for chip in CORES if chip in set(table["machine"])]
        figure = Figure(figsize=(6.5 * len(chips), 5), layout="constrained")
        for axes, chip in zip(figure.subplots(1, len(chips), squeeze=False)[0], chips, strict=True):
            own = table[table["machine"] == chip]
            numbers = sorted(set(own["cores"]))
            axes.loglog(numbers, numbers, color="grey", lw=0.8, label="as many as cores")
            for colour, (name, problem) in enumerate(PROBLEMS.items()):
                rows = own[own["problem"] == name].sort_values("cores")
                axes.loglog(rows["cores"], rows["speedup"], "s-", ms=4, color=f"C{colour}", label=problem.title)
            axes.set_xticks(numbers, [f"{number:,}" for number in numbers], minor=False)
            axes.minorticks_off()
            axes.set(title=chip, xlabel="cores", ylabel="speedup over one core")
            axes.grid(alpha=0.3)
        figure.axes[0].legend(fontsize="small")
        figure.suptitle(self.title)
        return figure


def _row(point: Point, kept: KeptRun) -> dict[str, object]:
    problem = PROBLEMS[str(point.labels["problem"])]
    line = fields.find(kept.text, problem.line)
    counted = {column: kept.counted(column) for column in point.statistics}
    return {**point.labels, "time": line[problem.time], "run_cycles": kept.cycles, **counted}


def speedups(measured: pd.DataFrame) -> pd.DataFrame:
    """The rows, each with its ``speedup`` over one core of its machine."""
    alone = measured[measured["cores"] == 1].set_index(["machine", "problem"])["time"]
    of = pd.MultiIndex.from_frame(measured[["machine", "problem"]])
    return measured.assign(speedup=alone.reindex(of).to_numpy() / measured["time"].to_numpy())


def time_spent(row: "pd.Series[float]", most: int = 3, least: float = 0.05) -> str:
    """What the ``most`` causes are that took at least a share of ``least`` of the cores' active time."""
    shares = {cause: row[f"core.{cause}"] / max(row["core.active"], 1) for cause in CAUSES_IN_WORDS}
    ranked = sorted(shares, key=lambda cause: -shares[cause])[:most]
    return ", ".join(f"{shares[cause]:.0%} {CAUSES_IN_WORDS[cause]}" for cause in ranked if shares[cause] >= least)
