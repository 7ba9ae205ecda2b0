"""What forwarding a line to its next reader would save (paper 000, definition 5.1), on chips with levels of caches.

A core that is the first to read what another wrote waits for the line: its home has to ask the writer. Had the writer
forwarded the line, the reader would find it in its own L2. Nothing but this wait is taken to change. The writer's own
cost of forwarding is not among it, and a reader that nobody waits for gains nothing (docs/lab/forwarding.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from croft.machines.model import Machine
from croft.recording.identity import called
from croft.recording.line_use import Line, LineUse, MemoryObject

LEAST_SHARE = 0.01
"""Of all waits for homes of the run, for an object's lines to be worth a word."""
LEAST_TIMES = 2
"""How often each line has to have been handed on, on average: what is written once is not worth an instruction."""


@dataclass
class Forwarded:
    """Lines of one object: how often a core was the first to read one, and the cycles of waits saved."""

    what: MemoryObject
    lines: int = 0
    times: int = 0
    saves: float = 0

    def text(self, full: bool = False) -> str:
        """One sentence."""
        return (
            f"forward {called(self.what.identity, full)}, {self.lines:,} lines: cores were {self.times:,} times the "
            f"first to read what another wrote; forwarded to its reader's L2, each would save "
            f"{self.saves / self.times:,.0f} cycles of its wait"
        )


def own_l2_hit(machine: Machine) -> int | None:
    """Cycles of a load that finds its line in the core's own L2. None: its cores have none of their own."""
    own = next((level for level in machine.level or () if level.shared_by == 1), None)
    return None if own is None else machine.kinds[0].l1d.hit + (own.service or 0)


def forwarded(used: LineUse, machine: Machine) -> list[Forwarded]:
    """What saves most first; nothing on a chip without an L2 of each core, and nothing that saves too little."""
    hit = own_l2_hit(machine)
    if hit is None or machine.protocol == "ddc":
        return []
    total = sum(use.waits["stall_home"] for each in used.objects for line in each.lines for use in line.uses)
    found = []
    for each in used.objects:
        if each.identity.kind == "stack":  # what lies there next is another's
            continue
        one = Forwarded(each)
        for line in each.lines:
            for times, mean in _handed_over(line):
                one.lines += line.lines
                one.times += times
                one.saves += times * max(mean - hit, 0)
        if one.times >= LEAST_TIMES * one.lines and one.saves > LEAST_SHARE * total:
            found.append(one)
    return sorted(found, key=lambda one: -one.saves)


def _handed_over(line: Line) -> Iterator[tuple[int, float]]:
    """For each reader, how often it was the first, and how long it waited for the line each time."""
    for use in line.uses:
        times = min(use.next, use.times["stall_home"])
        if times:
            yield times, use.waits["stall_home"] / use.times["stall_home"]
