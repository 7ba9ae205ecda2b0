"""What is measured: a row for each figure, by one call of a program, on this host and on a simulated machine alike."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from croft.base.errors import CroftError
from croft.results import fields

LATENCY, SPEED = "native_latency", "machine_speed"
Pair = tuple[int, int]
"""Numbers of cores, the measuring one first."""


@dataclass(frozen=True)
class Row:
    """A figure: of ``machine_speed`` its ``what``; else an access to a line by state, place and level."""

    what: str = ""
    access: str = ""
    place: str = ""
    state: str = ""
    level: str = ""
    pair: Pair = (0, 1)
    across: str = ""
    """What the two cores of the pair share, if not the pair that most rows are of is meant."""

    @property
    def name(self) -> str:
        """In words: "read other modified L1"."""
        far = f" across {self.across}" if self.across else ""
        return self.what.replace("_", " ") or f"{self.access} {self.place} {self.state} {self.level}{far}"

    @property
    def program(self) -> str:
        """That prints it."""
        return SPEED if self.what else LATENCY

    def is_read(self, place: str, level: str) -> bool:
        """Whether it is the read of a modified line that is in this level, or in memory."""
        return (self.access, self.place, self.state, self.level) == ("read", place, "modified", level)


@dataclass(frozen=True)
class Sizes:
    """KiB of lines that the rows of a level use. Every other line is left out, so they take twice the room.

    ``l2`` is twice what an L1 holds of such lines, ``l3`` twice what an L2 holds, and ``memory`` twice what all caches
    hold. ``stream`` is what a thread reads that streams alone, ``streams`` what each of several reads.
    """

    l1: int
    l2: int
    l3: int
    memory: int
    stream: int
    streams: int

    @classmethod
    def of(cls, l1: int, levels: Sequence[int], threads: int) -> "Sizes":
        """For caches of so many bytes, the L1s' and then each level's."""
        last = levels[-1]
        streams = max(4 * levels[0], 2 * last // threads)
        return cls(*(size >> 10 for size in (l1 // 4, l1, levels[0], last, 2 * last, streams)))


def rows_of(levels: int, pairs: Mapping[str, Sequence[Pair]], threads: int) -> list[Row]:
    """All rows for a host with so many levels behind its L1s. ``pairs`` are of cores, by what they share, the nearest
    first; ``threads`` are those of its streams.
    """
    near, *others = [(across, pair) for across, some in pairs.items() for pair in some]
    caches = [f"L{number + 1}" for number in range(levels + 1)]
    found = [Row(what=what) for what in ("add", "adds", "fence", "atomic", "bounce_one", "bounce_two", "stream_one")]
    found += [Row(what="stream_all")] if threads > 1 else []
    states = [(level, state) for level in caches for state in ("modified", "shared")]
    for level, state in (*states, ("L1", "exclusive"), ("memory", "modified")):
        places = ("own",) if level == "memory" else ("own", "other")
        found += [Row("", access, place, state, level) for access in ("read", "write") for place in places]
    for across, pair in others:
        found.append(Row("", "read", "other", "modified", "L1", pair, across))
    return [Row(**{**vars(row), "pair": near[1]}) if row.pair == (0, 1) else row for row in found]


What = TypeVar("What")


class Printed(Protocol[What]):
    """A program with its arguments, and how the figures that it prints are read."""

    @property
    def program(self) -> str:
        """One of croft's."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """On its command line."""

    @property
    def cores(self) -> int | None:
        """How many of the first cores it may use; None: all."""

    def read(self, output: str, unit: str) -> dict[What, float]:
        """The figures, in "ns" or in "cycles". Raises CroftError if one is missing."""


@dataclass(frozen=True)
class Call:
    """A program with its arguments, and the rows that it prints."""

    program: str
    arguments: tuple[str, ...]
    rows: tuple[Row, ...]
    cores: int | None = None

    def read(self, output: str, unit: str) -> dict[Row, float]:
        """Each row's median, in "ns" or in "cycles". Raises CroftError if one is missing."""
        return {row: float(line[unit]) for row, line in self.lines(output).items()}

    def lines(self, output: str) -> dict[Row, dict[str, Any]]:
        """The line of each row. Raises CroftError if one is missing."""
        found = fields.find_all(output, self.program)
        keys = ("what",) if self.program == SPEED else ("access", "place", "state", "level")
        by_keys = {tuple(line[key] for key in keys): line for line in found}
        lines = {row: by_keys.get(tuple(getattr(row, key) for key in keys)) for row in self.rows}
        for row, line in lines.items():
            if line is None:
                raise CroftError(f"{self.program} printed no line for {row.name}")
        return {row: line for row, line in lines.items() if line}


@dataclass(frozen=True)
class Effort:
    """How often a call measures: samples of a line's latency, of one whose preparation empties all caches, and of the
    rest.
    """

    samples: int
    emptied: int
    speed: int


def calls(rows: Iterable[Row], sizes: Sizes, effort: Effort, cores: Sequence[int]) -> list[Call]:
    """What prints ``rows``: one call for all rows of a level and a state between two cores, and one for each else.

    ``cores`` are what the pairs' cores are called where the program runs.
    """
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.what, row.level, row.state, row.pair), []).append(row)
    return [_call(group, sizes, effort, cores) for group in groups.values()]


def _call(rows: Sequence[Row], sizes: Sizes, effort: Effort, cores: Sequence[int]) -> Call:
    first = rows[0]
    here, there = (str(cores[core]) for core in first.pair)
    said: dict[str, object] = {"here": here, "there": there}
    if first.what:
        said |= {
            "what": first.what,
            "repeats": effort.speed,
            "memory": sizes.streams if first.what == "stream_all" else sizes.stream,
        }
    else:
        said |= {"l1": sizes.l1, "l2": sizes.l2, "l3": sizes.l3, "memory": sizes.memory, "push": sizes.memory}
        said |= {"level": first.level, "state": first.state}
        said["repeats"] = effort.emptied if first.state == "exclusive" or first.level == "memory" else effort.samples
        said |= {key: _only(getattr(row, key) for row in rows) for key in ("access", "place")}
    options = tuple(word for key, value in said.items() for word in (f"--{key}", str(value)))
    return Call(first.program, options, tuple(rows))


def _only(words: Iterable[str]) -> str:
    different = set(words)
    return different.pop() if len(different) == 1 else "all"
