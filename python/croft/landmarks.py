"""Places in a program's code that the library names for a trace (include/croft/port/marks.hpp).

They are labels to which nobody jumps, and debug information with variables (``-g2``) says where they are. The labels
change no program; that debug information may (docs/decisions/recording.md). So a program that croft builds is run as
ever, and built once more to be read.
"""

import bisect
from collections import Counter
from collections.abc import Iterable, Iterator

from croft.symbols import Symbols, unless_damaged

NAMES = ("task", "stolen task", "emitter", "worker", "collector")
"""What begins or ends there, by number."""
FLAGS = ("-g2",)
"""What a program has to be compiled with for its labels to be known."""
_NUMBERS = {
    f"croft_{verb}_{name.replace(' ', '_')}".encode(): (number, verb == "ends")
    for number, name in enumerate(NAMES)
    for verb in ("begins", "ends")
}


def landmarks(elf: bytes, labelled: bytes | None = None) -> list[tuple[int, int, bool]]:
    """Each place as (address, number of its name, whether that ends there), ends before beginnings.

    None if the program has no such debug information.

    ``labelled`` is the same program with that debug information, if ``elf`` has none: places are those of functions
    that are as long in both.
    """
    if labelled is not None:
        moved = _Moved(Symbols(labelled), Symbols(elf))
        found = ((moved.place(address), number, ends) for address, number, ends in landmarks(labelled))
        return _ordered((address, number, ends) for address, number, ends in found if address is not None)
    if not any(name in elf for name in _NUMBERS):  # most of the time is spent on the others
        return []
    symbols = Symbols(elf)
    found = {(address + symbols.moved, *what) for address, what in _labels(symbols)}
    return _ordered(found)


def _ordered(places: Iterable[tuple[int, int, bool]]) -> list[tuple[int, int, bool]]:
    return sorted(places, key=lambda place: (place[0], not place[2], place[1]))


class _Moved:
    """Where a place of one build of a program is in another one, by its function's name and length."""

    def __init__(self, of: Symbols, to: Symbols) -> None:
        self._starts, self._functions = _functions(of)
        self._other = {name: (start, size) for start, size, name in _functions(to)[1] if size}

    def place(self, address: int) -> int | None:
        """None if its function is not there, or of another length."""
        index = bisect.bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        start, size, name = self._functions[index]
        other, other_size = self._other.get(name, (0, 0))
        return other + address - start if address < start + size == start + other_size else None


def _functions(symbols: Symbols) -> tuple[list[int], list[tuple[int, int, str]]]:
    """Those whose name no other one has, by where they begin."""
    functions = list(symbols.functions())
    count = Counter(name for _, _, name in functions)
    own = [(start + symbols.moved, size, name) for start, size, name in functions if count[name] == 1]
    return [start for start, _, _ in own], own


@unless_damaged(())
def _labels(symbols: Symbols) -> list[tuple[int, tuple[int, bool]]]:
    return list(_each_label(symbols))


def _each_label(symbols: Symbols) -> Iterator[tuple[int, tuple[int, bool]]]:
    if symbols.dwarf is None:
        return
    for unit in symbols.dwarf.iter_CUs():
        for entry in unit.iter_DIEs():
            # One without an address is that of the function as it was written, or has been lost.
            if entry.tag != "DW_TAG_label" or "DW_AT_low_pc" not in entry.attributes:
                continue
            written = entry
            while "DW_AT_abstract_origin" in written.attributes:
                written = written.get_DIE_from_attribute("DW_AT_abstract_origin")
            name = written.attributes.get("DW_AT_name")
            if name is not None and name.value in _NUMBERS:
                yield entry.attributes["DW_AT_low_pc"].value, _NUMBERS[name.value]
