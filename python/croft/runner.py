"""Runs a program on a simulated machine."""

import contextlib
import functools
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
from croft.kept_output import MOST, KeptOutput
from croft.machine_file import machine as read_machine
from croft.machine_model import Machine
from croft.memory_budget import host_memory
from croft.race_sites import race_sites
from croft.result import Result
from croft.symbols import Symbols

StrPath = str | os.PathLike[str]
CHECKS = ("coherence", "races")


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
    max_seconds: float | None = None,
    max_output: int | None = None,
    memory: int | None = None,
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

    ``program`` is a static RISC-V Linux executable, a C++ or C source file (built first), or the name of one of croft's
    programs; ``machine`` the name of one of croft's machines, the path of a machine file, or a Machine (default:
    tilepro64; io1 to analyse).

    ``name`` is what the program is told it is called (default: as its file). ``cores`` bounds the cores that may hold
    a thread (default: all of the machine). The program sees only the ``directories`` named, each as in sandbox.grant,
    and an environment of only ``environment``. ``seed`` decides what getrandom returns. ``max_cycles`` ends the run
    after so many cycles, ``max_seconds`` after so many of this host's. Of each of its streams the result holds at most
    ``max_output`` bytes (default: 64 MiB), the beginning and the end; ``output`` hears all, or only that if
    ``max_output`` is given. A program that writes to more than ``memory`` bytes (default: half of this host's) ends
    with a fault. ``window``, in cycles, is the time between two exchanges of messages, ``run_ahead`` by how many cycles
    a core may run ahead of that on trust (0: and out-of-order cores remember nothing): they change the speed, never the
    result. ``perturb`` is the seed of random delays (default: none), which no correct program minds.
    ``check="coherence"`` looks for stale loads and lost writes (Result.coherence), ``check="races"`` for data races of
    the program (Result.races); that costs time, and changes nothing else. ``analyze`` measures work and span of the
    program's tasks (Result.analysis): a program that is built here is built for that, and runs each task where it is
    spawned. ``standard_input`` is a file descriptor to read from (default: empty).

    ``output(stream, text)`` receives what the program writes to its streams 1 and 2, as it does.
    ``progress(cycles, instructions)`` is called about ten times a second; returning False ends the run. Ctrl-C ends it
    too, with the statistics so far. ``host`` is at the other end of the machine's link to a host: a croft.HostScript,
    whose results are Result.host_results. (croft.Accelerator is for a host that is a program.)

    Raises UsageError, MachineError, BuildError, or ProgramError for a file that is no program for such a machine.
    """
    if check not in (None, *CHECKS):
        raise UsageError(f"there is no check called {check!r} (known: {', '.join(CHECKS)})")
    machine = machine or default_machine(analyze)
    chip = read_machine(machine)
    if cores is not None and not 1 <= cores <= chip.cores:
        raise UsageError(f"{chip.name} has 1 to {chip.cores} cores to run on, not {cores}")
    for option, number, least, bits in (
        ("seed", seed, 0, 64),
        ("max_cycles", max_cycles, 1, 64),
        ("max_output", max_output, 0, 63),
        ("memory", memory, 1, 64),
        ("window", window, 1, 32),
        ("run_ahead", run_ahead, 0, 32),
        ("perturb", perturb, 1, 64),
    ):
        _check_number(option, number, least, 2**bits - 1)
    if max_seconds is not None and not max_seconds > 0:
        raise UsageError(f"max_seconds is {max_seconds}: it should be more than 0")
    _check_texts("an argument", arguments)
    _check_texts("the environment", [text for pair in (environment or {}).items() for text in pair])
    path = executable(program, analyze=analyze, tell=tell)
    elf = _read_program(path)
    if analyze and not analysis.can_be_analysed(elf):
        raise UsageError(
            f"{path} was not built to be analysed, or has no tasks: name its source, "
            f"or build it with -D {analysis.DEFINE}"
        )
    name = name or program_name(program)
    granted = [sandbox.grant(directory) for directory in directories]
    kept = _kept_streams(max_output, output)
    options = {
        # Only the name: the length of a path moves the stack, and with it the cycles.
        "arguments": [name, *arguments],
        "environment": [f"{key}={value}" for key, value in (environment or {}).items()],
        "directories": granted,
        "working_directory": sandbox.working_directory(granted),
        "seed": seed,
        "max_cycles": max_cycles or 0,
        "max_memory": memory or host_memory() // 2,
        "cores": cores or 0,
        "window": window or 0,
        "run_ahead": run_ahead,
        "perturb": perturb or 0,
        "check_coherence": check == "coherence",
        "check_races": check == "races",
        "race_sites": race_sites(Symbols(elf)) if check == "races" else [],
        "standard_input": -1 if standard_input is None else standard_input,
    }

    def receive(stream: int, text: bytes) -> None:
        kept[stream].add(text)

    listener = analysis.Listener(receive) if analyze else None
    end = host.start() if isinstance(host, HostScript) else host
    started = time.perf_counter()
    too_long = False
    with _stop_by_interrupt() as interrupted:

        def go_on(cycles: int, instructions: int) -> bool:
            nonlocal too_long
            wanted = progress(cycles, instructions) if progress else True
            too_long = max_seconds is not None and time.perf_counter() - started > max_seconds
            return wanted and not too_long and not interrupted.is_set()

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
            raise MachineError(str(error)) from None
        except _simulator.SimulatorFault as error:
            raise SimulatorError(f"a fault of the simulator, not of {name}, on machine {chip.name}: {error}") from None
    if too_long and outcome["ending"] == "interrupted":
        outcome |= {"ending": "time_limit", "message": f"the limit of {max_seconds:g} s of this host was reached"}
    printed, errors = (kept[stream].finish() for stream in (1, 2))
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
        output=printed,
        errors=errors,
        host_seconds=time.perf_counter() - started,
        _elf=elf,
        _threads=outcome["threads"],
        _statistics=outcome["statistics"],
        check=check,
        # The simulator keeps the first 200 only; what it does not keep counts as it is.
        coherence_count=outcome["coherence_count"] - len(outcome["coherence"]) + len(found),
        _coherence=found,
        race_count=outcome["race_count"],
        _races=outcome["races"],
        analysis=listener.analysis if listener else None,
        host_results=tuple(end.results) if isinstance(end, _simulator.ScriptedHost) else (),
    )


LARGEST_PROGRAM = 1 << 30
"""Bytes of the largest file that is read as a program; those of croft have some megabytes, with debug information."""


def _read_program(path: Path) -> bytes:
    """The program's file. One that is none is not read further than its first bytes, by which the simulator sees it."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            begin = file.read(64)
            if not begin.startswith(b"\x7fELF"):
                return begin
            if size > LARGEST_PROGRAM:
                raise ProgramError(f"{path}: it has {size:,} bytes; the largest program that is run has 1 GiB")
            return begin + file.read()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


def _kept_streams(max_output: int | None, output: Callable[[int, bytes], None] | None) -> dict[int, KeptOutput]:
    """What keeps streams 1 and 2, by their numbers. ``output`` hears all, or if it is bounded what is kept."""
    role = "hear" if max_output is None else "pass_on"
    most = MOST if max_output is None else max_output
    return {
        stream: KeptOutput(most, **({role: functools.partial(output, stream)} if output else {})) for stream in (1, 2)
    }


def _check_number(name: str, number: int | None, least: int, most: int) -> None:
    if number is None:
        return
    if isinstance(number, bool) or not isinstance(number, int):
        raise UsageError(f"{name} is {number!r}: it should be a whole number")
    if not least <= number <= most:
        raise UsageError(f"{name} is {number}: it should be between {least} and {most}")


def _check_texts(what: str, texts: Sequence[str]) -> None:
    for text in texts:
        if not isinstance(text, str):
            raise UsageError(f"{what} is {text!r}: it should be a string")
        if "\0" in text:
            raise UsageError(f"{what} is {text!r}: a program cannot be given a zero byte")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{what} is {text!r}: it is not UTF-8") from None


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
