"""``python -m bench [--peers DIR] [NAME...]``: the simulator's speed, and the library's on this host.

``python -m bench across [--quick]``: farms across processes, as `make bench-mpi` runs it.
"""

import argparse
import importlib
from pathlib import Path

from bench import across, native, peer_trees

BENCHMARKS = {
    "including": "what including the library costs to compile",
    "examples": "the programs in examples/ beside their oneTBB forms",
    "simulator": "how fast the simulator is",
    "active_cores": "the same for each core that computes: a Xeon beside big.TINY",
    "recording": "what a profile and a trace cost a run",
    "live": "what watching a run on the terminal costs it",
    "fast_forward": "what fast-forwarding to a region saves, and how far the region is off",
    "sweep_overhead": "what sweeps add to their runs, here and on Dask",
    "race_check": "what looking for data races costs",
    "native": "all of the library's programs below, and how far its aims are reached",
}
"""In the order in which they run when none is named."""

WHERE_NAMED = {"across": "channels and farms across processes, by each MPI that `make bench-mpi` has installed"}
"""What runs only then."""


def run(name: str, trees: dict[str, Path]) -> None:
    if name == "native":
        native.main(list(native.PROGRAMS), trees)
    else:
        importlib.import_module("bench.simulator_speed" if name == "simulator" else f"bench.{name}").main()


def main() -> None:
    every = BENCHMARKS | WHERE_NAMED | native.PROGRAMS
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measures the speed of the simulator and of the library on this host.",
        epilog="\n".join(["names:", *(f"  {name:16}{what}" for name, what in every.items())]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to measure; all of it if none is named")
    parser.add_argument(
        "--peers",
        type=Path,
        metavar="DIR",
        help=f"a folder of source trees of libraries that are in no package: {', '.join(peer_trees.HEADERS)}",
    )
    farms = parser.add_argument_group("across")
    farms.add_argument("--rounds", type=int, default=7, help="in which all ways take turns (default: %(default)s)")
    farms.add_argument(
        "--seconds", type=float, default=0.1, help="of work, a measurement's tasks together (default: %(default)s)"
    )
    farms.add_argument("--quick", action="store_true", help="whether it works: a short round, 2 and 4 processes only")
    given = parser.parse_args()
    for name in given.names:
        if name not in every:
            raise SystemExit(f"bench: there is no benchmark {name}; there are {', '.join(every)}")
    trees = peer_trees.find(given.peers)
    programs = [name for name in given.names if name in native.PROGRAMS]
    for name in given.names or BENCHMARKS:
        if name == "across":
            across.main(trees, across.QUICK if given.quick else across.Effort(given.rounds, given.seconds))
        elif name not in native.PROGRAMS:
            run(name, trees)
    if programs:
        native.main(programs, trees)


if __name__ == "__main__":
    main()
