"""The calls that led a thread to where it is, by the program's unwinding tables (``.eh_frame``)."""

import bisect
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from elftools.dwarf.callframe import FDE, CFARule

from croft.symbols.symbols import Place, Symbols, unless_damaged

_RETURN_ADDRESS, _STACK_POINTER = 1, 2  # RISC-V's ra and sp
_DEEPEST = 64


class Unwinder:
    """Unwinds threads of one program."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols

    def callers(self, pc: int, registers: Sequence[int], stack: bytes) -> list[int]:
        """The addresses of the calls that are under way, innermost first: ``pc``, then one per caller.

        ``registers`` are x0 to x31 at ``pc`` and ``stack`` is the memory from sp on, as much as is at hand; the list
        ends where either, or the program's tables, say no more. A caller's address lies inside its call instruction.
        """
        found, values, bottom = [pc], list(registers), registers[_STACK_POINTER]
        while len(found) < _DEEPEST:
            rules = self._rules(found[-1])
            if rules is None:
                # Only a leaf written in assembly has no table: its caller is in ra.
                if len(found) > 1 or not values[_RETURN_ADDRESS]:
                    break
                found.append(values[_RETURN_ADDRESS] - 1)
                continue
            cfa_rule: CFARule | None = rules.get("cfa")
            if cfa_rule is None or cfa_rule.reg is None or cfa_rule.reg >= len(values):
                break
            cfa = values[cfa_rule.reg] + cfa_rule.offset
            outer = list(values)
            for register, rule in rules.items():
                # From 32 on they are floating-point registers, which lead nowhere.
                if isinstance(register, int) and register < len(outer) and rule.type == "OFFSET":
                    offset = cfa + rule.arg - bottom
                    if not 0 <= offset <= len(stack) - 8:
                        return found
                    outer[register] = int.from_bytes(stack[offset : offset + 8], "little")
            outer[_STACK_POINTER] = cfa
            caller = outer[_RETURN_ADDRESS] - 1
            if caller <= 0 or (caller == found[-1] and cfa == values[_STACK_POINTER]):
                break
            found.append(caller)
            values = outer
        return found

    def places(self, pc: int, registers: Sequence[int], stack: bytes) -> list[Place]:
        """The same calls as places in the source, inlined functions included."""
        return [place for address in self.callers(pc, registers, stack) for place in self._symbols.places(address)]

    @cached_property
    @unless_damaged([])
    def _tables(self) -> list[tuple[int, int, FDE]]:
        dwarf = self._symbols.dwarf
        if dwarf is None or not dwarf.has_EH_CFI():
            return []
        tables = [entry for entry in dwarf.EH_CFI_entries() if isinstance(entry, FDE)]
        return sorted(
            ((fde["initial_location"], fde["initial_location"] + fde["address_range"], fde) for fde in tables),
            key=lambda entry: entry[:2],
        )

    @unless_damaged(None)
    def _rules(self, address: int) -> dict[Any, Any] | None:
        address -= self._symbols.moved
        index = bisect.bisect_right(self._tables, address, key=lambda entry: entry[0]) - 1
        if index < 0 or address >= self._tables[index][1]:
            return None
        rules = None
        for line in self._tables[index][2].get_decoded().table:
            if line["pc"] > address:
                break
            rules = line
        return rules


def where(places: Sequence[Place]) -> Place:
    """The innermost of ``places`` in the user's own code, or the innermost of all if none is."""
    return next((place for place in places if not place.of_toolchain), places[0])
