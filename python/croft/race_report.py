"""What ``croft run --check races`` found: pairs of accesses to the same bytes that nothing orders."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from croft.symbols import Symbols


@dataclass(frozen=True)
class RacyAccess:
    """One of the two: what the core did, where in the program, and at which cycle."""

    core: int
    what: str
    place: str
    time: int

    def __str__(self) -> str:
        """Who, what, where and when."""
        return f"core {self.core} {self.what} at cycle {self.time:,} ({self.place})"


@dataclass(frozen=True)
class RaceReport:
    """Two accesses that race; ``first`` came first in this run. They did so ``count`` times.

    ``address`` and ``size``, in bytes, are of what both use; ``variable`` is its name, if the symbol table has one.
    """

    address: int
    size: int
    variable: str
    count: int
    first: RacyAccess
    second: RacyAccess

    def __str__(self) -> str:
        """One sentence."""
        what = f"{self.variable} ({self.address:#x})" if self.variable else f"{self.address:#x}"
        times = f" {self.count:,} times" if self.count > 1 else ""
        return f"data race{times} at {what}, {self.size} bytes: {self.second}; nothing orders it behind {self.first}"


def race_reports(found: Sequence[tuple[Any, ...]], symbols: Symbols) -> list[RaceReport]:
    """The simulator's findings, with functions and lines."""

    def side(core: int, pc: int, time: int, writes: bool, is_atomic: bool) -> RacyAccess:
        what = ("atomically " if is_atomic else "") + ("wrote" if writes else "read")
        return RacyAccess(core, what, _place(symbols.places, pc), time)

    return [
        RaceReport(address, size, symbols.variable(address), count, side(*first), side(*second))
        for address, size, count, first, second in found
    ]


def _place(places: Callable[[int], list[Any]], pc: int) -> str:
    """Where the access is; one in the library's code with the user's line that it is inlined in."""
    found = places(pc)
    own = next((each for each in found if not each.of_toolchain), None)
    return str(own or found[0])
