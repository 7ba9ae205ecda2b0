"""What recording a run costs: the same runs with a recorder and without, in turn, on this host."""

import json
import statistics
import time
from collections.abc import Callable

import croft
from croft.recording.profile_files import FORMATS
from croft.results import trace_file
from croft.results.result import Result

ROUNDS = 3
RUNS = (
    ("tilepro64", "farm_convolution", ("--size", "32", "--count", "10000")),
    ("big-tiny-64-mesi", "cilk5/queens", ("--size", "11")),
    ("big-tiny-64-gwb", "cilk5/queens", ("--size", "11", "--grain", "2", "--runtime", "interrupt_stealing")),
)
PPROF = next(form for form in FORMATS if form.ending == ".pb.gz")
RECORDERS: dict[str, tuple[float, dict[str, object], Callable[[Result], bytes]]] = {
    "profile": (1.5, {"profile": True}, lambda result: PPROF.write(result.profile)),
    "record of lines": (3.0, {"lines": 1 << 30}, lambda result: json.dumps(result.lines.to_dict()).encode()),
    "trace": (3.0, {"trace": 1 << 28}, trace_file.encode),
}


def _run(machine: str, program: str, arguments: tuple[str, ...], options: dict[str, object]) -> tuple[float, Result]:
    began = time.perf_counter()
    result = croft.run(program, machine, arguments=arguments, **options)
    return time.perf_counter() - began, result


def main() -> None:
    for name, (asked, options, write) in RECORDERS.items():
        print(f"a run with a {name}, by the same run without (asked: {asked}); writing it; its bytes")
        for machine, program, arguments in RUNS:
            croft.build(program)
            ratios, bares = [], []
            for _ in range(ROUNDS):
                bare, _ = _run(machine, program, arguments, {})
                recorded, result = _run(machine, program, arguments, options)
                bares.append(bare)
                ratios.append(recorded / bare)
            began = time.perf_counter()
            size = len(write(result))
            writing = time.perf_counter() - began
            what = " ".join((program, *arguments))
            bare, ratio = statistics.median(bares), statistics.median(ratios)
            print(f"  {machine:18}{what:64} {bare:6.2f} s  {ratio:5.2f}  + {writing:4.1f} s  {size:12,}")
