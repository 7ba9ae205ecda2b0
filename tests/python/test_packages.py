"""Every form in which a C++ project may take croft in, but an installed one (test_installation.py)."""

import json
import re
import subprocess
import sys

import pytest

import croft
from croft.machines.file import flat_description
from packages import CONSUMER, EXPECTED, ROOT, cmake, files_of_the_coprocessors_page, run, run_consumer

pytestmark = pytest.mark.slow("builds and installs packages for Conan, vcpkg and CMake")

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def test_a_project_that_fetches_the_sources(tmp_path):
    assert run_consumer("fetch_content", tmp_path, f"-DFETCHCONTENT_SOURCE_DIR_CROFT={ROOT}") == EXPECTED


def test_a_project_with_croft_in_a_subdirectory_builds_the_library_alone_under_its_own_settings(tmp_path):
    settings = [f"-DCROFT_SOURCES={ROOT}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    assert run_consumer("subdirectory", tmp_path, *settings) == EXPECTED
    assert [each.name for each in tmp_path.rglob("*.o")] == ["squares.cpp.o"]
    listed = json.loads((tmp_path / "compile_commands.json").read_text(encoding="utf-8"))
    (how,) = (each["command"] for each in listed if each["file"].endswith("squares.cpp"))
    assert "-Wall" not in how and "-O" not in how
    built = run("ninja", "-C", tmp_path, "-t", "targets", "all")
    assert "squares:" in built and "croftsim" not in built
    cmake("--install", tmp_path, "--prefix", tmp_path / "prefix")
    assert not (tmp_path / "prefix").exists()


@pytest.mark.parametrize("form", ["subdirectory", "one header"])
def test_a_project_records_natively(form, header, tmp_path, monkeypatch):
    monkeypatch.setenv("CROFT_TRACE_FILE", str(tmp_path / "squares.pftrace"))
    if form == "subdirectory":
        settings = [f"-DCROFT_SOURCES={ROOT}", "-DCROFT_TRACE=ON"]
        assert run_consumer("subdirectory", tmp_path / "build", *settings) == EXPECTED
    else:
        source, program = including_it_alone(CONSUMER / "squares.cpp", tmp_path), tmp_path / "squares"
        run("c++", "-std=c++20", "-DCROFT_TRACE", "-pthread", "-I", header.parent, source, "-o", program)
        assert run(program) == EXPECTED
    assert b"emitter" in (tmp_path / "squares.pftrace").read_bytes()


@pytest.fixture(scope="module")
def header(tmp_path_factory):
    """All headers in one."""
    file = tmp_path_factory.mktemp("single") / "croft.hpp"
    file.write_text(run(sys.executable, ROOT / "packaging" / "single_header.py"), encoding="utf-8")
    return file


def including_it_alone(source, folder):
    """A copy of a source that includes that header, and no other of croft's."""
    alone = folder / source.name
    text = re.sub(r"#include <croft/.*\n", "", source.read_text(encoding="utf-8"))
    alone.write_text('#include "croft.hpp"\n' + text, encoding="utf-8")
    return alone


def test_all_headers_in_one(header, tmp_path):
    source, program = including_it_alone(CONSUMER / "squares.cpp", tmp_path), tmp_path / "squares"
    run("c++", "-std=c++20", *WARNINGS, "-pthread", "-I", header.parent, source, "-o", program)
    assert run(program) == EXPECTED
    text = header.read_text(encoding="utf-8")
    assert text.count("SPDX-License-Identifier") == 1
    assert "#include <croft" not in text and "CROFT_MANY_CORE" not in text
    missing = {"parallel_for", "task_group", "pipeline", "request_reply", "spin_barrier"} - set(
        re.findall(r"\w+", text)
    )
    assert not missing


def test_all_headers_compile_for_macos(header, tmp_path):
    source = including_it_alone(ROOT / "bench" / "including" / "croft.cpp", tmp_path)
    compiler = [sys.executable, "-m", "ziglang", "c++", "-target", "aarch64-macos", "-std=c++20"]
    run(*compiler, *WARNINGS, "-I", header.parent, "-c", source, "-o", tmp_path / "farm_and_loop.o")


def test_a_program_of_the_compiled_library_has_its_bodies_once(tmp_path):
    settings = ["-DCROFT_SIMULATOR=OFF", "-DCROFT_COMPILED=ON", "-DCMAKE_BUILD_TYPE=Debug"]
    cmake("-S", ROOT, "-B", tmp_path / "build", "-G", "Ninja", *settings)
    cmake("--build", tmp_path / "build")
    prefix = tmp_path / "prefix"
    cmake("--install", tmp_path / "build", "--prefix", prefix)
    found = [f"-DCMAKE_PREFIX_PATH={prefix}", "-DCROFT_TARGET=croft::croft_compiled"]
    assert run_consumer("find_package", tmp_path / "consumer", *found) == EXPECTED
    (user,) = (tmp_path / "consumer").rglob("squares.cpp.o")
    assert " U croft::port::cgroup_quota()" in run("nm", "--demangle", user)
    assert " T croft::port::cgroup_quota()" in run("nm", "--demangle", prefix / "lib" / "libcroft.a")
    where = {"PKG_CONFIG_PATH": f"{prefix}/share/pkgconfig:{prefix}/lib/pkgconfig"}
    flags = run(sys.executable, "-m", "pkgconf", "--cflags", "--libs", "croft_compiled", **where)
    assert {"-DCROFT_COMPILED", "-lcroft"} <= set(flags.split())


@pytest.fixture(scope="module")
def installed_coprocessor(tmp_path_factory):
    """A prefix with croft::coprocessor; built without optimisation, which takes a fifth of the time."""
    folder = tmp_path_factory.mktemp("coprocessor")
    settings = ["-DCROFT_COPROCESSOR=ON", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    cmake("-S", ROOT, "-B", folder / "build", "-G", "Ninja", *settings)
    cmake("--build", folder / "build")
    cmake("--install", folder / "build", "--prefix", folder / "prefix")
    return folder / "prefix"


def sources_of_the_page(folder):
    """The page's program for the co-processor, built, and its caller's source."""
    for name, code in files_of_the_coprocessors_page().items():
        (folder / name).write_text(code, encoding="utf-8")
    return croft.build(folder / "squares.cpp", output=folder / "squares.elf"), folder / "caller.cpp"


def test_a_project_offloads_to_the_coprocessor_of_an_installed_croft(installed_coprocessor, tmp_path):
    program, caller = sources_of_the_page(tmp_path)
    found = f"-DCMAKE_PREFIX_PATH={installed_coprocessor}"
    cmake("-S", CONSUMER / "coprocessor", "-B", tmp_path / "build", "-G", "Ninja", found, f"-DCALLER={caller}")
    cmake("--build", tmp_path / "build")
    machine = tmp_path / "tilepro64.flat"
    machine.write_text(flat_description(croft.machine("tilepro64")), encoding="utf-8")
    assert run(tmp_path / "build" / "squares", program, machine) == f"{sum(n * n for n in range(100))}\n"
    assert run_consumer("find_package", tmp_path / "consumer", found) == EXPECTED


def test_a_project_that_asks_for_it_has_the_coprocessor_in_a_subdirectory(tmp_path):
    settings = [f"-DCROFT_SOURCES={ROOT}", f"-DCALLER={CONSUMER / 'squares.cpp'}"]
    cmake("-S", CONSUMER / "coprocessor", "-B", tmp_path, "-G", "Ninja", *settings)
    assert "libcroftsim.a" in run("ninja", "-C", tmp_path, "-t", "query", "squares")


def test_a_project_is_told_that_croft_was_installed_without_its_coprocessor(tmp_path):
    cmake("-S", ROOT, "-B", tmp_path / "build", "-G", "Ninja", "-DCROFT_SIMULATOR=OFF")
    cmake("--install", tmp_path / "build", "--prefix", tmp_path / "prefix")
    settings = ["-G", "Ninja", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}"]
    command = [sys.executable, "-m", "cmake", "-S", CONSUMER / "coprocessor", "-B", tmp_path / "consumer", *settings]
    asked = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert asked.returncode == 1
    assert "this croft was installed without its co-processor" in " ".join(asked.stderr.split())


def test_conan_makes_a_package_and_its_consumer_runs(tmp_path):
    home = {"CONAN_HOME": str(tmp_path / "home")}
    conan = [sys.executable, "-m", "conans.conan"]
    run(*conan, "profile", "detect", **home)
    settings = ["build_type=Debug", "compiler.cppstd=20"]
    configuration = [
        "tools.cmake.cmaketoolchain:generator=Ninja",
        f"tools.cmake.cmake_layout:test_folder={tmp_path / 'consumer'}",
        "tools.cmake.cmaketoolchain:user_presets=",
    ]
    options = [*(f"-s={each}" for each in settings), *(f"-c={each}" for each in configuration)]
    printed = run(*conan, "create", ROOT / "packaging" / "conan", "--no-remote", *options, complaints=True, **home)
    assert EXPECTED in printed


def test_the_port_for_vcpkg_installs_what_a_project_finds(tmp_path):
    port = ROOT / "packaging" / "vcpkg" / "croft"
    described = json.loads((port / "vcpkg.json").read_text(encoding="utf-8"))
    version = re.search(r"project\(croft VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    assert (described["name"], described["version"]) == (port.name, version)
    used = set(re.findall(r"^(vcpkg_cmake_\w+)\(", (port / "portfile.cmake").read_text(encoding="utf-8"), re.MULTILINE))
    hosts = {each["name"] for each in described["dependencies"] if each["host"]}
    assert hosts == {"vcpkg-cmake-config" if "config" in each else "vcpkg-cmake" for each in used}

    where = {"PORTS": port.parent, "PORT": port.name, "CURRENT_PACKAGES_DIR": tmp_path / "installed"}
    places = [f"-D{name}={value}" for name, value in (where | {"BUILD": tmp_path / "build"}).items()]
    cmake(*places, "-P", CONSUMER / "vcpkg_stand_in.cmake")
    installed = where["CURRENT_PACKAGES_DIR"]
    assert {each.name for each in installed.iterdir()} == {"include", "share"}  # vcpkg wants no empty folder
    assert (installed / "share" / "croft" / "copyright").is_file()
    assert not [*installed.rglob("many_core*"), *installed.rglob("paper")]
    assert run_consumer("find_package", tmp_path / "consumer", f"-DCMAKE_PREFIX_PATH={installed}") == EXPECTED
