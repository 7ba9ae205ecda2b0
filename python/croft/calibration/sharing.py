"""Which caches two cores really share: Linux says one thing, and lines may say another.

A virtual machine's Linux tells what the hypervisor made up. A line that another core has left in a cache that both
share comes from there. If it takes as long as one from memory, they do not share that cache.
"""

import dataclasses
import math
from collections.abc import Mapping

from croft.calibration.host import Host, Level
from croft.calibration.rows import Pair, Row


def as_measured(host: Host, pair: Pair, ns: Mapping[Row, float]) -> Host:
    """The host whose ``pair`` shares no cache that its rows contradict: from there on, each core has one of its own.

    A row contradicts it if it is farther from the same core's hit than from memory, on a scale of ratios.
    """

    def read(place: str, level: str) -> float:
        return next(ns[row] for row in ns if row.is_read(place, level))

    memory = read("own", "memory")
    first = host.common_level(*pair)
    for number in range(first, len(host.levels)):
        name = f"L{number + 2}"
        if read("other", name) > math.sqrt(read("own", name) * memory):
            said = (
                f"Linux says that cores share an {name}, but a line that another core has left there takes "
                f"{read('other', name):.0f} ns, and an own one {read('own', name):.0f}: the file gives each core its "
                "own."
            )
            levels = (*host.levels[:number], *(_private(level, len(host.cores)) for level in host.levels[number:]))
            return dataclasses.replace(host, levels=levels, notes=(*host.notes, said))
    return host


def _private(level: Level, cores: int) -> Level:
    return dataclasses.replace(level, groups=tuple((core,) for core in range(cores)))
