"""Builds: the same source gives the same program wherever it lies."""

import shutil
import subprocess

import pytest

import croft
from croft.symbols import Symbols
from program_sources import PROGRAMS


def test_a_program_does_not_depend_on_where_its_source_lies(tmp_path, monkeypatch):
    parts = []
    for folder in (tmp_path / "here", tmp_path / "a" / "much" / "longer" / "path" / "there"):
        folder.mkdir(parents=True)
        shutil.copy(PROGRAMS / "mutex.cpp", folder)
        monkeypatch.chdir(folder)
        parts.append(Symbols(croft.build("mutex.cpp").read_bytes()).loaded())
    assert parts[0] == parts[1]
    assert len(parts[0]) > 10_000


def test_what_cannot_be_built(tmp_path):
    with pytest.raises(croft.UsageError, match="either natively or for a machine"):
        croft.build(PROGRAMS / "mutex.cpp", native=True, machine="tilepro64")
    with pytest.raises(croft.UsageError, match="nothing to build"):
        croft.build([])
    with pytest.raises(croft.MachineError, match="no machine is called 'tilepro'"):
        croft.build(PROGRAMS / "mutex.cpp", machine="tilepro")
    with pytest.raises(croft.BuildError, match="the native compiler 'no-such-compiler' does not run"):
        croft.build(PROGRAMS / "mutex.cpp", native=True, compiler="no-such-compiler")
    with pytest.raises(croft.UsageError, match=r"nowhere: (Not a directory|File exists)"):
        croft.build(PROGRAMS / "misaligned.cpp", native=True, output=PROGRAMS / "mutex.cpp" / "nowhere")


C_HALF = """
#include <stdio.h>
int twice(int x);
int main(void) { int class = twice(21); printf("%d from C%ld\\n", class, __STDC_VERSION__); return 0; }
"""


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("other", ["twice.c", "twice.cpp"])
def test_sources_in_c(tmp_path, native, other):
    (tmp_path / "half.c").write_text(C_HALF)
    linkage = 'extern "C" ' if other.endswith("cpp") else ""
    (tmp_path / other).write_text(f"{linkage}int twice(int x) {{ return 2 * x; }}\n")
    program = croft.build([tmp_path / "half.c", tmp_path / other], native=native)
    printed = subprocess.run([program], capture_output=True, text=True).stdout if native else croft.run(program).text
    assert printed == "42 from C201710\n"


def test_a_c_compiler_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    (tmp_path / "half.c").write_text(C_HALF)
    with pytest.raises(croft.BuildError, match="the compiler 'no-such-compiler' does not run: No such file"):
        croft.build(tmp_path / "half.c", native=True)


def test_a_c_source_is_run_under_its_name(tmp_path):
    (tmp_path / "named.c").write_text("#include <stdio.h>\nint main(int n, char** with) { puts(with[n - 1]); }\n")
    assert croft.run(tmp_path / "named.c").text == "named\n"
