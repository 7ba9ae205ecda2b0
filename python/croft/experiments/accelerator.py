"""Paper 003, figure 9: a farm of matrix multiplications on a co-processor, to which a host offloads the matrices."""

from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from croft.base.errors import CroftError
from croft.experiments.experiment import Cell, Experiment, true_cell
from croft.experiments.published import claim
from croft.experiments.stream_matmul import MOST_WORKERS, POLICIES, curve, service_time, speedup, worker_numbers
from croft.machines.file import machine
from croft.machines.model import Machine
from croft.results.result import Result
from croft.runs.host_script import HostScript
from croft.sweeps.points import Point

OFFLOADED_POLICIES = ("hhn", "nhn")
SIZES = (32, 64, 128)
SMALL = 32
ROUNDS = {32: 6, 64: 4, 128: 3}
"""How many matrices each worker gets; the first quarter and the last are not measured."""
SEQUENTIAL = 6
NUMBER_OF_B = 7
DIFFERENT = 64
"""programs/accelerator.cpp multiplies by the matrix of this number; there are so many different A."""


class Accelerator(Experiment):
    """C = A B for a stream of A and one B, square matrices of int.

    The host is a script in simulated time that offloads as fast as the link takes it, and takes results as they come.
    """

    name = "accelerator"
    title = "Matrix multiplications offloaded to a co-processor"
    source = "paper 003, figure 9"
    machine = "tilepro64"
    tolerances = {  # noqa: RUF012
        "same": 0.10,  # offloaded is as fast as stand-alone if its speedup is not below that by more
        "inconvenient": 0.20,  # offloading does not pay if its speedup is below stand-alone by this part of it or more,
        "bound": 0.10,  # and if the link is why: the service time is what a message keeps it for, within this
    }
    numbers = {32: (1, 10, 20, 32, 42, MOST_WORKERS), 64: (1, 10, 20, 32, 42, MOST_WORKERS), 128: (1, 20, MOST_WORKERS)}  # noqa: RUF012
    few_numbers = {32: (20, MOST_WORKERS), 64: (MOST_WORKERS,), 128: ()}  # noqa: RUF012
    """Of workers; the few are those of a quick run."""

    def points(self, quick: bool) -> list[Point]:
        numbers = self.few_numbers if quick else self.numbers
        sizes = [size for size in SIZES if numbers[size]]
        found = [self.point("sequential", size, "hhn", 0) for size in sizes]
        for size in sizes:
            for policy in OFFLOADED_POLICIES:
                for workers in numbers[size]:
                    found += [self.point(mode, size, policy, workers) for mode in ("alone", "offloaded")]
        for policy in OFFLOADED_POLICIES:
            found += [self.point("offloaded", SMALL, policy, workers, "whole") for workers in numbers[SMALL]]
        return found

    def point(self, mode: str, size: int, policy: str, workers: int, messages: str = "exact") -> Point:
        """One run. ``messages`` are as long as a matrix, or whole slots."""
        count = max(SEQUENTIAL, ROUNDS[size] * workers)
        arguments = ["--mode", mode, "--size", size, "--policy", policy, "--items", count, "--messages", messages]
        if workers:
            arguments += ["--workers", workers]
        host = check = None
        if mode == "offloaded":
            slots = 2 * workers + 2
            whole = machine(self.machine).host_link.slot if messages == "whole" else 0
            host = HostScript([each.ljust(whole, b"\0") for each in offered(size)], count, 0, slots, slots)

            def check(result: Result) -> None:
                check_products(result, size, count)

        return Point(self.name, tuple(map(str, arguments)), part="host_link", host=host, check=check)

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        for size in SIZES:
            for policy in OFFLOADED_POLICIES:
                if MOST_WORKERS not in worker_numbers(runs_of(measured, "offloaded"), size, policy):
                    continue
                if size == SMALL:
                    found += [self._inconvenient(measured, policy, messages) for messages in ("exact", "whole")]
                else:
                    found.append(self._same(measured, size, policy))
        return found

    def _same(self, measured: pd.DataFrame, size: int, policy: str) -> Cell:
        alone = speedup(runs_of(measured, "alone"), size, policy, MOST_WORKERS)
        offloaded = speedup(runs_of(measured, "offloaded"), size, policy, MOST_WORKERS)
        hidden = claim("64x64 and larger offloaded: as fast as stand-alone")
        note = f"{hidden}; speedups {offloaded:.1f} and {alone:.1f}"
        name = f"{size}, {policy}, {MOST_WORKERS} workers: offloaded over stand-alone"
        return Cell(name, "", 1.0, offloaded / alone, "predicted", self.tolerances["same"], rule="at_least", note=note)

    def _inconvenient(self, measured: pd.DataFrame, policy: str, messages: str) -> Cell:
        runs = runs_of(measured, "offloaded", messages)
        alone = speedup(runs_of(measured, "alone"), SMALL, policy, MOST_WORKERS)
        offloaded = speedup(runs, SMALL, policy, MOST_WORKERS)
        taken = service_time(runs, SMALL, policy, MOST_WORKERS)
        on_link = message_time(self.machine, 4 * SMALL * SMALL if messages == "exact" else None)
        behind = offloaded <= (1 - self.tolerances["inconvenient"]) * alone
        bound = abs(taken / on_link - 1) <= self.tolerances["bound"]
        note = (
            f"speedups {offloaded:.1f}, alone {alone:.1f}; {taken / 1e3:.1f} us, of which the link {on_link / 1e3:.1f}"
        )
        length = "4 KiB" if messages == "exact" else "64 KiB"
        statement = f"offloading {claim('32x32 int offloaded to the accelerator')}"
        name = f"{SMALL}, {policy}, {MOST_WORKERS} workers, messages of {length}: {statement}"
        cell = true_cell(name, behind and bound, "predicted", note)
        # Whole slots were measured after exact messages had been, so they are no prediction.
        return cell if messages == "exact" else Cell(**{**cell.__dict__, "scored": False})

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(11, 4.8), layout="constrained")
        for axes, policy in zip(figure.subplots(1, 2), OFFLOADED_POLICIES, strict=True):
            self._draw_policy(axes, measured, policy)
        figure.suptitle(self.title)
        return figure

    def _draw_policy(self, axes: Axes, measured: pd.DataFrame, policy: str) -> None:
        for number, size in enumerate(SIZES):
            for mode, style in (("offloaded", "s-"), ("alone", "x:")):
                runs = runs_of(measured, mode)
                if worker_numbers(runs, size, policy):
                    curve(axes, runs, size, policy, speedup, f"C{number}", f"{size} x {size}, {mode}", style)
        runs = runs_of(measured, "offloaded", "whole")
        if worker_numbers(runs, SMALL, policy):
            curve(axes, runs, SMALL, policy, speedup, "C3", f"{SMALL} x {SMALL}, whole slots", "s-")
        axes.plot([0, MOST_WORKERS], [0, MOST_WORKERS], color="grey", ls=":", lw=1)
        axes.set(title=POLICIES[policy], xlabel="workers", ylabel="speedup over the sequential program")
        axes.set(xlim=(0, MOST_WORKERS + 2), ylim=(0, MOST_WORKERS + 4))
        axes.legend(fontsize="small", loc="upper left")
        axes.grid(alpha=0.3)


def runs_of(measured: pd.DataFrame, mode: str, messages: str = "exact") -> pd.DataFrame:
    """The runs of a mode, and the sequential ones."""
    same = (measured["mode"] == mode) & (measured["messages"] == messages)
    return measured[same | (measured["mode"] == "sequential")]


def message_time(name: str | Machine, length: int | None) -> float:
    """For how long a message of so many bytes keeps its direction of a machine's link (None: a slot), in ns."""
    chip = machine(name)
    link = chip.host_link
    cycles = link.overhead + -(-1000 * (link.slot if length is None else length) // link.bytes_per_1000_cycles)
    return cycles / chip.clock_mhz * 1e3


def matrix(size: int, start: int, down: int, across: int) -> np.ndarray:
    """The matrix whose entries grow so from row to row and from column to column."""
    row, column = np.mgrid[0:size, 0:size]
    return (start + down * row + across * column).astype(np.int32)


@cache
def offered(size: int) -> list[bytes]:
    """The A, as programs/common/matrix_product.hpp makes them."""
    return [matrix(size, number % 64, 3, 1).tobytes() for number in range(DIFFERENT)]


@cache
def expected(size: int) -> list[bytes]:
    """What comes back of each of them."""
    b = matrix(size, NUMBER_OF_B % 32, 1, 5)
    return [(np.frombuffer(a, np.int32).reshape(size, size) @ b).tobytes() for a in offered(size)]


def check_products(result: Result, size: int, count: int) -> None:
    """Raises CroftError unless the host got each product as often as it offered the matrix."""
    length = 4 * size * size
    got = Counter(message[:length] for _, message in result.host_results)
    if got != Counter(expected(size)[number % DIFFERENT] for number in range(count)):
        raise CroftError(f"accelerator, {size} x {size}: the host did not get the {count} products it should have")
