"""What ``--check races`` costs: the host's time of a run with the check, beside the same run without.

Each is the best of several runs, the two interleaved; the simulated cycles have to be the same. What is read of the
program's debug information, once a process and program, is a column of its own: it does not grow with the run.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import croft
from croft.symbols.race_sites import race_sites

PROGRAMS = Path(__file__).resolve().parents[1] / "tests" / "programs"
REPEATS = 3


@dataclass(frozen=True)
class Case:
    """What runs: a program, its arguments, the machine and how many of its cores."""

    kind: str
    program: str
    arguments: str
    machine: str
    cores: int | None = None


CASES = (
    Case("a farm", "farm_convolution", "--workers 8 --count 1500", "tilepro64"),
    Case("a map", "map_matvec", "--runtime croft --workers 16 --count 400", "tilepro64"),
    Case("channels", "channels", "ra 16", "tilepro64", 6),
    Case("mutexes", "mutex", "15", "tilepro64", 16),
    Case("threads alone", "threads", "60", "tilepro64"),
    Case("a stencil", "patterns", "stencil", "tilepro64", 16),
    Case("tasks, stolen", "cilk5/sort", "--size 30000 --grain 200 --runtime shared_deques", "tiny-64-mesi"),
    Case("by interrupts", "cilk5/lu", "--size 64 --block 8 --runtime direct_stealing", "big-tiny-64-gwb"),
    Case("a graph", "graph/bfs", "--rmat 2048 --edges 12000 --runtime direct_stealing", "big-tiny-64-gwb"),
    Case("triangles", "graph/triangles", "--rmat 512 --edges 4000 --runtime shared_deques", "tiny-64-mesi"),
    Case("one core", "cilk5/matmul", "--size 96 --grain 16 --runtime serial", "io1"),
    Case("out of order", "cilk5/matmul", "--size 64 --grain 8 --runtime shared_deques", "o3x4"),
)


def measure(case: Case) -> tuple[float, float, float, int]:
    """Seconds without the check, with it, and of its reading the program; and the cycles of either."""
    source = PROGRAMS / f"{case.program}.cpp"
    program = croft.build(source if source.exists() else case.program)
    race_sites.cache_clear()
    began = time.process_time()
    race_sites(program.read_bytes())
    reading = time.process_time() - began
    best: dict[str | None, float] = {}
    cycles = set()
    for _ in range(REPEATS):
        for check in (None, "races"):
            began = time.process_time()
            result = croft.run(
                program,
                case.machine,
                arguments=case.arguments.split(),
                cores=case.cores,
                check=check,
                name=case.program,
            )
            seconds = time.process_time() - began
            if result.exit_code != 0 or result.race_count:
                raise SystemExit(f"race_check: {case.program} failed: {result.message or result.output.decode()}")
            best[check] = min(best.get(check, seconds), seconds)
            cycles.add(result.cycles)
    (same,) = cycles
    return best[None], best["races"], reading, same


def main() -> None:
    """Prints the table."""
    print(f"{'':15}{'machine':17}{'million cycles':>14}{'s':>8}{'checked':>9}{'ratio':>7}{'reading':>9}")
    ratios = {}
    for case in CASES:
        plain, checked, reading, cycles = measure(case)
        ratios[case.kind] = checked / plain
        print(
            f"{case.kind:15}{case.machine:17}{cycles / 1e6:14.1f}{plain:8.2f}{checked:9.2f}"
            f"{checked / plain:7.2f}{reading:9.2f}",
            flush=True,
        )
    worst = max(ratios, key=ratios.__getitem__)
    print(f"the greatest ratio is {ratios[worst]:.2f}, of {worst}")


if __name__ == "__main__":
    main()
