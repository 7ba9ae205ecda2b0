"""Runs that are stopped at many places and go on in other processes, and what they must come to."""

import json
import os
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import croft
from commands import CROFT
from program_sources import PROGRAMS

RUN = [*CROFT, "run"]


@dataclass(frozen=True)
class Stopped:
    """A program of tests/programs, or one of croft's, its arguments and its machine."""

    program: str
    arguments: str
    machine: str

    @property
    def name(self) -> str:
        return f"{self.program} {self.arguments} on {self.machine}"


CALLS = Stopped("system_calls", "/home 60", "tilepro64")
RUNS = [
    Stopped("cilk5/lu", "--size 48 --block 4 --runtime shared_deques", "o3x4"),
    Stopped("cilk5/queens", "--size 7 --grain 2 --runtime interrupt_stealing", "big-tiny-64-gwb"),
    Stopped("cilk5/queens", "--size 7 --grain 2 --runtime interrupt_stealing", "big-tiny-64-mesi"),
    Stopped("channels", "udn 3", "tilepro64"),
    CALLS,
    Stopped("system_calls", "/home 60", "o3x4"),
    Stopped("system_calls", "/home 60", "tiny-64-gwb"),
]
"""Out of order; stealing by interrupts; the user network; all kinds of system calls."""


def program_of(run: Stopped) -> Path:
    """Its executable."""
    source = PROGRAMS / f"{run.program}.cpp"
    return croft.build(source) if source.exists() else croft.build(run.program)


def make_home(folder: Path) -> Path:
    """The directory that system_calls works in."""
    entries = folder / "entries"
    entries.mkdir(parents=True)
    for name in "abcdefg":
        (entries / name).write_text(name)
    (folder / "given").write_bytes(bytes(range(32, 127)) * 20)
    (folder / "input").write_bytes(b"some words of input " * 10)
    return folder


def places(run: Stopped, cycles: int, count: int) -> list[int]:
    """Where it is stopped: at random, and the same places each time."""
    return sorted(random.Random(run.name).sample(range(1, cycles), count))


def outcome(home: Path, arguments: list[object]) -> tuple[int, bytes, dict]:
    """What `croft run` came to: its exit status, what it printed, its result."""
    result = home / "result.json"
    with (home / "input").open("rb") as given:
        done = subprocess.run(
            [*RUN, "-q", "--json", result, *map(str, arguments)],
            stdin=given,
            capture_output=True,
            timeout=100,
            env=os.environ | {"PYTHONWARNINGS": "error"},
        )
    return done.returncode, done.stdout, json.loads(result.read_text())


def whole_and_stopped(run: Stopped, folder: Path, count: int) -> tuple[list, list]:
    """A run, and the same stopped at so many places, each time to go on in another process."""
    begin = ["--machine", run.machine, program_of(run), "--", *run.arguments.split()]
    home = make_home(folder / "whole")
    status, printed, result = outcome(home, ["--dir", f"{home}::/home", *begin])
    whole = [status, printed, result, files_of(home)]

    home, file = make_home(folder / "stopped"), folder / "checkpoint"
    printed, begin = b"", ["--dir", f"{home}::/home", *begin]
    for place in places(run, result["cycles"], count):
        status, text, stopped = outcome(home, ["--checkpoint", file, "--max-cycles", place, *begin])
        assert (status, stopped["cycles"]) == (122, place)
        printed, begin = printed + text, ["--restore", file]
    status, text, result = outcome(home, begin)
    return whole, [status, printed + text, result, files_of(home)]


def files_of(home: Path) -> dict[str, bytes]:
    """What is in a directory, but for the run's result."""
    return {path.name: path.read_bytes() for path in home.iterdir() if path.is_file() and path.name != "result.json"}
