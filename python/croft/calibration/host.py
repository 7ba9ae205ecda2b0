"""This host's cores and caches, as Linux describes them in ``/sys/devices/system/cpu``."""

import dataclasses
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from croft.base.core_lists import listed, numbers
from croft.base.errors import UsageError
from croft.experiments.native import this_processor

SYSTEM = Path("/sys/devices/system/cpu")
LINE = 64
"""Bytes of a line, the only size that levels of a machine file have."""
MOST_LEVELS = 3


@dataclass(frozen=True)
class Cache:
    """Size in bytes, and ways: 0 where Linux does not say them."""

    size: int
    ways: int

    def __str__(self) -> str:
        return f"{self.size >> 10:,} KiB"


@dataclass(frozen=True)
class Level:
    """Caches behind the L1s: all alike, each shared by the cores of a group, which are numbered as in Host.cores."""

    name: str
    cache: Cache
    groups: tuple[tuple[int, ...], ...]

    @property
    def sharers(self) -> int:
        """Cores that share one of the caches."""
        return len(self.groups[0])


@dataclass(frozen=True)
class Host:
    """``cores`` are the processor numbers of Linux, in an order in which those that share a cache are neighbours."""

    processor: str
    cores: tuple[int, ...]
    l1d: Cache
    l1i: Cache | None
    levels: tuple[Level, ...]
    notes: tuple[str, ...] = ()
    """Sentences about what is left out."""
    stores_in_order: bool = False
    """Total store order: a release takes no fence."""

    def common_level(self, one: int, other: int) -> int:
        """The first level that two cores share; behind the last one, if none is."""
        for number, level in enumerate(self.levels):
            if any(one in group and other in group for group in level.groups):
                return number
        return len(self.levels)


def this_host(cores: Sequence[int] | None = None) -> Host:
    """The host that this process runs on, or only some of its cores. Raises UsageError as ``read_host`` does."""
    if platform.system() != "Linux":
        raise UsageError(f"croft calibrate asks Linux for the caches of this host, and this is {platform.system()}")
    found = read_host(SYSTEM, os.sched_getaffinity(0), cores, this_processor())
    return dataclasses.replace(found, stores_in_order=platform.machine() in ("x86_64", "AMD64"))


def read_host(system: Path, allowed: Iterable[int], cores: Sequence[int] | None = None, processor: str = "") -> Host:
    """The host that ``system`` describes, with those of the ``allowed`` processors that ``cores`` names (default: all).

    Raises UsageError if there is only one core, if the caches are not described, and if cores or caches are not alike.
    """
    usable = sorted(allowed)
    chosen = usable if cores is None else list(dict.fromkeys(cores))
    if missing := [core for core in chosen if core not in usable]:
        raise UsageError(f"--cores {missing[0]}: this process may use the cores {listed(usable)}")
    caches = {core: _caches(system, core) for core in chosen}
    first_threads = [core for core in chosen if core == min(set(caches[core]["l1d"].sharers) & set(chosen))]
    notes = []
    if len(first_threads) < len(chosen):
        notes.append("Hardware threads share L1s; one thread of each core is measured, because a tile runs one thread.")
    if len(first_threads) < 2:
        raise UsageError("croft calibrate measures what goes on between cores, and it may use only one core here")
    _check_alike(caches, first_threads)
    names = sorted((name for name in caches[first_threads[0]] if name not in ("l1d", "l1i")), reverse=True)
    if names and names[0] > f"l{MOST_LEVELS}":
        raise UsageError(f"this host has an {names[0].upper()}: croft calibrate measures {MOST_LEVELS} levels at most")
    ordered = sorted(
        first_threads,
        key=lambda core: (_package(system, core), *(min(caches[core][name].sharers) for name in names), core),
    )
    own = caches[ordered[0]]
    levels = tuple(_level(name, ordered, caches) for name in reversed(names))
    if not levels:
        raise UsageError("this host has no caches behind its L1s: croft calibrate needs an L2 at least")
    l1i = own["l1i"].cache if "l1i" in own else None
    return Host(processor, tuple(ordered), own["l1d"].cache, l1i, levels, tuple(notes))


@dataclass(frozen=True)
class _Described:
    cache: Cache
    sharers: tuple[int, ...]


def _caches(system: Path, core: int) -> dict[str, _Described]:
    """A core's caches: ``l1d``, ``l1i``, ``l2``, ``l3``."""
    found = {}
    for index in sorted((system / f"cpu{core}" / "cache").glob("index[0-9]*")):

        def text(name: str, index: Path = index) -> str:
            try:
                return (index / name).read_text(encoding="utf-8").strip()
            except OSError:
                return ""

        level, kind = text("level"), text("type")
        size, sharers = _bytes(text("size")), text("shared_cpu_list")
        if not (level.isdecimal() and size and sharers):
            raise UsageError(f"{index} does not say the level, the size and the cores of a cache, so none are known")
        if text("coherency_line_size") not in ("", str(LINE)):
            raise UsageError(f"{index}: lines have {text('coherency_line_size')} bytes; those of levels have {LINE}")
        ways = text("ways_of_associativity")
        name = f"l{level}" + {"Data": "d", "Instruction": "i"}.get(kind, "") * (level == "1")
        name = "l1d" if name == "l1" else name  # a unified one serves both
        if level == "1" or kind != "Instruction":
            cache = Cache(size, int(ways) if ways.isdecimal() else 0)
            found[name] = _Described(cache, tuple(numbers(sharers, f"{index / 'shared_cpu_list'}:")))
    if "l1d" not in found:
        where = system / f"cpu{core}" / "cache"
        raise UsageError(f"{where} describes no caches, as in some virtual machines: croft calibrate needs their sizes")
    return found


def _bytes(text: str) -> int:
    units = {"K": 10, "M": 20, "G": 30}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 0)
    return int(number) << unit if number.isdecimal() else 0


def _package(system: Path, core: int) -> int:
    try:
        return int((system / f"cpu{core}" / "topology" / "physical_package_id").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0


def _check_alike(caches: dict[int, dict[str, _Described]], cores: list[int]) -> None:
    def kind(core: int) -> str:
        return ", ".join(f"{name} {each.cache}" for name, each in sorted(caches[core].items()))

    kinds = _grouped(cores, kind)
    if len(kinds) > 1:
        said = "; ".join(f"cores {listed(sorted(each))} have {name}" for name, each in kinds.items())
        one = max(kinds.values(), key=lambda each: len(each))
        raise UsageError(
            f"the cores are of {len(kinds)} kinds: {said}; take one of them, --cores {listed(sorted(one))}"
        )


def _level(name: str, ordered: list[int], caches: dict[int, dict[str, _Described]]) -> Level:
    by_cache = _grouped(ordered, lambda core: str(min(caches[core][name].sharers)))
    groups = tuple(tuple(ordered.index(core) for core in group) for group in by_cache.values())
    sizes = sorted({len(group) for group in groups})
    if len(sizes) > 1:
        said, largest = " and ".join(map(str, sizes)), max(by_cache.values(), key=len)
        raise UsageError(
            f"an {name.upper()} is shared by {said} of these cores, and a level of a machine by the same number: "
            f"--cores takes a part, {listed(sorted(largest))} for instance"
        )
    return Level(name, caches[ordered[0]][name].cache, groups)


def _grouped(cores: list[int], by: Callable[[int], str]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for core in cores:
        groups.setdefault(by(core), []).append(core)
    return groups
