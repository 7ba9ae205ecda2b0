"""Paper 003, figures 7 and 8: a farm over a stream of matrix multiplications, its data homed by three policies."""

import re
from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from croft.experiments.experiment import Cell, Experiment, true_cell
from croft.experiments.published import claim
from croft.sweeps.points import Point

POLICIES = {"hhn": "hashed homes (HHN)", "nhn": "no homes (NHN)", "fhn": "home at the worker (FHN)"}
MOST_WORKERS = 54
GOOD = 0.8
"""A number of workers to which a program scales, or scales very well, has this part of them as its scalability."""
ROUNDS = {64: 4, 128: 3}
"""How many matrices each worker gets; the first quarter and the last are not measured."""
SEQUENTIAL = 6


class StreamMatmul(Experiment):
    """C = A B for matrices of 64 and 128 rows of int. Speedup: over the sequential program with hashed homes.

    Scalability: over one worker with the same policy.
    """

    name = "stream_matmul"
    title = "Farm of matrix multiplications"
    source = "paper 003, figures 7 and 8"
    machine = "tilepro64"
    tolerances = {"predicted": 0.20, "sequential": 0.05}  # noqa: RUF012
    numbers = {64: (1, 10, 20, 32, 42, MOST_WORKERS), 128: (1, 20, MOST_WORKERS)}  # noqa: RUF012
    few_numbers = {64: (1, 20, MOST_WORKERS), 128: ()}  # noqa: RUF012
    """Of workers; the few are those of a quick run."""

    def points(self, quick: bool) -> list[Point]:
        numbers = self.few_numbers if quick else self.numbers
        return [
            self.point(size, policy, number) for size in ROUNDS for policy in POLICIES for number in (0, *numbers[size])
        ]

    def point(self, size: int, policy: str, workers: int) -> Point:
        """One run; 0 workers is the sequential program."""
        count = max(SEQUENTIAL, ROUNDS[size] * workers)
        arguments = ("--size", size, "--policy", policy, "--workers", workers, "--count", count)
        return Point(self.name, tuple(map(str, arguments)))

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        tolerance = self.tolerances["predicted"]
        found = [*self._smaller(measured, tolerance), *self._larger(measured, tolerance)]
        alone = {policy: service_time(measured, 128, policy, 0) for policy in ("hhn", "nhn")}
        slower = 1 + percent(claim("128x128 int sequential: incoherent pages slower than hashed homing by"))
        name = "128, sequential: nhn over hhn"
        found.append(Cell(name, "", slower, alone["nhn"] / alone["hhn"], "predicted", self.tolerances["sequential"]))
        return found

    def _smaller(self, measured: pd.DataFrame, tolerance: float) -> list[Cell]:
        most = {policy: scalability(measured, 64, policy, MOST_WORKERS) for policy in POLICIES}
        published = numbers_of(claim("64x64 int stream multiplication: hashed homing scales to about"))[0]
        found = [
            Cell("64, hhn scales to", "workers", published, scales_to(measured, 64, "hhn"), "predicted", tolerance)
        ]
        for policy in ("nhn", "fhn"):
            holds = most[policy] >= GOOD * MOST_WORKERS
            name = f"64, {policy}: very good scalability at {MOST_WORKERS} workers"
            found.append(true_cell(name, holds, "predicted", f"{most[policy]:.1f}"))
        name = f"64, {MOST_WORKERS} workers: hhn behind nhn and fhn"
        times = {policy: service_time(measured, 64, policy, MOST_WORKERS) for policy in POLICIES}
        note = ", ".join(f"{policy} {time / 1e3:.1f} us" for policy, time in times.items())
        return [*found, true_cell(name, times["hhn"] > max(times["nhn"], times["fhn"]), "predicted", note)]

    def _larger(self, measured: pd.DataFrame, tolerance: float) -> list[Cell]:
        if rows_of(measured, 128, "nhn", MOST_WORKERS).empty:
            return []
        scaled, faster = numbers_of(claim("128x128 int, incoherent pages, 54 workers: scalability / speedup"))
        ours = scalability(measured, 128, "nhn", MOST_WORKERS), speedup(measured, 128, "nhn", MOST_WORKERS)
        times = {policy: service_time(measured, 128, policy, MOST_WORKERS) for policy in POLICIES}
        note = ", ".join(f"{policy} {time / 1e6:.3f} ms" for policy, time in times.items())
        name = f"128, nhn, {MOST_WORKERS} workers"
        return [
            Cell(f"{name}: scalability", "", scaled, ours[0], "predicted", tolerance),
            Cell(f"{name}: speedup", "", faster, ours[1], "predicted", tolerance),
            true_cell(f"{name}: its speedup is below its scalability", ours[1] < ours[0], "predicted"),
            true_cell(
                f"128, {MOST_WORKERS} workers: nhn before the others",
                times["nhn"] == min(times.values()),
                "predicted",
                note,
            ),
        ]

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(14, 4.6), layout="constrained")
        left, middle, right = figure.subplots(1, 3)
        for axes, size in ((left, 64), (middle, 128)):
            for number, (policy, label) in enumerate(POLICIES.items()):
                curve(axes, measured, size, policy, scalability, f"C{number}", label)
            axes.set(title=f"{size} x {size} int", ylabel="scalability")
        curve(right, measured, 128, "nhn", scalability, "C1", "scalability")
        curve(right, measured, 128, "nhn", speedup, "C3", "speedup")
        scaled, faster = numbers_of(claim("128x128 int, incoherent pages, 54 workers: scalability / speedup"))
        right.plot(MOST_WORKERS, scaled, "o", mfc="none", ms=9, color="C1", label=f"paper, scalability: {scaled:g}")
        right.plot(MOST_WORKERS, faster, "o", mfc="none", ms=9, color="C3", label=f"paper, speedup: {faster:g}")
        right.set(title="128 x 128 int, no homes", ylabel="over one worker; over the sequential program")
        for axes in (left, middle, right):
            axes.plot([0, MOST_WORKERS], [0, MOST_WORKERS], color="grey", ls=":", lw=1)
            axes.set(xlabel="workers", xlim=(0, MOST_WORKERS + 2), ylim=(0, MOST_WORKERS + 2))
            axes.legend(fontsize="small", loc="upper left")
            axes.grid(alpha=0.3)
        figure.suptitle(self.title)
        return figure


Quantity = Callable[[pd.DataFrame, int, str, int], float]


def curve(
    axes: Axes,
    measured: pd.DataFrame,
    size: int,
    policy: str,
    quantity: Quantity,
    colour: str,
    label: str,
    style: str = "s-",
) -> None:
    """``quantity``, a function of a run, against the number of workers."""
    workers = worker_numbers(measured, size, policy)
    values = [quantity(measured, size, policy, number) for number in workers]
    if workers:
        axes.plot(workers, values, style, ms=4, color=colour, label=f"{label}, croft")


def rows_of(measured: pd.DataFrame, size: int, policy: str, workers: int) -> pd.DataFrame:
    """The runs of a case; 0 workers is the sequential program."""
    return measured[(measured["size"] == size) & (measured["policy"] == policy) & (measured["workers"] == workers)]


def worker_numbers(measured: pd.DataFrame, size: int, policy: str) -> list[int]:
    """With how many workers a case was measured."""
    same = measured[(measured["size"] == size) & (measured["policy"] == policy) & (measured["workers"] > 0)]
    return sorted(int(number) for number in same["workers"])


def service_time(measured: pd.DataFrame, size: int, policy: str, workers: int) -> float:
    """In nanoseconds."""
    return float(rows_of(measured, size, policy, workers)["service_time_ns"].iloc[0])


def scalability(measured: pd.DataFrame, size: int, policy: str, workers: int) -> float:
    """Over one worker with the same policy."""
    return service_time(measured, size, policy, 1) / service_time(measured, size, policy, workers)


def speedup(measured: pd.DataFrame, size: int, policy: str, workers: int) -> float:
    """Over the sequential program with hashed homes."""
    return service_time(measured, size, "hhn", 0) / service_time(measured, size, policy, workers)


def scales_to(measured: pd.DataFrame, size: int, policy: str) -> int:
    """The largest number of workers, of those measured, up to which scalability is good."""
    reached = 0
    for number in worker_numbers(measured, size, policy):
        if scalability(measured, size, policy, number) < GOOD * number:
            break
        reached = number
    return reached


def numbers_of(text: str) -> list[float]:
    """The numbers in a claim's value."""
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def percent(text: str) -> float:
    """A claim's percentage, as a part of one."""
    return numbers_of(text)[0] / 100
