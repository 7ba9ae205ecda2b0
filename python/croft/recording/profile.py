"""Where the cycles of a run went: by core, stack of calls, line and cause (``croft run --profile``)."""

import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from croft import _simulator
from croft.base.extras import require
from croft.symbols.symbols import Place, Symbols

if TYPE_CHECKING:
    import pandas as pd

ISSUE, *WAITS = _simulator.PROFILE_CAUSES
"""What a cycle may go to: the core issued, or it waited; named as the statistics of cores (docs/statistics.md)."""
CAUSES = (ISSUE, *WAITS)
INTERRUPT = Place("[interrupt]")
"""In a stack: what is behind it was called by the hardware."""
_ROW = struct.Struct("<IIQIIqQ")


class Sample(NamedTuple):
    """Cycles of one core that went to one cause at one place. ``stack`` has the calls, the outermost first."""

    core: int
    stack: tuple[Place, ...]
    cause: str
    cycles: int
    instructions: int


@dataclass(frozen=True)
class Cost:
    """What a function or a line cost, in cycles of all cores added up.

    ``cycles`` were spent there, of them ``causes`` say how; ``total`` are those and what was spent in its calls.
    """

    place: Place
    cycles: int = 0
    total: int = 0
    instructions: int = 0
    causes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Profile:
    """Every cycle of every thread of a run, exactly: for each core and cause they add up to its statistics."""

    samples: list[Sample] = field(repr=False)
    title: str = ""

    @classmethod
    def of(cls, recorded: dict[str, Any], symbols: Symbols, title: str = "") -> "Profile":
        """What the simulator recorded, with the program's functions and lines."""
        return cls(list(_samples(recorded, symbols)), title)

    @property
    def cycles(self) -> int:
        """Of all cores, added up."""
        return sum(sample.cycles for sample in self.samples)

    def by_core(self) -> dict[int, Counter[str]]:
        """For each core the cycles that went to each cause."""
        cores: dict[int, Counter[str]] = {}
        for sample in self.samples:
            cores.setdefault(sample.core, Counter())[sample.cause] += sample.cycles
        return cores

    def functions(self) -> list[Cost]:
        """What each function cost, the costliest first."""
        return self._costs(lambda place: Place(place.function, place.file))

    def lines(self) -> list[Cost]:
        """What each line cost, the costliest first."""
        return self._costs(lambda place: place)

    def frame(self, by: str = "function") -> "pd.DataFrame":
        """The same as a data frame: of each "function" or "line", with a column for each cause."""
        require("a data frame", "pandas")
        import pandas as pd

        costs = self.functions() if by == "function" else self.lines()
        rows = [
            {
                "function": cost.place.function,
                "file": cost.place.file,
                **({"line": cost.place.line} if by == "line" else {}),
                "cycles": cost.cycles,
                "total": cost.total,
                "instructions": cost.instructions,
                **{cause: cost.causes[cause] for cause in CAUSES},
            }
            for cost in costs
        ]
        return pd.DataFrame(rows)

    def _costs(self, key: Any) -> list[Cost]:
        # Stacks share their places: each is looked at once, and a number stands for its key, whose hash takes long.
        numbers: dict[Place, int] = {}
        known: dict[int, int] = {}
        own: dict[int, Counter[str]] = {}
        totals, instructions = Counter[int](), Counter[int]()
        for stack, cause, cycles, count in self._by_stack():
            on_stack = []
            for place in stack:
                number = known.get(id(place))
                if number is None:
                    number = known[id(place)] = numbers.setdefault(key(place), len(numbers))
                on_stack.append(number)
            own.setdefault(on_stack[-1], Counter())[cause] += cycles
            instructions[on_stack[-1]] += count
            for each in set(on_stack):
                totals[each] += cycles
        nothing = Counter[str]()
        costs = []
        for place, number in numbers.items():
            causes = own.get(number, nothing)
            costs.append(Cost(place, sum(causes.values()), totals[number], instructions[number], causes))
        return sorted(costs, key=lambda cost: (-cost.cycles, -cost.total, str(cost.place)))

    def _by_stack(self) -> list[list[Any]]:
        """A stack of several cores once for each cause, if it is the same tuple: stack, cause, cycles, instructions."""
        added: dict[tuple[int, str], list[Any]] = {}
        for sample in self.samples:
            entry = added.setdefault((id(sample.stack), sample.cause), [sample.stack, sample.cause, 0, 0])
            entry[2] += sample.cycles
            entry[3] += sample.instructions
        return list(added.values())


def _samples(recorded: dict[str, Any], symbols: Symbols) -> Iterator[Sample]:
    calls: list[tuple[int, int, bool]] = recorded["calls"]
    rows = list(_ROW.iter_unpack(recorded["rows"]))
    # A call is in front of where it returns to; an interrupted instruction is where the program goes on.
    origins = [address - (not is_interrupt) for _, address, is_interrupt in calls]
    places = symbols.places_of({pc for _, _, pc, *_ in rows} | set(origins[1:]))
    stacks: list[tuple[Place, ...]] = [()]
    for (parent, _, is_interrupt), origin in zip(calls[1:], origins[1:], strict=True):
        marks = (INTERRUPT,) if is_interrupt else ()
        stacks.append((*stacks[parent], *reversed(places[origin]), *marks))
    whole: dict[tuple[int, int], tuple[Place, ...]] = {}
    added: dict[tuple[int, int, int], list[Any]] = {}
    for core, node, pc, cause, _, cycles, count in rows:
        here = places[pc]
        if (node, id(here)) not in whole:
            whole[node, id(here)] = (*stacks[node], *reversed(here))
        stack = whole[node, id(here)]
        entry = added.setdefault((core, id(stack), cause), [stack, 0, 0])
        entry[1] += cycles
        entry[2] += count
    for (core, _, cause), (stack, cycles, count) in added.items():
        yield Sample(core, stack, CAUSES[cause], cycles, count)


def difference(costs: Iterable[Cost], before: Iterable[Cost]) -> list[tuple[Cost, Cost]]:
    """Each place's cost in one profile and in an earlier one, the largest difference first."""
    earlier = {cost.place: cost for cost in before}
    later = {cost.place: cost for cost in costs}
    pairs = [
        (later.get(place, Cost(place)), earlier.get(place, Cost(place))) for place in dict.fromkeys([*later, *earlier])
    ]
    return sorted(pairs, key=lambda pair: (-abs(pair[0].cycles - pair[1].cycles), str(pair[0].place)))
