"""Where many addresses of a program are, found together: what is in its tables of a unit is gone through once."""

import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE

from croft.symbols.line_rows import line_rows
from croft.symbols.symbols import Place, Symbols, name_of, unless_damaged

_SCOPES = ("DW_TAG_namespace", "DW_TAG_structure_type", "DW_TAG_class_type")
_HOLDERS = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine", "DW_TAG_lexical_block")


@dataclass(frozen=True)
class _Inlined:
    """A range of addresses that comes from a call that was inlined."""

    begin: int
    end: int
    depth: int
    function: str
    file: str
    line: int


class _Line(NamedTuple):
    """A range of addresses that comes from a line."""

    begin: int
    end: int
    file: str
    number: int


class PlaceTable:
    """The places of one program; what has been read of its tables is kept."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._units: dict[int, tuple[list[_Line], list[_Inlined]]] = {}

    @staticmethod
    @lru_cache(maxsize=4)
    def of(elf: bytes) -> "PlaceTable":
        """That of a program's file."""
        return PlaceTable(Symbols(elf))

    def places(self, addresses: Iterable[int]) -> dict[int, tuple[Place, ...]]:
        """For each address what ``Symbols.places`` says: the innermost inlined function first."""
        moved, function = self._symbols.moved, self._symbols.function
        wanted = sorted({address - moved for address in addresses})
        found: dict[int, tuple[Place, ...]] = {}
        for unit, inside in self._by_unit(wanted):
            found |= self._places_in(unit, inside)
        return {at + moved: found.get(at) or (Place(function(at + moved)),) for at in wanted}

    @unless_damaged(())
    def _by_unit(self, wanted: list[int]) -> Sequence[tuple[CompileUnit, list[int]]]:
        inside: dict[int, tuple[CompileUnit, list[int]]] = {}
        for address in wanted:
            unit = self._symbols.unit_of(address)
            if unit is not None:
                inside.setdefault(unit.cu_offset, (unit, []))[1].append(address)
        return list(inside.values())

    @unless_damaged({})
    def _places_in(self, unit: CompileUnit, wanted: list[int]) -> dict[int, tuple[Place, ...]]:
        lines, inlined = self._read(unit)
        begins = [line.begin for line in lines]
        found = {}
        under_way: list[_Inlined] = []
        coming = iter([*inlined, None])
        next_one = next(coming)
        for address in wanted:
            while next_one is not None and next_one.begin <= address:
                if next_one.end > address:
                    under_way.append(next_one)
                next_one = next(coming)
            under_way = [one for one in under_way if one.end > address]
            index = bisect.bisect_right(begins, address) - 1
            is_inside = index >= 0 and address < lines[index].end
            file, number = (lines[index].file, lines[index].number) if is_inside else ("", 0)
            chain = []
            for one in sorted(under_way, key=lambda one: -one.depth):
                chain.append(Place(one.function, file, number))
                file, number = one.file, one.line
            function = self._symbols.function(address + self._symbols.moved)
            found[address] = (*chain, Place(function, file, number))
        return found

    def _read(self, unit: CompileUnit) -> tuple[list["_Line"], list[_Inlined]]:
        if unit.cu_offset not in self._units:
            inlined = sorted(_inlined(self._symbols, unit), key=lambda one: (one.begin, one.depth))
            self._units[unit.cu_offset] = _lines(self._symbols, unit), inlined
        return self._units[unit.cu_offset]


def _lines(symbols: Symbols, unit: CompileUnit) -> list[_Line]:
    """In ascending order."""
    program = symbols.dwarf.line_program_for_CU(unit)
    if program is None:
        return []
    files: dict[int, str] = {}
    rows = []
    for before, row in pairwise(line_rows(program)):
        if before.end_sequence or before.address >= row.address:
            continue
        if before.file not in files:
            files[before.file] = symbols.file_of(unit, before.file)
        rows.append(_Line(before.address, row.address, files[before.file], before.line))
    return sorted(rows)


def _inlined(symbols: Symbols, unit: CompileUnit) -> Iterator[_Inlined]:
    def below(scope: DIE, depth: int) -> Iterator[_Inlined]:
        for die in scope.iter_children():
            if die.tag in _SCOPES:
                yield from below(die, depth)
            if die.tag not in _HOLDERS:
                continue
            is_inlined = die.tag == "DW_TAG_inlined_subroutine"
            if is_inlined:
                file = symbols.file_of(unit, die.attributes["DW_AT_call_file"].value)
                line = die.attributes["DW_AT_call_line"].value
                name = name_of(die)
                for low, high in symbols.ranges_of(die):
                    yield _Inlined(low, high, depth, name, file, line)
            yield from below(die, depth + is_inlined)

    yield from below(unit.get_top_DIE(), 0)
