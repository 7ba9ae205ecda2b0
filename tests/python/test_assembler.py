"""The simulator's disassembler and decoder against LLVM's assembler (the ziglang wheel).

What the simulator reads in an encoding is written as text and assembled again: the same bits must come out. That
checks every field of every instruction, and, with compression, the expansion of every 16-bit instruction.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from elftools.elf.elffile import ELFFile

from croft import _simulator as simulator
from instruction_tables import TableLine, instructions

TARGET = [
    *("-target", "riscv64-linux-musl"),
    "-mcpu=generic_rv64+m+a+f+d+c+zicsr+zifencei+zawrs+zicbom+zicboz"
    "+zba+zbb+zbs+zicond+zimop+zcmop+zcb+zacas+zabha+zfhmin+zfa",
]


def assemble(lines: list[str], folder: Path) -> bytes:
    source, made = folder / "program.s", folder / "program.o"
    source.write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", *TARGET, "-c", str(source), "-o", str(made)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]
    with made.open("rb") as file:
        return ELFFile(file).get_section_by_name(".text").data()


def encodings(line: TableLine, rng: random.Random, count: int) -> set[int]:
    """The instruction with random fields; without the fields that the specification has ignored."""
    found = set()
    free = ~line.mask & 0xFFFFFFFF
    if line.mnemonic == "fence":
        free = 0x0FF00000
    if line.mnemonic == "fence.i":
        free = 0
    for _ in range(count):
        bits = line.match | rng.getrandbits(32) & free
        if line.rounds and bits >> 12 & 7 in (5, 6):
            bits |= 0x7000
        found.add(bits)
    return found


def test_every_instruction_survives_the_assembler(tmp_path):
    rng = random.Random(1)
    # LLVM knows neither croft's own instructions nor the return of the draft extension "N".
    lines = [line for line in instructions() if not line.mnemonic.startswith("croft.") and line.mnemonic != "uret"]
    words = [bits for line in lines for bits in sorted(encodings(line, rng, 50))]
    text = [simulator.disassemble(bits, 0) for bits in words]
    code = assemble([".option norvc", ".option norelax", *text], tmp_path)
    assert len(code) == 4 * len(words)
    wrong = []
    for index, bits in enumerate(words):
        back = int.from_bytes(code[4 * index : 4 * index + 4], "little")
        if back != bits:
            wrong.append(f"{bits:#010x} is read as `{text[index]}`, which is {back:#010x}")
    assert not wrong, "\n".join(wrong[:20])


def is_chosen(half: int) -> bool:
    """Whether an assembler has a reason to choose this valid half-word: it is not a hint, and has no other name."""
    quadrant, funct3, rd = half & 3, half >> 13, half >> 7 & 31
    immediate = half >> 7 & 32 | half >> 2 & 31
    if half in (0x6141, 0x713D, 0x717D):  # c.addi16sp of 16, -32, -16: c.addi has them too
        return False
    match quadrant, funct3:
        case 1, 0:  # c.nop with an immediate, c.addi by 0
            return half == 0x0001 or (rd != 0 and immediate != 0)
        case 1, 2 | 3:  # c.li and c.lui to x0, c.mop
            return rd != 0 and half & 0xF8FF != 0x6081
        case 1, 4:  # c.srli and c.srai by 0
            return half >> 10 & 3 > 1 or immediate != 0
        case 2, 0:  # c.slli of x0, or by 0
            return rd != 0 and immediate != 0
        case 2, 4:  # c.mv and c.add to x0
            return rd != 0 or half == 0x9002
    return True


def test_every_compressed_instruction_survives_the_assembler(tmp_path):
    halves = [half for half in range(1 << 16) if half & 3 != 3 and is_chosen(half)]
    read = [(half, simulator.disassemble(half, 0)) for half in halves]
    valid = [(half, text) for half, text in read if not text.startswith("illegal")]
    assert len(valid) == 46743 + 1008 - 397  # see tests/cpp/simulator/decode_test.cpp
    code = assemble([".option rvc", ".option norelax", *(text for _, text in valid)], tmp_path)
    wrong, at = [], 0
    for half, text in valid:
        back = int.from_bytes(code[at : at + 2], "little")
        if back != half:
            wrong.append(f"{half:#06x} is read as `{text}`, which is {back:#06x}")
        at += 4 if back & 3 == 3 else 2
    assert not wrong, "\n".join(wrong[:20])
