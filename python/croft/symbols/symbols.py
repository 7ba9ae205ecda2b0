"""From addresses in a program to functions and lines, by the ELF's symbol table and debug information."""

import bisect
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from croft import _simulator
from croft.symbols.demangle import demangle

_SHARED_OBJECT = 3  # ET_DYN: of a program, a static PIE
_LOAD = 1  # PT_LOAD
_FAR = 4096
_ADDRESSES = 1 << 64


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

    @property
    def of_croft(self) -> bool:
        """Whether this is code of croft's library."""
        return "/include/croft/" in self.file or "/many_core/croft/" in self.file

    @property
    def is_own(self) -> bool:
        """Whether this is code of the user's program."""
        return not self.of_toolchain and not self.of_croft

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{self.function} ({where})" if where else self.function


class Symbols:
    """The symbols of one program. Nothing is parsed before it is asked for, and damaged tables hold nothing.

    Addresses are those of the running program. A static PIE's tables, which say where its parts lie from its beginning
    on, are asked for ``address - self.moved``.
    """

    def __init__(self, elf: bytes) -> None:
        self._bytes = elf
        self.moved = _simulator.PIE_BASE if elf[16:18] == struct.pack("<H", _SHARED_OBJECT) else 0

    @staticmethod
    @lru_cache(maxsize=4)
    def of(elf: bytes) -> "Symbols":
        """Those of a program's file; what has been read of its tables is kept."""
        return Symbols(elf)

    def __reduce__(self) -> tuple[Callable[[bytes], "Symbols"], tuple[bytes]]:
        return Symbols.of, (self._bytes,)

    @cached_property
    def tables(self) -> _simulator.DebugInformation:
        """What the simulator reads of the program's file."""
        return _simulator.DebugInformation(self._bytes, _inflate)

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

    def section(self, name: str) -> bytes:
        """The bytes of a section; none if there is no such section."""
        return self.tables.section(name)

    def function(self, address: int) -> str:
        """The function that holds ``address``, or the address itself in hexadecimal if none does."""
        at = address - self.moved
        index = bisect.bisect_right(self._functions, at, key=_begin) - 1
        if index >= 0:
            start, size, name = self._functions[index]
            # Functions in assembly often have no size: these reach up to the next one, but not far.
            if at < start + (size or _FAR):
                return demangle(name)
        return f"{address:#x}"

    def places(self, address: int) -> Sequence[Place]:
        """Where ``address`` is: the innermost inlined function first, then its callers up to the function itself."""
        return self.places_of([address])[address]

    def places_of(self, addresses: Iterable[int]) -> dict[int, tuple[Place, ...]]:
        """For each of many addresses what ``places`` says; asking for all together is faster.

        Addresses at the same place have the same tuple.
        """
        wanted = list(addresses)
        known: dict[tuple[str, tuple[tuple[str, str, int], ...]], tuple[Place, ...]] = {}
        found = {}
        chains = self.tables.places([(address - self.moved) % _ADDRESSES for address in wanted])
        for address, chain in zip(wanted, chains, strict=True):
            function = self.function(address)
            if (function, chain) not in known:
                inlined = [Place(demangle(name), file, line) for name, file, line in chain[:-1]]
                known[function, chain] = (*inlined, Place(function, *(chain[-1][1:] if chain else ())))
            found[address] = known[function, chain]
        return found

    def is_covered(self, address: int) -> bool:
        """Whether there is debug information of ``address``."""
        return self.tables.covers((address - self.moved) % _ADDRESSES)

    def variable(self, address: int) -> str:
        """The variable with static storage that holds ``address``; empty if none does."""
        found = self.variable_at(address)
        return found[0] if found else ""

    @property
    def has_functions(self) -> bool:
        """Whether there is a table of functions: a program may have been stripped of it."""
        return bool(self._functions)

    def functions(self) -> Iterator[tuple[int, int, str]]:
        """Of each function where it begins in the file, its bytes (0: not said), and its name for the linker."""
        return iter(self._functions)

    def variables(self) -> Iterator[tuple[str, int, int]]:
        """Of each variable with static storage its name, where it begins, and its bytes."""
        return ((demangle(name), start + self.moved, size) for start, size, name in self._variables)

    def variable_at(self, address: int) -> tuple[str, int, int] | None:
        """The variable with static storage that holds ``address``: name, where it begins, bytes; None if none does."""
        index = bisect.bisect_right(self._variables, address - self.moved, key=_begin) - 1
        if index < 0:
            return None
        start, size, name = self._variables[index]
        return (demangle(name), start + self.moved, size) if address - self.moved < start + size else None

    @cached_property
    def _functions(self) -> list[tuple[int, int, str]]:
        return self.tables.functions()

    @cached_property
    def _variables(self) -> list[tuple[int, int, str]]:
        return self.tables.variables()


def _begin(symbol: tuple[int, int, str]) -> int:
    return symbol[0]


def _inflate(compressed: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(compressed, size)
    except zlib.error:
        return b""
