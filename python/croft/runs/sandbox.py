"""Which of the host's directories a simulated program may see, and under which names."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from croft.base.errors import UsageError

StrPath = str | os.PathLike[str]
READ_ONLY = ":ro"


class Granted(NamedTuple):
    """A directory's name on the host, its name for the program, and whether the program may only read it."""

    host: str
    guest: str
    read_only: bool


def grant(directory: StrPath) -> Granted:
    """``HOST`` alone keeps its absolute path, ``HOST::GUEST`` gives another; ``:ro`` behind either: only to be read.

    (A directory whose own name ends in ``:ro`` is given with a name for the program.)
    Raises UsageError if the host has no such directory or the guest's name is not an absolute path.
    """
    names = os.fspath(directory).removesuffix(READ_ONLY)
    host, named, guest = names.partition("::")
    if not host or (named and not guest):
        raise UsageError(f"--dir {os.fspath(directory)!r}: it must be HOST or HOST::GUEST, and neither is empty")
    if "\0" in host + guest:
        raise UsageError(f"--dir {os.fspath(directory)!r}: no directory has a zero byte in its name")
    if not Path(host).is_dir():
        raise UsageError(f"--dir {host}: no such directory; make it, or name another one")
    host = os.path.normpath(Path(host).absolute())
    guest = guest or host
    if not guest.startswith("/"):
        raise UsageError(f"--dir {host}::{guest}: the program's name for it must be an absolute path")
    return Granted(host, os.path.normpath(guest), names != os.fspath(directory))


def root(folder: str) -> Granted:
    """The folder as the root of all that the program sees, to be read only. Raises UsageError if there is none."""
    if not Path(folder).is_dir():
        raise UsageError(f"--sysroot {folder}: no such directory")
    return Granted(os.path.normpath(Path(folder).absolute()), "/", True)


def working_directory(directories: Sequence[Granted]) -> str:
    """The program's name for the current directory, or "/" if that was not granted."""
    here = Path.cwd()
    for host, guest, _ in directories:
        base = Path(host).resolve()
        if here.is_relative_to(base):
            return str(Path(guest, here.relative_to(base)))
    return "/"
