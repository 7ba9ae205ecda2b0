"""Every form in which a C++ project may take croft in, but an installed one (test_installation.py)."""

import json

from packages import EXPECTED, ROOT, run_consumer


def test_a_project_that_fetches_the_sources(tmp_path):
    assert run_consumer("fetch_content", tmp_path, f"-DFETCHCONTENT_SOURCE_DIR_CROFT={ROOT}") == EXPECTED


def test_a_project_with_croft_in_a_subdirectory_builds_the_library_alone_under_its_own_settings(tmp_path):
    settings = [f"-DCROFT_SOURCES={ROOT}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    assert run_consumer("subdirectory", tmp_path, *settings) == EXPECTED
    compiled = json.loads((tmp_path / "compile_commands.json").read_text(encoding="utf-8"))
    assert [each["file"].rpartition("/")[2] for each in compiled] == ["squares.cpp"]
    assert "-Wall" not in compiled[0]["command"] and "-O" not in compiled[0]["command"]
