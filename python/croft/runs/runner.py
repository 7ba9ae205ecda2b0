"""Runs a program on a simulated machine."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from croft import _simulator
from croft.base.errors import ProgramError, UsageError
from croft.base.host import host_memory
from croft.machines.file import machine as read_machine
from croft.machines.model import Machine
from croft.programs.builder import SOURCE_SUFFIXES, build
from croft.recording import analysis
from croft.recording.line_use import LineUse
from croft.results.result import Result
from croft.runs import sandbox
from croft.runs.checkpoint import read_checkpoint
from croft.runs.homes import Home, ranges, read_homes
from croft.runs.host_script import HostScript
from croft.runs.simulation import CHECKS, Beginning, Limits, Plan, simulate
from croft.symbols.allocators import allocators
from croft.symbols.landmarks import FLAGS as LANDMARK_FLAGS
from croft.symbols.landmarks import Landmarks, landmarks
from croft.symbols.race_sites import race_sites
from croft.watching.sample import Sample

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
    sample: Callable[[Sample], None] | None = None,
    host: HostScript | _simulator.HostSide | None = None,
    checkpoint: StrPath | None = None,
    every: str | None = None,
    interval: int | None = None,
    regions: bool = False,
    links: bool = False,
    profile: bool = False,
    trace: int | None = None,
    trace_from: int = 0,
    trace_to: int | None = None,
    lines: int | None = None,
    homes: StrPath | Sequence[Home] = (),
    fast_forward: bool = False,
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
    result. ``perturb`` is the seed of random delays and of loads that overtake others
    (default: none), which no correct program minds.
    ``check="coherence"`` looks for stale loads, lost writes and lost stores (Result.coherence), ``check="races"`` for
    data races of the program (Result.races) and for what its C library does not order (Result.library_races); that
    costs time, and changes nothing else. ``analyze`` measures work and span of the program's tasks (Result.analysis): a
    program that is built here is built for that, and runs each task where it is spawned. ``standard_input`` is a file
    descriptor to read from (default: empty).

    ``output(stream, text)`` receives what the program writes to its streams 1 and 2, as it does.
    ``progress(cycles, instructions)`` is called about ten times a second; returning False ends the run. So is
    ``sample``, with what every core does, and once more when the run has ended (croft.watching.sample.Sample). Ctrl-C
    ends it, with the statistics so far. ``host`` is at the other end of the machine's link to a host: a
    croft.HostScript, whose results are Result.host_results. (croft.Accelerator is for a host that is a program.)

    ``checkpoint`` is a file from which croft.restore goes on: written ``every`` so often ("30s", "10m", "2h" of this
    host, or "50Mcycles"; default: never), and when the run is ended by ``max_cycles``, ``max_seconds``, ``progress`` or
    Ctrl-C. ``interval`` asks for the statistics of every so many cycles (Result.intervals), ``regions`` for those of
    each occurrence of a region (Result.regions), ``links`` for how long each link of the meshes was busy (the part
    "link" of the statistics, of intervals and of regions), ``profile`` for where every cycle went (Result.profile),
    ``trace`` for when each core ran and waited (Result.trace), in so many bytes at most, from cycle ``trace_from`` on
    and to before ``trace_to``, ``lines`` for who used which memory and how many messages went
    through it (Result.lines), recorded in so many bytes. None of these changes anything else. ``homes`` are lines'
    homes whatever the program asks for, or a file of them.
    ``fast_forward`` carries out what the program does before its first region functionally, and begins that with warm
    caches (Result.fast_forwarded).

    Raises UsageError, MachineError, BuildError, or ProgramError for a file that is no program for such a machine.
    """
    if check not in (None, *CHECKS):
        raise UsageError(f"there is no check called {check!r} (known: {', '.join(CHECKS)})")
    machine = machine or default_machine(analyze)
    chip = read_machine(machine)
    for option, given in (
        ("a check", check),
        ("an analysis", analyze),
        ("a profile", profile),
        ("a trace", trace),
        ("a record of lines", lines),
    ):
        if fast_forward and given:
            raise UsageError(f"a run that is fast-forwarded has not all that {option} is about: ask for one of them")
    if fast_forward and host is not None:
        raise UsageError("a run with a host is not fast-forwarded: the host's time would stand still meanwhile")
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
        ("interval", interval, 1, 64),
        ("trace", trace, 1, 48),
        ("trace_from", trace_from, 0, 63),
        ("trace_to", trace_to, 1, 63),
        ("lines", lines, 1, 48),
    ):
        _check_number(option, number, least, 2**bits - 1)
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
    known = _landmarks(program, elf, analyze, tell) if trace else landmarks(elf) if lines else Landmarks()
    options = {
        # Only the name: the length of a path moves the stack, and with it the cycles.
        "arguments": [name, *arguments],
        "environment": [f"{key}={value}" for key, value in (environment or {}).items()],
        "directories": granted,
        "working_directory": sandbox.working_directory(granted),
        "seed": seed,
        "max_memory": memory or host_memory() // 2,
        "cores": cores or 0,
        "window": window or 0,
        "run_ahead": run_ahead,
        "perturb": perturb or 0,
        "check_coherence": check == "coherence",
        "check_races": check == "races",
        "race_sites": race_sites(elf) if check == "races" else [],
        "landmarks": list(known.labels),
        "handovers": list(known.handovers),
        "interval": interval or 0,
        "each_region": regions,
        "each_link": links,
        "profile": profile,
        "trace_limit": trace or 0,
        "trace_from": trace_from,
        "trace_to": trace_to,
        "lines_limit": lines or 0,
        "followed": allocators(elf) if lines else [],
        "homes": [],
        "fast_forward": fast_forward,
    }
    plan = Plan(name, tuple(arguments), chip, elf, str(path), options, analyze, max_output, host)
    chosen = read_homes(Path(homes)) if isinstance(homes, str | os.PathLike) else homes
    options["homes"] = ranges(chosen, elf, chip, lambda: _rehearsed(plan, Limits(max_cycles, max_seconds)))
    return simulate(
        plan,
        Limits(max_cycles, max_seconds),
        standard_input=standard_input,
        output=output,
        progress=progress,
        sample=sample,
        checkpoint=checkpoint,
        every=every,
        tell=tell,
    )


def restore(
    file: StrPath,
    *,
    max_cycles: int | None = None,
    max_seconds: float | None = None,
    checkpoint: StrPath | None = None,
    every: str | None = None,
    standard_input: int | None = None,
    output: Callable[[int, bytes], None] | None = None,
    progress: Callable[[int, int], bool] | None = None,
    sample: Callable[[Sample], None] | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Result:
    """Goes on with the run whose checkpoint ``file`` is, and returns the result: that of a run that never stopped.

    Program, machine, arguments and all else that decides the run come from the file. The other arguments are those of
    ``run``. ``max_cycles`` counts from the beginning of the program. ``standard_input`` has to begin with what the
    program has read already. What an ``output`` function heard before is not in the result; what the result kept is.

    Raises UsageError: for a file that is no checkpoint, is damaged or of another build of the simulator; and if the
    program's directories and files are not as they were (by name and length).
    """
    _check_number("max_cycles", max_cycles, 1, 2**64 - 1)
    header, parts = read_checkpoint(file)
    if max_cycles is not None and max_cycles <= header["cycles"]:
        raise UsageError(f"max_cycles is {max_cycles}: {os.fspath(file)} is of cycle {header['cycles']} already")
    for host, *_ in header["options"]["directories"]:
        if not Path(host).is_dir():
            raise UsageError(f"{os.fspath(file)}: the directory {host} of the run is no longer there")
    return simulate(
        Plan.of(header, parts["program"]),
        Limits(max_cycles, max_seconds),
        standard_input=standard_input,
        output=output,
        progress=progress,
        sample=sample,
        checkpoint=checkpoint,
        every=every,
        beginning=Beginning.of(header, parts),
        tell=tell,
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


def executable(
    program: StrPath,
    *,
    analyze: bool = False,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Path:
    """The executable to run: a source file, or the name of one of croft's programs, is built first."""
    if is_executable(program):
        return Path(program)
    return build(program, defines=[analysis.DEFINE] if analyze else [], tell=tell)


def _rehearsed(plan: Plan, limits: Limits) -> LineUse | None:
    """Which memory the program uses, without an input."""
    options = plan.options | {"lines_limit": 1 << 30, "followed": allocators(plan.elf)}
    return simulate(replace(plan, options=options, analyze=False), limits).lines


def _landmarks(program: StrPath, elf: bytes, analyze: bool, tell: Callable[[str], None]) -> Landmarks:
    """Where tasks and items begin and end and messages pass: of a source by a build of its own."""
    if is_executable(program):
        return landmarks(elf)
    defines = [analysis.DEFINE] if analyze else []
    return landmarks(elf, build(program, defines=defines, flags=LANDMARK_FLAGS, tell=tell).read_bytes())


def program_name(program: StrPath) -> str:
    """What a program is told it is called: its file's name, without the suffix of a source."""
    path = Path(program)
    return path.stem if path.suffix in SOURCE_SUFFIXES else path.name
