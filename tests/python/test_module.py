"""``import croft;``: the module exports what headers declare, and a program that imports it runs."""

import shutil
import sys
from pathlib import Path

import pytest
import ziglang

from packages import CONSUMER, EXPECTED, ROOT, run

pytestmark = pytest.mark.slow("builds the module with another compiler")

MODULE = ROOT / "modules" / "croft.cppm"


def test_the_module_exports_what_the_headers_declare():
    made = run(sys.executable, ROOT / "packaging" / "module.py")
    assert MODULE.read_text(encoding="utf-8") == made, "modules/croft.cppm is not what `make docs` writes"


@pytest.mark.skipif(shutil.which("g++") is None, reason="clang takes the C++ library of g++, which is not installed")
def test_a_program_imports_the_module(tmp_path):
    # As clang, not as zig's own c++, which takes no modules; with the headers that belong to that clang.
    builtin = Path(ziglang.__file__).parent / "lib" / "include"
    clang = [sys.executable, "-m", "ziglang", "clang", "-std=c++20"]
    headers = ["-isystem", builtin, "-I", ROOT / "include"]
    interface, own, user, program = (tmp_path / name for name in ("croft.pcm", "croft.o", "user.o", "squares"))
    run(*clang, *headers, "--precompile", MODULE, "-o", interface)
    run(*clang, "-c", interface, "-o", own)
    run(*clang, *headers, f"-fmodule-file=croft={interface}", "-c", CONSUMER / "module.cpp", "-o", user)
    run("g++", user, own, "-pthread", "-o", program)
    assert run(program) == EXPECTED
