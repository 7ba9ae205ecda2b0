"""Prints where the time of make's targets goes (``make times``): each in a fresh clone, with a home folder of its own.

A phase begins with a line of make's that begins with "==", or that says where to look for a picture.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BEGINNINGS = ("== ", "look at ")


class Phase(NamedTuple):
    name: str
    at: float
    """Seconds after the beginning of the target."""


def phases(target: str, clone: Path, home: Path) -> Iterator[Phase]:
    """Those of one target, as they begin. Raises SystemExit if it fails, with what it printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MAKE"))}
    started, said = time.monotonic(), []
    with subprocess.Popen(
        ["make", target],
        cwd=clone,
        env=environment | {"HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        yield Phase("make itself", 0.0)
        for line in process.stdout or ():
            said.append(line)
            if line.startswith(BEGINNINGS):
                yield Phase(line.removeprefix("== ").strip(), time.monotonic() - started)
    yield Phase("", time.monotonic() - started)
    if process.returncode:
        raise SystemExit("".join(said) + f"\nmake {target} failed")


def size_of(folder: Path) -> int:
    """Bytes of its files."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_symlink() and file.is_file())


def main() -> None:
    for target in sys.argv[1:]:
        with tempfile.TemporaryDirectory(prefix="croft-times-") as folder:
            clone, home = Path(folder, "croft"), Path(folder, "home")
            home.mkdir()
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
            print(f"make {target}, in a fresh clone:", flush=True)
            before, last = resource.getrusage(resource.RUSAGE_CHILDREN), None
            for phase in phases(target, clone, home):
                if last:
                    print(f"  {last.at:6.0f} s  {phase.at - last.at:6.0f} s  {last.name}", flush=True)
                last = phase
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"  {last.at if last else 0:6.0f} s in all, {used:.0f} s of processor time on {os.cpu_count()} cores")
            print(f"  the environment has {size_of(clone / '.venv') / 1e6:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
