"""From addresses in a program to functions and lines, by the ELF's symbol table and debug information."""

import bisect
import functools
import io
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ParamSpec, TypeVar, cast

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.ranges import BaseAddressEntry
from elftools.elf.elffile import ELFFile

from croft import _simulator
from croft.symbols.demangle import demangle

_SHARED_OBJECT = 3  # ET_DYN: of a program, a static PIE
_OBJECT, _FUNCTION = 1, 2  # STT_OBJECT, STT_FUNC
_LOAD = 1  # PT_LOAD
_MOST_ORIGINS = 16
"""Steps from an instance of a function to its name: in a damaged table they may go in a circle."""
P = ParamSpec("P")
T = TypeVar("T")
_FAR = 4096


@dataclass(frozen=True)
class Place:
    """A place in a program's source. ``file`` is empty and ``line`` 0 where no debug information covers it."""

    function: str
    file: str = ""
    line: int = 0

    @property
    def of_toolchain(self) -> bool:
        """Whether this is code of the C or C++ library rather than of the user."""
        return not self.file or "/ziglang/lib/" in self.file

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{self.function} ({where})" if where else self.function


def unless_damaged(nothing: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """What looks into a program's tables finds ``nothing`` where they are damaged.

    No run depends on them, and on damaged ones pyelftools raises whatever its own code comes to.
    """

    def decorate(look: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(look)
        def guarded(*arguments: P.args, **options: P.kwargs) -> T:
            try:
                return look(*arguments, **options)
            except Exception:
                return cast(T, nothing)

        return guarded

    return decorate


class Symbols:
    """The symbols of one program. Nothing is parsed before it is asked for, and damaged tables hold nothing.

    Addresses are those of the running program. A static PIE's tables, which say where its parts lie from its beginning
    on, are asked for ``address - self.moved``.
    """

    def __init__(self, elf: bytes) -> None:
        self._bytes = elf
        self.moved = _simulator.PIE_BASE if elf[16:18] == struct.pack("<H", _SHARED_OBJECT) else 0

    @cached_property
    @unless_damaged(None)
    def _elf(self) -> Any:
        return ELFFile(io.BytesIO(self._bytes))

    def loaded(self) -> bytes:
        """All that a machine loads of the program: unlike the whole file, it does not depend on where it was built.

        Raises struct.error for a file that no machine loads.
        """
        parts = []
        (first,), (size, count) = struct.unpack_from("<Q", self._bytes, 32), struct.unpack_from("<HH", self._bytes, 54)
        for number in range(count):
            kind, flags, offset, address, _, in_file, in_memory = struct.unpack_from(
                "<IIQQQQQ", self._bytes, first + number * size
            )
            if kind != _LOAD:
                continue
            # The ELF's own headers say where in the file the sections are, which debug information moves.
            begin = first + count * size if offset == 0 else offset
            parts.append(struct.pack("<QQI", address, in_memory, flags) + self._bytes[begin : offset + in_file])
        return b"".join(parts)

    @unless_damaged(b"")
    def section(self, name: str) -> bytes:
        """The bytes of a section; none if there is no such section."""
        section = self._elf.get_section_by_name(name)
        return section.data() if section else b""

    def function(self, address: int) -> str:
        """The function that holds ``address``, or the address itself in hexadecimal if none does."""
        return self._function(address - self.moved)

    def _function(self, address: int) -> str:
        starts, sizes, names = self._functions
        index = bisect.bisect_right(starts, address) - 1
        # Functions in assembly often have no size: these reach up to the next one, but not far.
        if index < 0 or address >= starts[index] + (sizes[index] or _FAR):
            return f"{address + self.moved:#x}"
        return demangle(names[index])

    def places(self, address: int) -> list[Place]:
        """Where ``address`` is: the innermost inlined function first, then its callers up to the function itself."""
        address -= self.moved
        return list(self._inlined(address)) or [Place(self._function(address))]

    @unless_damaged(())
    def _inlined(self, address: int) -> Sequence[Place]:
        return list(self._places(address))

    @cached_property
    @unless_damaged(None)
    def dwarf(self) -> Any:
        """The program's debug information, or None if it has none."""
        return self._elf.get_dwarf_info() if self._elf.has_dwarf_info() else None

    def variable(self, address: int) -> str:
        """The variable with static storage that holds ``address``; empty if none does."""
        found = self.variable_at(address)
        return found[0] if found else ""

    @property
    def has_functions(self) -> bool:
        """Whether there is a table of functions: a program may have been stripped of it."""
        return bool(self._functions[0])

    def functions(self) -> Iterator[tuple[int, int, str]]:
        """Of each function where it begins in the file, its bytes (0: not said), and its name for the linker."""
        return zip(*self._functions, strict=True)

    def variables(self) -> Iterator[tuple[str, int, int]]:
        """Of each variable with static storage its name, where it begins, and its bytes."""
        return ((demangle(name), start + self.moved, size) for start, size, name in zip(*self._variables, strict=True))

    def variable_at(self, address: int) -> tuple[str, int, int] | None:
        """The variable with static storage that holds ``address``: name, where it begins, bytes; None if none does."""
        starts, sizes, names = self._variables
        index = bisect.bisect_right(starts, address - self.moved) - 1
        if index < 0 or address - self.moved >= starts[index] + sizes[index]:
            return None
        return demangle(names[index]), starts[index] + self.moved, sizes[index]

    @cached_property
    def _functions(self) -> tuple[list[int], list[int], list[str]]:
        return self._named(_FUNCTION)

    @cached_property
    def _variables(self) -> tuple[list[int], list[int], list[str]]:
        return self._named(_OBJECT)

    @unless_damaged(([], [], []))
    def _named(self, kind: int) -> tuple[list[int], list[int], list[str]]:
        """The symbols of that kind: where they begin, their sizes, their names."""
        table = self._elf.get_section_by_name(".symtab")
        if table is None:
            return [], [], []
        text = self._elf.get_section(table["sh_link"]).data()
        found = sorted(
            (start, size, name)
            for name, info, _, section, start, size in struct.iter_unpack("<IBBHQQ", table.data())
            if info & 15 == kind and section
        )
        names = [text[name : text.index(0, name)].decode(errors="replace") for _, _, name in found]
        return [start for start, _, _ in found], [size for _, size, _ in found], names

    def _places(self, address: int) -> Iterator[Place]:
        unit = self.unit_of(address)
        if unit is None:
            return
        file, line = self._line(unit, address)
        chain = self._inlining(unit, address)
        for die in reversed(chain):
            is_inlined = die.tag == "DW_TAG_inlined_subroutine"
            yield Place(name_of(die) if is_inlined else self._function(address), file, line)
            if is_inlined:
                file = self.file_of(unit, die.attributes["DW_AT_call_file"].value)
                line = die.attributes["DW_AT_call_line"].value
        if not chain:
            yield Place(self._function(address), file, line)

    @cached_property
    def _units(self) -> list[tuple[int, int, CompileUnit]]:
        if self.dwarf is None:
            return []
        return sorted(
            ((low, high, unit) for unit in self.dwarf.iter_CUs() for low, high in self.ranges_of(unit.get_top_DIE())),
            key=lambda entry: entry[:2],
        )

    def unit_of(self, address: int) -> CompileUnit | None:
        """The unit that holds an address of the tables'."""
        index = bisect.bisect_right(self._units, address, key=lambda entry: entry[0]) - 1
        if index < 0 or address >= self._units[index][1]:
            return None
        return self._units[index][2]

    def ranges_of(self, die: DIE) -> Iterator[tuple[int, int]]:
        """Of addresses that a unit, function or block has."""
        attributes = die.attributes
        if "DW_AT_ranges" in attributes:
            base = die.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
            base = base.value if base else 0
            lists = self.dwarf.range_lists()
            for entry in lists.get_range_list_at_offset(attributes["DW_AT_ranges"].value, cu=die.cu):
                if isinstance(entry, BaseAddressEntry):
                    base = entry.base_address
                else:
                    offset = 0 if getattr(entry, "is_absolute", False) else base
                    yield entry.begin_offset + offset, entry.end_offset + offset
        elif "DW_AT_high_pc" in attributes:
            low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
            # An address in DWARF 2 and 3, since then mostly a length.
            yield low, high.value if high.form == "DW_FORM_addr" else low + high.value

    def _inlining(self, unit: CompileUnit, address: int) -> list[DIE]:
        """The function at ``address`` and the inlined calls that hold it, outermost first."""
        chain: list[DIE] = []
        below = unit.get_top_DIE()
        while below is not None:
            children, below = below.iter_children(), None
            for die in children:
                if die.tag in ("DW_TAG_namespace", "DW_TAG_structure_type", "DW_TAG_class_type"):
                    inner = self._search(die, address)
                elif self._holds(die, address):
                    inner = die
                else:
                    inner = None
                if inner is not None:
                    below = inner
                    if inner.tag in ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine"):
                        chain.append(inner)
                    break
        return chain

    def _search(self, scope: DIE, address: int) -> DIE | None:
        for die in scope.iter_children():
            if self._holds(die, address):
                return die
            if die.tag in ("DW_TAG_namespace", "DW_TAG_structure_type", "DW_TAG_class_type"):
                inner = self._search(die, address)
                if inner is not None:
                    return inner
        return None

    def _holds(self, die: DIE, address: int) -> bool:
        return die.tag in (
            "DW_TAG_subprogram",
            "DW_TAG_inlined_subroutine",
            "DW_TAG_lexical_block",
        ) and any(low <= address < high for low, high in self.ranges_of(die))

    def _line(self, unit: CompileUnit, address: int) -> tuple[str, int]:
        program = self.dwarf.line_program_for_CU(unit)
        if program is None:
            return "", 0
        last = None
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            if last is not None and not last.end_sequence and last.address <= address < state.address:
                return self.file_of(unit, last.file), last.line
            last = state
        return "", 0

    def file_of(self, unit: CompileUnit, index: int) -> str:
        """A file of a unit's line table, by its number there."""
        header = self.dwarf.line_program_for_CU(unit).header
        # Up to DWARF 4 files are counted from 1 and folder 0 is the unit's own; since DWARF 5 the lists hold both.
        old = header.version < 5
        entry = header.file_entry[index - 1 if old else index]
        name = entry.name.decode(errors="replace")
        if name.startswith("/"):
            return name
        folders = header.include_directory
        own = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
        parts = [own.value.decode(errors="replace")] if own else []
        if entry.dir_index or not old:
            parts.append(folders[entry.dir_index - 1 if old else entry.dir_index].decode(errors="replace"))
        path = name
        for part in reversed(parts):
            path = f"{part}/{path}" if part else path
            if path.startswith("/"):
                break
        return path


def name_of(die: DIE) -> str:
    """The name of a function, which may stand at its declaration or at the function it is an instance of."""
    for _ in range(_MOST_ORIGINS):
        for key in ("DW_AT_linkage_name", "DW_AT_name"):
            if key in die.attributes:
                return demangle(die.attributes[key].value.decode(errors="replace"))
        for key in ("DW_AT_abstract_origin", "DW_AT_specification"):
            if key in die.attributes:
                die = die.get_DIE_from_attribute(key)
                break
        else:
            break
    return "?"
