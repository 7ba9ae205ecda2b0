"""croft under stdexec's senders: where CROFT_STDEXEC names a checkout of it, or a compiler finds its headers."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from code_blocks import ROOT, all_blocks
from test_headers import WARNINGS

PROGRAM = ROOT / "tests" / "interop" / "senders.cpp"
BY_EACH_SCHEDULER = """\
sums 499500 1999000 4498500
steps 2000
caught step 500
stopped 2
caught one of two
task 610
received 499500 of 1000
"""


@pytest.fixture(scope="module")
def stdexec():
    """The compiler's arguments by which stdexec's headers are found."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    named = os.environ.get("CROFT_STDEXEC")
    found = ["-isystem", str(Path(named) / "include")] if named else []
    looked_for = subprocess.run(
        ["g++", "-std=c++20", *found, "-E", "-x", "c++", "-"],
        input="#include <stdexec/execution.hpp>\n",
        capture_output=True,
        text=True,
    )
    if looked_for.returncode != 0:
        assert not named, f"CROFT_STDEXEC is {named}, and there is no include/stdexec/execution.hpp"
        pytest.skip("stdexec is not installed, and CROFT_STDEXEC names no checkout of it")
    return found


def output_of(source, stdexec, folder):
    program = folder / "program"
    command = ["g++", "-std=c++20", "-O1", "-I", str(ROOT / "include"), *stdexec, *WARNINGS]
    built = subprocess.run([*command, str(source), "-pthread", "-o", str(program)], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_program_of_senders(stdexec, tmp_path):
    assert output_of(PROGRAM, stdexec, tmp_path) == 2 * BY_EACH_SCHEDULER + "bulk 656700000\n"


def test_the_programs_of_the_documentation(stdexec, tmp_path):
    blocks = [block for block in all_blocks() if block.needs_senders]
    assert blocks
    for block in blocks:
        source = tmp_path / "block.cpp"
        source.write_text(block.code, encoding="utf-8")
        page = (ROOT / block.path).read_text(encoding="utf-8")
        printed = re.search(r"It prints `(.+)`", page[page.index(block.code) :])[1]
        assert output_of(source, stdexec, tmp_path) == printed + "\n"
