"""Writes a small static RISC-V program, with code, data and bss, as the first input of elf_fuzz."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

BASE = 0x10000
PT_LOAD, PT_TLS, READ, WRITE, EXECUTE = 1, 7, 4, 2, 1
HEADER, PROGRAM_HEADER = 64, 56


def program() -> bytes:
    code = struct.pack("<3I", 0x05D00893, 0x00000513, 0x00000073)  # li a7, 93; li a0, 0; ecall
    data = b"data" * 8
    code_offset, data_offset = 0x1000, 0x2000  # as in their pages
    segments = [
        (PT_LOAD, READ | EXECUTE, code_offset, BASE, len(code), len(code), 4096),
        (PT_LOAD, READ | WRITE, data_offset, BASE + 0x1000, len(data), 0x3000, 4096),
        (PT_TLS, READ, data_offset, BASE + 0x1000, 4, 16, 8),
    ]
    headers = b"".join(
        struct.pack("<IIQQQQQQ", kind, flags, offset, address, address, in_file, in_memory, alignment)
        for kind, flags, offset, address, in_file, in_memory, alignment in segments
    )
    identification = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header = identification + struct.pack(
        "<HHIQQQIHHHHHH", 2, 243, 1, BASE, HEADER, 0, 5, HEADER, PROGRAM_HEADER, len(segments), 64, 0, 0
    )
    return (header + headers).ljust(code_offset, b"\0") + code.ljust(data_offset - code_offset, b"\0") + data


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(program())
