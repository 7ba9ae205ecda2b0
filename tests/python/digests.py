"""Some forty short runs on all kinds of machines, each with a digest of everything that its result says.

`python tests/python/digests.py` (`make digests`) writes tests/digests.csv anew. A change of the simulator that is to
change no cycle leaves the file as it is; a change of the library changes the programs, and with them their runs: the
file's column of programs shows which.
"""

import csv
import hashlib
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import croft
from program_sources import PROGRAMS

FILE = Path(__file__).resolve().parents[1] / "digests.csv"
COLUMNS = ("run", "program", "cycles", "result")


@dataclass(frozen=True)
class Run:
    """A program, its arguments, the machine, and how it is run. ``program``: of tests/programs, or one of croft's."""

    program: str
    arguments: str
    machine: str
    options: dict = field(default_factory=dict)

    @property
    def name(self) -> str:
        more = (f"{key}={value}" for key, value in self.options.items() if key != "host")
        return " ".join([*f"{self.program} {self.arguments}".split(), "on", self.machine, *more])


def _runs() -> list[Run]:
    tiny = {l1: f"big-tiny-64-{l1}" for l1 in ("mesi", "dnv", "gwt", "gwb")}
    host = croft.HostScript([number.to_bytes(4, "little") for number in range(40)], input_slots=4, output_slots=4)
    return [
        Run("cilk5/queens", "--size 6 --grain 2 --runtime serial", "io1"),
        Run("cilk5/lu", "--size 32 --block 4", "io1", {"analyze": True}),
        Run("cilk5/queens", "--size 7 --grain 2", "o3x1"),
        Run("cilk5/matmul", "--size 48 --grain 8 --runtime serial", "o3x1"),
        Run("cilk5/sort", "--size 6000 --grain 100 --runtime shared_deques", "o3x1"),
        Run("cilk5/lu", "--size 48 --block 4 --runtime shared_deques", "o3x4"),
        Run("cilk5/transpose", "--size 90 --grain 7", "o3x8"),
        Run("cilk5/sort", "--size 6000 --grain 100", "o3x8", {"perturb": 1}),
        *[Run("tasks", "paper_flushed", machine, {"cores": 64}) for machine in tiny.values()],
        *[Run("tasks", "paper_direct", machine, {"cores": 16, "check": "coherence"}) for machine in tiny.values()],
        *[Run("tasks", "default", machine, {"cores": 16}) for machine in tiny.values()],
        Run("tasks", "paper_shared", tiny["mesi"], {"cores": 64, "perturb": 1}),
        *[Run("coherence_stress", "16 10 4", machine, {"cores": 16}) for machine in tiny.values()],
        Run("coherence_stress", "16 10 4", tiny["mesi"], {"cores": 16, "perturb": 2}),
        Run("coherence_stress", "16 10 4", tiny["gwb"], {"cores": 16, "perturb": 3, "check": "coherence"}),
        Run("cilk5/lu", "--size 32 --block 4 --runtime direct_stealing", tiny["dnv"], {"run_ahead": 0}),
        Run("cilk5/sort", "--size 6000 --grain 100 --runtime shared_deques", "tiny-64-mesi"),
        Run("cilk5/sort", "--size 6000 --grain 100 --runtime direct_stealing", "tiny-64-gwt"),
        Run("tasks", "paper_direct", "big-tiny-256-gwb"),
        *[
            Run("graph/bfs", f"--rmat 512 --edges 3000 --runtime {runtime}", machine)
            for runtime, machine in (("shared_deques", "o3x4"), ("direct_stealing", tiny["dnv"]))
        ],
        Run("threads", "9", "tilepro64"),
        Run("mutex", "7", "tilepro64", {"cores": 8, "window": 1, "run_ahead": 150}),
        Run("deadlock", "", "tilepro64"),
        Run("channels", "udn 3", "tilepro64", {"cores": 6}),
        Run("channels", "ra-udn 2", "tilepro64", {"cores": 6, "check": "coherence"}),
        Run("channels", "ra-hf-drop 1", "tilepro64", {"cores": 6, "perturb": 4}),
        Run("channels", "forwarded-split 16", "tilepro64", {"cores": 6}),
        Run("task_data", "none", "tilepro64", {"cores": 8, "check": "coherence"}),
        Run("task_data", "hashed", "tilepro64", {"cores": 8}),
        Run("coherence_stress", "16 20 2", "tilepro64", {"cores": 16}),
        Run("coprocessor", "copies", "tilepro64", {"cores": 8, "host": host}),
    ]


RUNS = {run.name: run for run in _runs()}


def digests(run: Run) -> dict[str, str]:
    """The row of ``run``."""
    source = PROGRAMS / f"{run.program}.cpp"
    path = croft.build(source) if source.exists() else run.program
    options = {"max_cycles": 300_000_000} | run.options
    result = croft.run(path, run.machine, name=run.program, arguments=run.arguments.split(), **options)
    content = json.loads(result.to_json())
    loaded = content["program"]["sha256"]
    for of_the_request in ("program", "machine", "window"):
        del content[of_the_request]
    for said_below in ("errors", "host_results"):
        content.pop(said_below, None)
    content["output"] = [
        result.text,
        result.errors.decode(),
        [(when, what.hex()) for when, what in result.host_results],
    ]
    content["coherence"] = result.coherence_count
    text = json.dumps(content, sort_keys=True)
    return {
        "run": run.name,
        "program": loaded[:16],
        "cycles": str(result.cycles),
        "result": hashlib.sha256(text.encode()).hexdigest()[:16],
    }


def kept() -> dict[str, dict[str, str]]:
    """The rows of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {row["run"]: row for row in csv.DictReader(file)}


def main() -> None:
    before = kept() if FILE.exists() else {}
    rows = []
    for number, run in enumerate(RUNS.values(), 1):
        rows.append(digests(run))
        same = "the same" if before.get(run.name) == rows[-1] else "another one"
        print(f"{number} of {len(RUNS)}: {run.name}: {same}", file=sys.stderr)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
