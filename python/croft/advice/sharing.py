"""What a program could do about lines that cores take from each other, on any machine: pad, split, privatise, batch.

It is said of lines whose waits matter, by how their cores use them (docs/lab/homes.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from croft.recording.line_use import Line, LineUse, MemoryObject

LEAST_SHARE = 0.01
"""Of all waits for memory of the run, for a line to be worth a word."""
LEAST_TIMES = 16
"""How often cores have to have taken a line from each other: fewer times are a start or an end."""
_CAUSES = ("stall_home", "stall_l2", "stall_memory", "stall_atomic", "stall_fence", "stall_store_buffer", "wait_line")


@dataclass(frozen=True)
class Suggestion:
    """What to do about a line: ``how`` is "pad", "split", "privatise" or "batch", ``cycles`` all waits for it."""

    what: MemoryObject
    line: Line
    how: str
    cycles: int

    def __str__(self) -> str:
        return f"{self.how} {self.what.identity.name} (line {self.line.address:#x}): {_WHY[self.how]}"


_WHY = {
    "pad": "cores take it from each other for bytes that they do not share; give each core's part a line of its own",
    "split": "what is written often lies beside what others only read; give it a line of its own",
    "privatise": "several cores change the same bytes; let each have its own, and put them together in the end",
    "batch": "one core writes and another reads each time; hand several values on at once",
}


def suggestions(used: LineUse) -> list[Suggestion]:
    """What costs most first; nothing where cores do not get into each other's way."""
    waits = {id(line): _waits(line) for each in used.objects for line in each.lines}
    least = LEAST_SHARE * sum(waits.values())
    found = [
        Suggestion(each, line, how, waits[id(line)])
        for each in used.objects
        if each.identity.kind != "stack"
        for line in each.lines
        if waits[id(line)] >= least
        for how in _ways(line)
    ]
    return sorted(found, key=lambda one: (-one.cycles, one.line.address))


def _waits(line: Line) -> int:
    return sum(use.waits[cause] for use in line.uses for cause in _CAUSES)


def _ways(line: Line) -> Iterator[str]:
    """The one that fits, if any does."""
    taken = sum(use.true_sharing + use.false_sharing for use in line.uses)
    if len(line.uses) < 2 or taken < LEAST_TIMES:
        return
    if line.is_falsely_shared:
        writers = [use for use in line.uses if use.false_sharing and use.writes > LEAST_TIMES]
        yield "pad" if len(writers) > 1 else "split"
        return
    often = sum(use.writes for use in line.uses) / 10
    changing = [use for use in line.uses if use.writes > often and use.reads > often]
    if len(changing) > 1:
        yield "privatise"
    elif sum(use.writes > often for use in line.uses) == 1:
        yield "batch"
