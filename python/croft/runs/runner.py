"""Runs a program on a simulated machine."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

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
from croft.runs.cores import on_machine
from croft.runs.homes import homes_of, ranges
from croft.runs.keywords import restore_taking, run_taking
from croft.runs.simulation import Beginning, Plan, simulate
from croft.runs.spec import Attendance, RunSpec, StrPath
from croft.symbols.allocators import allocators
from croft.symbols.landmarks import FLAGS as LANDMARK_FLAGS
from croft.symbols.landmarks import Landmarks, landmarks
from croft.symbols.race_sites import race_sites


def run_as(spec: RunSpec, program: StrPath, machine: Machine | StrPath | None = None) -> Result:
    """Runs ``program`` on ``machine`` and returns the result, however the program ended.

    ``program`` is a static RISC-V Linux executable, a C++ or C source file (built first), or the name of one of croft's
    programs. ``machine`` is the name of one of croft's machines, the path of a machine file, or a Machine (default:
    tilepro64; io1 to analyze). Ctrl-C ends the run, with the statistics so far.

    Raises UsageError, MachineError, BuildError, or ProgramError for a file that is no program for such a machine.
    """
    chip = read_machine(machine or default_machine(spec.analyze))
    count, order = on_machine(spec.cores, chip)
    path = executable(program, analyze=spec.analyze, tell=spec.tell)
    elf = _read_program(path)
    if spec.analyze and not analysis.can_be_analysed(elf):
        raise UsageError(
            f"{path} was not built to be analysed, or has no tasks: name its source, "
            f"or build it with -D {analysis.DEFINE}"
        )
    name = spec.name or program_name(program)
    granted = [sandbox.grant(directory) for directory in spec.directories]
    if spec.sysroot is not None:
        granted.append(sandbox.root(spec.sysroot))
    known = _landmarks(program, elf, spec) if spec.trace else landmarks(elf) if spec.lines else Landmarks()
    options = {
        # Only the name: the length of a path moves the stack, and with it the cycles.
        "arguments": [name, *spec.arguments],
        "environment": [f"{key}={value}" for key, value in (spec.environment or {}).items()],
        "directories": granted,
        "working_directory": sandbox.working_directory(granted),
        **spec.model_dump(include={"seed", "run_ahead", "profile", "trace_from", "trace_to", "fast_forward"}),
        "strict_system_calls": spec.strict_system_calls,
        **{name: getattr(spec, name) or 0 for name in ("window", "perturb", "interval")},
        "cores": count,
        "core_order": list(order),
        "max_memory": spec.memory or host_memory() // 2,
        "check_coherence": spec.check == "coherence",
        "check_races": spec.check == "races",
        "race_sites": race_sites(elf) if spec.check == "races" else [],
        "landmarks": list(known.labels),
        "handovers": list(known.handovers),
        "each_region": spec.regions,
        "each_link": spec.links,
        "trace_limit": spec.trace or 0,
        "lines_limit": spec.lines or 0,
        "followed": allocators(elf) if spec.lines else [],
        "homes": [],
    }
    plan = Plan(spec.model_copy(update={"name": name}), chip, elf, str(path), options)
    options["homes"] = ranges(homes_of(spec.homes), elf, chip, lambda: _rehearsed(plan))
    return simulate(plan, spec)


def restore_as(attendance: Attendance, file: StrPath) -> Result:
    """Goes on with the run whose checkpoint ``file`` is, and returns the result: that of a run that never stopped.

    Program, machine, arguments and all else that decides the run come from the file. The result
    keeps what it had kept of the output; an ``output`` function hears only what comes now.

    Raises UsageError for a file that is no checkpoint, is damaged or of another build of the simulator. It does so,
    too, if the program's directories and files are not as they were (by name and length).
    """
    header, parts = read_checkpoint(file)
    if attendance.max_cycles is not None and attendance.max_cycles <= header["cycles"]:
        raise UsageError(
            f"max_cycles is {attendance.max_cycles}: {os.fspath(file)} is of cycle {header['cycles']} already"
        )
    for host, *_ in header["options"]["directories"]:
        if not Path(host).is_dir():
            raise UsageError(f"{os.fspath(file)}: the directory {host} of the run is no longer there")
    return simulate(Plan.of(header, parts["program"]), attendance, Beginning.of(header, parts))


run = run_taking(RunSpec, run_as)
restore = restore_taking(Attendance, restore_as)


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


def _rehearsed(plan: Plan) -> LineUse | None:
    """Which memory the program uses, without an input and without anybody who hears of it."""
    options = plan.options | {"lines_limit": 1 << 30, "followed": allocators(plan.elf)}
    spec = plan.spec.model_copy(update={"analyze": False})
    limits = Attendance(max_cycles=spec.max_cycles, max_seconds=spec.max_seconds)
    return simulate(replace(plan, spec=spec, options=options), limits).lines


def _landmarks(program: StrPath, elf: bytes, spec: RunSpec) -> Landmarks:
    """Where tasks and items begin and end and messages pass: of a source by a build of its own."""
    if is_executable(program):
        return landmarks(elf)
    defines = [analysis.DEFINE] if spec.analyze else []
    return landmarks(elf, build(program, defines=defines, flags=LANDMARK_FLAGS, tell=spec.tell).read_bytes())


def program_name(program: StrPath) -> str:
    """What a program is told it is called: its file's name, without the suffix of a source."""
    path = Path(program)
    return path.stem if path.suffix in SOURCE_SUFFIXES else path.name
