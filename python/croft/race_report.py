"""What ``croft run --check races`` found: pairs of accesses to the same bytes that nothing orders."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from croft.symbols import Place, Symbols


@dataclass(frozen=True)
class RacyAccess:
    """One of the two: what the core did, where in the program, and at which cycle.

    ``places`` are where its instruction is, innermost first, the functions in which that is inlined included; and
    behind a function of the C library, where that was called.
    """

    core: int
    what: str
    places: tuple[Place, ...]
    time: int

    def __str__(self) -> str:
        """Who, what, where and when."""
        own = [place for place in self.places if not place.of_toolchain] or self.places[:1]
        where = str(own[0]) if len(own) == 1 else f"{own[0]}, in {own[-1]}"
        return f"core {self.core} {self.what} at cycle {self.time:,} ({where})"


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

    def side(core: int, pc: int, time: int, return_address: int, writes: bool, is_atomic: bool) -> RacyAccess:
        what = ("atomically " if is_atomic else "") + ("wrote" if writes else "read")
        places = symbols.places(pc)
        if all(place.of_toolchain for place in places) and return_address:
            places = [*places, *symbols.places(return_address - 1)]
        return RacyAccess(core, what, tuple(places), time)

    return [
        RaceReport(address, size, symbols.variable(address), count, side(*first), side(*second))
        for address, size, count, first, second in found
    ]
