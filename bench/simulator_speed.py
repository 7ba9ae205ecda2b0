"""How fast the simulator is: million simulated instructions a second of one host core, beside a functional emulator.

Every figure is the best of several runs of the same binary (bench/simulator_kernels.cpp), the peers interleaved with
the simulator. The time is that of the simulation proper and of its set-up, without building the program.
"""

import shutil
import subprocess
import time
from pathlib import Path

import croft
from bench.functional_emulator import FunctionalEmulator

SOURCE = Path(__file__).with_name("simulator_kernels.cpp")
TASKS = Path(__file__).with_name("simulator_tasks.cpp")
KERNELS = ("convolution", "sort", "hash")
ROUNDS = {"convolution": 60, "sort": 60, "hash": 60, "mixed": 60}  # about 30 to 60 million instructions


def simulate(
    program: Path, arguments: list[str], run_ahead: int | None = None, machine: str = "tilepro64"
) -> tuple[float, croft.Result]:
    """Host seconds of processor time, and the result."""
    started = time.process_time()
    result = croft.run(program, machine, arguments=arguments, run_ahead=run_ahead)
    seconds = time.process_time() - started
    if result.exit_code != 0:
        raise SystemExit(f"the benchmark program failed: {result.message or result.output.decode()}")
    return seconds, result


def best(
    program: Path,
    arguments: list[str],
    repeats: int = 3,
    run_ahead: int | None = None,
    machine: str = "tilepro64",
) -> tuple[float, croft.Result]:
    """The fastest of several runs, as (million instructions a second, result)."""
    runs = [simulate(program, arguments, run_ahead, machine) for _ in range(repeats)]
    seconds, result = min(runs, key=lambda run: run[0])
    return result.instructions / seconds / 1e6, result


def emulate(elf: bytes, arguments: list[str], expected: bytes, instructions: int) -> float:
    """The functional emulator's million instructions a second on the same program and arguments."""
    emulator = FunctionalEmulator(elf, ["simulator_kernels", *arguments])
    seconds = emulator.run()
    if emulator.output != expected:
        raise SystemExit("the functional emulator printed something else than the simulator")
    return instructions / seconds / 1e6


def emulate_with_qemu(program: Path, arguments: list[str], instructions: int) -> float | None:
    """The same for qemu-riscv64, if it is installed."""
    qemu = shutil.which("qemu-riscv64") or shutil.which("qemu-riscv64-static")
    if not qemu:
        return None
    started = time.perf_counter()
    subprocess.run([qemu, str(program), *arguments], check=True, stdout=subprocess.DEVNULL)
    return instructions / (time.perf_counter() - started) / 1e6


def main() -> None:
    print("simulator speed, million simulated instructions a second of one host core (best of 3)")
    program = croft.build(SOURCE, machine="tilepro64")
    elf = program.read_bytes()
    print(f"{'':34}{'croft':>9}{'unicorn':>9}{'qemu':>9}{'croft/unicorn':>15}{'IPC a core':>12}")
    for place in ("stack", "heap"):
        for kernel in KERNELS:
            arguments = [kernel, "1", "0", str(ROUNDS[kernel]), place]
            speed, result = best(program, arguments)
            peer = emulate(elf, arguments, result.output, result.instructions)
            qemu = emulate_with_qemu(program, arguments, result.instructions)
            print(
                f"1 core, {kernel + ', ' + place:26}{speed:9.1f}{peer:9.1f}{f'{qemu:9.1f}' if qemu else '        -'}"
                f"{speed / peer:15.2f}{result.instructions / result.cycles:12.2f}",
                flush=True,
            )
        for kernel in (*KERNELS, "mixed"):
            arguments = [kernel, "58", "0", str(max(1, ROUNDS[kernel] // 20)), place]
            speed, result = best(program, arguments)
            each = result.instructions / result.cycles / 58
            print(f"58 cores, {kernel + ', ' + place:24}{speed:9.1f}{'':33}{each:12.2f}", flush=True)
    waiting(program)
    trust(program)
    shared(program)


def shared(program: Path) -> None:
    """Machines whose cores share an L2: one big core alone, and 4 big and 60 tiny cores that all compute."""
    print("at a shared L2, million simulated instructions a second (best of 3)")
    for kernel in KERNELS:
        speed, result = best(program, [kernel, "1", "0", "6", "stack"], machine="o3x1")
        print(f"o3x1, {kernel:28}{speed:9.1f}   IPC {result.instructions / result.cycles:.2f}", flush=True)
    tasks = croft.build(TASKS, machine="big-tiny-64-mesi")
    for machine in (f"big-tiny-64-{protocol}" for protocol in ("mesi", "dnv", "gwt", "gwb")):
        for source, arguments in (
            (program, ["mixed", "64", "0", "1", "stack"]),
            (tasks, ["fib", "21"]),
            (tasks, ["loop", "12"]),
        ):
            speed, result = best(source, arguments, machine=machine)
            each = result.instructions / result.cycles / 64
            print(f"{machine}, {arguments[0]:14}{speed:9.1f}   IPC a core {each:.2f}", flush=True)


def waiting(program: Path) -> None:
    """What 56 waiting cores cost: two cores compute, alone and among waiting ones. Each figure is the difference of a
    long and a short run, so that starting and ending 56 threads is not in it."""

    def steady(waiting_threads: str) -> float:
        long, short = (
            simulate(program, ["mixed", "2", waiting_threads, str(rounds * ROUNDS["mixed"]), "stack"])[0]
            for rounds in (5, 1)
        )
        return long - short

    pairs = [(steady("0"), steady("56")) for _ in range(3)]
    cost, alone, among = sorted((among / alone - 1, alone, among) for alone, among in pairs)[len(pairs) // 2]
    print(
        f"2 cores compute: {alone:.3f} s alone, {among:.3f} s with 56 others waiting: {100 * cost:+.1f}% "
        f"(median of {len(pairs)} pairs)",
        flush=True,
    )


def trust(program: Path) -> None:
    """By how many cycles a core may run ahead on trust, against speed. The cycles have to be the same."""
    arguments = ["mixed", "58", "0", "3", "stack"]
    speed, result = best(program, arguments)
    where = f"58 cores, mixed, stack, W = {result.window}"
    print(f"{where}, by cycles ahead: 200: {speed:.1f}", end="", flush=True)
    for ahead in (128, 64, 32, 16, 8, 4, 0):
        speed, other = best(program, arguments, repeats=2, run_ahead=ahead)
        if other.cycles != result.cycles:
            raise SystemExit(f"running {ahead} cycles ahead changed the run: {other.cycles} instead of {result.cycles}")
        print(f", {ahead}: {speed:.1f}", end="", flush=True)
    print("; the same cycles every time")


if __name__ == "__main__":
    main()
