"""croft in one program with oneTBB, OpenMP and Taskflow, each within each other, as far as they are installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from code_blocks import ROOT, all_blocks

pytestmark = pytest.mark.slow("builds croft beside oneTBB, OpenMP and coroutines")

PROGRAM = ROOT / "tests" / "interop" / "together.cpp"
WITH_CROFT = ["plain in plain", "croft in croft", "croft in a croft farm"]
WITH_TBB = ["oneTBB in oneTBB", "croft in oneTBB", "oneTBB in croft", "oneTBB in a croft farm"]
WITH_OPENMP = ["croft in OpenMP", "OpenMP in croft", "OpenMP in a croft farm"]


def compiled(source, folder, *arguments):
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    program = folder / "program"
    command = ["g++", "-std=c++20", "-O1", "-I", str(ROOT / "include"), str(source), "-pthread", "-o", str(program)]
    built = subprocess.run([*command, *arguments], capture_output=True, text=True)
    return program, built


def lines_of(folder, *arguments):
    program, built = compiled(PROGRAM, folder, *arguments)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def rows_right(names):
    return [f"{name}: 48 rows right" for name in names]


@pytest.fixture(scope="module")
def openmp(tmp_path_factory):
    folder = tmp_path_factory.mktemp("openmp")
    source = folder / "openmp.cpp"
    source.write_text("#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n", encoding="utf-8")
    _, built = compiled(source, folder, "-fopenmp")
    if built.returncode != 0:
        pytest.skip("the compiler has no OpenMP")
    return ["-fopenmp"]


@pytest.fixture(scope="module")
def tbb():
    prefix = Path(sys.prefix)  # where pip puts it
    if not (prefix / "include" / "oneapi" / "tbb").is_dir():
        pytest.skip("oneTBB is not installed (make .venv/.bench-tools)")
    return [f"-isystem{prefix / 'include'}", f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", "-ltbb"]


def test_croft_and_openmp(openmp, tmp_path):
    lines = lines_of(tmp_path, *openmp)
    for line in rows_right([*WITH_CROFT, *WITH_OPENMP]):
        assert line in lines


def test_croft_and_onetbb_and_openmp(tbb, openmp, tmp_path):
    lines = lines_of(tmp_path, *openmp, *tbb)
    for line in rows_right([*WITH_CROFT, *WITH_TBB, *WITH_OPENMP, "OpenMP in oneTBB"]):
        assert line in lines
    assert "thrown through croft and oneTBB: row 7" in lines
    assert "all three: 1536 steps" in lines


def test_croft_and_taskflow(tmp_path):
    named = os.environ.get("CROFT_TASKFLOW")
    if not named:
        pytest.skip("CROFT_TASKFLOW names no checkout of Taskflow")
    assert rows_right(["croft in Taskflow"])[0] in lines_of(tmp_path, f"-isystem{named}")


def test_the_coroutines_of_the_documentation(tmp_path):
    (block,) = (block for block in all_blocks() if block.path == "docs/interop.md" and "co_await" in block.code)
    source = tmp_path / "coroutines.cpp"
    source.write_text(block.code, encoding="utf-8")
    program, built = compiled(source, tmp_path)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    page = (ROOT / block.path).read_text(encoding="utf-8")
    assert f"It prints `{ran.stdout.strip()}`." in page and ran.stdout
