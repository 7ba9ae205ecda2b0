"""Who used which memory, and what it cost (``croft run --lines``).

By line of the cache, and added up by object: a variable, all that one place of the program allocates, a stack.
"""

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from croft.channel_use import Channel, channels
from croft.identity import Identity
from croft.profile import WAITS
from croft.symbols import Place, Symbols

LINE_BYTES = 64
_LINE = struct.Struct("<QQQQIIIIIIII")
_USE = struct.Struct(f"<10Q{len(WAITS)}Q{len(WAITS)}III")
_PLACED = struct.Struct("<QQII")
_ALLOCATION = struct.Struct("<QQQII")
_WAIT = struct.Struct("<IIQ")
_NOTHING = 0xFFFFFFFF
_MOST = 500
"""Objects and lines that a report holds one by one; the rest is in its totals."""
_OF_CROFT, _OF_MEMORY = "/croft/", "/croft/memory/"
"""In the names of the library's files, and of those that only allocate on behalf of others."""


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
class LineReport:
    """All memory that a run has used, the objects that cores waited for longest first."""

    objects: list[MemoryObject]
    waits: list[Wait]
    placed: list[tuple[int, int, str]]
    """Where allocated memory was: begin, end, and what allocated it there last."""
    left_out: int
    """Accesses that found no room in the limit of the record."""
    channels: list[Channel]
    """What cores sent each other, those with most messages first. Those in memory are known by debug information."""
    unreceived: int
    """Messages of these kinds that no other core was seen to receive."""

    @classmethod
    def of(cls, recorded: dict[str, Any], elf: bytes) -> "LineReport":
        """What the simulator recorded, with the program's variables, functions and lines."""
        objects = _Objects(recorded, elf)
        for line, allocation, of_stack in _lines(recorded, objects.places):
            objects.of(line, allocation, of_stack).lines.append(line)
        waits = [Wait(*each) for each in _WAIT.iter_unpack(recorded["waits"])]
        ordered = sorted(objects.all(), key=lambda each: (-each.waits.total(), each.identity))
        sent = channels(recorded["channels"], objects.identity_of)
        return cls(ordered, waits, objects.placed(), recorded["left_out"], sent, recorded["unreceived"])

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

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the first 500 objects, shared lines and channels, and the totals of all."""
        objects = self.objects[:_MOST]
        number = {id(line): index for index, each in enumerate(objects) for line in each.lines}
        return {
            "line_bytes": LINE_BYTES,
            "totals": self.totals(),
            "objects": [_object_as_dict(each) for each in objects],
            "lines": [_line_as_dict(line, number.get(id(line)), objects) for line in self.lines[:_MOST]],
            "waits": [list(wait) for wait in self.waits],
            "channels": [each.as_dict() for each in self.channels[:_MOST]],
        }


def _lines(recorded: dict[str, Any], places: "_Places") -> Iterator[tuple[Line, int, bool]]:
    """Each line, the number of its allocation, and whether it is of a stack."""
    uses = list(_USE.iter_unpack(recorded["uses"]))
    rows = list(_LINE.iter_unpack(recorded["lines"]))
    shared = {
        pc
        for _, _, _, _, first, count, *_ in rows
        if count > 1
        for use in uses[first : first + count]
        for pc in use[8:10]
    }
    places.prepare(shared)
    for address, invalidations, messages, hops, first, count, lines, home, allocation, spread, of_stack, _ in rows:
        made = [_use(use, places if count > 1 else None) for use in uses[first : first + count]]
        line = Line(
            address, lines, None if home == _NOTHING else home, bool(spread), invalidations, messages, hops, made
        )
        yield line, allocation, bool(of_stack)


def _use(row: tuple[int, ...], places: "_Places | None") -> Use:
    loads, stores, atomics, following, true, false, read_bytes, write_bytes, read_pc, write_pc, *rest, core, _ = row
    at = (places.text(read_pc), places.text(write_pc)) if places else ("", "")
    waits, times = (_counted(part) for part in (rest[: len(WAITS)], rest[len(WAITS) :]))
    return Use(core, loads, stores, atomics, following, true, false, waits, times, read_bytes, write_bytes, *at)


def _counted(values: list[int]) -> Counter[str]:
    return Counter({cause: value for cause, value in zip(WAITS, values, strict=True) if value})


class _Places:
    """Instructions as text: function and line of the user's own code."""

    def __init__(self, elf: bytes) -> None:
        self._symbols = Symbols.of(elf)
        self._known: dict[int, tuple[Place, ...]] = {}

    def prepare(self, addresses: set[int]) -> None:
        """Looks many up together, which is faster."""
        self._known |= self._symbols.places_of({address for address in addresses if address} - self._known.keys())

    def of(self, address: int) -> tuple[Place, ...]:
        """The innermost inlined function first."""
        if address not in self._known:
            self.prepare({address})
        return self._known[address]

    def text(self, address: int) -> str:
        """Empty for 0."""
        if not address:
            return ""
        calls = self.of(address)
        return str(next((place for place in calls if not place.of_toolchain), calls[0]))


class _Objects:
    """Finds the object of each line; allocations by the same place of the user's code are one."""

    def __init__(self, recorded: dict[str, Any], elf: bytes) -> None:
        self._symbols = Symbols.of(elf)
        self.places = _Places(elf)
        self._calls: list[tuple[int, int, bool]] = recorded["calls"]
        self._rows = list(_ALLOCATION.iter_unpack(recorded["allocations"]))
        self.places.prepare({at - 1 for _, at, _ in self._calls[1:]} | {row[0] - 1 for row in self._rows})
        self._identities = [self._allocated(row[0], row[3]) for row in self._rows]
        self._placed = recorded["placed"]
        self._found: dict[Identity, MemoryObject] = {}

    def all(self) -> list[MemoryObject]:
        """Those that have been asked for."""
        return list(self._found.values())

    def placed(self) -> list[tuple[int, int, str]]:
        """Where allocated memory was."""
        rows = _PLACED.iter_unpack(self._placed)
        return [(begin, end, self._identities[number].name) for begin, end, number, _ in rows]

    def identity_of(self, allocation: int, line: int) -> Identity:
        """What an allocation is, or of none, what a line is part of that of() was asked for."""
        if allocation != _NOTHING:
            return self._identities[allocation]
        inside = (each for each in self._found.values() for one in each.lines if one.address == line)
        return next((each.identity for each in inside), Identity("unknown", "other memory"))

    def of(self, line: Line, allocation: int, of_stack: bool) -> MemoryObject:
        """The object that a line is part of, or begins in."""
        if allocation != _NOTHING:
            _, address, size, _, _ = self._rows[allocation]
            return self._object(self._identities[allocation], address, size)
        variable = next(
            filter(None, map(self._symbols.variable_at, (line.address, line.address + LINE_BYTES - 1))), None
        )
        if variable:
            name, address, size = variable
            return self._object(Identity("variable", name), address, size)
        if of_stack:
            return self._object(Identity("stack", "stacks"), line.address, 0)
        return self._object(Identity("unknown", "other memory"), line.address, 0)

    def _object(self, identity: Identity, address: int, size: int) -> MemoryObject:
        return self._found.setdefault(identity, MemoryObject(identity, address, size))

    def _allocated(self, return_address: int, node: int) -> Identity:
        stack = list(self.places.of(return_address - 1))
        while node:
            parent, called_at, _ = self._calls[node]
            stack += self.places.of(called_at - 1)
            node = parent
        users = [place for place in stack if not place.of_toolchain and _OF_MEMORY not in place.file] or stack
        own = next((place for place in users if _OF_CROFT not in place.file), users[-1])
        return Identity("allocation", _short(users[0]), "" if own == users[0] else str(own))


def _short(place: Place) -> str:
    line = f":{place.line}" if place.line else ""
    return f"{place.function} ({place.file.rpartition('/')[2]}{line})" if place.file else place.function


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
