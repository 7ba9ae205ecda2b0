"""The programs of the documentation print what their pages say, here and on the simulated machine, no load stale.

They are compiled as one: most of a compiler's time is for what they share. (Each by itself: test_code_blocks.py.)
"""

import re
import subprocess

import pytest

import croft
from code_blocks import ROOT, Block, all_blocks
from conftest import QUICKLY

pytestmark = pytest.mark.slow("builds each page's program, here and simulated; the README's farm stays here")


def said_to_print(block: Block) -> str | None:
    """What the page says, right behind the program, that it prints."""
    page = (ROOT / block.path).read_text(encoding="utf-8")
    found = re.match(r"\n```\n\nIt prints\n\n```text\n(.*?)^```$", page.partition(block.code)[2], re.M | re.S)
    return found and found[1]


PROGRAMS = {
    block.name: (block, printed)
    for block in all_blocks()
    if block.is_program and block.path.endswith(".md") and (printed := said_to_print(block))
}
NAMES = list(PROGRAMS)


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """The source of a program that is the one of a given number."""
    blocks = [block for block, _ in PROGRAMS.values()]
    includes = sorted({"#include <cstdlib>"}.union(*(block.includes for block in blocks)))
    pieces = [block.in_namespace(f"page_{i}", "") for i, block in enumerate(blocks)]
    table = ", ".join(f"page_{i}::program" for i in range(len(blocks)))
    main = f"int main(int, char** arguments) {{\n    void (*const all[])() = {{{table}}};\n"
    source = tmp_path_factory.mktemp("documented") / "together.cpp"
    source.write_text("\n".join([*includes, *pieces, main, "    all[std::atoi(arguments[1])]();\n}\n"]))
    return source


@pytest.mark.parametrize("name", NAMES)
def test_it_prints_what_its_page_says_here(name, together):
    program = croft.build(together, **QUICKLY)
    here = subprocess.run([program, str(NAMES.index(name))], capture_output=True, text=True, check=True, timeout=60)
    assert here.stdout == PROGRAMS[name][1]


@pytest.mark.parametrize("name", NAMES)
def test_it_prints_the_same_on_the_simulated_machine(name, together):
    program = croft.build(together)
    result = croft.run(program, "tilepro64", arguments=[str(NAMES.index(name))], check="coherence")
    assert (result.text, result.coherence_count, result.exit_status) == (PROGRAMS[name][1], 0, 0)


def test_they_are_found():
    """At least one of each page of a pattern."""
    pages = {page.name for page in (ROOT / "docs" / "patterns").glob("*.md")} - {"README.md"}
    assert pages <= {name.partition(":")[0].rpartition("/")[2] for name in NAMES}
