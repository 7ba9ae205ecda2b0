"""A C++ project outside of the repository finds an installed croft, and the README's farm is what it runs."""

import subprocess
import sys
from pathlib import Path

import pytest

import croft
from croft.places import cmake_folder

ROOT = Path(__file__).resolve().parents[2]
CONSUMER = ROOT / "tests" / "consumer"


def cmake(*arguments):
    command = [sys.executable, "-m", "cmake", *map(str, arguments)]
    finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.fixture(scope="module")
def by_cmake(tmp_path_factory):
    """What `cmake --install` puts into a prefix. The package holds no library, so nothing has to be compiled."""
    folder = tmp_path_factory.mktemp("installed")
    cmake("-S", ROOT, "-B", folder / "build", "-G", "Ninja")
    cmake("--install", folder / "build", "--prefix", folder / "prefix")
    return folder / "prefix"


def run_consumer(folder, *settings):
    cmake("-S", CONSUMER, "-B", folder, "-G", "Ninja", *settings)
    cmake("--build", folder)
    return subprocess.run([folder / "squares"], capture_output=True, text=True, check=True, timeout=60).stdout


EXPECTED = "the sum of the first 1000 squares is 332833500\n"


def test_a_project_finds_what_cmake_installed(by_cmake, tmp_path):
    assert run_consumer(tmp_path, f"-DCMAKE_PREFIX_PATH={by_cmake}") == EXPECTED
    assert (by_cmake / "share" / "croft" / "machines" / "tilepro64.toml").is_file()
    assert (by_cmake / "share" / "croft" / "programs" / "pingpong.cpp").is_file()


def test_a_project_finds_what_pip_installed(tmp_path):
    assert run_consumer(tmp_path, f"-Dcroft_DIR={cmake_folder()}") == EXPECTED


def test_the_same_source_runs_on_the_simulated_machine():
    assert croft.run(CONSUMER / "squares.cpp", "tilepro64", cores=8).text == EXPECTED


def test_the_readme_shows_that_farm():
    source = (CONSUMER / "squares.cpp").read_text(encoding="utf-8")
    assert source.partition("\n")[2] in (ROOT / "README.md").read_text(encoding="utf-8")
