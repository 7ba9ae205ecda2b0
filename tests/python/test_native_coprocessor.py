"""A native C++ program offloads to a simulated co-processor (host/croft/coprocessor.hpp)."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

import croft
from croft.cli.app import app
from packages import files_of_the_coprocessors_page

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build" / "release" / "simulator" / "libcroftsim.a"

pytestmark = [
    pytest.mark.slow("links the whole simulator into a native program, twice"),
    pytest.mark.skipif(not LIBRARY.is_file(), reason="libcroftsim.a is not in build/release"),
]


def compiled(source, program):
    """What CMake's croft::coprocessor gives to a target, by hand: building the simulator anew would take minutes."""
    includes = [f"-I{ROOT / folder}" for folder in ("host", "simulator")]
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-std=c++20", *includes, source, LIBRARY, "-pthread", "-o", program], check=True)
    return program


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    """The description of the TILEPro64 as the command prints it."""
    answer = CliRunner().invoke(app, ["machines", "tilepro64", "--flat"])
    assert answer.exit_code == 0
    path = tmp_path_factory.mktemp("machine") / "tilepro64.flat"
    path.write_text(answer.stdout, encoding="utf-8")
    return path


def test_the_native_example_of_the_page_offloads_to_its_program(flat, tmp_path):
    for name, code in files_of_the_coprocessors_page().items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    native = compiled(tmp_path / "caller.cpp", tmp_path / "caller")
    served = croft.build(tmp_path / "squares.cpp", output=tmp_path / "squares.elf")
    ran = subprocess.run([native, served, flat], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{sum(n * n for n in range(100))}\n", "")


def test_a_native_caller_is_told_what_went_wrong(simulated, flat, tmp_path):
    native = compiled(ROOT / "tests" / "coprocessor" / "failing.cpp", tmp_path / "failing")
    program = simulated("coprocessor")

    def told(elf=program, machine=flat, which="copies"):
        ran = subprocess.run([native, elf, machine, which], capture_output=True, text=True, timeout=60, check=True)
        return ran.stdout.strip()

    assert told() == ""
    assert told(which="throws") == "ended: the program on the co-processor ended with status 3"
    assert told(which="leaves") == "ended: the program on the co-processor ended before it closed the link"
    assert told(elf="nothing.elf") == "error: croft::coprocessor: the program nothing.elf cannot be read"
    assert told(elf=flat, which="throws").startswith("ended: ")
    unlinked = tmp_path / "unlinked.flat"
    unlinked.write_text(re.sub(r"^host_link.*\n", "", flat.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert told(machine=unlinked) == "error: croft::coprocessor: tilepro64 has no link to a host"
    unlinked.write_text(flat.read_text(encoding="utf-8") + "core.turbo = 1\n")
    assert told(machine=unlinked) == "error: machine description: unknown key `core.turbo`"
