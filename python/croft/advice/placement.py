"""On which cores of a machine a program's threads should run, by what they hand to each other and how far that is.

A placement is a list of the machine's cores, in the order of the program's (``croft run --cores``).
"""

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from croft.advice.distances import Distances, distances
from croft.advice.trials import pays
from croft.recording.channel_use import USER_NETWORK
from croft.recording.line_use import Line, LineUse, Use
from croft.results.result import Result

Placement = tuple[int, ...]
LEAST_SHARE = 1e-4
"""Of all that cores hand to each other: pairs with less are left out, for they cost time and decide nothing."""
RANDOM_STARTS = 3
CAUSES = ("stall_home", "stall_atomic", "stall_fence", "stall_store_buffer")
"""Waits for lines of others, as the statistics of cores call them."""


@dataclass(frozen=True)
class Handed:
    """How often the program's cores waited for lines: of each other, and of homes all over the machine."""

    pairs: dict[tuple[int, int], float]
    """By (the core that gave, the core that got)."""
    anywhere: dict[int, float]

    @classmethod
    def of(cls, used: LineUse, placement: Placement, *, by_home: bool) -> "Handed":
        """Of a run that was placed so. ``by_home``: a line comes from its home, whoever has written it (ddc)."""
        number = {core: program for program, core in enumerate(placement)}
        pairs, anywhere = defaultdict[tuple[int, int], float](float), defaultdict[int, float](float)
        lines = [line for each in used.objects for line in each.lines]
        for line, use in ((each, use) for each in lines for use in each.uses):
            if use.core not in number:
                continue
            for giver, times in (_from_home if by_home else _from_writers)(line, use):
                if giver not in number:
                    anywhere[number[use.core]] += times
                elif giver != use.core:
                    pairs[number[giver], number[use.core]] += times
        for sent in used.channels:
            if sent.identity == USER_NETWORK and {sent.sender, sent.receiver} <= number.keys():
                pairs[number[sent.sender], number[sent.receiver]] += sent.messages / 2  # one way only
        least = LEAST_SHARE * sum(pairs.values())
        return cls({pair: times for pair, times in pairs.items() if times >= least}, dict(anywhere))


def _from_home(line: Line, use: Use) -> Iterator[tuple[int | None, float]]:
    yield None if line.is_spread else line.home, use.misses + use.times["stall_atomic"]


def _from_writers(line: Line, use: Use) -> Iterator[tuple[int | None, float]]:
    writes = {each.core: each.writes for each in line.uses if each is not use and each.writes}
    for writer, count in writes.items():
        # Before the writer writes again it has to take the reader's copy away, as far as the line has come.
        yield writer, 2 * use.next * count / sum(writes.values())


class Model:
    """What a placement costs: cycles that all cores wait for what is handed to them."""

    def __init__(self, handed: Handed, far: Distances) -> None:
        self._pairs, self._anywhere, self._far = handed.pairs, handed.anywhere, far
        self._of: dict[int, list[tuple[int, float]]] = {}
        for (giver, getter), times in handed.pairs.items():
            self._of.setdefault(giver, []).append((getter, times))
            self._of.setdefault(getter, []).append((giver, times))

    def cost(self, placement: Sequence[int]) -> float:
        """Of all cores, in cycles."""
        between, homes = self._far.between, self._far.from_homes
        pairs = sum(times * between[placement[a]][placement[b]] for (a, b), times in self._pairs.items())
        return pairs + sum(times * homes[placement[core]] for core, times in self._anywhere.items())

    def _at(self, core: int, place: int, where: Callable[[int], int]) -> float:
        """What one core costs at a place, with the others ``where`` they are."""
        between = self._far.between[place]
        own = sum(times * between[where(other)] for other, times in self._of.get(core, ()))
        return own + self._anywhere.get(core, 0.0) * self._far.from_homes[place]

    def improved(self, placement: Placement) -> Placement:
        """The end of a search from there, which moves a core to a free place, or swaps two, as long as that saves."""
        places, kinds = list(placement), self._far.kinds
        holder = {place: core for core, place in enumerate(places)}
        active = [core for core in range(len(places)) if core in self._of or self._anywhere.get(core)]
        least = 1e-9 * self.cost(placement)
        better = True
        while better:
            better = False
            for core, to in itertools.product(active, range(len(kinds))):
                here, other = places[core], holder.get(to)
                if here == to or kinds[here] != kinds[to]:
                    continue
                moved = {core: to} if other is None else {core: to, other: here}
                if self._saved(places, moved) <= least:
                    continue
                holder.pop(here)
                for each, place in moved.items():
                    places[each] = place
                    holder[place] = each
                better = True
        return tuple(places)

    def _saved(self, places: list[int], moved: dict[int, int]) -> float:
        def then(core: int) -> int:
            return moved.get(core, places[core])

        return sum(
            self._at(core, places[core], places.__getitem__) - self._at(core, to, then) for core, to in moved.items()
        )


def usual(count: int, far: Distances) -> dict[str, Placement]:
    """Those that people take: as few chips as possible, and in turn on each; the latter only where there are several.

    Where a machine has cores of several kinds, all stay where they are.
    """
    packed = tuple(range(count))
    groups = sorted(set(far.groups))
    if len(groups) < 2 or len(set(far.kinds)) > 1:
        return {"packed": packed}
    members = [[core for core, group in enumerate(far.groups) if group == each] for each in groups]
    turns = [core for turn in itertools.zip_longest(*members) for core in turn if core is not None]
    return {"packed": packed, "spread": tuple(turns[:count])}


def proposals(model: Model, start: Placement, far: Distances) -> dict[str, Placement]:
    """The most promising first: the model's best, the usual ones, and other ends of its searches.

    It searches from ``start``, from the usual ones, and, where all cores are alike, from random ones.
    """
    named = usual(len(start), far)
    starts = [start, *named.values()]
    if len(set(far.kinds)) == 1:
        chance = random.Random(1)
        starts += [tuple(chance.sample(range(len(far.kinds)), len(start))) for _ in range(RANDOM_STARTS)]
    found = sorted({model.improved(each) for each in starts}, key=lambda each: (model.cost(each), each))
    return {"model": found[0], **named, **{f"model {number}": each for number, each in enumerate(found[1:], 2)}}


@dataclass(frozen=True)
class Tried:
    """A placement. ``stalled`` are cycles of all cores, as expected and as measured; ``time`` is that of its run.

    What was not run has neither of the last two.
    """

    name: str
    placement: Placement
    expected: float
    stalled: int | None = None
    time: float | None = None


def stalled(result: Result) -> int:
    """Cycles that all cores waited for lines of others."""
    return sum(each.value for each in result.statistics if each.part == "core" and each.name in CAUSES)


def try_placements(
    before: Result, run: Callable[[Placement], tuple[int, float]], most: int, time: float | None = None
) -> list[Tried]:
    """Runs the ``most`` that promise most, each once. The first of the list is that of ``before``, a run with lines.

    ``run`` returns the cycles that all cores stalled, and the time to make short: the run's cycles, or another
    number. ``time`` is that of ``before`` (default: its cycles).
    """
    assert before.lines is not None
    far = distances(before.machine)
    start = before.core_order or tuple(range(before.cores))
    model = Model(Handed.of(before.lines, start, by_home=before.machine.protocol == "ddc"), far)
    was, cost = stalled(before), model.cost(start)
    tried = [Tried("as it ran", start, was, was, before.cycles if time is None else time)]
    for name, placement in proposals(model, start, far).items():
        if any(placement == each.placement for each in tried):
            continue
        measured = run(placement) if len(tried) <= most else (None, None)
        tried.append(Tried(name, placement, was + model.cost(placement) - cost, *measured))
    return tried


def fastest(tried: Sequence[Tried]) -> Tried:
    """The one to use: the first, unless another takes a time that is shorter by more than chance."""
    times = [(each.time, number) for number, each in enumerate(tried) if each.time is not None]
    time, number = min(times)
    return tried[number] if pays(times[0][0], time) else tried[0]
