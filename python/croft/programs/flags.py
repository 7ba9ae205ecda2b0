"""Flags for a compiler that is run in another folder than the user's."""

import re
from collections.abc import Iterable
from pathlib import Path

_NAMES_A_PATH = re.compile(r"(-[ILB]|-isystem|-iquote|-idirafter|-include|-imacros|--?[a-z][\w-]*=)?([^-/].*)")


def with_whole_paths(flags: Iterable[str]) -> list[str]:
    """The flags, in which files and folders that are there by a relative path are named by their whole path.

    ziglang compiles its C++ library anew in each folder that it is run in, so croft runs it in one of its own. The path
    belongs to the flag wherever the compiler runs: by it a program that is kept is found again.
    """
    return [_whole(flag) for flag in flags]


def _whole(flag: str) -> str:
    named = _NAMES_A_PATH.fullmatch(flag)
    return f"{named[1] or ''}{Path(named[2]).resolve()}" if named and Path(named[2]).exists() else flag
