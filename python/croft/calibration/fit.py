"""Fits the free keys of a machine to some of a host's rows: the simulator runs the same programs until they agree."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from croft.calibration.host import Host
from croft.calibration.rows import Pair, Row
from croft.calibration.simulated import Simulate, with_value
from croft.machines.model import Machine

MOST_RUNS = 10
"""For one key and one pass: a line through two points finds a key whose row grows evenly in three."""
MOST_PASSES = 3
"""Over all keys, because bandwidth and latency of memory are in each other's rows."""
MOST, MOST_OF_A_WAY = 100_000, 10_000
WAY = "network.inject"
"""Cycles of each message's way, wherever it goes: nothing tells where a chip's cores are."""
_MOVED = 0.25
"""Cycles by which later keys may have moved a row before its key is fitted again; a key is whole cycles."""


@dataclass(frozen=True)
class Free:
    """A key that a row determines: the row's cycles grow with it. Several ``keys`` have one value.

    If ``is_rate``, it is how many a cycle that grows, and not the cycles.
    """

    keys: tuple[str, ...]
    row: Row
    least: int
    most: int
    is_rate: bool = False

    def measure(self, cycles: float) -> float:
        """What grows with the key."""
        return 1 / cycles if self.is_rate else cycles


@dataclass(frozen=True)
class Fitted:
    """What came of a key. ``at_bound`` says in words that no value would do, "" that one did."""

    free: Free
    value: int
    reached: float
    """What the row then was, on the machine as it was then."""
    at_bound: str = ""


def free_keys(host: Host, pairs: Mapping[str, Sequence[Pair]], rows: Sequence[Row]) -> list[Free]:
    """The keys that are fitted, each to one of ``rows``, in an order in which none needs a later one.

    Cores that share no cache meet in a snoop filter, a level more than the host has caches.
    """
    by_name = {row.name: row for row in rows}
    out_of_order = tuple(f"big.out_of_order.{key}" for key in ("fetch_width", "width", "issue_width"))
    found = [Free(out_of_order, by_name["adds"], 1, 8, is_rate=True)]
    found.append(Free(("big.l1d.hit",), by_name["read own modified L1"], 1, 2000))
    for number in range(len(host.levels)):
        row = by_name[f"read own modified L{number + 2}"]
        found.append(Free((f"level.{number}.service",), row, 0, MOST))
    taken: dict[int, Row] = {}
    for some in pairs.values():
        row = next(row for row in rows if row.is_read("other", "L1") and row.pair == some[0])
        taken.setdefault(host.common_level(*some[0]), row)
    nearest = min(taken)
    if nearest == len(host.levels):  # they share no cache: what is between them is the way
        found.append(Free((WAY,), taken.pop(nearest), 0, MOST_OF_A_WAY))
    found.append(Free(("memory.latency",), by_name["read own modified memory"], 0, MOST))
    if "stream all" in by_name:
        found.append(Free(("memory.occupancy",), by_name["stream all"], 0, MOST))
    found += [Free((f"level.{level}.drop",), row, 0, MOST) for level, row in taken.items()]
    if host.stores_in_order:
        found.append(Free(("big.core.cost.fence",), by_name["fence"], 1, 2000))
    found.append(Free((f"level.{nearest}.directory",), by_name["write own shared L1"], 0, MOST))
    found.append(Free(("big.core.cost.atomic",), by_name["atomic"], 1, 2000))
    return found


def fit(
    chip: Machine,
    free: Sequence[Free],
    targets: Mapping[Row, float],
    simulate: Simulate,
    tell: Callable[[str], None] = lambda sentence: None,
) -> tuple[Machine, list[Fitted]]:
    """The machine with the values under which ``simulate`` comes nearest to ``targets``, cycles by row; and these."""
    found: dict[Free, Fitted] = {}
    to_fit = list(free)
    for _ in range(MOST_PASSES):
        for each in to_fit:
            base = chip

            def measure(value: int, base: Machine = base, each: Free = each) -> float:
                return each.measure(simulate(with_value(base, each.keys, value), [each.row])[each.row])

            found[each] = solve(each, measure, each.measure(targets[each.row]), _value(chip, each))
            chip = with_value(chip, each.keys, found[each].value)
            tell(f"{each.keys[0]} = {found[each].value}, by {each.row.name}")
        now = simulate(chip, [each.row for each in free])
        to_fit = [each for each in free if abs(each.measure(now[each.row]) - found[each].reached) > _MOVED]
        if not to_fit:
            break
    return chip, [found[each] for each in free]


def solve(free: Free, measure: Callable[[int], float], target: float, start: int) -> Fitted:
    """The value whose ``measure`` is nearest to ``target``: by the line through the two nearest that were tried."""
    tried: dict[int, float] = {}
    value, slope = start, 1.0
    while value not in tried and len(tried) < MOST_RUNS:
        tried[value] = measure(value)
        if len(tried) > 1:
            one, other = sorted(tried, key=lambda each: abs(tried[each] - target))[:2]
            rise = (tried[one] - tried[other]) / (one - other)
            slope = rise if rise > 0 else slope / 2  # nothing moved: farther
        nearest = min(tried, key=lambda each: abs(tried[each] - target))
        step = round((target - tried[nearest]) / slope)
        value = min(max(nearest + step, free.least), free.most)
    best = min(tried, key=lambda each: (abs(tried[each] - target), each))
    off = target - tried[best]
    at_bound = ""
    if best == free.least and off < -slope:
        at_bound = "the least that the key may be, and still too much"
    elif best == free.most and off > slope:
        at_bound = "the most that the key may be, and still too little"
    return Fitted(free, best, tried[best], at_bound)


def _value(chip: Machine, free: Free) -> int:
    part: object = chip
    for name in free.keys[0].split("."):
        part = part[int(name)] if isinstance(part, tuple) else getattr(part, name)
    return 1 if part is None else int(str(part))
