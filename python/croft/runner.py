"""Runs a program on a simulated machine."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from croft import _simulator, analysis, sandbox
from croft.builder import SOURCE_SUFFIXES, build
from croft.coherence_report import without_races
from croft.errors import MachineError, ProgramError, SimulatorError, UsageError
from croft.host_script import HostScript
from croft.machine_file import machine as read_machine
from croft.machine_model import Machine
from croft.result import Result

StrPath = str | os.PathLike[str]


def run(
    program: StrPath,
    machine: Machine | StrPath | None = None,
    *,
    name: str | None = None,
    arguments: Sequence[str] = (),
    cores: int | None = None,
    directories: Sequence[StrPath] = (),
    environment: Mapping[str, str] | None = None,
    seed: int = 1,
    max_cycles: int | None = None,
    window: int | None = None,
    run_ahead: int | None = None,
    perturb: int | None = None,
    check: str | None = None,
    analyze: bool = False,
    standard_input: int | None = None,
    output: Callable[[int, bytes], None] | None = None,
    progress: Callable[[int, int], bool] | None = None,
    host: HostScript | _simulator.HostSide | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Result:
    """Runs ``program`` on ``machine`` and returns the result, however the program ended.

    ``program`` is a static RISC-V Linux executable, a C++ source file (built first), or the name of one of croft's
    programs; ``machine`` the name of one of croft's machines, the path of a machine file, or a Machine (default:
    tilepro64; io1 to analyse).

    ``name`` is what the program is told it is called (default: as its file). ``cores`` bounds the cores that may hold
    a thread (default: all of the machine). The program sees only the ``directories`` named, each as in sandbox.grant,
    and an environment of only ``environment``. ``seed`` decides what getrandom returns. ``max_cycles`` ends the run
    after so many cycles. ``window``, in cycles, is the time between two exchanges of messages, ``run_ahead`` by how
    many cycles a core may run ahead of that on trust (0: and out-of-order cores remember nothing): they change the
    speed, never the result. ``perturb`` is the
    seed of random delays of messages (default: none), which no correct program minds. ``check="coherence"`` looks
    for stale loads and lost writes (Result.coherence); it costs time, and changes nothing else. ``analyze`` measures
    work and span of the program's tasks (Result.analysis): a program that is built here is built for that, and runs
    each task where it is spawned. ``standard_input`` is a file descriptor to read from (default: empty).

    ``output(stream, text)`` receives what the program writes to its streams 1 and 2; without it the result holds both.
    ``progress(cycles, instructions)`` is called about ten times a second; returning False ends the run. Ctrl-C ends it
    too, with the statistics so far. ``host`` is at the other end of the machine's link to a host: a croft.HostScript,
    whose results are Result.host_results. (croft.Accelerator is for a host that is a program.)

    Raises UsageError, MachineError, BuildError, or ProgramError for a file that is no program for such a machine.
    """
    if check not in (None, "coherence"):
        raise UsageError(f'there is no check called {check!r} (known: "coherence")')
    machine = machine or default_machine(analyze)
    chip = machine if isinstance(machine, Machine) else read_machine(machine)
    if cores is not None and not 1 <= cores <= chip.cores:
        raise UsageError(f"{chip.name} has 1 to {chip.cores} cores to run on, not {cores}")
    path = executable(program, analyze=analyze, tell=tell)
    try:
        elf = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if analyze and not analysis.can_be_analysed(elf):
        raise UsageError(
            f"{path} was not built to be analysed, or has no tasks: name its source, "
            f"or build it with -D {analysis.DEFINE}"
        )
    name = name or program_name(program)
    granted = [sandbox.grant(directory) for directory in directories]
    captured: dict[int, bytearray] = {1: bytearray(), 2: bytearray()}
    options = {
        # Only the name: the length of a path moves the stack, and with it the cycles.
        "arguments": [name, *arguments],
        "environment": [f"{key}={value}" for key, value in (environment or {}).items()],
        "directories": granted,
        "working_directory": sandbox.working_directory(granted),
        "seed": seed,
        "max_cycles": max_cycles or 0,
        "cores": cores or 0,
        "window": window or 0,
        "run_ahead": run_ahead,
        "perturb": perturb or 0,
        "check_coherence": check == "coherence",
        "standard_input": -1 if standard_input is None else standard_input,
    }
    receive = output or (lambda stream, text: captured[stream].extend(text))
    listener = analysis.Listener(receive) if analyze else None
    end = host.start() if isinstance(host, HostScript) else host
    started = time.perf_counter()
    with _stop_by_interrupt() as interrupted:

        def go_on(cycles: int, instructions: int) -> bool:
            wanted = progress(cycles, instructions) if progress else True
            return wanted and not interrupted.is_set()

        try:
            outcome = _simulator.simulate(
                elf,
                chip.model_dump(),
                options,
                listener.output if listener else receive,
                go_on,
                end,
            )
        except _simulator.BadProgram as error:
            raise ProgramError(f"{path}: {error}") from None
        except ValueError as error:
            raise MachineError(f"machine {chip.name}: {error}") from None
        except _simulator.SimulatorFault as error:
            raise SimulatorError(f"a fault of the simulator, not of {name}, on machine {chip.name}: {error}") from None
    found = without_races(outcome["coherence"], elf)
    return Result(
        program=name,
        arguments=tuple(arguments),
        machine=chip,
        cores=cores or chip.cores,
        seed=seed,
        ending=outcome["ending"],
        exit_code=outcome["exit_code"],
        message=outcome["message"],
        cycles=outcome["cycles"],
        instructions=outcome["instructions"],
        window=outcome["window"],
        output=bytes(captured[1]),
        errors=bytes(captured[2]),
        host_seconds=time.perf_counter() - started,
        _elf=elf,
        _threads=outcome["threads"],
        _statistics=outcome["statistics"],
        # The simulator keeps the first 200 only; what it does not keep counts as it is.
        coherence_count=outcome["coherence_count"] - len(outcome["coherence"]) + len(found),
        _coherence=found,
        analysis=listener.analysis if listener else None,
        host_results=tuple(end.results) if isinstance(end, _simulator.ScriptedHost) else (),
    )


def default_machine(analyze: bool) -> str:
    """Where programs run if no machine is named: tasks are analysed on one core."""
    return "io1" if analyze else "tilepro64"


def is_executable(program: StrPath) -> bool:
    """Whether ``program`` is a file to run as it is: no source file, nor the name of one of croft's programs."""
    return Path(program).is_file() and Path(program).suffix not in SOURCE_SUFFIXES


def executable(program: StrPath, *, analyze: bool = False, tell: Callable[[str], None] = lambda sentence: None) -> Path:
    """The executable to run: a source file, or the name of one of croft's programs, is built first."""
    if is_executable(program):
        return Path(program)
    return build(program, defines=[analysis.DEFINE] if analyze else [], tell=tell)


def program_name(program: StrPath) -> str:
    """What a program is told it is called: its file's name, without the suffix of a source."""
    path = Path(program)
    return path.stem if path.suffix in SOURCE_SUFFIXES else path.name


@contextlib.contextmanager
def _stop_by_interrupt() -> Iterator[threading.Event]:
    """Within it, the first Ctrl-C sets the event instead of raising; a second one raises as ever."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: object) -> None:
        stopped.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)
