"""Simulated instructions a host second for each core that computes: out-of-order chips beside big.TINY.

Every core of a machine computes. A figure is the median of several rounds, in each of which every machine runs once,
so that another load of the host slows all of them.
"""

from statistics import median

import croft
from bench.simulator_speed import KERNELS, SOURCE, TASKS, simulate

CORES = {"big-tiny-64-mesi": 64, "o3x8": 8, "xeon-e5-2650": 8}
"""Of each machine. The first one is what the others are compared with."""
ROUNDS = 3
KERNEL_ROUNDS = {64: "1", 8: "4"}
"""Of a kernel, by the cores: so that machines execute nearly as many instructions."""
TASK_PROGRAMS = {"fib": "21", "loop": "12"}


def main() -> None:
    print(f"million simulated instructions a second, all cores computing (median of {ROUNDS} rounds)")
    print(f"{'':14}{'machine':>20}{'cores':>7}{'all':>9}{'a core':>9}{'beside':>9}")
    kernels, tasks = croft.build(SOURCE), croft.build(TASKS)
    for name in (*KERNELS, "mixed", *TASK_PROGRAMS):
        speeds: dict[str, list[float]] = {machine: [] for machine in CORES}
        for _ in range(ROUNDS):
            for machine, cores in CORES.items():
                of_kernel = [name, str(cores), "0", KERNEL_ROUNDS[cores], "stack"]
                program, arguments = (
                    (tasks, [name, TASK_PROGRAMS[name]]) if name in TASK_PROGRAMS else (kernels, of_kernel)
                )
                seconds, result = simulate(program, arguments, machine=machine)
                speeds[machine].append(result.instructions / seconds / 1e6)
        first = median(speeds[next(iter(CORES))]) / CORES[next(iter(CORES))]
        for machine, cores in CORES.items():
            speed = median(speeds[machine])
            beside = f"{speed / cores / first:9.2f}"
            print(f"{name:14}{machine:>20}{cores:7}{speed:9.1f}{speed / cores:9.2f}{beside}", flush=True)


if __name__ == "__main__":
    main()
