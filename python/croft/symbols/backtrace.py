"""The calls that led a thread to where it is, by the program's unwinding tables (``.eh_frame``)."""

from collections.abc import Sequence

from croft.symbols.symbols import Place, Symbols


def callers(symbols: Symbols, pc: int, registers: Sequence[int], stack: bytes) -> list[Place]:
    """The calls that are under way, innermost first, inlined functions included.

    ``registers`` are x0 to x31 at ``pc`` and ``stack`` is the memory from sp on, as much as is at hand; the list ends
    where either, or the program's tables, say no more.
    """
    addresses = symbols.tables.callers(pc, list(registers), stack, symbols.moved)
    places = symbols.places_of(addresses)
    return [place for address in addresses for place in places[address]]


def where(places: Sequence[Place]) -> Place:
    """The innermost of ``places`` in the user's own code, or the innermost of all if none is."""
    return next((place for place in places if not place.of_toolchain), places[0])
