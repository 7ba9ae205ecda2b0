"""Measures rows on this host, in rounds: a disturbance falls on all of them, and is in few of a row's figures."""

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from croft.base.errors import CroftError, UsageError
from croft.calibration.host import Host
from croft.calibration.rows import Printed, Row, What
from croft.programs.builder import build

NOISE_BOUND = 0.25
"""Of a row's median: how far apart its quartiles over the rounds may be. A key that is fitted to a row is about as
unsure, and beyond a quarter hardly a latency of the machine says which cache a line came from."""


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


def measure(host: Host, calls: Sequence[Printed[What]], rounds: int, tell: Callable[[str], None]) -> dict[What, Figure]:
    """Runs all ``calls`` once a round, on the host's cores. Raises BuildError, and CroftError if one fails."""
    programs = {name: build(name, native=True, tell=tell) for name in sorted({call.program for call in calls})}
    found: dict[What, list[float]] = {}
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, host.cores)  # for the programs, whose threads may be on no other core
    try:
        for number in range(rounds):
            tell(f"measuring this host: round {number + 1} of {rounds}")
            for call in calls:
                ended = subprocess.run([programs[call.program], *call.arguments], capture_output=True, text=True)
                if ended.returncode:
                    said = ended.stderr.strip() or f"status {ended.returncode}, and it gave no reason"
                    raise CroftError(f"{call.program} on this host: {said}")
                for what, value in call.read(ended.stdout, "ns").items():
                    found.setdefault(what, []).append(value)
    finally:
        os.sched_setaffinity(0, before)
    return {what: Figure.of(values) for what, values in found.items()}


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
