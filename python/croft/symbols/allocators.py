"""Which functions of a program allocate memory, for a recorder that follows their calls."""

from enum import IntEnum
from functools import lru_cache

from croft.symbols.symbols import Symbols


class Which(IntEnum):
    """What the first two arguments are, as Followed::Which in simulator/contract/simulation.hpp."""

    MALLOC = 0
    CALLOC = 1
    REALLOC = 2
    ALIGNED = 3


_NAMES = {
    "malloc": Which.MALLOC,
    "calloc": Which.CALLOC,
    "realloc": Which.REALLOC,
    "aligned_alloc": Which.ALIGNED,
    "memalign": Which.ALIGNED,
    "_ZN5croft6detail14allocate_linesEmi": Which.MALLOC,
    "_ZN5croft6detail9line_poolINS0_12mapped_pagesEE8allocateEmi": Which.ALIGNED,  # this, bytes
}


@lru_cache(maxsize=8)
def allocators(elf: bytes) -> list[tuple[int, int]]:
    """The address of each, and which it is; none of a program without symbols."""
    symbols = Symbols.of(elf)
    found = {symbols.moved + at: _NAMES[name] for at, _, name in symbols.functions() if name in _NAMES}
    return [(address, int(which)) for address, which in sorted(found.items())]
