"""Litmus tests on simulated machines: what each came to, and how often."""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import croft
from litmus_program import outcome, table
from litmus_table import TESTS
from mixed_machines import DESCRIBED, tilepro64_out_of_order
from program_sources import PROGRAMS
from rvwmo import Outcome

Seen = dict[str, Counter[Outcome]]
"""By a test's name."""

CORES = {
    "tilepro64": (0, 9, 36, 63),
    "tilepro64-out-of-order": (0, 9, 36, 63),
    "o3x4": (0, 1, 2, 3),
    "o3x8": (0, 2, 5, 7),
    "big-tiny-64-mesi": (0, 20, 41, 63),
    "big-tiny-64-dnv": (0, 20, 41, 63),
    "big-tiny-64-gwt": (0, 20, 41, 63),
    "big-tiny-64-gwb": (0, 20, 41, 63),
    "clusters-moesi": (0, 1, 6, 15),
    "ring": (0, 1, 4, 7),
    "two-tilepro64": (0, 39, 64, 127),
    "big-little-clusters": (0, 1, 6, 15),
    "big-little-ring": (0, 1, 4, 7),
    "gpu-wb-levels": (0, 5, 10, 15),
    "two-chips-mesif": (0, 5, 8, 15),
    "xeon-e5-2650": (0, 2, 5, 7),
    "xeon-e5-2650-hfwd": (0, 2, 5, 7),
}
"""Where the threads run; the first four cores of big.TINY are big. Those behind are of tests/machines, or Xeons."""

OUT_OF_ORDER = ("o3x4", "o3x8", "tilepro64-out-of-order")
STORES_IN_ORDER = ("xeon-e5-2650", "xeon-e5-2650-hfwd")
READERS_INVALIDATE = ("big-tiny-64-dnv", "big-tiny-64-gwt", "big-tiny-64-gwb", "gpu-wb-levels")
COHERENT = tuple(name for name in CORES if name not in READERS_INVALIDATE)


def machine_named(name: str) -> croft.Machine:
    if name in DESCRIBED:
        return croft.machine(DESCRIBED[name])
    return tilepro64_out_of_order() if name == "tilepro64-out-of-order" else croft.machine(name)


def with_small_caches(name: str) -> croft.Machine:
    """The machine with caches of eight lines, so that one may be lost in the middle of a sample."""
    machine = machine_named(name)
    if "tilepro64" in name:
        return machine.with_keys({"l1d.size": 512, "l2.size": 2048})
    values = machine.model_dump()
    keys = {f"{kind}.l1d.size": 512 for kind in ("big", "tiny") if values.get(kind)}
    if levels := values.get("level"):
        keys["level"] = [level | {"size": 1024 * 4**number, "ways": 4} for number, level in enumerate(levels)]
    else:
        keys["shared.size"] = 16384
    return machine.with_keys(keys)


def built(folder: Path) -> Path:
    """The program that runs the table; ``folder`` is for what it includes."""
    text = table(TESTS)
    include = folder / "litmus_table.inc"
    if not include.exists() or include.read_text(encoding="utf-8") != text:
        include.write_text(text, encoding="utf-8")
    return croft.build(PROGRAMS / "litmus.cpp", includes=[folder])


def seen(
    program: Path,
    machine: croft.Machine | str,
    rounds: int,
    *,
    seed: int = 1,
    perturb: int | None = None,
    window: int | None = None,
    run_ahead: int | None = None,
    cores: Sequence[int] | None = None,
    only: Collection[str] = (),
) -> Seen:
    """What the tests came to in ``rounds`` of eight samples each."""
    machine = machine_named(machine) if isinstance(machine, str) else machine
    numbers = [number for number, test in enumerate(TESTS) if test.name in only]
    arguments = [rounds, seed, *(cores or CORES[machine.name]), *numbers]
    result = croft.run(
        program,
        machine,
        arguments=list(map(str, arguments)),
        perturb=perturb,
        window=window,
        run_ahead=run_ahead,
        max_cycles=10**9,
    )
    assert (result.ending, result.exit_code, result.errors) == ("exited", 0, b""), result.message
    outcomes: Seen = {}
    for line in result.text.splitlines():
        number, packed, times = line.split()
        test = TESTS[int(number)]
        outcomes.setdefault(test.name, Counter())[outcome(test, int(packed, 16))] += int(times)
    return outcomes
