"""The part of a run in which cores waited for each other, apart from what they did: in which call, and for whom."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from croft.recording.channel_roles import kind_of
from croft.recording.profile import Profile, Sample
from croft.symbols.symbols import Place

ASLEEP = ("wait_line", "wait_network", "wait_kernel")
"""The causes that are waits for another core, or for the kernel."""
_WAITING = re.compile(r"/include/croft/channel/wait\w*\.hpp$")
"""The library's code that waits for a channel: on machines on which cores cannot sleep it spins."""
_BELOW = re.compile(r"/(include|many_core)/croft/(port|memory)/")
_CHANNEL = re.compile(r"/(include|many_core)/croft/(paper/)?channel/")


class Waited(NamedTuple):
    """Cycles that cores waited, added up: ``what`` they waited in or for, and which of them did."""

    what: str | Place
    cycles: int
    cores: Counter[int]


def split(profile: Profile) -> tuple[Profile, Profile]:
    """What the cores did, and what they waited."""
    done: list[Sample] = []
    waited: list[Sample] = []
    known: dict[int, bool] = {}
    for sample in profile.samples:
        spins = known.get(id(sample.stack))
        if spins is None:
            spins = known[id(sample.stack)] = any(_WAITING.search(place.file) for place in sample.stack)
        (waited if spins or sample.cause in ASLEEP else done).append(sample)
    return Profile(done, profile.title), Profile(waited, profile.title)


def by_call(waited: Profile) -> list[Waited]:
    """By the call of a channel that waited, or else the library's or the program's innermost function."""
    known: dict[int, Place] = {}
    cores: dict[Place, Counter[int]] = {}
    for sample in waited.samples:
        place = known.setdefault(id(sample.stack), _call(sample.stack))
        cores.setdefault(place, Counter())[sample.core] += sample.cycles
    return _sorted(cores)


def by_writer(waits: Iterable[tuple[int, int, int]], roles: dict[int, str]) -> list[tuple[str, str, int]]:
    """Who waited for whom, and how long: cores with the same part in a pattern together, others one by one.

    ``waits`` are those of LineUse: core, the core that wrote last, cycles.
    """
    cycles: Counter[tuple[str, str]] = Counter()
    members: dict[str, set[int]] = {}
    for core, writer, count in waits:
        if core != writer:
            ends = [kind_of([roles[each]]) if each in roles else f"core {each}" for each in (core, writer)]
            for end, each in zip(ends, (core, writer), strict=True):
                members.setdefault(end, set()).add(each)
            cycles[ends[0], ends[1]] += count
    names = {end: _name(end, found) for end, found in members.items()}
    return [(names[one], names[other], count) for (one, other), count in cycles.most_common()]


def _name(kind: str, cores: set[int]) -> str:
    (first, *more) = sorted(cores)
    return f"{len(cores)} {kind}s" if more else kind if kind.startswith("core ") else f"{kind} (core {first})"


def _call(stack: tuple[Place, ...]) -> Place:
    inner = [place for place in stack if not place.of_toolchain and not _BELOW.search(place.file)]
    inner = [place for place in inner if not _WAITING.search(place.file)] or inner or [stack[-1]]
    place = inner.pop()
    while inner and _CHANNEL.search(place.file) and _CHANNEL.search(inner[-1].file):
        place = inner.pop()
    return Place(place.function, place.file)


def _sorted(cores: dict[Place, Counter[int]]) -> list[Waited]:
    found = [Waited(place, each.total(), each) for place, each in cores.items()]
    return sorted(found, key=lambda one: (-one.cycles, str(one.what)))
