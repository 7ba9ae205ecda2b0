"""The files that a command writes when its run is over: opened before it begins, each whole or not there at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from croft.errors import UsageError


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
        try:
            descriptor, name = tempfile.mkstemp(prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent)
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror or error}") from error
        os.close(descriptor)
        self._partial[file] = Path(name)

    def write(self, file: Path | None, write: Callable[[Path], object]) -> None:
        """Writes a promised file by ``write``, which is given where."""
        if file is None:
            return
        partial = self._partial.get(file)
        try:
            write(partial or file)
            if partial:
                partial.chmod(_mode(_target(file)))
                partial.replace(_target(file))
                del self._partial[file]
        except OSError as error:
            self.failed.append(f"{file}: {error.strerror or error}")


def _is_special(file: Path) -> bool:
    """A device or a pipe, which nothing may take the place of."""
    return file.exists() and not file.is_file()


def _target(file: Path) -> Path:
    return file.resolve()  # a link stays one


def _mode(file: Path) -> int:
    """The file's permissions, or those that a new one would have."""
    if file.exists():
        return file.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
