"""Files that appear whole: each is written beside its place, which it takes when all of it is there."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class WholeFile:
    """A file that is going to take the place of ``file``, which until then stays as it is.

    ``partial`` is where to write it: empty, with the suffix of ``file`` and, if that is there, its permissions. Nobody
    else's has that name, so several may write one file at once: the last to put() theirs wins. A link stays one.
    Raises OSError where nothing can be written.
    """

    def __init__(self, file: Path) -> None:
        self._target = file.resolve()
        self.partial = self._target.with_name(f".{self._target.stem}.{secrets.token_hex(4)}{self._target.suffix}")
        self.partial.touch(exist_ok=False)
        if self._target.exists():
            shutil.copymode(self._target, self.partial)

    def put(self, *, lasting: bool = False) -> None:
        """Puts it in place. If ``lasting``, it is on the disk before, so that not even a power cut leaves a part."""
        if lasting:
            with self.partial.open("rb+") as written:
                os.fsync(written.fileno())
        self.partial.replace(self._target)

    def drop(self) -> None:
        """Gives up one that has not been put in place."""
        self.partial.unlink(missing_ok=True)


@contextmanager
def whole_file(file: Path, *, lasting: bool = False) -> Iterator[Path]:
    """The block writes to the path that it is given, which then takes the place of ``file``, unless an error came."""
    written = WholeFile(file)
    try:
        yield written.partial
        written.put(lasting=lasting)
    finally:
        written.drop()
