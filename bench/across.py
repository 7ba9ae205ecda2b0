"""Channels, farms and maps across processes, by each MPI that is installed, beside other libraries and beside a model.

All ways take turns, so that a disturbance falls on all: those of one program inside it, and programs by whole runs, one
a round. What is printed are medians over the rounds.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench import across_peers, across_table, aims, loggp_model, mpi_launch
from bench.mpi_launch import DidNotEndError, FailedError, Mpi

ROOT = Path(__file__).resolve().parent.parent
CORES = len(os.sched_getaffinity(0))
MOST_FOR_MAPS = 4
"""Processes: each of them works on each item, so more than there are cores only wait for each other."""


@dataclass(frozen=True)
class Effort:
    rounds: int
    seconds: float
    """Of work, a measurement."""
    processes: tuple[int, ...] = (2, 4, 8, 16)
    rounds_inside: int = 9
    """Of the programs that measure no farms."""


QUICK = Effort(rounds=1, seconds=0.01, processes=(2, 4), rounds_inside=1)


@dataclass
class Notes:
    """What is said below a table, once."""

    lines: list[str] = field(default_factory=list)

    def __call__(self, line: str) -> None:
        if line not in self.lines:
            self.lines.append(line)


def say(what: str) -> None:
    """Progress; not among what is kept."""
    print(f"  {what}", file=sys.stderr, flush=True)


# ---- building ----


def build_folder(mpi: Mpi) -> Path:
    return ROOT / "build" / "mpi" / mpi.name


def cmake(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"CMAKE_GENERATOR": "Ninja"} | os.environ  # what make has it build with, in the same folder
    return subprocess.run(["cmake", *arguments], capture_output=True, text=True, env=environment)


def build(mpi: Mpi, fastflow: Path | None) -> str:
    """Why FastFlow is left out, if it is."""
    say(f"building for {mpi.title}")
    folder = str(build_folder(mpi))
    configured = cmake(
        *("-S", str(ROOT / "tests" / "mpi"), "-B", folder, f"-DMPI_HOME={mpi.prefix}"),
        f"-DCROFT_CEREAL={mpi_launch.PREFIXES / 'cereal' / 'include'}",
        f"-DPEER_fastflow={fastflow or ''}",
    )
    targets = ["bench_channel", "bench_farm", "bench_map", "bench_loggp", "bench_task"]
    built = cmake("--build", folder, "-j", "1", "--target", *targets) if configured.returncode == 0 else configured
    if built.returncode:
        raise SystemExit(f"bench: the programs for {mpi.title} were not built:\n{built.stdout}{built.stderr}")
    if fastflow is None:
        return "no folder named by --peers has its sources with ff/dff.hpp"
    if not (fastflow / "ff" / "distributed" / "MTCL" / "include" / "mtcl.hpp").is_file():
        return "its tree lacks ff/distributed/MTCL (git submodule update --init)"
    tried = cmake("--build", folder, "-j", "1", "--target", "bench_fastflow_mpi", "bench_fastflow_tcp")
    if tried.returncode:
        errors = [line for line in tried.stdout.splitlines() if "error: " in line]
        return f"it does not compile here ({errors[0] if errors else tried.stderr.strip()})"
    return ""


# ---- measuring ----


def recorded(mpi: Mpi, processes: int, command: list[str]) -> tuple[aims.Results, str]:
    """What one of our programs has measured, and what it has said."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        results.touch()
        said = mpi.run(processes, command, {"BENCH_RESULTS": str(results)})
        return aims.read(results), said


def farms(mpi: Mpi, processes: int, rate: float, seconds: float) -> across_peers.Found:
    """croft's, and the one by hand: one round."""
    program = str(build_folder(mpi) / "bench_farm")
    results, _ = recorded(mpi, processes, [program, "1", str(seconds), str(rate)])
    for (table, way), took in results.items():
        yield table.removeprefix("tasks of ").split(",")[0], way, took


Round = Callable[[int, float, float], across_peers.Found]


def programs_of(mpi: Mpi, why_no_fastflow: str, note: Callable[[str], None]) -> dict[str, Round]:
    folder = build_folder(mpi)
    programs: dict[str, Round] = {"croft": partial(farms, mpi)}
    if across_peers.MPI4PY.is_dir():
        programs["mpi4py.futures"] = partial(across_peers.futures, mpi, folder, note=note)
    else:
        note("mpi4py.futures is left out: mpi4py is not installed where `make bench-mpi` puts it.")
    if why_no_fastflow:
        note(f"FastFlow is left out: {why_no_fastflow}.")
        return programs
    for protocol in ("MPI", "TCP"):
        programs[f"FastFlow by {protocol}"] = partial(across_peers.fastflow, mpi, folder, note=note, protocol=protocol)
    return programs


def compare(
    mpi: Mpi, effort: Effort, why_no_fastflow: str, rate: float
) -> dict[int, tuple[across_table.Rounds, Notes]]:
    """By number of processes. A program that fails once is left out from then on."""
    found: dict[int, tuple[across_table.Rounds, Notes]] = {each: ({}, Notes()) for each in effort.processes}
    programs = {each: programs_of(mpi, why_no_fastflow, notes) for each, (_, notes) in found.items()}
    for number in range(effort.rounds):
        for processes in effort.processes:
            rounds, notes = found[processes]
            for name, program in list(programs[processes].items()):
                say(f"{mpi.title}, round {number + 1} of {effort.rounds}, {processes} processes: {name}")
                try:
                    for task, way, took in program(processes, rate=rate, seconds=effort.seconds):
                        rounds.setdefault((task, way), []).append(took)
                except (DidNotEndError, FailedError) as why:
                    notes(f"{name} is left out from round {number + 1} on: {why}.")
                    del programs[processes][name]
    return found


def loggp(mpi: Mpi, effort: Effort) -> loggp_model.Parameters:
    say(f"{mpi.title}: the parameters of LogGP")
    program = str(build_folder(mpi) / "bench_loggp")
    results, said = recorded(mpi, 2, [program, str(effort.rounds_inside)])
    print(said.rstrip())
    parameters = loggp_model.Parameters.measured({row: value for (_, row), value in results.items()})
    print(f"  of which a, its bookkeeping at either end: {parameters.bookkeeping:.1f}", flush=True)
    return parameters


def predictions(parameters: loggp_model.Parameters, processes: int) -> dict[tuple[str, str], float]:
    return {
        (task, way): loggp_model.nanoseconds(parameters, size, processes, CORES, root_works)
        for way, root_works in across_table.MODELLED.items()
        for task, size in across_table.TASKS.items()
    }


def print_maps(mpi: Mpi, effort: Effort) -> None:
    """All ways in turn inside the program."""
    for processes in effort.processes:
        if processes > MOST_FOR_MAPS:
            break
        say(f"{mpi.title}, {processes} processes: an item divided among all")
        program = [str(build_folder(mpi) / "bench_map"), str(effort.rounds_inside), str(effort.seconds)]
        print(mpi.run(processes, program, {}).rstrip(), flush=True)


def print_farms(mpi: Mpi, processes: int, rounds: across_table.Rounds, notes: Notes) -> None:
    print(f"\n### {across_table.title(mpi.title, processes, CORES)}\n")
    print(across_table.comparison(rounds))
    if notes.lines:
        print("", *notes.lines, sep="\n")


def main(trees: dict[str, Path], effort: Effort) -> None:
    mpis = mpi_launch.there()
    if not mpis:
        raise SystemExit(f"bench: there is no MPI in {mpi_launch.PREFIXES}; make bench-mpi installs two")
    fastflow = trees.get("fastflow")
    if fastflow and not (fastflow / "ff" / "dff.hpp").is_file():
        fastflow = None
    why_no_fastflow = {mpi.name: build(mpi, fastflow) for mpi in mpis}
    task = ctypes.CDLL(str(build_folder(mpis[0]) / "libbench_task.so"))
    task.bench_steps_a_nanosecond.restype = ctypes.c_double
    rate = task.bench_steps_a_nanosecond()  # the same tasks for all
    for mpi in mpis:
        print(f"\n## {mpi.title}", flush=True)
        say(f"{mpi.title}: channels")
        channels = [str(build_folder(mpi) / "bench_channel"), str(effort.rounds_inside)]
        print(mpi.run(2, channels, {}).rstrip(), flush=True)
        print_maps(mpi, effort)
        parameters = loggp(mpi, effort)
        compared = compare(mpi, effort, why_no_fastflow[mpi.name], rate)
        for processes, (rounds, notes) in compared.items():
            print_farms(mpi, processes, rounds, notes)
        for processes, (rounds, _) in compared.items():
            print(f"\n### {mpi.title}, {processes} processes, beside the model (docs/across.md)\n")
            print(across_table.beside_model(rounds, predictions(parameters, processes)), flush=True)
