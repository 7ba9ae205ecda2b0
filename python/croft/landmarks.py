"""Places in a program's code that the library names for a trace (include/croft/port/marks.hpp).

They are labels to which nobody jumps, and debug information with variables (``-g2``) says where they are. The labels
change no program; that debug information may (docs/decisions/recording.md).
"""

from collections.abc import Iterator

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


def landmarks(elf: bytes) -> list[tuple[int, int, bool]]:
    """Each place as (address, number of its name, whether that ends there), ends before beginnings; none if the program
    has no such debug information.
    """
    if not any(name in elf for name in _NUMBERS):  # most of the time is spent on the others
        return []
    symbols = Symbols(elf)
    found = {(address + symbols.moved, *what) for address, what in _labels(symbols)}
    return sorted(found, key=lambda place: (place[0], not place[2], place[1]))


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
