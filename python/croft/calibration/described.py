"""The machine that a host's cores and caches make, before any time in it is fitted."""

from dataclasses import dataclass, field
from typing import Any

from croft.calibration.host import LINE, Cache, Host
from croft.machines.file import machine
from croft.machines.model import Machine

BASE = "o3x8"
WINDOW = {
    "fetch_width": 4,
    "reorder_buffer": 256,
    "issue_queue": 96,
    "load_queue": 72,
    "store_queue": 64,
    "registers": 256,
    "l1_accesses": 2,
    "same_line": "joins",
    "return_addresses": 32,
}
"""Keys of the core that big.TINY's would be too narrow for: about what cores of 2020 have."""
PREFETCH = {"policy": "stride", "degree": 8}
"""Current cores fetch streams ahead. It leaves the rows of latencies alone, whose lines come in a random order."""
MOST_WAYS, MOST_WAYS_OF_L1I = 64, 8
MOST_OF_A_SLICE = 1 << 28


@dataclass
class Described:
    """A machine's values with their sources, by their keys, and sentences about what a file cannot say."""

    values: dict[str, Any]
    sources: dict[str, str]
    notes: list[str] = field(default_factory=list)

    def machine(self) -> Machine:
        """Checked. Raises MachineError."""
        return Machine.model_validate(self.values, f"machine {self.values['name']}", self.sources)


def described(host: Host, name: str, clock_mhz: float) -> Described:
    """The host's machine: out-of-order cores at a crossbar, with its caches. Times are the base's, or guesses.

    Caches that no level shares among all cores have a snoop filter behind them.
    """
    base = machine(BASE)
    sources = {key: f"assumed: as {BASE}; {text}" for key, text in base.sources.items()}
    made = Described(base.model_dump(), sources, [*host.notes])
    count = len(host.cores)
    columns = max(columns for columns in range(1, 65) if count % columns == 0)
    _set(made, "name", name, "the file's")
    _set(made, "clock_mhz", clock_mhz, "measured: an addition that waits for the one before it")
    for key in ("cores", "big.count"):
        _set(made, key, count, "this host")
    for part in ("shared", "uli"):
        made.values[part] = None
    for key, value in WINDOW.items():
        _set(made, f"big.out_of_order.{key}", value, "assumed: about what cores of 2020 have")
    _set(made, "big.prefetch", dict(PREFETCH), "assumed: current cores fetch streams ahead")
    _cache(made, "big.l1d", host.l1d, MOST_WAYS)
    if host.l1i:
        _cache(made, "big.l1i", host.l1i, MOST_WAYS_OF_L1I)
    network = {"topology": "crossbar", "columns": columns, "rows": count // columns, "hop": 1, "inject": 0, "eject": 0}
    for key, value in {**network, "flit": LINE}.items():
        _set(made, f"network.{key}", value, "assumed: nothing tells where a chip's cores are, so all ways are as long")
    made.sources["network.inject"] = "assumed: half of what a hit in the first shared cache takes beyond one before it"
    if host.stores_in_order:
        _set(made, "big.core.stores", "in_order", "total store order, as this host's architecture has it")
    _set(made, "memory.controllers", [{"column": 0, "row": 0}], "assumed: one stands for all")
    made.values["level"] = [_level(made, number, host) for number in range(len(host.levels))]
    if host.levels[-1].sharers != count:
        made.values["level"].append(_filter(made, host))
    for number, level in enumerate(made.values["level"]):
        if level["shared_by"] != 1:
            _set(made, f"level.{number}.answers", "owner", "assumed: current chips send a line from cache to cache")
    return made


def _set(made: Described, key: str, value: Any, source: str) -> None:
    *outer, last = key.split(".")
    table = made.values
    for part in outer:
        table = table[int(part)] if isinstance(table, list) else table[part]
    table[last] = value
    made.sources[key] = source


def _cache(made: Described, key: str, cache: Cache, most_ways: int) -> None:
    size, ways, said = fitting(cache, most_ways)
    _set(made, f"{key}.size", size, f"this host{said}")
    _set(made, f"{key}.ways", ways, f"this host{said}")
    if said:
        made.notes.append(f"The {key.partition('.')[2]} of the file is not quite this host's:{said[1:]}.")


def _level(made: Described, number: int, host: Host) -> dict[str, Any]:
    level = host.levels[number]
    slices = 1
    while level.cache.size // slices > MOST_OF_A_SLICE:
        slices *= 2
    size, ways, said = fitting(Cache(level.cache.size // slices, level.cache.ways), MOST_WAYS)
    key = f"level.{number}"
    made.sources |= {f"{key}.{each}": f"this host{said}" for each in ("size", "ways")}
    made.sources |= {f"{key}.{each}": "this host" for each in ("name", "shared_by", "slices")}
    if said:
        made.notes.append(f"The {level.name} of the file is not quite this host's:{said[1:]}.")
    shared_by = "all" if level.sharers == len(host.cores) else level.sharers
    values = {"name": level.name, "shared_by": shared_by, "size": size, "ways": ways, "service": 10 * (number + 1)}
    return values | ({"slices": slices} if slices > 1 else {})


def _filter(made: Described, host: Host) -> dict[str, Any]:
    """What knows which of the last caches have a line; twice as large as they are together, so that it forgets none."""
    last = made.values["level"][-1]
    slices = 1
    while slices < len(host.levels[-1].groups):
        slices *= 2
    key = f"level.{len(host.levels)}"
    why = "assumed: nothing tells how this host finds a line in another one's caches"
    made.sources |= {f"{key}.{each}": why for each in ("name", "shared_by", "slices", "size", "ways", "inclusion")}
    size = min(2 * last["size"], MOST_OF_A_SLICE)
    values = {"name": "filter", "shared_by": "all", "slices": min(slices, len(host.cores)), "size": size}
    return values | {"ways": last["ways"], "inclusion": "filter", "service": 10}


def fitting(cache: Cache, most_ways: int) -> tuple[int, int, str]:
    """A size and ways whose sets are a power of two, as near as they come, and what differs: "", or how, after a comma.

    Other ways go before another size, because a program is likelier to feel the size.
    """
    ways = min(cache.ways or 8, most_ways)
    said = "" if cache.ways else f", which does not say its ways: {ways} assumed"
    lines = cache.size // LINE

    def sets(tried: int) -> int:
        return 1 << (lines // tried).bit_length() - 1 if lines >= tried else 0

    usual = range(max(ways // 2, 1), min(4 * ways, most_ways) + 1)
    best = max(usual, key=lambda tried: (tried * sets(tried), -abs(tried - ways)))
    size = LINE * best * sets(best)
    if size < cache.size:
        return size, best, f", {size >> 10:,} KiB in {best} ways for {cache} in {cache.ways or 'unknown'}"
    return size, best, said if best == ways else f", with {best} ways for {ways}"
