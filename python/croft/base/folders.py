"""Where croft's own files lie: installed beside the package, or in the source tree of an editable installation."""

import functools
import os
import pwd
import stat
import tempfile
import warnings
from pathlib import Path

from croft.base.errors import CacheWarning

_PACKAGE = Path(__file__).resolve().parents[1]
_SOURCE_TREE = _PACKAGE.parents[1]


def _folder(installed_as: str) -> Path:
    installed = _PACKAGE / installed_as
    return installed if installed.is_dir() else _SOURCE_TREE / installed.name


def include_folder() -> Path:
    """The folder to give a compiler with ``-I`` for ``#include <croft/...>``."""
    return _folder("include")


def many_core_folder() -> Path:
    """The second such folder: headers for many-cores and for the papers' experiments alone."""
    return _folder("share/croft/many_core")


def machines_folder() -> Path:
    """The folder of the machine files that come with croft."""
    return _folder("share/croft/machines")


def programs_folder() -> Path:
    """The folder of the sources of the papers' programs."""
    return _folder("share/croft/programs")


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
    """Where built programs are kept between runs: ``$XDG_CACHE_HOME/croft``, by default ``~/.cache/croft``.

    If that cannot be written (no home, or a read-only one), it is a folder of this user among the temporary files, and
    a CacheWarning says so, once.
    """
    return _cache_folder(os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME"))


def cache_is_temporary() -> bool:
    """Whether the cache's own place cannot be written."""
    return cache_folder().parent == Path(tempfile.gettempdir())


@functools.cache
def _cache_folder(caches: str | None, home: str | None) -> Path:
    base = Path(caches) if caches else Path(_home_of_user() if home is None else home, ".cache")
    wanted = base / "croft"
    if (caches or home != "") and _is_writable(wanted):
        return wanted
    why = f"{wanted} cannot be written" if caches or home != "" else "HOME is empty"
    # Known by its name, so that the next run finds it; but a folder of that name may be another user's trap.
    folder = Path(tempfile.gettempdir(), f"croft-{os.getuid()}")
    if not (_is_writable(folder) and _is_ours_alone(folder)):
        folder = Path(tempfile.mkdtemp(prefix="croft-"))
    warnings.warn(f"{why}: what is built is kept in {folder}", CacheWarning, stacklevel=3)
    return folder


def _home_of_user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # nobody that this host knows
        return os.devnull


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in ``folder``, which is made if it is not there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _is_ours_alone(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
