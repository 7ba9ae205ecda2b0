"""All public headers can be included together, and each alone, under g++ and clang, without a warning.

Alone means without croft's other headers: those of the standard library are compiled once for all, or nearly all of
the time would be theirs. That each header includes what it names of them is a test of its own.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from standard_names import HEADER_OF

SLOW = pytest.mark.slow("compiles every header, by two compilers")

ROOT = Path(__file__).resolve().parents[2]
ROOTS = [ROOT / "include", ROOT / "many_core"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
# What crosses processes includes mpi.h: `make test-mpi` has brought one. (Any will do: it is tested with two.)
MPI = next((path.parent for path in sorted((Path(sys.prefix) / "mpi").glob("*/include/mpi.h"))), None)
MPI_FLAGS = [] if MPI is None else ["-isystem", str(MPI)]
FLAGS = ["-std=c++20", *(f"-I{root}" for root in ROOTS), *MPI_FLAGS, *WARNINGS]
COMPILERS = {"g++": ["g++"], "clang": [sys.executable, "-m", "ziglang", "c++"]}

# The pieces of one machine, which port.hpp chooses from, include nothing.
MACHINES = {"aarch64", "linux", "many_core", "riscv64", "x86_64", "darwin"}


def all_headers():
    return [path for root in ROOTS for path in sorted(root.rglob("*.hpp"))]


def public_headers():
    """What a user may include, of both roots: everything but what lies in a folder of details."""
    found = [path.relative_to(root) for root in ROOTS for path in sorted(root.rglob("*.hpp"))]
    left_out = {"engine"} if MPI else {"engine", "mpi"}
    return [str(path) for path in found if not left_out & set(path.parts) and not is_a_machines(path)]


def is_a_machines(path):
    return path.parent.name == "port" and path.stem in MACHINES


def compile_headers(compiler, headers, folder, before=()):
    if shutil.which(COMPILERS[compiler][0]) is None:
        pytest.skip(f"{compiler} is not installed")
    source = folder / "including.cpp"
    source.write_text("".join(f"#include <{header}>\n" for header in headers), encoding="utf-8")
    target = ["-c", "-o", str(folder / "including.o")]
    command = [*COMPILERS[compiler], *FLAGS, *before, *target, str(source)]
    finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode == 0, f"{', '.join(headers)}: {finished.stderr}"


@pytest.fixture(scope="module")
def precompiled(tmp_path_factory):
    """What makes a compiler begin with the standard headers that any of ours includes."""
    used = set().union(*(standard_headers(path.read_text(encoding="utf-8")) for path in all_headers()))
    lines = [f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in sorted(used)]
    found = {}
    for compiler, made, options in (("g++", "gch", "-include"), ("clang", "pch", "-include-pch")):
        if shutil.which(COMPILERS[compiler][0]) is None:
            continue
        folder = tmp_path_factory.mktemp("precompiled")
        source, target = folder / "standard.hpp", folder / f"standard.hpp.{made}"
        source.write_text("".join(lines), encoding="utf-8")
        subprocess.run([*COMPILERS[compiler], *FLAGS, "-x", "c++-header", str(source), "-o", str(target)], check=True)
        found[compiler] = [options, str(source if compiler == "g++" else target)]
    return found


@SLOW
@pytest.mark.parametrize("compiler", COMPILERS)
def test_all_headers_together(compiler, tmp_path):
    compile_headers(compiler, public_headers(), tmp_path)


# Eight to a test, so that the runner can share them out.
HEADERS = public_headers()


@SLOW
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("first", range(0, len(HEADERS), 8))
def test_each_header_alone(first, compiler, tmp_path, precompiled):
    for header in HEADERS[first : first + 8]:
        compile_headers(compiler, [header], tmp_path, precompiled.get(compiler, ()))


def standard_headers(text):
    return set(re.findall(r"^#include <(\w+)>", text, re.MULTILINE))


def test_each_header_includes_what_it_names_of_the_standard_library():
    """A body (NAME_body.hpp) has its header before it."""
    missing = []
    for path in all_headers():
        text = path.read_text(encoding="utf-8")
        header = path.with_name(path.name.replace("_body", ""))
        included = standard_headers(text) | standard_headers(header.read_text(encoding="utf-8"))
        named = re.findall(r"\bstd::(?:ranges::)?(\w+)", re.sub(r"//.*", "", text))
        wanted = {HEADER_OF[name] for name in named if name in HEADER_OF}
        missing += [f"{path.relative_to(ROOT)}: <{name}>" for name in sorted(wanted - included)]
    assert not missing, "\n".join(missing)
