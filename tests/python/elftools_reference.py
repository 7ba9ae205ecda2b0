"""What pyelftools reads of a program, as croft._simulator.DebugInformation says it."""

import bisect
import io
import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise

from elftools.dwarf.callframe import FDE
from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.ranges import BaseAddressEntry
from elftools.elf.elffile import ELFFile

_SCOPES = ("DW_TAG_namespace", "DW_TAG_structure_type", "DW_TAG_class_type")
_HOLDERS = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine", "DW_TAG_lexical_block")
_RETURN_ADDRESS, _STACK_POINTER, _DEEPEST = 1, 2, 64
_MOST_BYTES = 1 << 64

Place = tuple[str, str, int]


class Reference:
    """The tables of one program; its addresses are those of the tables."""

    def __init__(self, elf: bytes) -> None:
        self.file = ELFFile(io.BytesIO(elf))
        self._dwarf = self.file.get_dwarf_info()
        self._known_lines: dict[int, list[tuple[int, int, str, int]]] = {}
        self._units = sorted(
            ((low, high, unit) for unit in self._dwarf.iter_CUs() for low, high in self._ranges(unit.get_top_DIE())),
            key=lambda entry: entry[:2],
        )
        frames = self._dwarf.EH_CFI_entries() if self._dwarf.has_EH_CFI() else []
        self._frames = sorted(
            (
                (each["initial_location"], each["initial_location"] + each["address_range"], each)
                for each in frames
                if isinstance(each, FDE)
            ),
            key=lambda entry: entry[:2],
        )

    def symbols(self, kind: int) -> list[tuple[int, int, str]]:
        """The symbols of a kind, as (begin, bytes, name)."""
        table = self.file.get_section_by_name(".symtab")
        texts = self.file.get_section(table["sh_link"]).data()
        found = sorted(
            (start, size, name)
            for name, info, _, section, start, size in struct.iter_unpack("<IBBHQQ", table.data())
            if info & 15 == kind and section
        )
        return [(start, size, texts[name : texts.index(0, name)].decode()) for start, size, name in found]

    def lines(self) -> list[tuple[int, int, str, int]]:
        """Of all units."""
        return [line for unit in self._dwarf.iter_CUs() for line in self._lines(unit)]

    def places(self, addresses: Sequence[int]) -> list[tuple[Place, ...]]:
        """For each address the inlined functions there and their names for the linker, innermost first."""
        inside: dict[int, tuple[CompileUnit, list[int]]] = {}
        for address in sorted(addresses):
            index = bisect.bisect_right(self._units, address, key=lambda entry: entry[0]) - 1
            if index >= 0 and address < self._units[index][1]:
                unit = self._units[index][2]
                inside.setdefault(unit.cu_offset, (unit, []))[1].append(address)
        found: dict[int, list[Place]] = {}
        for unit, wanted in inside.values():
            lines, calls = self._lines(unit), sorted(self._calls(unit), key=lambda one: one[:3])
            for address in wanted:
                index = bisect.bisect_right(lines, address, key=lambda line: line[0]) - 1
                is_inside = index >= 0 and address < lines[index][1]
                file, line = lines[index][2:] if is_inside else ("", 0)
                found[address] = chain = []
                until = bisect.bisect_right(calls, address, key=lambda one: one[0])
                here = [one for one in calls[:until] if address < one[1]]
                for _, _, _, name, called_in, called_at in sorted(here, key=lambda one: -one[2]):
                    chain.append((name, file, line))
                    file, line = called_in, called_at
                chain.append(("", file, line))
        return [tuple(found.get(address, ())) for address in addresses]

    def find_named(self, labels: list[str], functions: list[str]) -> tuple[list, list]:
        """Labels as (address, number), code of functions as (begin, end, number)."""
        found: tuple[list, list] = [], []
        for unit in self._dwarf.iter_CUs():
            for die in unit.iter_DIEs():
                if die.tag == "DW_TAG_label" and "DW_AT_low_pc" in die.attributes:
                    name = _written(die)
                    if name in labels:
                        found[0].append((die.attributes["DW_AT_low_pc"].value, labels.index(name)))
                elif die.tag in ("DW_TAG_inlined_subroutine", "DW_TAG_subprogram"):
                    name = _written(die).partition("<")[0]
                    if name in functions:
                        number = functions.index(name)
                        found[1].extend((begin, end, number) for begin, end in self._ranges(die) if begin < end)
        return found

    def callers(self, pc: int, registers: Sequence[int], stack: bytes) -> list[int]:
        """The addresses of the calls under way, innermost first."""
        found, values, bottom = [pc], list(registers), registers[_STACK_POINTER]
        while len(found) < _DEEPEST:
            rules = self._rules(found[-1])
            if rules is None:
                if len(found) > 1 or not values[_RETURN_ADDRESS]:
                    break
                found.append(values[_RETURN_ADDRESS] - 1)
                continue
            if rules["cfa"].reg is None:
                break
            frame = values[rules["cfa"].reg] + rules["cfa"].offset
            outer = list(values)
            for register, rule in rules.items():
                if isinstance(register, int) and register < len(outer) and rule.type == "OFFSET":
                    offset = frame + rule.arg - bottom
                    if not 0 <= offset <= len(stack) - 8:
                        return found
                    outer[register] = int.from_bytes(stack[offset : offset + 8], "little")
            outer[_STACK_POINTER] = frame
            caller = outer[_RETURN_ADDRESS] - 1
            if caller <= 0 or (caller == found[-1] and frame == values[_STACK_POINTER]):
                break
            found.append(caller)
            values = outer
        return found

    def frame_edges(self) -> list[int]:
        """Where the rules of frames change."""
        return [line["pc"] for _, _, frame in self._frames for line in frame.get_decoded().table]

    def _rules(self, address: int) -> dict | None:
        index = bisect.bisect_right(self._frames, address, key=lambda entry: entry[0]) - 1
        if index < 0 or address >= self._frames[index][1]:
            return None
        return [line for line in self._frames[index][2].get_decoded().table if line["pc"] <= address][-1]

    def _ranges(self, die: DIE) -> Iterator[tuple[int, int]]:
        attributes = die.attributes
        if "DW_AT_ranges" in attributes:
            top = die.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
            base = top.value if top else 0
            for entry in self._dwarf.range_lists().get_range_list_at_offset(attributes["DW_AT_ranges"].value, die.cu):
                if isinstance(entry, BaseAddressEntry):
                    base = entry.base_address
                else:
                    offset = 0 if entry.is_absolute else base
                    yield (entry.begin_offset + offset) % _MOST_BYTES, (entry.end_offset + offset) % _MOST_BYTES
        elif "DW_AT_high_pc" in attributes:
            low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
            yield low, high.value if high.form == "DW_FORM_addr" else low + high.value

    def _lines(self, unit: CompileUnit) -> list[tuple[int, int, str, int]]:
        if unit.cu_offset not in self._known_lines:
            program = self._dwarf.line_program_for_CU(unit)
            states = [entry.state for entry in program.get_entries() if entry.state] if program else []
            files = {number: self._file(unit, number) for number in {state.file for state in states}}
            self._known_lines[unit.cu_offset] = sorted(
                (state.address, after.address, files[state.file], state.line)
                for state, after in pairwise(states)
                if not state.end_sequence and state.address < after.address
            )
        return self._known_lines[unit.cu_offset]

    def _calls(self, unit: CompileUnit) -> Iterator[tuple[int, int, int, str, str, int]]:
        def below(scope: DIE, depth: int) -> Iterator[tuple[int, int, int, str, str, int]]:
            for die in scope.iter_children():
                is_inlined = die.tag == "DW_TAG_inlined_subroutine"
                if is_inlined:
                    file = self._file(unit, die.attributes["DW_AT_call_file"].value)
                    for low, high in self._ranges(die):
                        yield low, high, depth, _name(die), file, die.attributes["DW_AT_call_line"].value
                if die.tag in (*_SCOPES, *_HOLDERS):
                    yield from below(die, depth + is_inlined)

        yield from below(unit.get_top_DIE(), 0)

    def _file(self, unit: CompileUnit, index: int) -> str:
        header = self._dwarf.line_program_for_CU(unit).header
        is_old = header.version < 5
        entry = header.file_entry[index - is_old]
        parts = [entry.name]
        if entry.dir_index or not is_old:
            parts.insert(0, header.include_directory[entry.dir_index - is_old])
        own = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
        path = b""
        for part in [*([own.value] if own else []), *parts]:
            path = part if part.startswith(b"/") or not path else path + b"/" + part if part else path
        return path.decode()


def _name(die: DIE) -> str:
    while True:
        for key in ("DW_AT_linkage_name", "DW_AT_name"):
            if key in die.attributes:
                return die.attributes[key].value.decode()
        keys = [key for key in ("DW_AT_abstract_origin", "DW_AT_specification") if key in die.attributes]
        if not keys:
            return "?"
        die = die.get_DIE_from_attribute(keys[0])


def _written(die: DIE) -> str:
    while "DW_AT_abstract_origin" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
    name = die.attributes.get("DW_AT_name")
    return name.value.decode() if name else ""
