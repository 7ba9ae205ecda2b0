"""The sources of tests/programs, and the numbers of their lines."""

import re
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"


def line_of(name: str, pattern: str) -> int:
    """The number of the only line of tests/programs/NAME that matches ``pattern``."""
    lines = (PROGRAMS / name).read_text(encoding="utf-8").splitlines()
    (number,) = (number for number, line in enumerate(lines, 1) if re.search(pattern, line))
    return number
