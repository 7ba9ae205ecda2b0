"""The state that a random program leaves, and how two of them differ."""

from __future__ import annotations

from dataclasses import dataclass

from random_programs import SCRATCH


@dataclass
class State:
    ended: str  # "ebreak", or what went wrong
    pc: int
    x: list[int]
    f: list[int]
    fflags: int
    frm: int
    memory: bytes  # of the scratch memory

    def differences(self, other: State, here: str, there: str) -> list[str]:
        """One line for each thing that differs; `here` and `there` name this state and the other."""
        lines = []

        def compare(name: str, mine, theirs, form: str) -> None:
            if mine != theirs:
                lines.append(f"{name}: {here} {mine:{form}}, {there} {theirs:{form}}")

        compare("end", self.ended, other.ended, "s")
        compare("pc", self.pc, other.pc, "#x")
        for number in range(32):
            compare(f"x{number}", self.x[number], other.x[number], "#018x")
        for number in range(32):
            compare(f"f{number}", self.f[number], other.f[number], "#018x")
        compare("fflags", self.fflags, other.fflags, "#x")
        compare("frm", self.frm, other.frm, "d")
        for offset in range(0, len(self.memory), 8):
            mine, theirs = (int.from_bytes(m[offset : offset + 8], "little") for m in (self.memory, other.memory))
            compare(f"memory at {SCRATCH + offset:#x}", mine, theirs, "#018x")
        return lines
