"""How far a machine's cores are from each other and from the homes of its lines, in cycles, by its description."""

from array import array
from dataclasses import dataclass

from croft import _simulator
from croft.machines.model import Machine


@dataclass(frozen=True)
class Distances:
    """``between[a][b]``: cycles that core b waits for a line that core a has.

    ``from_homes[a]``: cycles that core a waits for a line whose home may be anywhere.

    On machines whose tiles are homes the line is homed at one of the two cores. On others it comes through the first
    level of caches that both share. These are times on idle links, without waits for others; only their differences
    are used.
    """

    between: list[list[float]]
    from_homes: list[float]
    groups: list[int]
    """Of each core, which chip it is on. On one chip: which of the largest caches that some cores share is its own."""
    kinds: list[int]
    """Of each core, of which kind it is, where a machine has several."""


def distances(machine: Machine) -> Distances:
    """Those of the cores that may have threads."""
    tiles, cores = machine.tiles, machine.cores
    ways = array("Q", _simulator.machine_ways(machine.model_dump()))
    levels = machine.model_dump().get("level") or []
    shared_by = [tiles if level["shared_by"] == "all" else level["shared_by"] for level in levels]
    looks = [level["service"] or 0 for level in levels]

    def between(one: int, other: int) -> float:
        there_and_back = ways[one * tiles + other] + ways[other * tiles + one]
        if one == other or not levels:
            return there_and_back
        first = next(index for index, tiles in enumerate(shared_by) if one // tiles == other // tiles)
        # What both share is asked, and all before it on the way there and on the way to the other core.
        return there_and_back + 2 * sum(looks[:first]) + looks[first]

    chips = machine.network.chips or 1
    several = [each for each in shared_by if 1 < each < tiles]
    group = tiles // chips if chips > 1 else several[-1] if several else tiles
    big = machine.big.count if machine.big and machine.tiny else 0
    homes = [0.0] * cores
    if not levels and machine.protocol == "ddc":
        homes = [2 * sum(ways[core * tiles : (core + 1) * tiles]) / tiles for core in range(cores)]
    return Distances(
        [[between(one, other) for other in range(cores)] for one in range(cores)],
        homes,
        [core // group for core in range(cores)],
        [int(core >= big) for core in range(cores)],
    )
