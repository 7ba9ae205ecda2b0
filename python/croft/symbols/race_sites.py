"""What a program's tables say of its loads and stores that a race detector has to know: which are atomic.

C++'s atomics are, for the most part, plain loads and stores of the processor. Their instructions are inlined from the
headers of atomics, and debug information says so. Of code that has none, names say something (library_names.py).
"""

import re
import struct
from functools import lru_cache

from croft.symbols.library_names import Site, said_by_names
from croft.symbols.symbols import Symbols

_ATOMIC = re.compile(
    r"/__atomic/|/atomic_(arch|support|base|ref)\.h$|/bits/atomic_|/stdatomic\.h$|/include/(c\+\+/[^/]*/)?atomic$"
)
"""Files whose loads and stores are those of atomic objects: of libc++, musl and libstdc++."""
_DATA_OF_CALLER = re.compile(r"/musl/src/(string|stdlib)/(?!.*exit)")
"""Parts of the C library whose loads and stores are of what their caller has handed them."""
_LIBRARY = re.compile(r"/libc/musl/|/ziglang/lib/(std|c)/")
_UNSURE = re.compile(r"/libcxx/|/libcxxabi/|/libunwind/|/include/c\+\+/")


@lru_cache(maxsize=8)
def race_sites(elf: bytes) -> list[tuple[int, int, int]]:
    """Ranges of addresses with what their loads and stores are, in ascending order; what is in none is plain."""
    symbols = Symbols.of(elf)
    found = sorted({*_said_by_lines(symbols), *said_by_names(symbols), *_said_by_program(symbols)})
    sites: list[tuple[int, int, int]] = []
    for begin, end, kind in found:
        if sites and begin < sites[-1][1]:  # of two that overlap, in damaged tables, the first one's part
            begin = sites[-1][1]
        if begin >= end:
            continue
        if sites and sites[-1][1] == begin and sites[-1][2] == kind:
            begin = sites.pop()[0]
        sites.append((begin, end, kind))
    return [(begin + symbols.moved, end + symbols.moved, int(kind)) for begin, end, kind in sites]


def _said_by_lines(symbols: Symbols) -> list[tuple[int, int, Site]]:
    found: list[tuple[int, int, Site]] = []
    for begin, end, file, line in symbols.tables.lines():
        kind = _kind(file)
        if kind == Site.PLAIN and line == 0:  # made of several lines' code by the compiler
            kind = Site.UNSURE
        if kind != Site.PLAIN:
            found.append((begin, end, kind))
    return found


@lru_cache(maxsize=1 << 12)
def _kind(file: str) -> Site:
    if _ATOMIC.search(file):
        return Site.ATOMIC
    if _LIBRARY.search(file) and not _DATA_OF_CALLER.search(file):
        return Site.LIBRARY
    return Site.UNSURE if _UNSURE.search(file) else Site.PLAIN


def _said_by_program(symbols: Symbols) -> list[tuple[int, int, Site]]:
    """Loads that the program says may race (port::load_racing)."""
    section = symbols.section(".croft.racing")
    addresses = struct.iter_unpack("<Q", section[: len(section) // 8 * 8])
    return [(address, address + 2, Site.ATOMIC) for (address,) in addresses]
