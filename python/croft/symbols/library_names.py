"""What the names of functions say of their loads and stores, where no debug information says it.

A static glibc has none. C reserves names that begin with an underscore for those who make C, and nearly all of glibc's
functions have one that does, beside the name that programs use: ``__new_sem_post`` is ``sem_post``, too. Those that
have none work on what their caller has handed them (``strlen``), or are helpers within one file.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from itertools import groupby

from croft.symbols.symbols import Symbols


class Site(IntEnum):
    """As RaceSite::Kind in simulator/contract/simulation.hpp."""

    PLAIN = 0
    ATOMIC = 1
    UNSURE = 2
    LIBRARY = 3
    RELEASING = 4


_RESERVED = re.compile(r"_(?!Z|R|GLOBAL_)")
"""Not what the compilers of C++ and Rust make of a program's own names."""
_HELPER = re.compile(
    r"(start_thread|create_thread|malloc_consolidate|unlink_chunk|sysmalloc\w*|systrim|munmap_chunk|arena_get\w*|"
    r"detach_arena|\w*new_heap|tcache_init|ptmalloc_init|do_futex_wait|buffered_vfprintf|new_do_write)(\.|$)"
)
"""Helpers of glibc's threads, allocator and streams."""
_DATA_OF_CALLER = re.compile(r"_*(raw)?(mem|str|stp|wcs|wcp|wmem|bcopy|bzero|bcmp|index|qsort|msort|bsearch)")
_CPP_LIBRARY = re.compile(r"_ZN?K?(St|Ss|9__gnu_cxx)")
_RELEASING = re.compile(
    r"_*(new_)?(sem_post|pthread_barrier_wait|pthread_(rwlock|mutex)_unlock\w*|int_free|libc_allocate_once_slow)$"
)
"""They release by a compare-and-exchange, which GCC 12 compiles without it (docs/decisions/race-detector.md)."""


def said_by_names(symbols: Symbols) -> Iterator[tuple[int, int, Site]]:
    """Of functions without debug information, those whose loads and stores are no plain ones."""
    for start, same in groupby(symbols.functions(), lambda function: function[0]):
        functions = list(same)
        kind = _kind([name for _, _, name in functions])
        if kind != Site.PLAIN and not symbols.is_covered(start + symbols.moved):
            yield start, start + max(size for _, size, _ in functions), kind


def public_name(symbols: Symbols, address: int) -> str:
    """The name that programs use of the function at an address of the running program."""
    at = address - symbols.moved
    names = [name for start, size, name in symbols.functions() if start <= at < start + size]
    return min(names, key=lambda name: len(name) - len(name.lstrip("_")), default=symbols.function(address))


def _kind(names: list[str]) -> Site:
    """``names``: all of one function."""

    def any_is(pattern: re.Pattern[str]) -> bool:
        return any(map(pattern.match, names))

    if any_is(_DATA_OF_CALLER):
        return Site.PLAIN
    if any_is(_RELEASING):
        return Site.RELEASING
    if any_is(_RESERVED) or any_is(_HELPER):
        return Site.LIBRARY
    return Site.UNSURE if any_is(_CPP_LIBRARY) else Site.PLAIN
