"""What recording a run costs: the same runs with a recorder and without, in turn, on this host."""

import statistics
import tempfile
import time
from pathlib import Path

import croft
from croft.profile_files import format_of

ROUNDS = 3
RUNS = (
    ("tilepro64", "farm_convolution", ("--size", "32", "--count", "10000")),
    ("big-tiny-64-mesi", "cilk5/queens", ("--size", "11")),
    ("big-tiny-64-gwb", "cilk5/queens", ("--size", "11", "--grain", "2", "--runtime", "interrupt_stealing")),
)


def _seconds(program: str, machine: str, arguments: tuple[str, ...], file: Path | None) -> tuple[float, float]:
    """Of the simulation, and of writing ``file`` behind it."""
    began = time.perf_counter()
    result = croft.run(program, machine, arguments=arguments, profile=file is not None)
    ended = time.perf_counter()
    if file:
        file.write_bytes(format_of(file).write(result.profile))
    return ended - began, time.perf_counter() - ended


def main() -> None:
    print("a run with a profile, by the same run without (asked: 1.5); and what writing it adds, once")
    for machine, program, arguments in RUNS:
        croft.build(program)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "profile.pb.gz"
            pairs = [
                (_seconds(program, machine, arguments, None)[0], _seconds(program, machine, arguments, file))
                for _ in range(ROUNDS)
            ]
        ratio = statistics.median(with_profile / bare for bare, (with_profile, _) in pairs)
        bare = statistics.median(bare for bare, _ in pairs)
        writing = min(seconds for _, (_, seconds) in pairs)
        print(f"  {machine:18}{' '.join((program, *arguments)):64} {bare:6.2f} s  {ratio:5.2f}  + {writing:.1f} s")
