"""Places in a program's code that the library names for a trace (include/croft/port/landmark.hpp)."""

import struct

from croft.symbols import Symbols

NAMES = ("task", "stolen task", "emitter", "worker", "collector")
"""What begins or ends there, by number (croft::port::landmark)."""
_RECORD = struct.Struct("<QQ")


def landmarks(elf: bytes) -> list[tuple[int, int, bool]]:
    """Each place as (address, number of its name, whether that ends there), in the order of the program's section."""
    symbols = Symbols(elf)
    section = symbols.section(".croft.landmarks")
    records = _RECORD.iter_unpack(section[: len(section) // _RECORD.size * _RECORD.size])
    return [
        (address + symbols.moved, what >> 1, bool(what & 1))
        for address, what in records
        if address and what >> 1 < len(NAMES)  # 0: in code that the linker has left out
    ]
