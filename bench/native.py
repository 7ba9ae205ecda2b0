"""Builds the library's native benchmarks with the host's compiler, runs them, and says how far its aims are reached."""

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import aims, peer_trees

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"
PROGRAMS = {
    "channel": "what a message costs, for each kind of channel and other libraries' queues",
    "farm": "a farm and a pipeline, from 0.1 us to 1 ms an item",
    "matrix_streams": "the papers' smallest farm and map",
    "short_runs": "a run of 100 items, and callers at the same time",
    "taken_core": "a log pipeline while another process has a core",
    "task": "fork-join programs, a loop of tiny chunks, breadth-first search",
    "task_data": "data made by one thread and freed by another",
}


def folders_of_peers(trees: dict[str, Path]) -> dict[str, str]:
    """Each library's folder of headers; empty where it is not there, so that an earlier run's is forgotten."""
    boost = importlib.util.find_spec("boost_headers")
    packaged = {"boost": str(Path(boost.origin).parent / "include") if boost and boost.origin else ""}
    return packaged | {name: str(trees.get(name, "")) for name in peer_trees.HEADERS}


def build(names: list[str], trees: dict[str, Path]) -> None:
    """Says which libraries are left out, and why."""
    subprocess.run(
        [
            *("cmake", "-S", str(ROOT), "-B", str(BUILD), "-DCROFT_BENCHMARKS=ON", "-DCROFT_SIMULATOR=OFF"),
            *("-DCROFT_INSTALL=OFF", "-DCMAKE_BUILD_TYPE=Release"),
            f"-DCMAKE_PREFIX_PATH={sys.prefix}",  # where pip puts a peer's CMake package
            *(f"-DPEER_{name}={folder}" for name, folder in folders_of_peers(trees).items()),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    print((BUILD / "bench" / "peers" / "left_out.txt").read_text(encoding="utf-8"), end="")
    missing = [name for name in peer_trees.HEADERS if name not in trees]
    if missing:
        print(f"{', '.join(missing)}: left out, as no folder named by --peers has their sources (docs/benchmarks.md).")
    targets = [f"bench_{name}" for name in names]
    subprocess.run(["cmake", "--build", str(BUILD), "--target", *targets], check=True, stdout=subprocess.DEVNULL)


def main(names: list[str], trees: dict[str, Path]) -> None:
    build(names, trees)
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        results.touch()
        for name in names:
            print(f"\n== {name}: {PROGRAMS[name]}", flush=True)
            program = BUILD / "bench" / f"bench_{name}"
            subprocess.run([str(program)], check=True, env=os.environ | {"BENCH_RESULTS": str(results)})
        found = aims.read(results)
    if table := aims.table(found):
        print("\n== aims", table, sep="\n")
