"""Where croft's own files lie: installed beside the package, or in the source tree of an editable installation."""

import os
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
    """Where built programs are kept between runs: ``$XDG_CACHE_HOME/croft``, by default ``~/.cache/croft``."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "croft"
