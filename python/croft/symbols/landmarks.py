"""Places in a program's code that the library names for a trace.

Where tasks and items begin and end is said by labels to which nobody jumps
(include/croft/port/marks.hpp), and which stores and loads hand something over by functions that are inlined
(include/croft/port/handing_over.hpp). Debug information says where the latter are, and with variables (``-g2``) where
both are. They change no program; that debug information may (docs/decisions/recording.md). So a program that croft
builds is run as ever, and built once more to be read.
"""

import bisect
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from croft.symbols.symbols import Symbols

NAMES = ("task", "stolen task", "emitter", "worker", "collector")
"""What begins or ends there, by number."""
FLAGS = ("-g2",)
"""What a program has to be compiled with for its labels to be known."""
_LABELS = [f"croft_{verb}_{name.replace(' ', '_')}" for name in NAMES for verb in ("begins", "ends")]
_HANDOVERS = ["traced_send", "traced_look", "traced_receive", "traced_note", "traced_leave", "traced_take"]
"""By number, as Handover::Kind in simulator/contract/simulation.hpp has them."""


@dataclass(frozen=True)
class Landmarks:
    """What a program's debug information knows of the library's names."""

    labels: tuple[tuple[int, int, bool], ...] = ()
    """Each as (address, number of its name, whether that ends there), ends before beginnings."""
    handovers: tuple[tuple[int, int, int], ...] = ()
    """Code that hands something over, each piece as (address, end, kind)."""


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
    symbols = Symbols.of(elf)
    labels, handovers = symbols.tables.find_named(_LABELS, _HANDOVERS)
    return Landmarks(
        _ordered({(address + symbols.moved, which // 2, which % 2 == 1) for address, which in labels}),
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
