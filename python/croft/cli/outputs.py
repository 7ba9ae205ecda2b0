"""The files that a command writes when its run is over: opened before it begins, each whole or not there at all."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from croft.base.errors import UsageError


class Outputs:
    """Files that are promised now and written later.

    What cannot be written is said before hours of simulation, not behind them. A file that cannot be written in the end
    is noted in ``failed``, and leaves the others alone. Until then nothing is changed of a file that is there already.
    """

    def __init__(self) -> None:
        self.failed: list[str] = []
        """A sentence for each file that could not be written."""
        self._partial: dict[Path, Path] = {}

    def __enter__(self) -> "Outputs":
        return self

    def __exit__(self, *error: object) -> None:
        for partial in self._partial.values():
            partial.unlink(missing_ok=True)

    def promise(self, file: Path | None) -> None:
        """Makes sure that ``file`` can be written, beside its place. Raises UsageError; None is no file."""
        if file is None:
            return
        if file.is_dir():
            raise UsageError(f"{file}: that is a directory")
        if file in self._partial:
            raise UsageError(f"{file}: two results go to this file")
        if _is_special(file):
            return
        target = _target(file)
        partial = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
        try:
            partial.touch(exist_ok=False)
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror or error}") from error
        self._partial[file] = partial

    def write(self, file: Path | None, write: Callable[[Path], object]) -> None:
        """Writes a promised file by ``write``, which is given where."""
        if file is None:
            return
        partial = self._partial.get(file)
        try:
            write(partial or file)
            if partial:
                target = _target(file)
                if target.exists():
                    shutil.copymode(target, partial)
                partial.replace(target)
                del self._partial[file]
        except OSError as error:
            self.failed.append(f"{file}: {error.strerror or error}")


def _is_special(file: Path) -> bool:
    """A device or a pipe, which nothing may take the place of."""
    return file.exists() and not file.is_file()


def _target(file: Path) -> Path:
    return file.resolve()  # a link stays one
