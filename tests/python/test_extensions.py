"""The extensions beyond RV64GC: what programs are told of them, may be built for, and get from them."""

import shutil
import subprocess

import pytest

import croft
from croft.programs.march import EXTENSIONS, PROFILES, mcpu
from croft.programs.toolchain import simulated as simulated_by
from instruction_tables import instructions
from program_sources import PROGRAMS

WITH_ZBB = """
#include <stdio.h>
int main(int argc, char** argv) {
    (void)argv;
#ifdef __riscv_zbb
    printf("Zbb: ");
#endif
    printf("%d\\n", __builtin_popcountl(0x1234567890abcdefl + argc));
}
"""


@pytest.mark.skipif(shutil.which("qemu-riscv64") is None, reason="qemu-riscv64 is not installed")
def test_bit_manipulation_and_halves_are_qemus():
    program = croft.build(PROGRAMS / "bit_manipulation.c")
    command = ["qemu-riscv64", "-cpu", "rv64,zba=true,zbb=true,zbs=true,Zfh=true", program]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    # QEMU 7.2 counts 63 zeros in the low word of 1 << 63.
    theirs = [line for line in answer.splitlines() if not line.startswith("ctzw ")]
    assert len(theirs) > 60
    for machine in ("io1", "o3x1"):
        ours = croft.run(program, machine=machine).text.splitlines()
        assert [line for line in ours if not line.startswith("ctzw ")] == theirs


@pytest.mark.slow("compiles the C library for other instructions")
def test_a_program_may_be_built_for_a_profile(tmp_path):
    source = tmp_path / "ones.c"
    source.write_text(WITH_ZBB)
    plain = croft.run(croft.build(source), machine="io1")
    found = croft.run(croft.build(source, march="rva22u64"), machine="io1")
    assert found.text == f"Zbb: {plain.text}"


def test_the_compiler_knows_every_extension(tmp_path):
    source = tmp_path / "nothing.c"
    source.touch()
    tools = simulated_by("c", "_".join(("rv64gc", *EXTENSIONS)))
    command = [*tools.command, *tools.flags, "-E", "-dM", str(source)]
    macros = subprocess.run(command, cwd=tools.folder, capture_output=True, text=True, check=True).stdout
    assert [name for name in EXTENSIONS if f"#define __riscv_{name} " not in macros] == []


def test_every_table_of_an_extension_may_be_named():
    tables = {line.extension for line in instructions() if line.extension.startswith("z")}
    assert tables <= set(EXTENSIONS)
    assert set().union(*PROFILES.values()) <= set(EXTENSIONS)


def test_a_march_adds_to_what_every_program_gets():
    assert mcpu("rv64gc") == mcpu("RVA20U64") == mcpu("rv64gc_zicsr_zawrs").removesuffix("+zicsr") == mcpu(None)
    assert mcpu("rv64gc_zacas_zba") == mcpu(None) + "+zacas+zba"
    assert mcpu("rva22u64_zacas") == mcpu("rva22u64") + "+zacas"


@pytest.mark.parametrize(
    ("march", "said"),
    [
        ("rv64g", "--march rv64g: it has to begin with one of rv64gc, rv64imafdc, rva20u64, rva22u64"),
        ("rva23u64", "--march rva23u64: it has to begin with one of rv64gc, rv64imafdc, rva20u64, rva22u64"),
        ("rv64gcv", "--march rv64gcv: the simulated cores do not have V"),
        ("rv64gc_zbc", "--march rv64gc_zbc: the simulated cores do not have Zbc"),
        ("rva22u64_zicnod", "--march rva22u64_zicnod: the simulated cores do not have Zicnod (they have za64rs, zaamo"),
        ("rv64gc_", "--march rv64gc_: an extension's name is missing"),
    ],
)
def test_a_march_that_is_none(march, said):
    with pytest.raises(croft.UsageError) as refusal:
        mcpu(march)
    assert str(refusal.value).startswith(said)


def test_a_march_is_for_simulated_machines():
    with pytest.raises(croft.UsageError, match="--march is for simulated machines"):
        croft.build(PROGRAMS / "mutex.cpp", native=True, march="rv64gc")
