"""Every piece of C++ in README.md, in docs/ and in a header's comment compiles, natively and without a warning.

All of it together, so that it costs the headers once; but what a page begins with its own includes, and is no whole
program, by these alone. (Whole programs are built by theirs where they are run: test_documentation.py.)
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from code_block_contexts import CONTEXTS
from code_blocks import ROOT, Block, all_blocks
from test_headers import COMPILERS, MPI, MPI_FLAGS, WARNINGS, public_headers

pytestmark = pytest.mark.slow("compiles every block of code of the documentation")

ABRIDGED = {
    "docs/patterns/README.md",
    "include/croft/pattern/accelerator.hpp",
    "include/croft/pattern/feedback.hpp",
    "include/croft/pattern/map.hpp",
    "include/croft/pattern/placement.hpp",
    "include/croft/pattern/run.hpp",
    "many_core/croft/pattern/serve.hpp",
}
"""Where an ellipsis stands for code, which nothing can check: to become fewer, not more."""

BLOCKS = [block for block in all_blocks() if not block.needs_senders and (MPI or not block.needs_mpi)]
CHECKED = [block for block in BLOCKS if not (block.is_abridged and block.path in ABRIDGED)]
BY_ITSELF = [block for block in CHECKED if block.includes]
TOGETHER = [block for block in CHECKED if block not in BY_ITSELF]

SNIPPETS = [
    "-Wno-unused",  # of what is declared only to show how
    "-Wno-unknown-warning-option",
    "-Wno-sign-conversion",  # of -Wconversion with clang alone
    "-Wno-subobject-linkage",  # g++ says so of a coroutine's lambdas where the line is not of its own file
]


def complaints(blocks: list[Block], includes: list[str], by: str = "g++") -> list[str]:
    """What a compiler says of the blocks: file, line, and message."""
    if shutil.which(COMPILERS[by][0]) is None:
        pytest.skip(f"{by} is not installed")
    pieces = [block.in_namespace(f"block_{i}", CONTEXTS.get(block.path, "")) for i, block in enumerate(blocks)]
    folders = [f"-I{ROOT / folder}" for folder in ("include", "many_core", "host")]
    folders += MPI_FLAGS
    folders += [f"-isystem{ROOT / folder}" for folder in ("simulator", "programs")]  # not for users to include
    with tempfile.TemporaryDirectory() as made:
        source = Path(made) / "blocks.cpp"
        source.write_text("\n".join([*includes, *pieces]), encoding="utf-8")
        # (zig always makes something.)
        target = ["-fsyntax-only"] if by == "g++" else ["-c", "-o", str(source.with_suffix(".o"))]
        command = [*COMPILERS[by], "-std=c++20", *target, *folders, *WARNINGS, *SNIPPETS, str(source)]
        finished = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    found = re.findall(r"^([^\n:]+):(\d+):\d+: (?:\w+ )?(?:error|warning): (.*)$", finished.stderr, re.MULTILINE)
    assert found or finished.returncode == 0, finished.stderr
    return [f"{path}:{line}: {message}" for path, line, message in found]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_all_code_blocks_compile_together(compiler):
    headers = [f"#include <{header}>" for header in [*public_headers(), "croft/coprocessor.hpp"]]
    includes = sorted({line for block in TOGETHER for line in block.includes})
    found = complaints(TOGETHER, headers + includes, compiler)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("block", BY_ITSELF, ids=lambda block: block.name)
def test_code_with_includes_compiles_by_these(block):
    found = complaints([block], block.includes)
    assert not found, "\n".join(found)


def test_what_is_no_cpp_is_noticed():
    wrong = Block("page.md", 7, 'croft::channel<int> c(4);\nc.send("a string");\nc.receive()')
    found = complaints([wrong], ["#include <croft/channel/channel.hpp>"])
    assert found and all(each.startswith("page.md:8: ") for each in found)


def test_code_is_left_out_only_where_it_is_known_to_be():
    assert {block.path for block in BLOCKS if block.is_abridged} == ABRIDGED


def test_every_context_belongs_to_a_block():
    assert CONTEXTS.keys() <= {block.path for block in all_blocks()}
