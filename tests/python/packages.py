"""What the tests of croft's packages share: consumers that are built outside of the repository."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONSUMER = ROOT / "tests" / "consumer"
EXPECTED = "the sum of the first 1000 squares is 332833500\n"
"""What ``squares.cpp`` prints."""


def run(*command, complaints=False, **surroundings):
    """What a command printed, its complaints too if asked to. If it fails, they are the test's failure."""
    finished = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=900, env=os.environ | surroundings
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout + complaints * finished.stderr


def cmake(*arguments):
    return run(sys.executable, "-m", "cmake", *arguments)


def run_consumer(form, folder, *settings):
    """What the consumer in tests/consumer/FORM prints, built in a folder of its own."""
    cmake("-S", CONSUMER / form, "-B", folder, "-G", "Ninja", *settings)
    cmake("--build", folder)
    return run(folder / "squares")


def files_of_the_coprocessors_page():
    """The C++ of docs/patterns/accelerator.md by the names of its files."""
    text = (ROOT / "docs" / "patterns" / "accelerator.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^```cpp\n// (\w+\.cpp)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
