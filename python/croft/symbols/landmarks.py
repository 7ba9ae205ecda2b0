"""Places in a program's code that the library names for a trace.

Where tasks and items begin and end is said by labels to which nobody jumps
(include/croft/port/marks.hpp), and which stores and loads hand something over by functions that are inlined
(include/croft/port/handing_over.hpp). Debug information says where the latter are, and with variables (``-g2``) where
both are. They change no program; that debug information may (docs/decisions/recording.md). So a program that croft
builds is run as ever, and built once more to be read.
"""

import bisect
import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from elftools.dwarf.die import DIE

from croft.symbols.symbols import Symbols, unless_damaged

NAMES = ("task", "stolen task", "emitter", "worker", "collector")
"""What begins or ends there, by number."""
FLAGS = ("-g2",)
"""What a program has to be compiled with for its labels to be known."""
_NUMBERS = {
    f"croft_{verb}_{name.replace(' ', '_')}".encode(): (number, verb == "ends")
    for number, name in enumerate(NAMES)
    for verb in ("begins", "ends")
}
_HANDOVERS = {
    b"traced_send": 0,
    b"traced_look": 1,
    b"traced_receive": 2,
    b"traced_note": 3,
    b"traced_leave": 4,
    b"traced_take": 5,
}
"""As Handover::Kind in simulator/contract/simulation.hpp has them."""


@dataclass(frozen=True)
class Landmarks:
    """What a program's debug information knows of the library's names."""

    labels: tuple[tuple[int, int, bool], ...] = ()
    """Each as (address, number of its name, whether that ends there), ends before beginnings."""
    handovers: tuple[tuple[int, int, int], ...] = ()
    """Code that hands something over, each piece as (address, end, kind)."""


@functools.lru_cache(maxsize=8)  # it takes seconds, and a program is traced more than once
def landmarks(elf: bytes, labelled: bytes | None = None) -> Landmarks:
    """All of them; none if the program has no such debug information.

    ``labelled`` is the same program with that debug information, if ``elf`` has none: labels are those of functions
    that are as long in both.
    """
    if labelled is not None:
        moved = _Moved(Symbols(labelled), Symbols(elf))
        found = landmarks(labelled)
        return Landmarks(
            _ordered(
                (there, number, ends)
                for address, number, ends in found.labels
                if (there := moved.place(address)) is not None
            ),
            tuple(
                sorted(
                    (there, there + end - begin, kind)
                    for begin, end, kind in found.handovers
                    if (there := moved.place(begin)) is not None
                )
            ),
        )
    if not any(name in elf for name in (*_NUMBERS, *_HANDOVERS)):  # most of the time is spent on the others
        return Landmarks()
    symbols = Symbols(elf)
    labels, handovers = _read(symbols)
    return Landmarks(
        _ordered({(address + symbols.moved, *what) for address, what in labels}),
        tuple(sorted({(begin + symbols.moved, end + symbols.moved, kind) for begin, end, kind in handovers})),
    )


def _ordered(labels: Iterable[tuple[int, int, bool]]) -> tuple[tuple[int, int, bool], ...]:
    return tuple(sorted(labels, key=lambda label: (label[0], not label[2], label[1])))


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


_Label = tuple[int, tuple[int, bool]]


@unless_damaged(((), ()))
def _read(symbols: Symbols) -> tuple[list[_Label], list[tuple[int, int, int]]]:
    """The labels, and the code of what hands over, by the addresses of the tables."""
    labels: list[_Label] = []
    code: list[tuple[int, int, int]] = []
    kinds: dict[int, int | None] = {}  # of functions, by where they are written
    for unit in symbols.dwarf.iter_CUs() if symbols.dwarf else ():
        for entry in unit.iter_DIEs():
            if entry.tag == "DW_TAG_label":
                labels += _label(entry)
            elif entry.tag in ("DW_TAG_inlined_subroutine", "DW_TAG_subprogram"):
                kind = _kind(entry, kinds)
                if kind is not None:
                    code += ((begin, end, kind) for begin, end in symbols.ranges_of(entry) if begin < end)
    return labels, code


def _label(entry: DIE) -> Iterator[_Label]:
    # One without an address is that of the function as it was written, or has been lost.
    if "DW_AT_low_pc" not in entry.attributes:
        return
    name = _written(entry).attributes.get("DW_AT_name")
    if name is not None and name.value in _NUMBERS:
        yield entry.attributes["DW_AT_low_pc"].value, _NUMBERS[name.value]


def _kind(entry: DIE, kinds: dict[int, int | None]) -> int | None:
    """What a function, or an instance of one, hands over; None: nothing."""
    origin = entry.attributes.get("DW_AT_abstract_origin")
    at = origin.value + entry.cu.cu_offset if origin and origin.form != "DW_FORM_ref_addr" else entry.offset
    if at not in kinds:
        name = _written(entry).attributes.get("DW_AT_name")
        kinds[at] = _HANDOVERS.get(name.value.partition(b"<")[0]) if name else None
    return kinds[at]


def _written(entry: DIE) -> DIE:
    while "DW_AT_abstract_origin" in entry.attributes:
        entry = entry.get_DIE_from_attribute("DW_AT_abstract_origin")
    return entry
