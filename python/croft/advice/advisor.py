"""Where data should be homed: what a run's lines cost as they are, and what they would cost at another home.

On a chip of tiles a line's home is one of them (paper 000, 4.1). What a core waits for there depends on how far that
is: a read that misses in its own caches takes a way there and back, unless the core is the home itself, which has the
line in its own L2; so does an atomic operation; a store's acknowledgement comes from the home, when that has heard
from all who have a copy. Nothing but these ways and ends is taken to change: what is read how often stays as it was
recorded.
"""

import bisect
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from croft import _simulator
from croft.base.errors import UsageError
from croft.machines.model import Machine
from croft.recording.line_use import LINE_BYTES, Line, LineUse, MemoryObject, Use
from croft.runs.homes import Home

MOVABLE = ("stall_l2", "stall_home", "stall_atomic", "stall_fence", "stall_store_buffer")
"""The waits that a home decides on; memory's are the same wherever a line is homed."""
LEAST_SHARE = 0.002
"""Of all movable waits of the run, for an object's other homes to be worth saying."""
L2_SHARE = 0.5
"""Of a core's L2, that lines may be moved to: the rest is its own copies'."""
MOST_LOST = 4
"""So many times may a core have lost its copy of a line without another's doing, and still become its home."""


@dataclass
class Advice:
    """Lines of one object that should be homed at ``core``. Cycles are those of all cores' waits."""

    what: MemoryObject
    core: int
    before: float = 0
    expected: float = 0
    ranges: list[tuple[int, int]] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        """Of all ranges."""
        return sum(end - begin for begin, end in self.ranges)

    @property
    def saves(self) -> float:
        """Cycles that it is expected to save."""
        return self.before - self.expected

    def homes(self) -> list[Home]:
        """For ``croft.run(homes=...)``."""
        return [Home(self.core, address=begin, bytes=end - begin) for begin, end in self.ranges]


def advise(used: LineUse, machine: Machine) -> list[Advice]:
    """Where lines should be homed, what saves most first; nothing that saves too little. Raises UsageError."""
    if machine.protocol != "ddc":
        raise UsageError(f"{machine.name} has a shared L2, so its lines have no homes to choose")
    costs = _Costs(used, machine)
    found: dict[tuple[int, int], Advice] = {}
    for each, line, core, before, after in sorted(_moves(used, costs), key=lambda move: move[4] - move[3]):
        advice = found.setdefault((id(each), core), Advice(each, core))
        size = line.lines * LINE_BYTES
        if costs.room[core] < size:
            continue
        costs.room[core] -= size
        advice.before += before
        advice.expected += after
        advice.ranges.append((line.address, line.address + size))
    saved: defaultdict[int, float] = defaultdict(float)
    for (number, _), advice in found.items():
        saved[number] += advice.saves
    least = LEAST_SHARE * movable(used)
    worth = [advice for (number, _), advice in found.items() if advice.ranges and saved[number] >= least]
    for advice in worth:
        advice.ranges = _joined(advice.ranges)
    return sorted(worth, key=lambda advice: (-saved[id(advice.what)], advice.what.identity, -advice.saves))


def by_object(advised: Iterable[Advice]) -> list[list[Advice]]:
    """Those of one object together, in the order in which they come."""
    objects: dict[int, list[Advice]] = {}
    for advice in advised:
        objects.setdefault(id(advice.what), []).append(advice)
    return list(objects.values())


def movable(used: LineUse, ranges: Iterable[tuple[int, int]] | None = None) -> int:
    """Cycles of the waits that homes decide on: of all lines, or of those in some ranges."""
    return sum(use.waits[cause] for use in _uses(used, ranges) for cause in MOVABLE)


def is_elsewhere(before: LineUse, after: LineUse, ranges: Iterable[tuple[int, int]]) -> bool:
    """Whether another run used these ranges otherwise by more than a quarter, so that their waits do not compare.

    Where threads ask for memory at the same time, whose turn it is decides what lies where; a run with other homes has
    other turns.
    """
    kept = list(ranges)
    was, now = (sum(use.reads + use.writes for use in _uses(used, kept)) for used in (before, after))
    return abs(now - was) > was / 4


def _uses(used: LineUse, ranges: Iterable[tuple[int, int]] | None) -> Iterator[Use]:
    wanted = None if ranges is None else sorted(ranges)
    begins = [begin for begin, _ in wanted or ()]
    for line in (line for each in used.objects for line in each.lines):
        at = bisect.bisect_right(begins, line.address) - 1
        if wanted is None or (at >= 0 and line.lines > 0 and line.address < wanted[at][1]):
            yield from line.uses


def _moves(used: LineUse, costs: "_Costs") -> Iterator[tuple[MemoryObject, Line, int, float, float]]:
    """Each line that would cost less at another home: its best one, what it costs, and what it would."""
    for each in used.objects:
        for line in each.lines:
            if line.lines == 0 or not any(use.waits for use in line.uses):
                continue
            before = sum(use.waits[cause] for use in line.uses for cause in MOVABLE)
            able = [use.core for use in line.uses if _keeps(line, use)]
            after, core = min(((costs.of(line, core), core) for core in able), default=(before, None))
            if after < before and core is not None and core != line.home:
                yield each, line, core, before, after


def _keeps(line: Line, use: Use) -> bool:
    """Whether its copy stayed with a core until others wrote the line.

    A core that much data passes through loses it sooner. As the line's home it would lose it to memory, and with it
    all copies that others have.
    """
    lost = use.times["stall_home"] - use.true_sharing - use.false_sharing
    return lost <= MOST_LOST * line.lines


class _Costs:
    """What lines would cost, by the machine's latencies and what the run's waits were."""

    def __init__(self, used: LineUse, machine: Machine) -> None:
        tiles = machine.tiles
        ways = array("Q", _simulator.machine_ways(machine.model_dump()))
        self._ways = [ways[tiles * one : tiles * (one + 1)] for one in range(tiles)]
        self._machine = machine
        waits, times = Counter[str](), Counter[str]()
        for use in (use for each in used.objects for line in each.lines for use in line.uses):
            waits.update(use.waits)
            times.update(use.times)
        self._read_here = waits["stall_l2"] / times["stall_l2"] if times["stall_l2"] else machine.l2.hit
        self._mean = [sum(self._ways[core]) / tiles for core in range(machine.cores)]
        mean_of_all = sum(self._mean) / len(self._mean)
        mean_read = waits["stall_home"] / times["stall_home"] if times["stall_home"] else 0
        self._read_there = max(mean_read - 2 * mean_of_all, self._read_here)
        self.room = [L2_SHARE * machine.l2.size] * machine.cores

    def of(self, line: Line, home: int) -> float:
        """Of all cores, if the line were homed there."""
        return sum(self._of_use(line, use, home) for use in line.uses)

    def _of_use(self, line: Line, use: Use, home: int) -> float:
        before, after = self._way_to(use.core, line.home), self._way_to(use.core, home)
        reads: float = use.waits["stall_home"] + use.waits["stall_l2"]
        times = use.times["stall_home"]
        if home == use.core != line.home:
            reads += times * self._read_here - use.waits["stall_home"]
        elif line.home == use.core != home:
            # What others write it has to get again, each time.
            again = use.true_sharing + use.false_sharing
            reads += again * (self._read_there + after) - min(again * self._read_here, use.waits["stall_l2"])
        else:
            reads += times * (after - before)
        atomics = max(
            use.waits["stall_atomic"] + use.times["stall_atomic"] * self._longer(use.core, line.home, home), 0
        )
        slower = self._store(line, use.core, home) - self._store(line, use.core, line.home)
        fences = max(use.waits["stall_fence"] + use.times["stall_fence"] * slower, 0)
        return reads + atomics + fences + use.waits["stall_store_buffer"] * self._slower(line, use, home)

    def _slower(self, line: Line, use: Use, home: int) -> float:
        """What a wait for room in the store buffer comes to, by what it was.

        One or two waits a line are for what is brought from memory, which a home does not make faster.
        """
        if use.times["stall_store_buffer"] <= 2 * line.lines:
            return 1
        return self._store(line, use.core, home) / max(self._store(line, use.core, line.home), 1)

    def _longer(self, core: int, home: int | None, other: int) -> float:
        """By how much a way to another home and back takes longer, with what it takes at its end."""
        there = self._read_there - self._read_here
        return self._way_to(core, other) + there * (core != other) - self._way_to(core, home) - there * (core != home)

    def _store(self, line: Line, core: int, home: int | None) -> float:
        """From a store to its acknowledgement."""
        times = self._machine.home
        at_home = self._machine.l2.store if core == home else times.service + self._way_to(core, home)
        sharers = [use.core for use in line.uses if use.reads and use.core not in (core, home)]
        writes = sum(use.writes for use in line.uses)
        if not sharers or not writes:
            return at_home
        ways = sum(self._way_to(sharer, home) for sharer in sharers) / len(sharers)
        return at_home + min(line.invalidations / writes, 1) * (times.directory + times.drop + ways)

    def _way_to(self, core: int, home: int | None) -> float:
        """Cycles there and back. None: to any tile."""
        return 2 * (self._mean[core] if home is None else self._ways[core][home])


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if joined and joined[-1][1] == begin:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((begin, end))
    return joined
