"""The first picture of ``make demo``: a photograph, filtered on this host while the simulator still compiles."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from croft.base.console import console_on
from croft.base.errors import CroftError
from croft.programs.builder import build
from croft.programs.pictures import convert, photograph

OPTIONS = ("--size", "32", "--type", "int")
"""Of the filter, here and on the simulated machine."""


def filter_here(folder: Path, tell: Callable[[str], None] = lambda sentence: None) -> tuple[Path, Path]:
    """Leaves photograph.png and filtered.png in ``folder``; returns the same as the program reads and writes them.

    Raises CroftError if the program fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = build("farm_convolution", native=True, tell=tell)
    photo = convert(photograph(), folder / "photograph.pgm")
    target = folder / "filtered-here.pgm"
    started = time.perf_counter()
    command = [str(program), str(photo), "-o", str(target), *OPTIONS, "--workers", "2"]
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode:
        raise CroftError(f"farm_convolution failed on this host: {finished.stderr.strip()}")
    tell(f"filtered on this host in {(time.perf_counter() - started) * 1e3:.1f} ms")
    pictures = [convert(photo, folder / "photograph.png"), convert(target, folder / "filtered.png")]
    tell(f"look at {pictures[0]} and {pictures[1]}")
    return photo, target


if __name__ == "__main__":
    filter_here(Path(sys.argv[1]), tell=lambda sentence: console_on().print(sentence, highlight=False))
