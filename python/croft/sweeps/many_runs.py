"""Runs many simulations, each once: side by side, on this host or on a cluster; what was kept of earlier ones is used.

Whatever happens to one of them, to a worker or to this process: what has ended is kept, the next call does the rest.
"""

import math
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from croft.base import distribution
from croft.base.digest import digest_of
from croft.base.durations import duration_to_wait
from croft.base.errors import CroftError, UsageError
from croft.base.folders import cache_folder
from croft.base.host import host_cores
from croft.base.whole_file import whole_file
from croft.machines.model import Machine
from croft.results.result import Result
from croft.runs.runner import executable, program_name, run_as
from croft.runs.spec import RunSpec
from croft.sweeps.executors import Pool, other_build, pool_on
from croft.sweeps.kept_runs import KeptRun, Origin, RunKey, contents, simulator_digest
from croft.sweeps.memory_budget import memory_of
from croft.sweeps.store import RunStore
from croft.watching.progress import SweepProgress

Tell = Callable[[str], None]
Update = Callable[[int, int], bool]
SAY_AGAIN = 60.0
"""Seconds between two lines that tell how far the runs are, where no bar does."""


@dataclass(frozen=True)
class Work:
    """A run to do: ``program`` on ``machine``, with the options of ``spec``, whose directories are there on all hosts.

    ``reads`` is a file that it is given to read, in the folder ``folder`` of its own. Of the statistics of ``part``
    zeros are kept, too. ``check`` is called with the result of a run that went well; what it raises makes the run a
    failure. ``guess`` is how long it may take, in seconds, if nothing like it was run before (0: nobody knows), and
    ``memory`` how many bytes of a host's memory (default: by the machine's size).
    """

    program: str
    machine: Machine
    spec: RunSpec = field(default_factory=RunSpec)
    reads: Path | None = None
    folder: str = "/data"
    part: str = ""
    check: Callable[[Result], None] | None = None
    guess: float = 0.0
    memory: int | None = None

    @property
    def command(self) -> str:
        """For sentences about it."""
        return f"{' '.join((self.program, *self.spec.arguments))} on {self.machine.title}"


@dataclass(frozen=True)
class Done:
    """What came of a run: either ``kept``, or ``failed``, a sentence that says why."""

    kept: KeptRun | None
    failed: str = ""
    again: bool = False
    """Whether it was kept from before."""


@dataclass(frozen=True)
class _Request:
    """What whoever does the work is told: by which build of the simulator, what the program's file is called, and what
    lies in the directories that it sees.
    """

    work: Work
    program: str
    simulator: str
    seen: Any


@dataclass(frozen=True)
class How:
    """How many runs are done: ``jobs`` at a time, ``on`` this host or a cluster (executors.pool_on), kept in ``store``
    (RunStore); with ``fresh`` also those that are kept. ``tell`` hears how far they are.
    """

    jobs: int | None = None
    on: str | None = None
    store: str | None = None
    fresh: bool = False
    tell: Tell = lambda text: None


@dataclass
class _Campaign:
    name: str
    pool: Pool
    store: RunStore
    tell: Tell
    stopped: threading.Event = field(default_factory=threading.Event)


def run_many(
    name: str,
    works: Sequence[Work],
    how: How,
    ended: Callable[[int, Done], None] = lambda number, done: None,
) -> list[Done]:
    """All of ``works``, in their order; equal ones are done once. One that fails leaves the others alone.

    ``ended`` hears of each, by its number, as soon as it is there. Interrupted, it says what is kept.

    Raises CroftError for a program that cannot be built, a store or a cluster that cannot be used.
    """
    kept_in, tell = RunStore(how.store), how.tell
    programs = _build(sorted({(work.program, work.spec.analyze) for work in works}), how.jobs or host_cores(), tell)
    keys = [_key(work, programs[work.program, work.spec.analyze]) for work in works]
    same: dict[RunKey, list[int]] = {}
    for number, key in enumerate(keys):
        same.setdefault(key, []).append(number)

    found: dict[RunKey, Done] = {}
    for key in same:
        most = dict(key.limits).get("max_cycles", math.inf)
        if not how.fresh and (kept := kept_in.find(key)) and kept.cycles <= most:
            found[key] = Done(kept, again=True)
    for key, done in found.items():
        for number in same[key]:
            ended(number, done)
    if found:
        tell(f"{name}: {len(found)} of {len(same)} runs are kept from before (--fresh: do all again)")
    if len(found) == len(same):
        return [found[key] for key in keys]

    to_do = {key: works[numbers[0]] for key, numbers in same.items() if key not in found}
    names = kept_in.names()
    seconds = {key: kept_in.seconds(key, names) or work.guess for key, work in to_do.items()}
    with pool_on(how.on, how.jobs) as pool:
        expected = ""
        if all(seconds.values()):
            expected = f", in about {duration_to_wait(max(sum(seconds.values()) / pool.jobs, *seconds.values()))}"
        tell(f"{name}: {len(to_do)} runs to do, {pool.jobs} at a time{expected}")
        campaign = _Campaign(name, pool, kept_in, tell)

        def note(key: RunKey, done: Done) -> None:
            found[key] = done
            for number in same[key]:
                ended(number, done)

        _simulate(campaign, to_do, seconds, programs, note)
    kept_in.drop_stale([key for key in to_do if found[key].kept])
    return [found[key] for key in keys]


def _key(work: Work, program: Path) -> RunKey:
    reads = [work.reads] if work.reads else []
    return RunKey.of(program, work.program, work.machine, work.spec, reads, work.part)


def _build(programs: list[tuple[str, bool]], jobs: int, tell: Tell) -> dict[tuple[str, bool], Path]:
    """The executables; each program by its name, and whether it is to be analysed."""
    with ThreadPoolExecutor(jobs) as pool:
        made = pool.map(lambda which: executable(which[0], analyze=which[1], tell=tell), programs)
        return dict(zip(programs, made, strict=True))


def _simulate(
    campaign: _Campaign,
    to_do: dict[RunKey, Work],
    seconds: dict[RunKey, float],
    programs: dict[tuple[str, bool], Path],
    note: Callable[[RunKey, Done], None],
) -> None:
    name, pool = campaign.name, campaign.pool
    # The longest first, so that none of them is left alone at the end.
    order = sorted(to_do, key=lambda key: -seconds[key])
    began = said = time.monotonic()
    ended = 0
    with SweepProgress(name, len(order)) as progress:
        futures = {}
        for number, key in enumerate(order):
            work = to_do[key]
            program = programs[work.program, work.spec.analyze]
            request = _Request(work, program.name, simulator_digest(), contents(work.spec.directories))
            reads = pool.share(work.reads) if work.reads else None
            update = _updates(campaign, progress, number) if pool.is_local else None
            memory = work.memory or memory_of(work.machine)
            futures[pool.submit(memory, _perform, request, pool.share(program), reads, update)] = key
        try:
            for future in as_completed(futures):
                key = futures[future]
                done = _outcome(future, to_do[key])
                if done.kept and not campaign.stopped.is_set():
                    campaign.store.put(key, done.kept, _origin(to_do[key]))
                note(key, done)
                progress.finish_one()
                ended += 1
                if done.failed:
                    campaign.tell(f"{name}: {done.failed}")
                now = time.monotonic()
                if not progress.is_drawn and now - said >= SAY_AGAIN and ended < len(order):
                    left = (now - began) * (len(order) / ended - 1)
                    campaign.tell(f"{name}: {ended} of {len(order)} runs, about {duration_to_wait(left)} left")
                    said = now
        except BaseException as error:
            campaign.stopped.set()
            for future in futures:
                future.cancel()
            if isinstance(error, KeyboardInterrupt):
                kept = f"{ended} of {len(order)} runs are kept, and the same again does the rest"
                campaign.tell(f"{name}: interrupted; {kept}")
            raise


def _outcome(future: Any, work: Work) -> Done:
    try:
        return future.result()
    except CroftError:
        raise
    except Exception as error:  # of a cluster: a task whose worker dies again and again, say
        return Done(None, f"{work.command}: {type(error).__name__}: {error}")


def _origin(work: Work) -> Origin:
    builds = distribution.version(), simulator_digest()[:12]
    return Origin(work.program, work.machine.title, tuple(work.spec.arguments), *builds, round(time.time()))


def _updates(campaign: _Campaign, progress: SweepProgress, number: int) -> Update:
    def update(cycles: int, instructions: int) -> bool:
        progress.update(number, instructions)
        return not campaign.stopped.is_set()

    return update


def _perform(request: _Request, program: Path | bytes, reads: Path | bytes | None, update: Update | None) -> Done:
    """Does the work, wherever this is called."""
    if request.simulator != simulator_digest():
        raise other_build(socket.gethostname(), simulator_digest(), request.simulator)
    work = request.work
    try:
        if contents(work.spec.directories) != request.seen:
            raise UsageError(f"its directories are not on {socket.gethostname()} as they were when the sweep began")
        directories = list(work.spec.directories)
        if work.reads and reads is not None:
            directories.append(f"{_here(reads, work.reads.name).parent}::{work.folder}:ro")
        more = {"name": program_name(work.program), "directories": directories, "progress": update}
        result = run_as(work.spec.model_copy(update=more), _here(program, request.program), work.machine)
        if result.exit_status:
            found = result.coherence_count or result.race_count
            said = f"the check for {result.check} found {found:,}" if found else result.message
            said = said or result.errors.decode(errors="replace").strip() or "it gave no reason"
            return Done(None, f"{work.command}: {result.ending}, status {result.exit_status}: {said}")
        if work.check:
            work.check(result)
    except CroftError as error:
        return Done(None, f"{work.command}: {error}")
    return Done(KeptRun.of(result, work.part))


def _here(file: Path | bytes, name: str) -> Path:
    """A file that came by its contents lies in the cache, in a folder of its own, once."""
    if isinstance(file, Path):
        return file
    received = cache_folder() / "received" / digest_of(file)[:32] / name
    if not received.is_file():
        received.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(received) as partial:
            partial.write_bytes(file)
            partial.chmod(0o755)
    return received
