"""Runs the kernels of paper 002 on its machines, each run once: what was kept of earlier ones is used again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from croft.experiments.graph_inputs import FOLDER, GraphInput
from croft.machines.file import machine
from croft.machines.model import Machine
from croft.results import fields
from croft.results.result import Result
from croft.runs.spec import RunSpec
from croft.sweeps.kept_runs import KeptRun
from croft.sweeps.many_runs import How, Work, run_many

Tell = Callable[[str], None]


@dataclass(frozen=True)
class KernelRun:
    """One run. ``configuration`` is the experiments' name for machine and run-time together, ``inputs`` that of the
    input's size. ``graph`` is the file that the program reads, if any.

    ``analyze`` measures work and span of its tasks, on one core. ``guess`` is how long it may take, in seconds, if
    nothing like it was run before. ``most_cycles`` ends it. ``changes`` are keys of the machine's file, and what they
    are to be instead of what it says: ("memory.latency", 100), say.
    """

    kernel: str
    configuration: str
    inputs: str
    program: str
    machine: str
    arguments: tuple[str, ...]
    graph: GraphInput | None = None
    analyze: bool = False
    guess: float = 10.0
    most_cycles: int | None = None
    changes: tuple[tuple[str, int], ...] = ()

    @property
    def title(self) -> str:
        """For sentences about it."""
        return f"{self.kernel} {self.configuration}"

    def described(self) -> Machine:
        """The machine. Raises MachineError."""
        return machine(self.machine, **dict(self.changes))


@dataclass(frozen=True)
class Outcome:
    """What came of a run: either ``kept``, with the line that it printed, or ``failed``, a sentence that says why."""

    run: KernelRun
    machine: Machine
    kept: KeptRun | None
    failed: str = ""
    again: bool = False
    """Whether it was kept from before."""

    @property
    def line(self) -> dict[str, fields.Value]:
        """The numbers that the kernel printed."""
        return fields.find(self.kept.text, self.run.kernel) if self.kept else {}

    def total(self, part: str, name: str, first: int = 0, last: int | None = None) -> int:
        """As KeptRun.total; 0 of a run that failed."""
        return self.kept.total(part, name, first, last) if self.kept else 0


def run_all(name: str, runs: Sequence[KernelRun], how: How) -> list[Outcome]:
    """All runs, in their order. One that fails leaves the others alone."""
    machines = {each: each.described() for each in dict.fromkeys(runs)}
    graphs = {graph: graph.file(how.tell) for graph in dict.fromkeys(each.graph for each in runs) if graph}
    works = [_work(each, machines[each], graphs[each.graph] if each.graph else None) for each in runs]
    ended = run_many(name, works, how)
    return [
        Outcome(each, machines[each], done.kept, done.failed, done.again)
        for each, done in zip(runs, ended, strict=True)
    ]


def _work(each: KernelRun, chip: Machine, graph: Path | None) -> Work:
    def check(result: Result) -> None:
        fields.find(result.text, each.kernel)

    return Work(
        each.program,
        chip,
        RunSpec(arguments=each.arguments, analyze=each.analyze, max_cycles=each.most_cycles),
        reads=graph,
        folder=FOLDER,
        check=check,
        guess=each.guess,
    )
