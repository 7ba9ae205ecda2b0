"""What ``croft run --check races`` found: pairs of accesses to the same bytes that nothing orders."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from croft.symbols.library_names import public_name
from croft.symbols.symbols import Place, Symbols


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
class Race:
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


@dataclass(frozen=True)
class LibraryRace:
    """A function of the C library that has to release, and does not by its machine code.

    The atomic operations at ``addresses`` have no ``.rl``, and no fence stands before them, so a core may do them ahead
    of what comes before. Nothing else orders ``count`` pairs of the program's accesses, of which ``first`` is one.
    """

    function: str
    addresses: tuple[int, ...]
    count: int
    first: Race

    def __str__(self) -> str:
        """One sentence."""
        where = ", ".join(f"{address:#x}" for address in self.addresses)
        pairs = f"{self.count:,} pairs of accesses, of which one is" if self.count > 1 else "1 pair of accesses"
        return (
            f"the C library's {self.function} has to release, but its atomic operation ({where}) has no .rl and no "
            f"fence before it: nothing else orders {pairs}: {self.first.first}, then {self.first.second}"
        )


def races_with_names(found: Sequence[tuple[Any, ...]], symbols: Symbols) -> tuple[list[Race], list[LibraryRace]]:
    """The simulator's findings, with functions and lines: those of the program, and those of its C library."""

    def side(core: int, pc: int, time: int, return_address: int, writes: bool, is_atomic: bool) -> RacyAccess:
        what = ("atomically " if is_atomic else "") + ("wrote" if writes else "read")
        places = symbols.places(pc)
        if all(place.of_toolchain for place in places) and return_address:
            places = [*places, *symbols.places(return_address - 1)]
        return RacyAccess(core, what, tuple(places), time)

    def named(address: int, size: int, count: int, first: tuple[Any, ...], second: tuple[Any, ...], _: int) -> Race:
        return Race(address, size, symbols.variable(address), count, side(*first), side(*second))

    def of_library(function: str, races: list[tuple[Any, ...]]) -> LibraryRace:
        first = min(races, key=lambda race: race[4][2])
        return LibraryRace(
            function,
            tuple(ordered_by for *_, ordered_by in races),
            sum(count for _, _, count, *_ in races),
            named(first[0], first[1], 1, *first[3:]),
        )

    own = [named(*each) for each in found if not each[5]]
    of_functions: dict[str, list[tuple[Any, ...]]] = {}
    for race in found:
        if race[5]:
            of_functions.setdefault(public_name(symbols, race[5]), []).append(race)
    return own, [of_library(function, races) for function, races in of_functions.items()]
