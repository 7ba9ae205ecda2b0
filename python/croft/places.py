"""Where croft's own files lie: installed beside the package, or in the source tree of an editable installation."""

import functools
import os
import pwd
import stat
import tempfile
import warnings
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_SOURCE_TREE = _PACKAGE.parents[1]


def _folder(name: str) -> Path:
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _SOURCE_TREE / name


def include_folder() -> Path:
    """The folder to give a compiler with ``-I`` for ``#include <croft/...>``."""
    return _folder("include")


def machines_folder() -> Path:
    """The folder of the machine files that come with croft."""
    return _folder("machines")


def programs_folder() -> Path:
    """The folder of the sources of the papers' programs."""
    return _folder("programs")


def cmake_folder() -> Path:
    """The folder of ``croftConfig.cmake``, for ``-Dcroft_DIR=`` or ``CMAKE_PREFIX_PATH``.

    In an editable installation CMake's files are in site-packages, not beside the sources.
    """
    from croft import _simulator

    for package in (_PACKAGE, Path(_simulator.__file__).resolve().parent):
        folder = package / "lib" / "cmake" / "croft"
        if folder.is_dir():
            return folder
    raise FileNotFoundError("croftConfig.cmake is not installed with this croft")


def cache_folder() -> Path:
    """Where programs and runs are kept: ``$XDG_CACHE_HOME/croft``, by default ``~/.cache/croft``.

    Where nothing can be written there it is a folder of this user's among the temporary ones, and a warning says so.
    """
    return _writable_cache(os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", ""))


@functools.cache
def _writable_cache(xdg: str, home: str) -> Path:
    # A relative path is to be ignored (XDG Base Directory Specification); an empty HOME is none.
    base = Path(xdg) if Path(xdg).is_absolute() else Path(home or _home_of_user(), ".cache")
    folder = base / "croft"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(None, "it cannot be written")
    except OSError as error:
        instead = _temporary_cache()
        warnings.warn(f"{folder}: {error.strerror}; programs and runs are kept in {instead}", stacklevel=2)
        return instead
    return folder


def _home_of_user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a user without an entry, as in many containers
        return "/nonexistent"


def _temporary_cache() -> Path:
    """One for all commands of this user; but nobody else's folder of that name, from which programs would be run."""
    folder = Path(tempfile.gettempdir(), f"croft-{os.getuid()}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022:
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="croft-"))
