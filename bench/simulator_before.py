"""``python -m bench.simulator_before REVISION``: the simulator's speed beside that of another commit, in one run.

Both simulators are built alike, into build/before/, and take turns with the same programs, each run in a process of its
own. A program's row is the median of the ratios of neighbouring runs, and the memory that a run takes beside Python.
Cycles that differ are said.
"""

import argparse
import ctypes
import importlib.util
import io
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tarfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "before"
KERNELS, TASKS = "bench/simulator_kernels.cpp", "bench/simulator_tasks.cpp"
TABLE_III = ("ligra-bfs", "ligra-bc", "cilk5-lu", "cilk5-nq")
"""Kernels of paper 002 that are run with their inputs of table III, by direct stealing and GPU-WB."""
PROGRAMS = {
    "tilepro64, mixed, private data": (KERNELS, "tilepro64", "mixed 58 0 12 stack"),
    "tilepro64, mixed, data homed by hash": (KERNELS, "tilepro64", "mixed 58 0 2 heap"),
    "o3x1, sort": (KERNELS, "o3x1", "sort 1 0 60 stack"),
    "o3x1, hash": (KERNELS, "o3x1", "hash 1 0 100 stack"),
    "o3x1, convolution": (KERNELS, "o3x1", "convolution 1 0 60 stack"),
    "o3x8, mixed": (KERNELS, "o3x8", "mixed 8 0 2 stack"),
    **{
        f"big-tiny-64-{l1}, {arguments.split()[0]}": (source, f"big-tiny-64-{l1}", arguments)
        for l1 in ("mesi", "dnv", "gwt", "gwb")
        for source, arguments in ((KERNELS, "mixed 64 0 2 stack"), (TASKS, "fib 21"), (TASKS, "loop 12"))
    },
}


def build(source: Path, folder: Path, *options: str) -> Path:
    """The simulator of the tree ``source`` as a module of Python; ``options`` are CMake's."""
    cmake_folder = subprocess.run(
        [sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    configure = ["cmake", "-S", source, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSKBUILD=2"]
    subprocess.run(
        [*configure, f"-Dnanobind_DIR={cmake_folder}", f"-DPython_EXECUTABLE={sys.executable}", *options],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run(["cmake", "--build", folder, "--target", "_simulator"], check=True, stdout=subprocess.DEVNULL)
    (module,) = (folder / "simulator").glob("_simulator*.so")
    return module


def tree_of(revision: str) -> tuple[str, Path]:
    """A commit's short name, and a folder with its files."""
    try:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", f"{revision}^{{commit}}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    except subprocess.CalledProcessError:
        raise SystemExit(f"bench: there is no commit {revision} here") from None
    folder = FOLDER / commit / "source"
    if not folder.exists():
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
    return commit, folder


def measuring(tree: Path, module: Path, program: Path) -> tuple[list[str], dict[str, str]]:
    """The beginning of a command that measures, and its environment: Python's modules are those of ``tree``."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join([f"{tree}/python", str(tree), sysconfig.get_path("platlib")])
    return [sys.executable, "-S", __file__, "--measure", str(module), str(program)], environment


def measure(module: str, program: str, machine: str, arguments: str, directory: str = "") -> None:
    """In a process of its own: runs it with the simulator ``module``, and prints what came out."""
    spec = importlib.util.spec_from_file_location("croft._simulator", module)
    simulator = importlib.util.module_from_spec(spec)
    sys.modules["croft._simulator"] = simulator
    spec.loader.exec_module(simulator)
    import croft  # behind its simulator

    how = {"arguments": arguments.split(), "directories": [directory] if directory else []}
    croft.run(program, "io1", max_cycles=1)  # the first run of a process imports what it needs
    ctypes.CDLL(None).malloc_trim(0)  # what that has left would count as Python's
    python = _resident("VmRSS")
    started = time.process_time()
    result = croft.run(program, machine, **how)
    seconds = time.process_time() - started
    mebibytes = _resident("VmHWM") - python
    if result.exit_status:
        raise SystemExit(result.message or result.errors.decode())
    print(json.dumps([seconds, result.cycles, result.instructions, mebibytes]))


def _resident(key: str) -> float:
    """MiB of this process in memory, now (VmRSS) or at most (VmHWM)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024


Run = tuple[Path, str, str, str]
"""A program, the machine, its arguments, and the directory that it sees."""


def runs_of(only: str) -> dict[str, Run]:
    """What is run, by name: what has ``only`` in it, with programs and graphs made."""
    import croft
    from croft.experiments.big_tiny import kernel_run
    from croft.experiments.graph_inputs import FOLDER

    runs: dict[str, Run] = {
        name: (croft.build(ROOT / source), machine, arguments, "")
        for name, (source, machine, arguments) in PROGRAMS.items()
        if only in name
    }
    for name, kernel in kernels_by_name().items():
        if only not in name:
            continue
        each = kernel_run(kernel, "dts_gwb", quick=False)
        directory = f"{each.graph.file(lambda sentence: None).parent}::{FOLDER}" if each.graph else ""
        runs[name] = (croft.build(each.program), each.machine, " ".join(each.arguments), directory)
    return runs


def kernels_by_name() -> dict[str, str]:
    """The rows of table III's kernels."""
    return {f"table III, {kernel}": kernel for kernel in TABLE_III}


def compare(modules: dict[Path, Path], runs: dict[str, Run], rounds: int) -> None:
    """``modules``: by the tree of each, that before first."""
    print(f"{'':40}{'before':>8}{'now':>8} M instructions/s{'now / before':>14}{'before':>8}{'now':>6} MiB of a run")
    for name, (program, *how) in runs.items():
        pairs = []
        for _ in range(rounds):
            pair = []
            for tree, module in modules.items():
                command, environment = measuring(tree, module, program)
                command += how
                ran = subprocess.run(command, env=environment, capture_output=True, text=True)
                if ran.returncode:
                    raise SystemExit(f"bench: {name}: {ran.stderr.strip().splitlines()[-1]}")
                pair.append(json.loads(ran.stdout))
            pairs.append(pair)
        before, now = ([pair[which] for pair in pairs] for which in (0, 1))
        speeds = [statistics.median(each[2] / each[0] / 1e6 for each in some) for some in (before, now)]
        ratio = statistics.median(b[0] / n[0] * n[2] / b[2] for b, n in zip(before, now, strict=True))
        moved = "" if before[0][1] == now[0][1] else f"   cycles {before[0][1]:,}, now {now[0][1]:,}"
        memory = [statistics.median(each[3] for each in some) for some in (before, now)]
        shown = f"{speeds[0]:8.1f}{speeds[1]:8.1f}{ratio:31.2f}{memory[0]:8.1f}{memory[1]:6.1f}"
        print(f"{name:40}{shown}{moved}", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m bench.simulator_before", description=__doc__.split(":", 1)[1])
    parser.add_argument("revision", metavar="REVISION", help="a commit of this repository")
    parser.add_argument("--rounds", type=int, default=5, help="pairs of runs of each program (5)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the programs whose name holds that")
    given = parser.parse_args()
    names = [*PROGRAMS, *kernels_by_name()]
    if not any(given.only in name for name in names):
        raise SystemExit(f"bench: no program's name holds {given.only!r}; there are {'; '.join(names)}")
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # cmake and ninja
    commit, tree = tree_of(given.revision)
    print(f"building the simulators of {commit} and of this tree", file=sys.stderr)
    modules = {tree: build(tree, FOLDER / commit / "build"), ROOT: build(ROOT, FOLDER / "now")}
    runs = runs_of(given.only)
    print(f"the simulator beside that of {commit}: medians of {given.rounds} pairs of runs, in turn")
    compare(modules, runs, given.rounds)


if __name__ == "__main__":
    main()
