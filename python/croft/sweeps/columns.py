"""Statistics as columns: which there are on a machine, and which of them a pattern means."""

import struct
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from croft import _simulator
from croft.base.errors import UsageError
from croft.machines.model import Machine

LISTED = "; croft run PROGRAM --stats prints those of a run"


def matching(patterns: Sequence[str], known: Iterable[str]) -> list[str]:
    """The columns that patterns mean: "l1d.load_misses", "*_mesh.flits", "core.issue.0", a word for each star.

    Raises UsageError for a pattern that means none.
    """
    known, found = list(known), dict[str, None]()
    for pattern in patterns:
        alike = [each for each in known if each.count(".") == pattern.count(".") and fnmatchcase(each, pattern)]
        if not alike:
            meant = _simulator.nearest(pattern, known)
            raise UsageError(
                f"no statistic is called {pattern!r}" + (f"; did you mean {meant!r}?" if meant else LISTED)
            )
        found |= dict.fromkeys(alike)
    return list(found)


def columns_on(machine: Machine, links: bool) -> list[str]:
    """All statistics of a machine, "PART.NAME" and "PART.NAME.INDEX": what a program counts that does nothing."""
    options = {"arguments": [""], "each_link": links}
    rows = _simulator.simulate(_nothing(), machine.model_dump(), options)["statistics"]
    totals = dict.fromkeys(f"{part}.{name}" for part, _, name, _, _ in rows)
    return [*totals, *(f"{part}.{name}.{index}" for part, index, name, _, _ in rows)]


def _nothing() -> bytes:
    """A RISC-V executable that begins a region and ends: li a7, 2010; ecall; li a7, 93; li a0, 0; ecall."""
    code = struct.pack("<5I", 0x7DA00893, 0x00000073, 0x05D00893, 0x00000513, 0x00000073)
    begin, head = 0x10000, 64 + 56
    size = head + len(code)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 243, 1, begin + head, 64, 0, 5, 64, 56, 1, 0, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 1, 5, 0, begin, begin, size, size, 4096) + code
