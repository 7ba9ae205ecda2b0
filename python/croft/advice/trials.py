"""Which parts of the advised homes pay: each object's are tried by a run, since fewer waits do not mean fewer cycles.

A wait that another core's work hides costs the run nothing, and a home that is nearer to one core is farther from
others, of which one may be the core that all wait for (docs/decisions/advisor.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from croft.advice.advisor import Advice
from croft.runs.homes import Home

LEAST_GAIN = 0.001
"""Of the run's cycles that homes have to save: less may come from any change of who comes first."""


@dataclass(frozen=True)
class Trial:
    """What is advised for one object, and the cycles of the run with it and all that was kept before it.

    ``cycles`` is None if it was not tried.
    """

    advices: list[Advice]
    cycles: int | None = None
    is_kept: bool = False

    @property
    def verdict(self) -> str:
        """In a word or two."""
        return "not tried" if self.cycles is None else "kept" if self.is_kept else "withdrawn"


def homes_of(parts: Sequence[Sequence[Advice]]) -> list[Home]:
    """All that they advise."""
    return [home for advices in parts for advice in advices for home in advice.homes()]


def pays(before: float, after: float) -> bool:
    """Whether a run of ``after`` cycles is shorter than one of ``before`` by more than chance."""
    return after <= before * (1 - LEAST_GAIN)


def try_parts(
    parts: Sequence[list[Advice]], cycles_with: Callable[[list[Home]], int], before: int, most: int
) -> list[Trial]:
    """Tries the first ``most`` of them, in their order, each with those that were kept; keeps it if the run is shorter
    than without it.
    """
    trials: list[Trial] = []
    kept: list[list[Advice]] = []
    best = before
    for part in parts[:most]:
        cycles = cycles_with(homes_of([*kept, part]))
        is_kept = pays(best, cycles)
        trials.append(Trial(part, cycles, is_kept))
        if is_kept:
            kept.append(part)
            best = cycles
    return trials + [Trial(part) for part in parts[most:]]
