"""Every kind of channel under random delays of messages: ``python tests/python/perturbed_channels.py --seeds 1000``.

Each run sends its messages through one kind of channel with K = 1, 2, 3 or 16 slots in turn, on the simulated TILEPro64
whose messages are delayed by the run's seed, or, with ``--out-of-order``, on one whose loads are, too; and has to print
what an undisturbed one prints. The test suite runs a few
seeds (test_channels.py); this runs as many as are asked for, several at a time.
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import croft
from mixed_machines import tilepro64_out_of_order
from test_channels import KINDS

DEGREES = (1, 2, 3, 16)


def one(program: Path, machine: croft.Machine, kind: str, seed: int) -> str | None:
    """What went wrong, or nothing."""
    degree = DEGREES[seed % len(DEGREES)]
    result = croft.run(
        program,
        machine,
        cores=6,
        arguments=[kind, str(degree)],
        perturb=seed,
        max_cycles=2_000_000_000,
        name="channels",
    )
    if (result.ending, result.text) == ("exited", "ok\n"):
        return None
    return f"{kind}, K = {degree}, seed {seed}: {result.ending}, {result.text!r}, {result.message}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1000, help="how many, from 1 on")
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    parser.add_argument("--out-of-order", action="store_true", help="on cores that reorder loads")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    program = croft.build(Path(__file__).parent.parent / "programs" / "channels.cpp")
    machine = tilepro64_out_of_order() if arguments.out_of_order else croft.machine("tilepro64")
    wrong = 0
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for kind in arguments.kinds:
            started = time.perf_counter()
            found = [
                sentence
                for sentence in pool.map(
                    partial(one, program, machine, kind), range(1, arguments.seeds + 1), chunksize=8
                )
                if sentence
            ]
            wrong += len(found)
            print(
                f"{kind}: {arguments.seeds} seeds, {len(found)} wrong ({time.perf_counter() - started:.0f} s)",
                flush=True,
            )
            for sentence in found[:5]:
                print("  " + sentence)
    print(f"{len(arguments.kinds) * arguments.seeds} runs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
