"""The simulator's instruction tables (simulator/isa/*.inc), read as data.

The tests take their list of instructions from here, so an instruction that is added to a table is tested without
being named again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "simulator" / "isa"

_LINE = re.compile(
    r"^INSTRUCTION\((?P<name>\w+),\s*(?P<format>\w+),\s*(?P<match>0x\w+),\s*(?P<mask>0x\w+),\s*(?P<cost>\w+),\s*"
    r"(?P<semantics>\{.*\})\)\s*//",
    re.MULTILINE,
)


@dataclass(frozen=True)
class TableLine:
    """One line of a table: an instruction of 32 bits."""

    mnemonic: str  # as an assembler writes it: "amoadd.w"
    format: str  # a name of croftsim::Format
    match: int
    mask: int
    cost: str
    semantics: str
    extension: str  # the table's file name: "rv64a"

    def _uses(self, *words: str) -> bool:
        return any(word in self.semantics for word in words)

    @cached_property
    def writes_float(self) -> bool:
        return self._uses("FD(", "FS(", "FH(", "LOAD_HALF", "LOAD_SINGLE", "LOAD_DOUBLE")

    @cached_property
    def writes_single(self) -> bool:
        """Whether the result is a NaN-boxed single."""
        return self._uses("FS(", "LOAD_SINGLE")

    @cached_property
    def writes_half(self) -> bool:
        """Whether the result is a NaN-boxed half."""
        return self._uses("FH(", "LOAD_HALF")

    @cached_property
    def single_sources(self) -> tuple[int, ...]:
        """Which of rs1, rs2, rs3 are read as singles, which must be NaN-boxed."""
        return tuple(n for n in (1, 2, 3) if self._uses(f"FS{n}"))

    def source_format(self, number: int) -> str | None:
        """What rs1, rs2 or rs3 is read as: "D", "S" or "H"; None if it is no floating-point operand."""
        return next((form for form in "DSH" if self._uses(f"F{form}{number}")), None)

    @cached_property
    def rounds(self) -> bool:
        return self.format in ("float_r", "float_r4")


@lru_cache
def instructions() -> tuple[TableLine, ...]:
    """All instructions, in the order of instructions.inc."""
    lines = []
    for include in re.findall(r'#include "isa/(\w+)\.inc"', (FOLDER / "instructions.inc").read_text()):
        text = (FOLDER / f"{include}.inc").read_text()
        found = list(_LINE.finditer(text))
        if len(found) != text.count("\nINSTRUCTION("):
            raise ValueError(f"{include}.inc has a line that is not of the form INSTRUCTION(...)  // ...")
        for match in found:
            lines.append(
                TableLine(
                    mnemonic=match["name"].rstrip("_").replace("_", "."),
                    format=match["format"],
                    match=int(match["match"], 16),
                    mask=int(match["mask"], 16),
                    cost=match["cost"],
                    semantics=match["semantics"],
                    extension=include,
                )
            )
    return tuple(lines)


@lru_cache
def by_mnemonic() -> dict[str, TableLine]:
    return {line.mnemonic: line for line in instructions()}
