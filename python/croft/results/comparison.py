"""What differs between two runs: of thousands of statistics those that matter."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

LEAST_CHANGE = 0.05
"""Of a statistic, for it to be named."""
LEAST_PART = 0.01
"""Of the largest statistic of its part and unit, for a statistic to matter at all."""
_NOT_SPENT = {"capacity"}


@dataclass(frozen=True)
class Difference:
    """A statistic added up over its part, in a run and in an earlier one."""

    part: str
    name: str
    unit: str
    now: int
    before: int

    @property
    def change(self) -> float:
        """Of what it was before; infinite if that was nothing."""
        return (self.now - self.before) / self.before if self.before else float("inf")


def differences(
    now: dict[str, Any], before: dict[str, Any], least_change: float = LEAST_CHANGE
) -> tuple[list[Difference], int]:
    """The statistics that have changed by at least ``least_change`` and matter, and how many there are in all.

    A statistic matters if it is a hundredth of the largest of its part and unit, in either run. They come in the order
    of their parts; of one part those in cycles first, and of one unit the largest change.
    """
    totals, earlier = _totals(now), _totals(before)
    keys = dict.fromkeys([*totals, *earlier])
    largest: Counter[tuple[str, str]] = Counter()
    for part, name, unit in keys:
        largest[part, unit] = max(largest[part, unit], totals[part, name, unit], earlier[part, name, unit])
    found = []
    for part, name, unit in keys:
        one = Difference(part, name, unit, totals[part, name, unit], earlier[part, name, unit])
        matters = max(one.now, one.before) >= LEAST_PART * largest[part, unit]
        if one.now != one.before and abs(one.change) >= least_change and matters:
            found.append(one)
    parts = list(dict.fromkeys(part for part, _, _ in keys))
    found.sort(key=lambda one: (parts.index(one.part), one.unit != "cycles", one.unit, -abs(one.now - one.before)))
    return found, len(keys)


def _totals(run: dict[str, Any]) -> Counter[tuple[str, str, str]]:
    totals: Counter[tuple[str, str, str]] = Counter()
    for each in run["statistics"]:
        if each["name"] not in _NOT_SPENT:
            totals[each["part"], each["name"], each["unit"]] += each["value"]
    return totals


def settings(now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """What the two runs were asked for differently, a sentence each."""
    sentences = []
    for key in ("program", "arguments", "cores", "core_order", "seed"):
        if now.get(key) != before.get(key):
            what = key.replace("_", " ")
            sentences.append(f"{what}: {_said(now.get(key))}, before {_said(before.get(key))}")
    sentences += _machine_keys(now["machine"], before["machine"], "machine")
    return sentences


def _machine_keys(now: Any, before: Any, path: str) -> list[str]:
    if isinstance(now, dict) and isinstance(before, dict):
        keys = dict.fromkeys([*now, *before])
        return [line for key in keys for line in _machine_keys(now.get(key), before.get(key), f"{path}.{key}")]
    return [] if now == before else [f"{path}: {_said(now)}, before {_said(before)}"]


def _said(value: Any) -> str:
    if isinstance(value, dict) and "sha256" in value:
        return f"{value['name']} ({value['sha256'][:12]})"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
