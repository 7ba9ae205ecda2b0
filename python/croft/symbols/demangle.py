"""C++ names as their programmer wrote them."""

import re
from functools import lru_cache

from croft import _simulator

_PART = re.compile(r"\.\d+$")
"""Behind the name of a variable of which the compiler keeps a part, or of a copy of a function."""
_PLACE = re.compile(r"(.*) \(([^()]+\.[^()]+)\)")
"""A function with its file, which has an ending: Place as text."""
_TOKEN = re.compile(
    r"(?<!\w)operator(?:\(\)|<=>|->\*?|<<=?(?!<)|<<|>>=?|[<>]=?| \w+)|\(anonymous namespace\)|\(\)|->|."
)
"""What stays in one piece where brackets are counted: they are part of these names."""


@lru_cache(maxsize=1 << 16)
def demangle(name: str) -> str:
    """The C++ name of a mangled symbol without parameter types; any other name is returned as it is."""
    return without_parameters(_simulator.demangle(_PART.sub("", name))) if name.startswith("_Z") else name


@lru_cache(maxsize=1 << 16)
def elided(name: str) -> str:
    """A function's or a variable's name for a table: ``basic_farm<…>::run``.

    Template arguments and parameters, which often take a hundred times the name's own room, are left out, and so is a
    return type.
    """
    if name.startswith("_Z"):
        return _scopes(name)
    kept: list[str] = []
    depth = begins = 0
    for token in _TOKEN.findall(name):
        depth -= depth and token in (">", ")")
        if not depth:
            kept.append(token)
            begins = len(kept) if token == " " else begins
        if token in ("<", "("):
            kept += ["…"] if not depth else []
            depth += 1
    return "".join(kept[begins:]) or name


def _scopes(mangled: str) -> str:
    """What can be read of a name that no demangler here knows: ``_ZZN5croft4lookI...`` is croft::look<…>."""
    at, found = len(mangled) - len(mangled.lstrip("_ZNK")), list[str]()
    while number := re.match(r"\d+", mangled[at:]):
        begin = at + number.end()
        at = begin + int(number[0])
        found.append(mangled[begin:at])
    return f"{'::'.join(found)}<…>" if found else mangled


def elided_place(text: str) -> str:
    """``f<int> (/src/a.cpp:3)`` as ``f<…> (a.cpp:3)``; a name alone as elided() has it."""
    found = _PLACE.fullmatch(text)
    return f"{elided(found[1])} ({found[2].rpartition('/')[2]})" if found else elided(text)


def without_parameters(name: str) -> str:
    """A function's name without its parameters, which are often longer than the name and do not help to find it."""
    name = name.removesuffix(" const")
    if not name.endswith(")"):
        return name
    depth = 0
    for index in range(len(name) - 1, -1, -1):
        depth += (name[index] == ")") - (name[index] == "(")
        if depth == 0:
            return name[:index] or name
    return name
