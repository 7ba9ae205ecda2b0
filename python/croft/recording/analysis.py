"""Work and span of a program of tasks, as ``croft run --analyze`` measures them (many_core/croft/paper/analysis)."""

import re
from collections.abc import Callable
from dataclasses import dataclass

DEFINE = "CROFT_ANALYSIS"
"""What a program is compiled with to be analysed."""

_MARK = b"\x1ecroft-analysis "
_LINE = re.compile(
    re.escape(_MARK) + rb"runs=(?P<runs>\d+) work=(?P<work>\d+) span=(?P<span>\d+) "
    rb"spawns=(?P<spawns>\d+) syncs=(?P<syncs>\d+)\n"
)


@dataclass(frozen=True)
class Analysis:
    """A program's tasks as a graph: what Cilkview tells of one (He et al., SPAA 2010; paper 002, table III).

    All of the program's outermost calls of ``task_scheduler::run()`` (``runs``) count as one after the other; what lies
    between them does not count. ``work`` and ``span`` are instructions: all, and those on the longest way through the
    graph. ``spawns`` and ``syncs`` count what began a child and what waited for some.
    """

    runs: int
    work: int
    span: int
    spawns: int
    syncs: int

    @property
    def parallelism(self) -> float:
        """Work / span: how many cores could be busy on average, were there as many as one likes."""
        return self.work / max(self.span, 1)

    @property
    def tasks(self) -> int:
        """Those that were spawned, and the outermost."""
        return self.runs + self.spawns

    @property
    def strands(self) -> int:
        """Stretches without a spawn or a wait: each spawn ends one and begins two, each wait begins one."""
        return self.runs + 2 * self.spawns + self.syncs

    @property
    def instructions_per_task(self) -> float:
        """Work / tasks."""
        return self.work / max(self.tasks, 1)

    @property
    def instructions_per_strand(self) -> float:
        """Work / strands. Paper 002's "IPT" is this: its tables fit three strands a fork, not one task."""
        return self.work / max(self.strands, 1)


def can_be_analysed(elf: bytes) -> bool:
    """Whether a program was compiled with ``DEFINE``."""
    return _MARK in elf


class Listener:
    """Takes what the analysed program tells the lab out of what it writes to its standard error.

    Hand ``output`` to the simulator in the place of the function that it was made with.
    """

    def __init__(self, output: Callable[[int, bytes], None], before: Analysis | None = None) -> None:
        self._output = output
        self.analysis = before

    def output(self, stream: int, text: bytes) -> None:
        """Passes on ``text`` without the line."""
        # The line is written by one call, so it comes in one piece.
        found = _LINE.search(text) if stream == 2 else None
        if found:
            self.analysis = Analysis(**{name: int(value) for name, value in found.groupdict().items()})
            text = text[: found.start()] + text[found.end() :]
        if text:
            self._output(stream, text)
