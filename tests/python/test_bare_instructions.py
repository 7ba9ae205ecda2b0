"""Instructions that differential.py cannot compare with QEMU, one by one on the bare simulated core."""

from __future__ import annotations

import struct

import pytest

from croft import _simulator as simulator
from edge_values import MASK
from instruction_tables import by_mnemonic

CODE, DATA = 0x10000, 0x20000
EBREAK = 0x00100073
A0, A1, A2 = 10, 11, 12
DYNAMIC = 7 << 12


def instruction(mnemonic: str, rd: int = 0, rs1: int = 0, rs2: int = 0, bits: int = 0) -> int:
    line = by_mnemonic()[mnemonic]
    return line.match | (rd << 7 | rs1 << 15 | rs2 << 20 | bits) & ~line.mask


@pytest.fixture
def probe():
    probe = simulator.HartProbe()
    probe.map(CODE, 4096)
    probe.map(DATA, 4096)
    probe.set_x(A0, DATA + 128)
    return probe


def run(probe, *words: int) -> str:
    probe.write(CODE, b"".join(struct.pack("<I", word) for word in (*words, EBREAK)))
    return probe.run(CODE)


def test_cache_block_zero_clears_the_64_bytes_around_its_address(probe):
    probe.write(DATA, b"\xff" * 4096)
    probe.set_x(A0, DATA + 128 + 37)
    assert run(probe, instruction("cbo.zero", rs1=A0)) == "ebreak"
    assert probe.read(DATA, 4096) == b"\xff" * 128 + bytes(64) + b"\xff" * (4096 - 192)


def test_cache_block_zero_meets_earlier_and_later_stores(probe):
    probe.set_x(A1, 0x0123456789ABCDEF)
    ending = run(
        probe,
        instruction("sd", rs1=A0, rs2=A1),
        instruction("cbo.zero", rs1=A0),
        instruction("sb", rs1=A0, rs2=A1, bits=9 << 7),
    )
    assert ending == "ebreak"
    assert probe.read(DATA + 128, 16) == bytes(9) + b"\xef" + bytes(6)


@pytest.mark.parametrize("mnemonic", ["cbo.clean", "cbo.flush", "cbo.inval"])
def test_cache_block_management_loses_no_store(probe, mnemonic):
    probe.set_x(A1, 0x0123456789ABCDEF)
    ending = run(
        probe,
        instruction("sd", rs1=A0, rs2=A1),
        instruction(mnemonic, rs1=A0),
        instruction("ld", rd=A2, rs1=A0),
    )
    assert ending == "ebreak"
    assert probe.x(A2) == 0x0123456789ABCDEF


@pytest.mark.parametrize("mnemonic", ["wrs.nto", "wrs.sto"])
def test_without_a_reservation_there_is_no_wait(probe, mnemonic):
    assert run(probe, instruction("sc.d", rd=A2, rs1=A0, rs2=A1), instruction(mnemonic)) == "ebreak"
    assert probe.x(A2) == 1


def test_a_short_wait_ends_by_itself(probe):
    assert run(probe, instruction("lr.d", rd=A2, rs1=A0), instruction("wrs.sto")) == "ebreak"


def test_a_wait_without_limit_is_for_ever_when_nobody_stores(probe):
    assert run(probe, instruction("lr.d", rd=A2, rs1=A0), instruction("wrs.nto")) == "waits for ever"


@pytest.mark.parametrize("mnemonic", ["croft.watch.w", "croft.watch.d"])
def test_watch_loads_what_lr_loads(probe, mnemonic):
    probe.write(DATA + 128, struct.pack("<Q", 0x0123456780000001))
    lr = mnemonic.replace("croft.watch", "lr")
    assert run(probe, instruction(lr, rd=A1, rs1=A0), instruction(mnemonic, rd=A2, rs1=A0)) == "ebreak"
    assert probe.x(A2) == probe.x(A1)
    assert probe.x(A2) == (0xFFFFFFFF80000001 if mnemonic.endswith("w") else 0x0123456780000001)


@pytest.mark.parametrize(
    "mnemonic", ["fadd.s", "fmadd.d", "fsqrt.d", "fcvt.d.s", "fcvt.w.d", "fcvt.s.l", "fcvt.d.w", "fcvt.s.d"]
)
@pytest.mark.parametrize("frm", [5, 6, 7])
def test_a_reserved_dynamic_rounding_mode_is_illegal(probe, mnemonic, frm):
    probe.frm = frm
    word = instruction(mnemonic, rd=A2, rs1=1, rs2=1, bits=DYNAMIC)
    assert run(probe, instruction("addi", rd=A1, bits=1 << 20), word).startswith("illegal instruction")
    assert probe.x(A1) == 1
    # With a mode of its own the instruction does not look at frm.
    assert run(probe, instruction(mnemonic, rd=A2, rs1=1, rs2=1)) == "ebreak"


@pytest.mark.parametrize("mode", [5, 6])
def test_a_reserved_rounding_mode_in_the_instruction_is_illegal(probe, mode):
    assert run(probe, instruction("fadd.d", bits=mode << 12)).startswith("illegal instruction")


@pytest.mark.parametrize("number", [0x006, 0x300, 0x7C0, 0xC81, 0xFFF])
@pytest.mark.parametrize("mnemonic", ["csrrw", "csrrs", "csrrci"])
def test_an_unknown_csr_is_illegal(probe, mnemonic, number):
    assert run(probe, instruction(mnemonic, rd=A2, bits=number << 20)).startswith("illegal instruction")


@pytest.mark.parametrize("number", [0xC00, 0xC01, 0xC02])
def test_a_counter_can_be_read_but_not_written(probe, number):
    read = instruction("csrrs", rd=A1, bits=number << 20)
    again = instruction("csrrs", rd=A2, bits=number << 20)
    assert run(probe, read, *[instruction("div", rd=13)] * 20, again) == "ebreak"
    assert probe.x(A2) > probe.x(A1)
    assert run(probe, instruction("csrrw", rd=A1, bits=number << 20)).startswith("illegal instruction")
    assert run(probe, instruction("csrrs", rd=A1, rs1=A0, bits=number << 20)).startswith("illegal instruction")
    # rs1 = x0 does not write, a register that holds zero does.
    probe.set_x(A2, 0)
    assert run(probe, instruction("csrrc", rd=A1, rs1=A2, bits=number << 20)).startswith("illegal instruction")


def test_instret_counts_instructions(probe):
    read = [instruction("csrrs", rd=rd, bits=0xC02 << 20) for rd in (A1, A2)]
    assert run(probe, read[0], *[instruction("addi", rd=13, rs1=13, bits=1 << 20)] * 7, read[1]) == "ebreak"
    assert probe.x(A2) - probe.x(A1) == 8


@pytest.mark.parametrize("mnemonic", ["lr.w", "sc.d", "amoadd.w", "amomaxu.d"])
def test_a_misaligned_atomic_ends_the_run(probe, mnemonic):
    probe.set_x(A0, DATA + 130)
    ending = run(probe, instruction(mnemonic, rd=A2, rs1=A0))
    assert "misaligned" in ending


def test_hints_do_nothing(probe):
    before = [probe.x(n) for n in range(32)]
    hints = [instruction("add", rs2=rs2) for rs2 in (2, 3, 4, 5)]  # ntl.p1, ntl.pall, ntl.s1, ntl.all
    pause = instruction("fence", bits=0x01 << 24)
    assert run(probe, *hints, pause, instruction("lui", bits=MASK & 0xFFFFF000)) == "ebreak"
    assert [probe.x(n) for n in range(32)] == before


@pytest.mark.parametrize("word", [0x00000000, 0xFFFFFFFF, 0x0000001F, 0x30200073, 0x0010250B])
def test_an_illegal_instruction_is_named(probe, word):
    assert run(probe, word) == f"illegal instruction {f'{word:#010x}' if word & 3 == 3 else '0x0000'} at {CODE:#x}"
