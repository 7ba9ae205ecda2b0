"""Measures rows on a simulated machine, with the programs that measure them on this host."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from croft.base.errors import CroftError
from croft.calibration.rows import Effort, Printed, Row, Sizes, What, calls
from croft.machines.model import Machine
from croft.runs.spec import RunSpec
from croft.sweeps.many_runs import How, Work, run_many

EFFORT = Effort(samples=5, emptied=1, speed=10)
"""Less than on a host, because a run is exact: first samples find predictors and caches cold, and later ones agree."""
MOST_OF_A_LEVEL, MOST_OF_THE_LAST = 1 << 19, 1 << 21
"""Bytes of a level's cache in runs that measure: a smaller one fills sooner. In a much smaller one a row has few lines,
and the order in which they are prepared decides which are left in a cache."""

Simulate = Callable[[Machine, Iterable[Row]], dict[Row, float]]


def smaller(chip: Machine) -> Machine:
    """The machine with levels that fill soon: their ways are the same, and their sets fewer."""
    levels = [level.model_dump() for level in chip.level]
    for number, level in enumerate(levels):
        most = MOST_OF_THE_LAST if number + 1 == len(levels) and number else MOST_OF_A_LEVEL
        least = 2 * chip.big.l1d.size if not number else 4 * levels[number - 1]["size"]
        while level["size"] // 2 >= max(most, least):
            level["size"] //= 2
    return chip.with_keys({"level": levels})


def sizes_of(chip: Machine) -> Sizes:
    """The lines that rows use on a machine."""
    caches = [level.size * (level.slices or 1) for level in chip.level if level.inclusion != "filter"]
    return Sizes.of(chip.big.l1d.size, caches, chip.cores)


def simulate(
    chip: Machine, rows: Iterable[Row], how: How | None = None, sizes: Sizes | None = None
) -> dict[Row, float]:
    """The cycles of ``rows`` on ``chip``, with caches as ``smaller`` makes them. Raises CroftError if a run fails."""
    small = smaller(chip)
    wanted = calls(rows, sizes or sizes_of(small), EFFORT, range(chip.cores))
    return run_all(small, wanted, how or How(jobs=1))


def run_all(chip: Machine, wanted: Sequence[Printed[What]], how: How) -> dict[What, float]:
    """The cycles of all figures that ``wanted`` print on ``chip``. Raises CroftError if a run fails."""
    works = [Work(call.program, chip, RunSpec(arguments=call.arguments, cores=call.cores)) for call in wanted]
    found: dict[What, float] = {}
    for call, done in zip(wanted, run_many("calibrate", works, how), strict=True):
        if done.kept is None:
            raise CroftError(f"calibrate: {done.failed}")
        found |= call.read(done.kept.text, "cycles")
    return found


def with_value(chip: Machine, keys: Sequence[str], value: int) -> Machine:
    """The machine with this value for all of ``keys``: names with dots, those of a level by its number."""
    changed: dict[str, Any] = {}
    levels = [level.model_dump() for level in chip.level]
    for key in keys:
        if key.startswith("level."):
            _, number, last = key.split(".")
            levels[int(number)][last] = value
            changed["level"] = levels
        else:
            changed[key] = value
    return chip.with_keys(changed)
