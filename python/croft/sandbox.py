"""Which of the host's directories a simulated program may see, and under which names."""

import os
from collections.abc import Sequence
from pathlib import Path

from croft.errors import UsageError

StrPath = str | os.PathLike[str]


def grant(directory: StrPath) -> tuple[str, str]:
    """A directory as (host, guest) names: ``HOST`` alone keeps its absolute path, ``HOST::GUEST`` gives another.

    Raises UsageError if the host has no such directory or the guest's name is not an absolute path.
    """
    host, named, guest = os.fspath(directory).partition("::")
    if not host or (named and not guest):
        raise UsageError(f"--dir {os.fspath(directory)!r}: it must be HOST or HOST::GUEST, and neither is empty")
    if "\0" in host + guest:
        raise UsageError(f"--dir {os.fspath(directory)!r}: no directory has a zero byte in its name")
    if not Path(host).is_dir():
        raise UsageError(f"--dir {host}: no such directory")
    host = os.path.normpath(Path(host).absolute())
    guest = guest or host
    if not guest.startswith("/"):
        raise UsageError(f"--dir {host}::{guest}: the program's name for it must be an absolute path")
    return host, os.path.normpath(guest)


def working_directory(directories: Sequence[tuple[str, str]]) -> str:
    """The program's name for the current directory, or "/" if that was not granted."""
    here = Path.cwd()
    for host, guest in directories:
        base = Path(host).resolve()
        if here.is_relative_to(base):
            return str(Path(guest, here.relative_to(base)))
    return "/"
