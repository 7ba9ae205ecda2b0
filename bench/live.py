"""What ``croft run --live`` costs: the same command with it and without, in turn, each on a terminal of its own."""

import fcntl
import os
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

import croft

ROUNDS = 15
ASKED = 1.05
ROWS, COLUMNS = 50, 160
RUNS = (
    ("tilepro64", "farm_convolution", ("--size", "32", "--count", "8000")),
    ("big-tiny-64-mesi", "cilk5/queens", ("--size", "11")),
    ("big-tiny-64-gwb", "cilk5/queens", ("--size", "11", "--grain", "2", "--runtime", "interrupt_stealing")),
)


def _drain(terminal: int) -> None:
    """Reads what is drawn, as a terminal does, until nobody can draw any more."""
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:  # how Linux says that the other end is closed
        pass


def _run(command: list[str], status: int = 0) -> tuple[float, float]:
    """Seconds of this host's clock, and of its processors, until the command has ended."""
    shown, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    reader = threading.Thread(target=_drain, args=(shown,))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment | {"TERM": "xterm-256color"}
    )
    os.close(terminal)
    reader.start()
    _, ended, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(ended)
    reader.join()
    os.close(shown)
    if process.returncode != status:
        raise SystemExit(f"bench: {' '.join(command)} ended with status {process.returncode}")
    return took, used.ru_utime + used.ru_stime


def _measure(bare: list[str], arguments: list[str], folder: Path) -> tuple[float, list[float], list[float]]:
    """Seconds without --live, and by pairs the ratios of the clock and of processors, what starting takes not among
    them."""
    beginnings = [_run([*bare, "--max-cycles", "1", *arguments], 122) for _ in range(3)]
    start = [statistics.median(each) for each in zip(*beginnings, strict=True)]
    seconds, walls, processors = [], [], []
    for number in range(ROUNDS):
        took = {}
        # Whoever comes second may find the host in another mood, so they take turns in that, too.
        for live in (False, True) if number % 2 == 0 else (True, False):
            options = ["--json", str(folder / f"{live}.json"), *(["--live"] if live else [])]
            took[live] = [each - less for each, less in zip(_run([*bare, *options, *arguments]), start, strict=True)]
        if (folder / "True.json").read_bytes() != (folder / "False.json").read_bytes():
            raise SystemExit(f"bench: --live changes what {' '.join(bare[3:])} comes to")
        seconds.append(took[False][0])
        walls.append(took[True][0] / took[False][0])
        processors.append(took[True][1] / took[False][1])
    return statistics.median(seconds), walls, processors


def main() -> None:
    print(
        f"a run with --live on a terminal of {COLUMNS} x {ROWS}, by the same run without (asked: {ASKED}): the median"
    )
    print(f"of {ROUNDS} pairs, the least and the most, by this host's clock; and of processors' time, drawing included")
    with tempfile.TemporaryDirectory() as folder:
        for machine, program, arguments in RUNS:
            croft.build(program)
            bare = [sys.executable, "-m", "croft.cli", "run", "-m", machine]
            seconds, walls, processors = _measure(bare, [program, "--", *arguments], Path(folder))
            print(
                f"  {machine:18}{' '.join((program, *arguments)):64} {seconds:6.2f} s  {statistics.median(walls):6.3f} "
                f"({min(walls):.3f} to {max(walls):.3f})  {statistics.median(processors):6.3f}",
                flush=True,
            )
