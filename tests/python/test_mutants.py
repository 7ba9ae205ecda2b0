"""``make mutants`` has mutants of what the sources say now; the mutants themselves take an hour."""

import subprocess
import sys
from pathlib import Path

MUTANTS = Path(__file__).parents[2] / "packaging" / "mutants.py"


def test_each_stands_once_in_its_file():
    listed = subprocess.run([sys.executable, MUTANTS, "--list"], capture_output=True, text=True)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert listed.stdout.count("simulator/coherence/cache_level.cpp") > 20
