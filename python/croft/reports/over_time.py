"""What parts of a machine did in each interval of a run, in few enough steps for a page."""

from collections import defaultdict
from functools import cached_property
from typing import Any

from croft.reports.run_data import RunData

MOST_STEPS = 40
"""More are not told apart on a screen; neighbours are added up."""
MOST_VALUES = 12_000
"""Of all links and tiles in all steps: a large mesh has fewer steps, so that a page keeps below its 3 MB."""


class OverTime:
    """A run's statistics by steps of its time; nothing of a run without --interval."""

    def __init__(self, run: RunData) -> None:
        self._run = run
        tiles = run.plan.machine.tiles
        steps = max(min(MOST_STEPS, MOST_VALUES // (5 * tiles)), 2)
        rows = run.content.get("intervals") or []
        last = max((row["interval"] for row in rows), default=-1)
        self._merged = last // steps + 1
        self._rows = rows

    @cached_property
    def steps(self) -> list[tuple[int, int]]:
        """The cycles at which each begins and ends."""
        bounds: dict[int, list[int]] = {}
        for row in self._rows:
            at = bounds.setdefault(row["interval"] // self._merged, [row["begin"], row["end"]])
            at[0], at[1] = min(at[0], row["begin"]), max(at[1], row["end"])
        # One in which nothing at all grew has no rows.
        count = max(bounds, default=-1) + 1
        found: list[tuple[int, int]] = []
        for step in range(count):
            begin = found[-1][1] if found else 0
            found.append((begin, bounds[step][1]) if step in bounds else (begin, begin))
        return found

    @cached_property
    def _values(self) -> dict[tuple[str, str], dict[int, dict[int, int]]]:
        values: dict[tuple[str, str], dict[int, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
        for row in self._rows:
            of_step = values[row["part"], row["name"]][row["interval"] // self._merged]
            of_step[row["index"]] = of_step.get(row["index"], 0) + row["value"]
        return values

    def grew(self, part: str, name: str, step: int) -> dict[int, int]:
        """By how much a statistic of each index of its part; of those that did."""
        return self._values.get((part, name), {}).get(step, {})

    def share(self, part: str, name: str, step: int) -> dict[int, float]:
        """The same of cycles, as a share of the step's."""
        begin, end = self.steps[step]
        cycles = max(end - begin, 1)
        return {index: min(max(value / cycles, 0), 1) for index, value in self.grew(part, name, step).items()}

    def by_cause(self, causes: tuple[str, ...]) -> list[dict[str, Any]]:
        """For each step how many cores, on average, issued or waited for what."""
        table = []
        for step, (begin, end) in enumerate(self.steps):
            for cause in causes:
                cycles = sum(self.grew("core", cause, step).values())
                table.append(
                    {"begin": begin, "end": end, "cause": cause, "cores": max(cycles, 0) / max(end - begin, 1)}
                )
        return table
