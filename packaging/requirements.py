"""Prints what pyproject.toml requires, for ``pip install -r`` where croft is not to be installed with it.

Of the extras that are named, a line each, with the extras within them; of ``run`` what croft itself needs.
"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def required(name: str) -> list[str]:
    """What one extra requires."""
    found: list[str] = []
    for each in PROJECT["dependencies"] if name == "run" else PROJECT["optional-dependencies"][name]:
        within = re.fullmatch(rf"{PROJECT['name']}\[(.*)\]", each)
        found += [one for extra in within[1].split(",") for one in required(extra)] if within else [each]
    return found


if __name__ == "__main__":
    print(*dict.fromkeys(each for name in sys.argv[1:] for each in required(name)), sep="\n")
