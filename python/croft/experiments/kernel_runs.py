"""Runs the kernels of paper 002 on its machines, each run once: what was kept of earlier ones is used again."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from croft import fields
from croft.errors import CroftError
from croft.experiments.graph_inputs import FOLDER, GraphInput
from croft.kept_runs import KeptRun, RunCache
from croft.machine_file import machine
from croft.machine_model import Machine
from croft.parameter_sweep import host_cores
from croft.progress import SweepProgress
from croft.report import duration
from croft.runner import executable, program_name, run

Tell = Callable[[str], None]
SAY_AGAIN = 30.0
"""Seconds between two lines that tell how far the runs are."""
NOTICEABLE = 2.0
"""Seconds that a build may take without a word."""


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
    most_cycles: int = 0
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


def run_all(
    name: str,
    runs: Sequence[KernelRun],
    *,
    jobs: int | None = None,
    fresh: bool = False,
    tell: Tell = lambda text: None,
) -> list[Outcome]:
    """All runs, ``jobs`` at a time, in their order; with ``fresh`` also those that are kept. Equal ones are done once.

    One that fails leaves the others alone.
    """
    jobs = jobs or host_cores()
    programs = _build(name, sorted({(each.program, each.analyze) for each in runs}), jobs, tell)
    machines = {each: each.described() for each in dict.fromkeys(runs)}
    graphs = {graph: graph.file(tell) for graph in dict.fromkeys(each.graph for each in runs) if graph}
    found: dict[KernelRun, Outcome] = {}
    open_runs: dict[KernelRun, RunCache] = {}
    for each in dict.fromkeys(runs):
        chip = machines[each]
        place = RunCache(
            programs[each.program, each.analyze],
            each.program,
            chip,
            each.arguments,
            [graphs[each.graph]] if each.graph else [],
        )
        kept = None if fresh else place.find()
        if kept:
            found[each] = Outcome(each, chip, kept, again=True)
        else:
            open_runs[each] = place
    seconds = {each: place.seconds() or each.guess for each, place in open_runs.items()}
    if found:
        tell(f"{name}: {len(found)} of {len(found) + len(open_runs)} runs are kept from before (--fresh: do all again)")
    if open_runs:
        expected = max(sum(seconds.values()) / jobs, *seconds.values())
        tell(f"{name}: {len(open_runs)} runs to do, {jobs} at a time, in about {duration_text(expected)}")
        found |= _simulate(name, open_runs, seconds, programs, machines, graphs, jobs, tell)
    return [found[each] for each in runs]


def _build(name: str, programs: list[tuple[str, bool]], jobs: int, tell: Tell) -> dict[tuple[str, bool], Path]:
    """The executables; each program by its name, and whether it is to be analysed."""

    def one(which: tuple[str, bool]) -> Path:
        began = time.monotonic()
        path = executable(which[0], analyze=which[1], tell=tell)
        if time.monotonic() - began > NOTICEABLE:
            tell(f"{name}: built {which[0]}")
        return path

    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(programs, pool.map(one, programs), strict=True))


def _simulate(
    name: str,
    open_runs: dict[KernelRun, RunCache],
    seconds: dict[KernelRun, float],
    programs: dict[tuple[str, bool], Path],
    machines: dict[KernelRun, Machine],
    graphs: dict[GraphInput, Path],
    jobs: int,
    tell: Tell,
) -> dict[KernelRun, Outcome]:
    stopped = threading.Event()
    # The longest first, so that none of them is left alone at the end.
    order = sorted(open_runs, key=lambda each: -seconds[each])
    found: dict[KernelRun, Outcome] = {}

    def one(number: int, progress: SweepProgress) -> Outcome:
        def update(cycles: int, instructions: int) -> bool:
            progress.update(number, instructions)
            return not stopped.is_set()

        each = order[number]
        folder = graphs[each.graph].parent if each.graph else None
        outcome = _run(each, programs[each.program, each.analyze], machines[each], folder, update)
        if outcome.kept and not stopped.is_set():
            open_runs[each].store(outcome.kept)
        return outcome

    began = said = time.monotonic()
    done = 0.0
    with SweepProgress(name, len(order)) as progress, ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(one, number, progress): order[number] for number in range(len(order))}
        try:
            for future in as_completed(futures):
                each = futures[future]
                found[each] = future.result()
                progress.finish_one()
                done += seconds[each]
                if found[each].failed:
                    tell(f"{name}: {found[each].failed}")
                now = time.monotonic()
                if now - said >= SAY_AGAIN and len(found) < len(order):
                    left = (now - began) * (sum(seconds.values()) / done - 1)
                    tell(f"{name}: {len(found)} of {len(order)} runs, about {duration_text(left)} left")
                    said = now
        except BaseException:
            stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return found


def _run(
    each: KernelRun, program: Path, chip: Machine, folder: Path | None, update: Callable[[int, int], bool]
) -> Outcome:
    result = run(
        program,
        chip,
        name=program_name(each.program),
        arguments=each.arguments,
        directories=[f"{folder}::{FOLDER}"] if folder else [],
        max_cycles=each.most_cycles or None,
        analyze=each.analyze,
        progress=update,
    )
    if result.exit_status:
        said = result.message or result.errors.decode(errors="replace").strip() or "it gave no reason"
        command = " ".join((each.program, *each.arguments))
        failed = f"{command} on {chip.name}: {result.ending}, status {result.exit_status}: {said}"
        return Outcome(each, chip, None, failed)
    kept = KeptRun.of(result)
    try:
        fields.find(kept.text, each.kernel)
    except CroftError as error:
        return Outcome(each, chip, None, str(error))
    return Outcome(each, chip, kept)


def duration_text(seconds: float) -> str:
    """A time to wait, roughly."""
    if seconds < 90:
        return duration(max(round(seconds), 1))
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
