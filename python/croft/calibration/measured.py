"""Measures rows on this host, in rounds: a disturbance falls on all of them, and is in few of a row's figures."""

import os
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from croft.base.errors import CroftError, UsageError
from croft.calibration.host import Host
from croft.calibration.rows import Printed, Row, What
from croft.programs.builder import build

NOISE_BOUND = 0.25
"""Of a row's median: how far apart its quartiles over the rounds may be. A key that is fitted to a row is about as
unsure, and beyond a quarter hardly a latency of the machine says which cache a line came from."""

FIRST_PROBES, TRIES, MOVED = 9, 5, 1.5
"""How often a probe runs first, how often a call is tried in a round, and by which factor a probe may differ."""


@dataclass(frozen=True)
class Figure:
    """A row's median over the rounds, and its quartiles, in nanoseconds."""

    ns: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Figure":
        """Of the rounds' medians."""
        ordered = sorted(values)
        last = len(ordered) - 1
        return cls(*(ordered[round(last * part)] for part in (0.5, 0.25, 0.75)))

    @property
    def spread(self) -> float:
        """How far apart the quartiles are, in parts of the median."""
        return (self.high - self.low) / self.ns if self.ns else 0.0


def measure(
    host: Host,
    calls: Sequence[Printed[What]],
    rounds: int,
    tell: Callable[[str], None],
    probe: Printed[What] | None = None,
) -> dict[What, Figure]:
    """Runs all ``calls`` once a round, on the host's cores. Raises BuildError, and CroftError if one fails.

    A hypervisor may move cores closer to each other or apart meanwhile. If there is a ``probe``, which prints one
    figure, it runs before and after each call. A call counts only if both agree with the probe's first runs. Raises
    UsageError if too few do.
    """
    before = os.sched_getaffinity(0)
    run = _Runner(
        host, {name: build(name, native=True, tell=tell) for name in sorted({each.program for each in calls})}
    )
    found: list[list[dict[What, float]]] = [[] for _ in calls]
    try:
        steady = _Steady(run, probe) if probe else None
        for number in range(rounds):
            tell(f"measuring this host: round {number + 1} of {rounds}")
            for call, values in zip(calls, found, strict=True):
                if (value := steady.run(call) if steady else run(call)) is not None:
                    values.append(value)
    finally:
        os.sched_setaffinity(0, before)
    if steady and min(map(len, found)) < rounds / 2:
        raise UsageError(steady.complaint())
    return {what: Figure.of([value[what] for value in values]) for values in found for what in values[0]}


@dataclass(frozen=True)
class _Runner:
    host: Host
    programs: Mapping[str, Path]

    def __call__(self, call: Printed[What]) -> dict[What, float]:
        os.sched_setaffinity(0, self.host.cores[: call.cores])  # for its threads, which may be on no other core
        ended = subprocess.run([self.programs[call.program], *call.arguments], capture_output=True, text=True)
        if ended.returncode:
            said = ended.stderr.strip() or f"status {ended.returncode}, and it gave no reason"
            raise CroftError(f"{call.program} on this host: {said}")
        return call.read(ended.stdout, "ns")


class _Steady:
    """Runs calls while the probe takes what it took at first."""

    def __init__(self, run: _Runner, probe: Printed[What]) -> None:
        self._run_now = run
        self._probe: Printed[Any] = probe
        self._figures: list[float] = []
        self._first = statistics.median(self._probed() for _ in range(FIRST_PROBES))
        self._agrees = True

    def run(self, call: Printed[What]) -> dict[What, float] | None:
        """What the call prints; None if the cores have been moved each time."""
        for _ in range(TRIES):
            before = self._agrees or self._agree()
            found = self._run_now(call) if before else None
            if found is not None and self._agree():
                return found
        return None

    def complaint(self) -> str:
        """That it is not worth going on."""
        return (
            f"this host's cores seem to be moved while croft measures: a line that another core has modified took "
            f"{min(self._figures):.1f} to {max(self._figures):.1f} ns to read, {self._first:.1f} at first. Try again, "
            "or take what there is with --accept-noise"
        )

    def _agree(self) -> bool:
        self._agrees = 1 / MOVED < self._probed() / self._first < MOVED
        return self._agrees

    def _probed(self) -> float:
        (ns,) = self._run_now(self._probe).values()
        self._figures.append(ns)
        return ns


def check_noise(figures: dict[Row, Figure], bound: float = NOISE_BOUND) -> None:
    """Refuses figures that disagree between the rounds: raises UsageError, which names the worst and says how many."""
    wide = noisy(figures, bound)
    if wide:
        worst = max(wide, key=lambda row: figures[row].spread)
        one = figures[worst]
        raise UsageError(
            f"this host is too noisy: in {len(wide)} of {len(figures)} rows that keys are fitted to, the quartiles of "
            f"the rounds are further apart than {bound:.0%} of the median; {worst.name}: {one.ns:.1f} ns, "
            f"{one.low:.1f} to {one.high:.1f}, which is {one.spread:.0%}. Stop what else runs here, or take "
            "the medians all the same with --accept-noise, and the file says so"
        )


def noisy(figures: dict[Row, Figure], bound: float = NOISE_BOUND) -> list[Row]:
    """The rows whose quartiles are further apart than ``bound``, in parts of the median."""
    return [row for row, figure in figures.items() if figure.spread > bound]
