"""Marks and landmarks in native programs: nothing, unless they are built with CROFT_TRACE; then a file for Perfetto."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

import croft
from croft.base.folders import include_folder
from trace_files import instants_of, slices_of

pytestmark = pytest.mark.slow("builds for this host, with a trace and without")

PROGRAMS = Path(__file__).parent.parent / "programs"


@pytest.fixture(scope="module")
def traced():
    return croft.build(PROGRAMS / "marks.cpp", native=True, optimise="1", defines=["CROFT_TRACE"])


def run(program, mode, folder, **environment):
    """What it prints, what it says, and the file."""
    done = subprocess.run(
        [program, mode], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout, done.stderr


def test_marks_and_their_nesting(traced, tmp_path):
    run(traced, "phases", tmp_path)
    content = (tmp_path / "croft-trace.pftrace").read_bytes()
    slices, _ = slices_of(content)
    assert Counter((thread, name) for thread, name, *_ in slices) == {
        (0, "outer"): 1,
        (0, "inner"): 3,
        (1, "outer"): 1,
        (1, "inner"): 3,
    }
    for thread in (0, 1):
        (outer,) = [one for one in slices if one[:2] == (thread, "outer")]
        assert all(outer[2] <= one[2] <= one[3] <= outer[3] for one in slices if one[0] == thread)
        assert len([name for at, name, _ in instants_of(content) if at == thread]) == 3


def test_tasks_and_services_of_roles(traced, tmp_path):
    file = tmp_path / "farm.pftrace"
    printed, _ = run(traced, "farm", tmp_path, CROFT_TRACE_FILE=str(file))
    assert printed == "4950\n"
    found = Counter(name for _, name, *_ in slices_of(file.read_bytes())[0])
    assert found == {"emitter": 101, "worker": 100, "collector": 100}
    printed, _ = run(traced, "tasks", tmp_path, CROFT_TRACE_FILE=str(file))
    total, stolen = map(int, printed.split())
    found = Counter(name for _, name, *_ in slices_of(file.read_bytes())[0])
    assert total == 34
    assert found["stolen task"] == stolen
    assert found["task"] + stolen == 2 * 55 - 2


def test_a_file_that_cannot_be_written_is_said(traced, tmp_path):
    _, said = run(traced, "phases", tmp_path, CROFT_TRACE_FILE=str(tmp_path / "missing" / "file"))
    assert said == f"croft: {tmp_path}/missing/file: the trace cannot be written\n"


USED = """
#include <croft/mark.hpp>
int work(int);
int all(int n) {
    croft::mark("begins");
    const croft::marked phase{"phase"};
    CROFT_BEGINS(worker)
    const int made = work(n) + 1;
    CROFT_ENDS(worker)
    return made;
}
"""
UNUSED = "int work(int);\nint all(int n) {\n    const int made = work(n) + 1;\n    return made;\n}\n"


def test_without_the_option_not_an_instruction_is_left(tmp_path):
    def compiled(text, *flags):
        source = tmp_path / "it.cpp"
        source.write_text(text)
        command = ["c++", "-std=c++20", "-O2", f"-I{include_folder()}", *flags, "-c", "it.cpp", "-o", "it.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
        with (tmp_path / "it.o").open("rb") as file:
            elf = ELFFile(file)
            code = elf.get_section_by_name(".text").data()
            symbols = {symbol.name for symbol in elf.get_section_by_name(".symtab").iter_symbols() if symbol.name}
        return code, symbols

    assert compiled(USED) == compiled(UNUSED)
    assert compiled(USED, "-DCROFT_TRACE") != compiled(UNUSED)
