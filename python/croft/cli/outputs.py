"""The files that a command writes when its run is over: opened before it begins, each whole or not there at all."""

from collections.abc import Callable
from pathlib import Path

from croft.base.errors import UsageError
from croft.base.whole_file import WholeFile


class Outputs:
    """Files that are promised now and written later.

    What cannot be written is said before hours of simulation, not behind them. A file that cannot be written in the end
    is noted in ``failed``, and leaves the others alone. Until then nothing is changed of a file that is there already.
    """

    def __init__(self) -> None:
        self.failed: list[str] = []
        """A sentence for each file that could not be written."""
        self._promised: dict[Path, WholeFile] = {}

    def __enter__(self) -> "Outputs":
        return self

    def __exit__(self, *error: object) -> None:
        for promised in self._promised.values():
            promised.drop()

    def promise(self, file: Path | None) -> None:
        """Makes sure that ``file`` can be written, beside its place. Raises UsageError; None is no file."""
        if file is None:
            return
        if file.is_dir():
            raise UsageError(f"{file}: that is a directory; name a file in it")
        if file in self._promised:
            raise UsageError(f"{file}: two results go to this file; name another one for one of them")
        if file.exists() and not file.is_file():  # a device or a pipe, which nothing may take the place of
            return
        try:
            self._promised[file] = WholeFile(file)
        except OSError as error:
            way = "name a place that can be written" if file.parent.is_dir() else f"make the folder {file.parent} first"
            raise UsageError(f"{file}: {error.strerror or error}; {way}") from error

    def write(self, file: Path | None, write: Callable[[Path], object]) -> None:
        """Writes a promised file by ``write``, which is given where."""
        if file is None:
            return
        promised = self._promised.get(file)
        try:
            write(promised.partial if promised else file)
            if promised:
                promised.put()
                del self._promised[file]
        except OSError as error:
            self.failed.append(f"{file}: {error.strerror or error}")
