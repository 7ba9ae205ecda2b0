"""Gives what the simulator recorded of lines its names: the objects that they are of, and who used them where."""

import struct
from collections import Counter
from collections.abc import Iterator
from typing import Any

from croft.recording.channel_roles import ChannelRoles, Site, site_of
from croft.recording.channel_use import channels, messages_by_site
from croft.recording.identity import Identity
from croft.recording.line_use import LINE_BYTES, Line, LineUse, MemoryObject, Use, Wait
from croft.recording.profile import WAITS
from croft.symbols.symbols import Place, Symbols

_LINE = struct.Struct("<QQQQIIIIIIII")
_USE = struct.Struct(f"<10Q{len(WAITS)}Q{len(WAITS)}III")
_PLACED = struct.Struct("<QQII")
_ALLOCATION = struct.Struct("<QQQII")
_WAIT = struct.Struct("<IIQ")
_NOTHING = 0xFFFFFFFF
_OF_MEMORY = "/croft/memory/"
"""In the names of the library's files that only allocate on behalf of others."""


def line_use(recorded: dict[str, Any], elf: bytes) -> LineUse:
    """What the simulator recorded, with the program's variables, functions and lines."""
    objects = _Objects(recorded, elf)
    for line, allocation, of_stack in _lines(recorded, objects.places):
        objects.of(line, allocation, of_stack).lines.append(line)
    waits = [Wait(*each) for each in _WAIT.iter_unpack(recorded["waits"])]
    ordered = sorted(objects.all(), key=lambda each: (-each.waits.total(), each.identity))
    sent = channels(recorded["channels"], objects.identity_of, objects.roles.name)
    roles = objects.roles.of_cores()
    return LineUse(ordered, waits, objects.allocated(), recorded["left_out"], sent, recorded["unreceived"], roles)


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
        made = [self._allocated(row[0], row[3]) for row in self._rows]
        sites = {number: site for number, (_, site) in enumerate(made) if site}
        self.roles = ChannelRoles(sites, messages_by_site(recorded["channels"]))
        self._identities = [
            identity._replace(channel=self.roles.name(number)) for number, (identity, _) in enumerate(made)
        ]
        self._placed = recorded["placed"]
        self._found: dict[Identity, MemoryObject] = {}

    def all(self) -> list[MemoryObject]:
        """Those that have been asked for."""
        return list(self._found.values())

    def allocated(self) -> list[tuple[int, int, str]]:
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

    def _allocated(self, return_address: int, node: int) -> tuple[Identity, Site | None]:
        """What is allocated by these calls, and the site of a channel if it is one's."""
        stack = list(self.places.of(return_address - 1))
        while node:
            parent, called_at, _ = self._calls[node]
            stack += self.places.of(called_at - 1)
            node = parent
        users = [place for place in stack if not place.of_toolchain and _OF_MEMORY not in place.file] or stack
        own = next((place for place in users if not place.of_croft), users[-1])
        where = "" if own == users[0] else str(own)
        return Identity("allocation", _short(users[0]), where), site_of(users, where)


def _short(place: Place) -> str:
    line = f":{place.line}" if place.line else ""
    return f"{place.function} ({place.file.rpartition('/')[2]}{line})" if place.file else place.function
