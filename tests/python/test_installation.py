"""A C++ project outside of the repository finds an installed croft, and the README's farm is what it runs."""

import sys

import pytest

import croft
from croft.base.folders import cmake_folder
from packages import CONSUMER, EXPECTED, ROOT, cmake, run, run_consumer

pytestmark = pytest.mark.slow("builds and installs consumers of the installed library")


@pytest.fixture(scope="module")
def by_cmake(tmp_path_factory):
    """What `cmake --install` puts into a prefix. The package holds no library, so nothing has to be compiled."""
    folder = tmp_path_factory.mktemp("installed")
    cmake("-S", ROOT, "-B", folder / "build", "-G", "Ninja")
    cmake("--install", folder / "build", "--prefix", folder / "prefix")
    return folder / "prefix"


def test_a_project_finds_what_cmake_installed(by_cmake, tmp_path):
    assert run_consumer("find_package", tmp_path, f"-DCMAKE_PREFIX_PATH={by_cmake}") == EXPECTED
    assert (by_cmake / "share" / "croft" / "machines" / "tilepro64.toml").is_file()
    assert (by_cmake / "share" / "croft" / "programs" / "pingpong.cpp").is_file()
    assert (by_cmake / "share" / "croft" / "many_core" / "croft" / "channel" / "kinds.hpp").is_file()


def test_a_project_finds_what_pip_installed(tmp_path):
    assert run_consumer("find_package", tmp_path, f"-Dcroft_DIR={cmake_folder()}") == EXPECTED


def test_pkg_config_finds_what_cmake_installed(by_cmake, tmp_path):
    moved = by_cmake.rename(tmp_path / "moved")  # its folders follow from where croft.pc lies
    try:
        where = {"PKG_CONFIG_PATH": str(moved / "share" / "pkgconfig")}
        flags = run(sys.executable, "-m", "pkgconf", "--cflags", "--libs", "croft >= 0.1", **where).split()
        program = tmp_path / "squares"
        run("c++", "-std=c++20", CONSUMER / "squares.cpp", *flags, "-o", program)
    finally:
        moved.rename(by_cmake)
    assert run(program) == EXPECTED


def test_the_same_source_runs_on_the_simulated_machine():
    assert croft.run(CONSUMER / "squares.cpp", "tilepro64", cores=8).text == EXPECTED


def test_the_readme_shows_that_farm():
    source = (CONSUMER / "squares.cpp").read_text(encoding="utf-8")
    assert source.partition("\n")[2] in (ROOT / "README.md").read_text(encoding="utf-8")
