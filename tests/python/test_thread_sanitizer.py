"""A user's ThreadSanitizer has nothing to say of the library: not when it is compiled, not when it runs."""

import shutil
import subprocess

import pytest

import croft
from program_sources import PROGRAMS

pytestmark = pytest.mark.slow("builds patterns, channels and tasks under ThreadSanitizer")

FLAGS = ["-fsanitize=thread", "-g", "-Wall", "-Wextra", "-Werror"]


@pytest.fixture(scope="module")
def silent():
    """Runs tests/programs/silent.cpp, at addresses that are not random, which some kernels make too random for it."""
    if shutil.which("setarch") is None:
        pytest.skip("setarch is not installed")
    program = croft.build(PROGRAMS / "silent.cpp", native=True, optimise="1", flags=FLAGS)
    return lambda *arguments: subprocess.run(
        ["setarch", "-R", program, *arguments], capture_output=True, text=True, timeout=120
    )


def test_patterns_channels_and_tasks_are_silent(silent):
    finished = silent()
    assert (finished.stdout, finished.stderr, finished.returncode) == ("ok\n", "", 0)


def test_a_race_beside_them_is_found(silent):
    finished = silent("race")
    assert finished.stderr.count("WARNING: ThreadSanitizer: data race") >= 1
    assert finished.returncode != 0
