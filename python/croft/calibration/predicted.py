"""What a machine that was fitted to single lines says of channels and patterns, beside what they take on the host."""

from collections.abc import Mapping
from dataclasses import dataclass

from croft.calibration.compared import Compared
from croft.calibration.measured import Figure
from croft.calibration.simulated import run_all
from croft.machines.model import Machine
from croft.results import fields
from croft.sweeps.many_runs import How


@dataclass(frozen=True)
class Pattern:
    """A figure that a program prints alone, with these arguments."""

    name: str
    program: str
    arguments: tuple[str, ...]
    cores: int | None = 2

    def read(self, output: str, unit: str) -> dict["Pattern", float]:
        """It, in "ns" or in "cycles". Raises CroftError if it is missing."""
        return {self: float(fields.find(output, self.program)[unit])}


def _pattern(name: str, command: str) -> Pattern:
    program, *arguments = command.split()
    return Pattern(name, program, tuple(arguments))


QUEUE = "--smallest 64 --largest 64 --count 10000 --repeats 5"
PATTERNS = (
    _pattern("a message through a channel of turns, one way", "pingpong --channel turns --count 3000"),
    _pattern("a message through a packed channel, one way", "pingpong --channel packed --count 3000"),
    _pattern("a message of a stream, bounded queue", f"queue_latency --queue bounded {QUEUE}"),
    _pattern("a message of a stream, unbounded queue", f"queue_latency --queue unbounded {QUEUE}"),
    _pattern("a message of a stream, packed channel", f"queue_latency --queue packed {QUEUE}"),
    _pattern("an item of a farm of two workers", "pattern_costs --what farm --count 10000 --repeats 3"),
    _pattern("a fork that nobody steals", "pattern_costs --what fork --count 10000 --repeats 3"),
    _pattern("a fork, where two workers steal", "pattern_costs --what stolen --count 10000 --repeats 3"),
)
"""On two cores. No key is fitted to any of them."""


def predict(figures: Mapping[Pattern, Figure], clock_ghz: float, chip: Machine, how: How) -> list[Compared]:
    """What ``figures`` has of the host, beside the machine. Raises CroftError if a run fails."""
    simulated = run_all(chip, list(figures), how)
    return [
        Compared(each.name, figure.ns, figure.spread, figure.ns * clock_ghz, simulated[each], "predicted")
        for each, figure in figures.items()
    ]
