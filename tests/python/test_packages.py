"""Every form in which a C++ project may take croft in, but an installed one (test_installation.py)."""

import json
import re
import sys

from packages import CONSUMER, EXPECTED, ROOT, cmake, run, run_consumer


def test_a_project_that_fetches_the_sources(tmp_path):
    assert run_consumer("fetch_content", tmp_path, f"-DFETCHCONTENT_SOURCE_DIR_CROFT={ROOT}") == EXPECTED


def test_a_project_with_croft_in_a_subdirectory_builds_the_library_alone_under_its_own_settings(tmp_path):
    settings = [f"-DCROFT_SOURCES={ROOT}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    assert run_consumer("subdirectory", tmp_path, *settings) == EXPECTED
    compiled = json.loads((tmp_path / "compile_commands.json").read_text(encoding="utf-8"))
    assert [each["file"].rpartition("/")[2] for each in compiled] == ["squares.cpp"]
    assert "-Wall" not in compiled[0]["command"] and "-O" not in compiled[0]["command"]


def test_all_headers_in_one(tmp_path):
    header, source, program = (tmp_path / name for name in ("croft.hpp", "squares.cpp", "squares"))
    header.write_text(run(sys.executable, ROOT / "packaging" / "single_header.py"), encoding="utf-8")
    farm = (CONSUMER / "squares.cpp").read_text(encoding="utf-8")
    source.write_text(farm.replace("<croft/pattern/farm.hpp>", '"croft.hpp"'), encoding="utf-8")
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
    run("c++", "-std=c++20", *warnings, "-pthread", source, "-o", program)
    assert run(program) == EXPECTED
    text = header.read_text(encoding="utf-8")
    assert text.count("SPDX-License-Identifier") == 1
    assert "#include <croft" not in text and "CROFT_MANY_CORE" not in text
    missing = {"parallel_for", "task_group", "pipeline", "request_reply", "spin_barrier"} - set(
        re.findall(r"\w+", text)
    )
    assert not missing


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
    assert run_consumer("find_package", tmp_path / "consumer", f"-DCMAKE_PREFIX_PATH={installed}") == EXPECTED
