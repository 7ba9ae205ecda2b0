"""Native programs need include/ alone; what a many-core adds is in many_core/ (many_core/README.md)."""

import re
import shutil
import subprocess

import pytest

from packages import ROOT
from test_headers import MPI_FLAGS, public_headers

NATIVE, MANY_CORE = ROOT / "include", ROOT / "many_core"


def headers(root):
    return {str(path.relative_to(root)): path for path in root.rglob("*.hpp")}


def test_no_header_is_in_both_roots():
    assert not headers(NATIVE).keys() & headers(MANY_CORE).keys()


def test_a_native_header_includes_one_of_a_many_cores_only_by_the_entries_of_the_page():
    page = (MANY_CORE / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `([\w/]+\.hpp)` \| `([\w/]+\.hpp)` \|", page, re.MULTILINE)
    entries = {(f"croft/{header}", f"croft/{included}") for header, included in table}
    beyond = headers(MANY_CORE)
    found = {
        (name, included)
        for name, path in headers(NATIVE).items()
        for included in re.findall(r"^\s*#\s*include <(.*)>", path.read_text(encoding="utf-8"), re.MULTILINE)
        if included in beyond
    }
    assert found == entries


def test_a_native_program_of_all_headers_opens_none_of_a_many_cores():
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    native = [name for name in public_headers() if name in headers(NATIVE)]
    command = ["g++", "-std=c++20", "-M", "-I", NATIVE, "-I", MANY_CORE, *MPI_FLAGS, "-x", "c++", "-"]
    source = "".join(f"#include <{name}>\n" for name in native)
    opened = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    assert str(NATIVE / "croft" / "channel" / "channel.hpp") in opened
    assert str(MANY_CORE) not in opened
