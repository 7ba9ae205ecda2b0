"""The 16-bit instructions of RV64C, Zcb and Zcmop: their encodings (unprivileged specification, instruction listings).

Written apart from simulator/isa/compressed.cpp, for the random programs that test it.
"""

from __future__ import annotations

from dataclasses import dataclass

# Where a field's lowest bit is, and how wide it is. A primed register is one of x8..x15; so named by what it is for:
# base' is an address, fd' and fs2' are floating-point registers.
_FIELDS = {
    "rd": (7, 5), "rs1": (7, 5), "rs2": (2, 5), "fd": (7, 5), "fs2": (2, 5),
    "rd'": (7, 3), "rs1'": (7, 3), "base'": (7, 3), "rd' low": (2, 3), "rs2'": (2, 3), "fd'": (2, 3), "fs2'": (2, 3),
}  # fmt: skip


def _mask(name: str) -> int:
    low, width = _FIELDS[name]
    return ((1 << width) - 1) << low


@dataclass(frozen=True)
class Compressed:
    mnemonic: str
    match: int
    mask: int  # the bits that make the opcode; what no field takes of the others is the immediate
    fields: tuple[str, ...]
    needs_immediate: bool = False  # an immediate of zero is reserved, or another instruction
    takes_x0: bool = False  # rd = x0 is this instruction, or a hint, and not reserved

    @property
    def immediate_mask(self) -> int:
        taken = self.mask
        for name in self.fields:
            taken |= _mask(name)
        return ~taken & 0xFFFF

    def encode(self, fields: dict[str, int], immediate: int) -> int:
        """The half-word with these registers; of `immediate`, the bits at the places of the immediate."""
        half = self.match | immediate & self.immediate_mask
        for name, register in fields.items():
            low, width = _FIELDS[name]
            half |= (register & ((1 << width) - 1)) << low
        return half

    def offset_bits(self, offset: int) -> int:
        """The immediate of c.j, c.beqz or c.bnez, `offset` bytes from the instruction."""
        order = _JUMP if self.mnemonic == "c.j" else _BRANCH
        reach = 1 << (len(order))
        if not -reach <= offset < reach:
            raise ValueError(f"{self.mnemonic} cannot reach {offset} bytes")
        return sum((offset >> bit & 1) << place for place, bit in order)


# (bit of the half-word, bit of the offset)
_JUMP = ((12, 11), (11, 4), (10, 9), (9, 8), (8, 10), (7, 6), (6, 7), (5, 3), (4, 2), (3, 1), (2, 5))
_BRANCH = ((12, 8), (11, 4), (10, 3), (6, 7), (5, 6), (4, 2), (3, 1), (2, 5))

_LIST = (
    Compressed("c.addi4spn", 0x0000, 0xE003, ("rd' low",), needs_immediate=True),
    Compressed("c.fld", 0x2000, 0xE003, ("base'", "fd'")),
    Compressed("c.lw", 0x4000, 0xE003, ("base'", "rd' low")),
    Compressed("c.ld", 0x6000, 0xE003, ("base'", "rd' low")),
    Compressed("c.fsd", 0xA000, 0xE003, ("base'", "fs2'")),
    Compressed("c.sw", 0xC000, 0xE003, ("base'", "rs2'")),
    Compressed("c.sd", 0xE000, 0xE003, ("base'", "rs2'")),
    Compressed("c.lbu", 0x8000, 0xFC03, ("base'", "rd' low")),
    Compressed("c.lhu", 0x8400, 0xFC43, ("base'", "rd' low")),
    Compressed("c.lh", 0x8440, 0xFC43, ("base'", "rd' low")),
    Compressed("c.sb", 0x8800, 0xFC03, ("base'", "rs2'")),
    Compressed("c.sh", 0x8C00, 0xFC43, ("base'", "rs2'")),
    Compressed("c.nop", 0x0001, 0xEF83, ()),
    Compressed("c.addi", 0x0001, 0xE003, ("rd",)),
    Compressed("c.addiw", 0x2001, 0xE003, ("rd",)),
    Compressed("c.li", 0x4001, 0xE003, ("rd",), takes_x0=True),
    Compressed("c.addi16sp", 0x6101, 0xEF83, (), needs_immediate=True),
    Compressed("c.lui", 0x6001, 0xE003, ("rd",), needs_immediate=True, takes_x0=True),
    Compressed("c.srli", 0x8001, 0xEC03, ("rd'",)),
    Compressed("c.srai", 0x8401, 0xEC03, ("rd'",)),
    Compressed("c.andi", 0x8801, 0xEC03, ("rd'",)),
    Compressed("c.sub", 0x8C01, 0xFC63, ("rd'", "rs2'")),
    Compressed("c.xor", 0x8C21, 0xFC63, ("rd'", "rs2'")),
    Compressed("c.or", 0x8C41, 0xFC63, ("rd'", "rs2'")),
    Compressed("c.and", 0x8C61, 0xFC63, ("rd'", "rs2'")),
    Compressed("c.subw", 0x9C01, 0xFC63, ("rd'", "rs2'")),
    Compressed("c.addw", 0x9C21, 0xFC63, ("rd'", "rs2'")),
    Compressed("c.mul", 0x9C41, 0xFC63, ("rd'", "rs2'")),
    Compressed("c.zext.b", 0x9C61, 0xFC7F, ("rd'",)),
    Compressed("c.sext.b", 0x9C65, 0xFC7F, ("rd'",)),
    Compressed("c.zext.h", 0x9C69, 0xFC7F, ("rd'",)),
    Compressed("c.sext.h", 0x9C6D, 0xFC7F, ("rd'",)),
    Compressed("c.zext.w", 0x9C71, 0xFC7F, ("rd'",)),
    Compressed("c.not", 0x9C75, 0xFC7F, ("rd'",)),
    Compressed("c.mop", 0x6081, 0xF8FF, ()),  # its number, an odd one, is what no field takes
    Compressed("c.j", 0xA001, 0xE003, ()),
    Compressed("c.beqz", 0xC001, 0xE003, ("rs1'",)),
    Compressed("c.bnez", 0xE001, 0xE003, ("rs1'",)),
    Compressed("c.slli", 0x0002, 0xE003, ("rd",), takes_x0=True),
    Compressed("c.fldsp", 0x2002, 0xE003, ("fd",)),
    Compressed("c.lwsp", 0x4002, 0xE003, ("rd",)),
    Compressed("c.ldsp", 0x6002, 0xE003, ("rd",)),
    Compressed("c.jr", 0x8002, 0xF07F, ("rs1",)),
    Compressed("c.mv", 0x8002, 0xF003, ("rd", "rs2"), takes_x0=True),
    Compressed("c.ebreak", 0x9002, 0xFFFF, ()),
    Compressed("c.jalr", 0x9002, 0xF07F, ("rs1",)),
    Compressed("c.add", 0x9002, 0xF003, ("rd", "rs2"), takes_x0=True),
    Compressed("c.fsdsp", 0xA002, 0xE003, ("fs2",)),
    Compressed("c.swsp", 0xC002, 0xE003, ("rs2",)),
    Compressed("c.sdsp", 0xE002, 0xE003, ("rs2",)),
)

COMPRESSED = {entry.mnemonic: entry for entry in _LIST}
