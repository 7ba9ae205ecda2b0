"""The training runs of a release: ``python packaging/train.py MODULE`` runs them with an instrumented simulator.

MODULE is the simulator as a module of Python, built with CROFT_PROFILE=generate; it writes its profile when this ends.
A few kernels on machines that differ in what the host does: caches of tiles, and directories at a shared L2, in order
and out of order.
"""

import importlib.util
import sys
from pathlib import Path

RUNS = (
    ("farm_convolution", "tilepro64", "--workers 8 --count 200"),
    ("farm_convolution", "tilepro64", "--workers 56 --count 2000"),
    ("cilk5/sort", "tilepro64", "--size 20000 --grain 512"),
    ("cilk5/sort", "big-tiny-64-mesi", "--size 20000 --grain 512"),
    ("cilk5/transpose", "big-tiny-64-mesi", "--size 128"),
    ("cilk5/sort", "big-tiny-64-dnv", "--size 20000 --grain 512"),
    ("graph/bfs", "big-tiny-64-gwb", "--rmat 1000"),
    ("cilk5/sort", "o3x1", "--runtime serial --size 60000"),
    ("cilk5/matmul", "o3x1", "--runtime serial --size 64"),
)


def use(module: Path) -> None:
    """Makes ``module`` the simulator of this process."""
    spec = importlib.util.spec_from_file_location("croft._simulator", module)
    simulator = importlib.util.module_from_spec(spec)
    sys.modules["croft._simulator"] = simulator
    spec.loader.exec_module(simulator)


def main() -> None:
    use(Path(sys.argv[1]))
    import croft  # behind its simulator

    for program, machine, arguments in RUNS:
        result = croft.run(program, machine, arguments=arguments.split())
        if result.exit_status:
            raise SystemExit(f"train: {program} on {machine}: {result.message or result.errors.decode()}")
        print(f"{program} on {machine}: {result.cycles} cycles, {result.host_seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
