"""Who used which memory, and what it cost (``croft run --lines``).

By line of the cache, and added up by object: a variable, all that one place of the program allocates, a stack.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from croft.recording.channel_use import Channel, between
from croft.recording.identity import Identity

LINE_BYTES = 64
_MOST = 500
"""Objects and lines that a record holds one by one; the rest is in its totals."""


@dataclass
class Use:
    """One core's use of one line, or of an object.

    ``loads``, ``stores`` and ``atomics`` are instructions. ``next`` is how often it was the first to read what another
    core had written. ``true_sharing`` and ``false_sharing`` say how often it came to a line that others had written
    since it last did, and used bytes that they had written, or none. ``waits`` are cycles by
    cause, ``times`` how often it waited.
    """

    core: int
    loads: int = 0
    stores: int = 0
    atomics: int = 0
    next: int = 0
    true_sharing: int = 0
    false_sharing: int = 0
    waits: Counter[str] = field(default_factory=Counter)
    times: Counter[str] = field(default_factory=Counter)
    read_bytes: int = 0
    write_bytes: int = 0
    read_at: str = ""
    write_at: str = ""

    @property
    def reads(self) -> int:
        """Loads and atomic operations."""
        return self.loads + self.atomics

    @property
    def writes(self) -> int:
        """Stores and atomic operations."""
        return self.stores + self.atomics

    @property
    def misses(self) -> int:
        """How often it waited for a home or for memory."""
        return self.times["stall_home"] + self.times["stall_memory"]

    def add(self, other: "Use") -> None:
        """What the same core did elsewhere, too."""
        for name in ("loads", "stores", "atomics", "next", "true_sharing", "false_sharing"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.waits.update(other.waits)
        self.times.update(other.times)


@dataclass
class Line:
    """A line, or ``lines`` of them side by side that at most one core has used.

    None (``lines`` is 0) stands for what was used before its memory became something else. ``home`` is a tile or a
    bank; None of several lines that have different ones.
    """

    address: int
    lines: int
    home: int | None
    is_spread: bool
    invalidations: int
    messages: int
    hops: int
    uses: list[Use]

    @property
    def waits(self) -> int:
        """Cycles, of all cores."""
        return sum(use.waits.total() for use in self.uses)

    @property
    def is_falsely_shared(self) -> bool:
        """Whether cores took it from each other for bytes that they did not share, more often than for those that
        they did.
        """
        false = sum(use.false_sharing for use in self.uses)
        return len(self.uses) > 1 and false > sum(use.true_sharing for use in self.uses)


@dataclass
class MemoryObject:
    """A variable, or all that a place of the program has allocated; ``address`` and ``bytes`` are the latest one's."""

    identity: Identity
    address: int
    bytes: int
    lines: list[Line] = field(default_factory=list)

    @property
    def waits(self) -> Counter[str]:
        """Cycles by cause, of all cores."""
        return sum((use.waits for line in self.lines for use in line.uses), Counter())

    @property
    def home(self) -> str:
        """ "hashed" if lines side by side have different homes; else "core 3", or "several"; empty if it has gone."""
        there = [line for line in self.lines if line.lines]
        if any(line.is_spread for line in there):
            return "hashed"
        homes = {line.home for line in there}
        return f"core {homes.pop()}" if len(homes) == 1 else "several" if homes else ""

    def uses(self) -> list[Use]:
        """Of each core, the first one first."""
        cores: dict[int, Use] = {}
        for line in self.lines:
            for use in line.uses:
                cores.setdefault(use.core, Use(use.core)).add(use)
        return [cores[core] for core in sorted(cores)]


class Wait(NamedTuple):
    """So many cycles a core slept until a line changed that another one was the last to write, or in a futex there."""

    core: int
    writer: int
    cycles: int


@dataclass(frozen=True)
class LineUse:
    """All memory that a run has used, the objects that cores waited for longest first."""

    objects: list[MemoryObject]
    waits: list[Wait]
    allocated: list[tuple[int, int, str]]
    """Where allocated memory was: begin, end, and what allocated it there last."""
    left_out: int
    """Accesses that found no room in the limit of the record."""
    channels: list[Channel]
    """What cores sent each other, those with most messages first. Those in memory are known by debug information."""
    unreceived: int
    """Messages of these kinds that no other core was seen to receive."""
    roles: dict[int, str] = field(default_factory=dict)
    """What part a core has in a pattern: "emitter", "worker 3"; of those that have one."""

    @property
    def lines(self) -> list[Line]:
        """Those that several cores have used, the ones that they waited for longest first."""
        shared = (line for each in self.objects for line in each.lines if len(line.uses) > 1 and line.lines)
        return sorted(shared, key=lambda line: (-line.waits, line.address))

    def totals(self) -> dict[str, int]:
        """Of all lines. Loads, stores, atomics, invalidations and messages are those of the statistics; what cores
        sent each other through channels is "sent", and nobody has received "unreceived" ones.
        """
        totals: Counter[str] = Counter(left_out=self.left_out, private_lines=0, shared_lines=0)
        totals["sent"] = sum(each.messages for each in self.channels)
        totals["unreceived"] = self.unreceived
        for line in (line for each in self.objects for line in each.lines):
            totals["private_lines" if len(line.uses) < 2 else "shared_lines"] += line.lines
            for name in ("invalidations", "messages", "hops"):
                totals[name] += getattr(line, name)
            for use in line.uses:
                for name in ("loads", "stores", "atomics", "reads", "writes", "misses"):
                    totals[name] += getattr(use, name)
        return dict(totals)

    def channel(self, line: Line) -> str:
        """What the one channel is called that a line is of; empty if it is of none, or of several."""
        identity = self._channel_objects.get(id(line))
        return between(self.channels, identity, {use.core for use in line.uses}) if identity else ""

    @cached_property
    def _channel_objects(self) -> dict[int, Identity]:
        """Of each line of a channel its object's identity, by the line's id()."""
        return {id(line): each.identity for each in self.objects if each.identity.channel for line in each.lines}

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the first 500 objects, shared lines and channels, and the totals of all."""
        objects = self.objects[:_MOST]
        number = {id(line): index for index, each in enumerate(objects) for line in each.lines}
        return {
            "line_bytes": LINE_BYTES,
            "totals": self.totals(),
            "objects": [_object_as_dict(each) for each in objects],
            "lines": [
                _line_as_dict(line, number.get(id(line)), objects) | {"channel": self.channel(line)}
                for line in self.lines[:_MOST]
            ],
            "waits": [list(wait) for wait in self.waits],
            "channels": [each.as_dict() for each in self.channels[:_MOST]],
            "roles": {str(core): role for core, role in self.roles.items()},
        }


def _object_as_dict(each: MemoryObject) -> dict[str, Any]:
    uses = each.uses()
    return {
        **each.identity._asdict(),
        "address": each.address,
        "bytes": each.bytes,
        "lines": sum(line.lines for line in each.lines),
        **{name: sum(getattr(line, name) for line in each.lines) for name in ("invalidations", "messages", "hops")},
        **{name: sum(getattr(use, name) for use in uses) for name in ("reads", "writes", "misses")},
        "waits": dict(sorted(each.waits.items())),
        "false_sharing": sum(line.is_falsely_shared for line in each.lines),
        "home": each.home,
        "uses": [_use_as_dict(use) for use in uses],
    }


def _line_as_dict(line: Line, number: int | None, objects: list[MemoryObject]) -> dict[str, Any]:
    waits = sum((use.waits for use in line.uses), Counter[str]())
    return {
        "address": line.address,
        "object": number,
        "offset": 0 if number is None else line.address - objects[number].address,
        "home": line.home,
        **{name: getattr(line, name) for name in ("invalidations", "messages", "hops")},
        **{name: sum(getattr(use, name) for use in line.uses) for name in ("reads", "writes", "misses")},
        "waits": dict(sorted(waits.items())),
        "false_sharing": line.is_falsely_shared,
        "uses": [
            _use_as_dict(use)
            | {"read_bytes": _ranges(use.read_bytes), "write_bytes": _ranges(use.write_bytes)}
            | {"read_at": use.read_at, "write_at": use.write_at}
            for use in line.uses
        ],
    }


def _use_as_dict(use: Use) -> dict[str, Any]:
    return {
        "core": use.core,
        "reads": use.reads,
        "writes": use.writes,
        "next": use.next,
        "true_sharing": use.true_sharing,
        "false_sharing": use.false_sharing,
        "waits": use.waits.total(),
    }


def _ranges(mask: int) -> list[list[int]]:
    """The bits that are set, as first and last ones."""
    ranges: list[list[int]] = []
    for bit in range(LINE_BYTES):
        if not mask >> bit & 1:
            continue
        if ranges and ranges[-1][1] == bit - 1:
            ranges[-1][1] = bit
        else:
            ranges.append([bit, bit])
    return ranges
