"""C++ names as their programmer wrote them."""

import re
from functools import lru_cache

from croft import _simulator

_PART = re.compile(r"\.\d+$")
"""Behind the name of a variable of which the compiler keeps a part, or of a copy of a function."""


@lru_cache(maxsize=1 << 16)
def demangle(name: str) -> str:
    """The C++ name of a mangled symbol without parameter types; any other name is returned as it is."""
    return without_parameters(_simulator.demangle(_PART.sub("", name))) if name.startswith("_Z") else name


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
