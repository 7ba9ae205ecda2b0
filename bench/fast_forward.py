"""What --fast-forward saves and what it costs: the same runs with it and without, their regions and the host's time."""

import time

import croft

RUNS = (
    ("tilepro64", "cilk5/transpose", ("--size", "200")),
    ("tilepro64", "cilk5/lu", ("--size", "128")),
    ("big-tiny-64-mesi", "cilk5/queens", ("--size", "8")),
    ("big-tiny-64-mesi", "cilk5/sort", ("--size", "20000", "--grain", "1000")),
    ("big-tiny-64-mesi", "cilk5/matmul", ("--size", "64")),
    ("big-tiny-64-gwb", "cilk5/lu", ("--size", "128")),
    ("big-tiny-64-gwb", "cilk5/transpose", ("--size", "200")),
    ("big-tiny-64-gwb", "graph/bfs", ("--rmat", "20000", "--edges", "200000")),
    ("o3x4", "graph/bfs", ("--rmat", "20000", "--edges", "200000")),
    ("o3x1", "cilk5/sort", ("--size", "20000", "--grain", "1000")),
)


def main() -> None:
    print(
        "fast-forwarded runs by exact ones: cycles of the region; host time; instructions of the run before the region"
    )
    for machine, program, arguments in RUNS:
        croft.build(program)
        seconds, results = [], []
        for fast_forward in (False, True):
            began = time.perf_counter()
            results.append(croft.run(program, machine, arguments=arguments, fast_forward=fast_forward))
            seconds.append(time.perf_counter() - began)
        exact, forwarded = results
        region = forwarded.total("region", "cycles") / exact.total("region", "cycles")
        before = forwarded.fast_forwarded.instructions / forwarded.instructions
        what = " ".join((program, *arguments))
        print(f"  {machine:18}{what:46}{region:6.3f}  {seconds[1] / seconds[0]:5.2f}  {before:4.0%}")
