"""What a program could do about lines that cores take from each other, on any machine: pad, split, privatise, batch.

It is said of lines whose waits matter, by how their cores use them (docs/lab/homes.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from croft.recording.identity import called
from croft.recording.line_use import Line, LineUse, MemoryObject

LEAST_SHARE = 0.01
"""Of all waits for memory of the run, for an object's lines to be worth a word."""
LEAST_TIMES = 16
"""How often cores have to have taken a line from each other: fewer times are a start or an end."""
_SLEEP = "wait_line"
_CAUSES = ("stall_home", "stall_l2", "stall_memory", "stall_atomic", "stall_fence", "stall_store_buffer", _SLEEP)


@dataclass
class Suggestion:
    """What to do about lines of an object: ``how`` is "pad", "split", "privatise" or "batch", ``cycles`` all waits."""

    what: MemoryObject
    how: str
    lines: list[Line] = field(default_factory=list)
    cycles: int = 0

    def text(self, full: bool = False) -> str:
        """One sentence, with the object's name as identity.called has it."""
        which = f"line {self.lines[0].address:#x}" if len(self.lines) == 1 else f"{len(self.lines)} lines"
        return f"{self.how} {called(self.what.identity, full)}, {which}: {_WHY[self.how]}"


_WHY = {
    "pad": "cores take it from each other for bytes that they do not share; give each core's part a line of its own",
    "split": "what is written often lies beside what others only read; give it a line of its own",
    "privatise": "several cores change the same bytes; let each have its own, and put them together in the end",
    "batch": "one core writes and another reads each time; hand several values on at once",
}


def suggestions(used: LineUse) -> list[Suggestion]:
    """What costs most first, each way once for each object; nothing where cores do not get into each other's way."""
    found: dict[tuple[int, str], Suggestion] = {}
    total = 0
    for each in used.objects:
        is_channel = bool(each.identity.channel)
        for line in each.lines:
            total += _waits(line, False)
            for how in _ways(line, is_channel) if each.identity.kind != "stack" else ():
                one = found.setdefault((id(each), how), Suggestion(each, how))
                one.lines.append(line)
                one.cycles += _waits(line, is_channel)
    worth = [one for one in found.values() if one.cycles >= LEAST_SHARE * total]
    return sorted(worth, key=lambda one: (-one.cycles, one.lines[0].address))


def _waits(line: Line, is_channel: bool) -> int:
    """Cycles of all cores. One that sleeps until a channel's message comes waits for the sender, not for the line."""
    causes = [cause for cause in _CAUSES if cause != _SLEEP or not is_channel]
    return sum(use.waits[cause] for use in line.uses for cause in causes)


def _ways(line: Line, is_channel: bool) -> Iterator[str]:
    """The one that fits, if any does. A channel's purpose is to be shared: all that helps is fewer messages."""
    taken = sum(use.true_sharing + use.false_sharing for use in line.uses)
    if len(line.uses) < 2 or taken < LEAST_TIMES:
        return
    if is_channel:
        yield "batch"
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
