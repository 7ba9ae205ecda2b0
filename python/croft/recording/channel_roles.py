"""Which part each core has in a pattern, and so what its channels are called: "farm: emitter to worker 3".

The calls by which a channel is made name its pattern: files of the library's patterns are among them, or a function of
the program's own that has the pattern's name. The messages say who has which part: an emitter sends to several workers,
and a collector receives from several. Workers are numbered in the order of their cores.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from croft.symbols.demangle import elided
from croft.symbols.symbols import Place

_CHANNELS = re.compile(r"/(include|many_core)/croft/(paper/)?channel/")
_PATTERN = re.compile(r"/include/croft/pattern/(farm|pipeline|map|graph|feedback|all_to_all)\.hpp")
_STREAM = "/include/croft/pattern/run.hpp"
"""A source, stages and a sink, of no other pattern."""
_FARM, _CHAINS = "farm", ("pipeline", "stream")
_NAMES = ("farm", "pipeline", "stencil")
"""Words in the names of a program's own functions that tell a pattern, and hardly anything else."""

Pair = tuple[int, int]
"""Sender and receiver."""


class Site(NamedTuple):
    """What the calls say by which a channel is made: its pattern, if it is of one, and what of the program made that.

    Channels of one pattern have equal ones.
    """

    pattern: str
    made_by: str


def site_of(calls: Sequence[Place], where: str) -> Site | None:
    """Of an allocation with these calls, innermost first; None if it is no channel's."""
    if not calls or not _CHANNELS.search(calls[0].file):
        return None
    for place in calls:
        if found := _PATTERN.search(place.file):
            return Site(found[1], where)
        words = re.split(r"[\W_]+", elided(place.function)) if not place.of_croft else ()
        if named := next((name for name in _NAMES if name in words), ""):
            return Site(named, place.function)
    return Site("stream" if any(place.file.endswith(_STREAM) for place in calls) else "", where)


class ChannelRoles:
    """The parts of all cores, by the channels of a run: ``sent`` are messages by site (of a channel that is made
    there), sender and receiver.
    """

    def __init__(self, sites: Mapping[int, Site], sent: Iterable[tuple[int, Pair, int]]) -> None:
        self._sites = sites
        self._pairs: defaultdict[int, list[Pair]] = defaultdict(list)
        messages: defaultdict[Site, Counter[int]] = defaultdict(Counter)
        for number, pair, count in sent:
            if site := sites.get(number):
                self._pairs[number].append(pair)
                messages[site].update(dict.fromkeys(pair, count))
        self._parts = {
            site: _parts(site.pattern, [self._pairs[number] for number in self._pairs if sites[number] == site])
            for site in messages
        }
        self._messages = messages

    def of_cores(self) -> dict[int, str]:
        """The part of each core that has one: that in which it has to do with most messages."""
        most: dict[int, tuple[int, str]] = {}
        for site, parts in self._parts.items():
            for core, part in parts.items():
                most[core] = max(most.get(core, (0, "")), (self._messages[site][core], part))
        return {core: part for core, (_, part) in sorted(most.items())}

    def name(self, number: int, pair: Pair | None = None) -> str:
        """What the channels of a site are called, or the one of two cores; empty if it is no site of channels."""
        site = self._sites.get(number)
        if site is None:
            return ""
        parts = self._parts.get(site, {})
        pairs = [pair] if pair else self._pairs.get(number, [])
        ends = [_together(sorted(set(cores)), parts) for cores in zip(*pairs, strict=True)]
        return f"{site.pattern or 'channel'}: {' to '.join(ends)}" if ends else f"{site.pattern} channel".strip()


def _together(cores: list[int], parts: Mapping[int, str]) -> str:
    """Several cores in a few words."""
    if len(cores) == 1:
        return parts.get(cores[0], f"core {cores[0]}")
    return f"{len(cores)} {kind_of(parts[core] for core in cores if core in parts) or 'core'}s"


def kind_of(parts: Iterable[str]) -> str:
    """What several parts are, without their numbers, if they are all alike: "worker"; else empty."""
    kinds = {part.rstrip("0123456789 ") for part in parts}
    return kinds.pop() if len(kinds) == 1 else ""


def _parts(pattern: str, by_site: list[list[Pair]]) -> dict[int, str]:
    if pattern == _FARM:
        return _of_farm(by_site)
    return _of_chain([pair for pairs in by_site for pair in pairs]) if pattern in _CHAINS else {}


def _of_farm(by_site: list[list[Pair]]) -> dict[int, str]:
    emitters, collectors, served, senders, receivers = (set[int]() for _ in range(5))
    for pairs in by_site:
        here, there = ({pair[end] for pair in pairs} for end in (0, 1))
        senders |= here
        receivers |= there
        if len(here) == 1 < len(there):
            emitters |= here
            served |= there
        if len(there) == 1 < len(here):
            collectors |= there
            served |= here
    # With one worker, or several emitters, none of them stands out: then the ends are those that only send or receive.
    emitters |= senders - receivers - served
    collectors |= receivers - senders - served
    workers = (senders | receivers) - emitters - collectors
    both = emitters & collectors
    kinds = {"emitter": emitters - both, "collector": collectors - both, "worker": workers}
    numbered = {
        core: f"{kind} {number}" if len(cores) > 1 else kind
        for kind, cores in kinds.items()
        for number, core in enumerate(sorted(cores))
    }
    return numbered | dict.fromkeys(both, "emitter and collector")


def _of_chain(pairs: list[Pair]) -> dict[int, str]:
    """Nothing if a core sends to several, or receives from several."""
    following = dict(pairs)
    begins = set(following) - set(following.values())
    if len(following) < len(set(pairs)) or len(set(following.values())) < len(following) or len(begins) != 1:
        return {}
    core = begins.pop()
    chain = [core]
    while core in following:
        core = following[core]
        chain.append(core)
    names = ["source", *(f"stage {number}" for number in range(1, len(chain) - 1)), "sink"]
    return dict(zip(chain, names, strict=True))
