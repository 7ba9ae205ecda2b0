"""What the simulator reads of a program's tables is what pyelftools reads of them, everywhere in the program."""

import random
import shutil
import struct
import subprocess

import pytest

import croft
from croft.symbols.landmarks import FLAGS
from croft.symbols.symbols import Symbols
from elftools_reference import Reference
from program_sources import PROGRAMS

_FUNCTION, _OBJECT = 2, 1
_LABELS = ["croft_begins_task", "croft_ends_task", "croft_begins_worker", "croft_ends_worker"]
_FUNCTIONS = ["traced_send", "traced_look", "traced_receive", "push", "operator()"]
_PROGRAMS = {
    "c": ("c_library.c", {}),
    "c++": ("deadlock.cpp", {}),
    "version_4": ("deadlock.cpp", {"flags": ["-gdwarf-4"], "optimise": "1"}),
    "variables": ("marks.cpp", {"flags": FLAGS}),
}


def compare(elf):
    read, reference = Symbols(elf).tables, Reference(elf)
    for name in (".debug_info", ".eh_frame", ".symtab", ".nowhere"):
        section = reference.file.get_section_by_name(name)
        assert read.section(name) == (section.data() if section else b"")
    assert read.functions() == reference.symbols(_FUNCTION)
    assert read.variables() == reference.symbols(_OBJECT)
    lines = read.lines()
    assert lines == reference.lines()
    for found, wanted in zip(
        read.find_named(_LABELS, _FUNCTIONS), reference.find_named(_LABELS, _FUNCTIONS), strict=True
    ):
        assert found == wanted
    # What is known changes with each line and with each inlined call, whose edges are edges of lines.
    code = sorted({edge for begin, end, *_ in lines for edge in (begin, end - 1)})
    addresses = [0, *code, *(begin for begin, *_ in read.functions()), (1 << 64) - 1]
    for address, found, wanted in zip(addresses, read.places(addresses), reference.places(addresses), strict=True):
        assert found == wanted, hex(address)
    return lines, code, read, reference


@pytest.mark.slow("pyelftools is slow, and the reader's own tests stay")
@pytest.mark.parametrize("name", _PROGRAMS)
def test_all_of_a_program_is_as_pyelftools_reads_it(name):
    source, options = _PROGRAMS[name]
    lines, code, read, reference = compare(croft.build(PROGRAMS / source, **options).read_bytes())
    assert len(lines) > 1000
    assert read.covers(code[0])
    assert not read.covers((1 << 64) - 1)
    chance = random.Random(1)
    deep = 0
    edges = [at for edge in reference.frame_edges() for at in (edge, edge + 2)]
    for pc in [0, *edges]:
        # Whatever is taken for a return address leads to other code.
        stack = struct.pack("<512Q", *(chance.choice(code) for _ in range(512)))
        registers = [0, chance.choice(code), 1 << 20, *(chance.choice(code) for _ in range(29))]
        registers[8] = (1 << 20) + 8 * chance.randrange(600)  # s0 may point to a frame
        found = read.callers(pc, registers, stack, 0)
        assert found == reference.callers(pc, registers, stack), hex(pc)
        deep += len(found) > 3
    assert deep > 10


@pytest.mark.skipif(shutil.which("riscv64-linux-gnu-gcc") is None, reason="no GCC for RISC-V here")
@pytest.mark.parametrize(
    "flags", [["-gdwarf-3"], ["-gdwarf-4", "-fdebug-types-section"], ["-gdwarf-5"], ["-g", "-gz=zlib"]]
)
def test_a_program_of_gcc_is_as_pyelftools_reads_it(flags, tmp_path):
    program = tmp_path / "program"
    command = ["riscv64-linux-gnu-gcc", "-O2", "-static", *flags, PROGRAMS / "c_library.c", "-o", program, "-lm"]
    subprocess.run(command, check=True)
    lines, *_ = compare(program.read_bytes())
    assert any(file.endswith("c_library.c") for _, _, file, _ in lines)
