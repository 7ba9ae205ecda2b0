"""What ``croft run --check coherence`` found: loads of stale words, writes lost to a drop, and lost stores."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from croft.symbols.backtrace import where
from croft.symbols.symbols import Symbols


@dataclass(frozen=True)
class Incoherence:
    """One finding. ``kind`` is "stale load", "lost write", "lost store" or "racing load"; times are cycles.

    A word has 32 bits.

    A stale load returned ``got`` although ``writer`` had written ``latest`` and the program's synchronisation orders
    that write before the load (simulator/record/coherence_check.hpp). A racing load did so without such an order.
    A load that found a lost store did not return what its own core was the last to store there.
    """

    kind: str
    core: int
    place: str
    time: int
    address: int
    got: int
    latest: int
    writer: int
    writer_place: str
    writer_time: int

    def __str__(self) -> str:
        """One sentence: who, where, what, and who wrote it when."""
        wrote = f"core {self.writer} wrote at cycle {self.writer_time:,} ({self.writer_place})"
        if self.kind != "lost write":
            return (
                f"{self.kind}: core {self.core} at cycle {self.time:,} ({self.place}) read {self.got:#x} at "
                f"{self.address:#x}, not the {self.latest:#x} that {wrote}"
            )
        return (
            f"lost write: core {self.core} at cycle {self.time:,} ({self.place}) dropped {self.latest:#x} at "
            f"{self.address:#x}, which {wrote}, before it was written back"
        )


def without_races(found: Sequence[tuple[Any, ...]], elf: bytes) -> list[tuple[Any, ...]]:
    """The simulator's findings without the loads that the program says may find old values (port::load_racing)."""
    if not found:
        return []
    section = Symbols(elf).section(".croft.racing")
    racing = {address for (address,) in struct.iter_unpack("<Q", section[: len(section) // 8 * 8])}
    return [each for each in found if each[2] not in racing]


def with_names(found: Sequence[tuple[Any, ...]], symbols: Symbols) -> list[Incoherence]:
    """The simulator's findings, with functions and lines for the program's addresses."""

    def place(pc: int) -> str:
        places = symbols.places(pc) if pc else []
        return str(where(places)) if places else "the kernel or an atomic operation"

    return [
        Incoherence(kind, core, place(pc), time, address, got, latest, writer, place(writer_pc), writer_time)
        for kind, core, pc, time, address, got, latest, writer, writer_pc, writer_time in found
    ]
