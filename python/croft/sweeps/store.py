"""Where runs are kept: a folder of this host, or any address that fsspec knows, shared by whoever uses it."""

import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import fsspec
from fsspec.implementations.local import LocalFileSystem

from croft.base.errors import UsageError
from croft.base.folders import cache_folder
from croft.base.whole_file import whole_file
from croft.sweeps.kept_runs import KeptRun, Origin, RunKey, packed, unpacked

SUFFIX = ".json.gz"
STALE = 30 * 24 * 3600
"""Seconds after which, here, a run that something newer has taken the place of is dropped."""


@dataclass(frozen=True)
class Entry:
    """A kept run as it lies in a store. ``key`` is its name there without the suffix."""

    key: str
    kept: KeptRun
    origin: Origin


class RunStore:
    """The runs kept at ``address`` (default: ``$CROFT_STORE``, else in croft's cache).

    Nothing is locked: a run's key says what its result is, so whoever writes it at the same time writes the same, and
    on every store a file appears whole. What is damaged counts as not there.
    Raises UsageError for an address that cannot be used.
    """

    def __init__(self, address: str | None = None) -> None:
        self.address = address or os.environ.get("CROFT_STORE") or str(cache_folder() / "runs")
        try:
            self._files, self._root = fsspec.core.url_to_fs(self.address)
        except (ImportError, ValueError) as error:
            raise UsageError(f"the store {self.address}: {error}") from None
        self._is_local = isinstance(self._files, LocalFileSystem)
        self._root = self._root.rstrip("/")

    def find(self, key: RunKey) -> KeptRun | None:
        """The run, or None if there is none like this."""
        found = self._read(key.name)
        if found and self._is_local:
            os.utime(self._path(key.name))
        return found[0] if found else None

    def put(self, key: RunKey, kept: KeptRun, origin: Origin) -> None:
        """Keeps a run. Raises UsageError if it cannot."""
        content = packed(kept, origin)
        try:
            if self._is_local:
                # Whoever reads at the same time finds a whole file, or none.
                folder = Path(self._root)
                folder.mkdir(parents=True, exist_ok=True)
                with whole_file(folder / key.name) as partial:
                    partial.write_bytes(content)
            else:  # an object appears whole
                self._files.pipe_file(self._path(key.name), content)
        except Exception as error:  # each kind of store has its own
            raise UsageError(f"the store {self.address}: {error}") from error

    def seconds(self, key: RunKey, names: list[str]) -> float | None:
        """How long the run took before, by any build of program, machine and simulator; ``names``: names()."""
        earlier = [self._read(name) for name in names if name.startswith(f"{key.label}-")]
        return max((found[0].host_seconds for found in earlier if found), default=None)

    def names(self) -> list[str]:
        """Of all that is kept. Raises UsageError if the store cannot be read."""
        try:
            if not self._files.exists(self._root):
                return []
            self._files.invalidate_cache()
            listed = self._files.ls(self._root, detail=False)
        except Exception as error:
            raise UsageError(f"the store {self.address}: {error}") from error
        return sorted(path.rsplit("/", 1)[-1] for path in listed if path.endswith(SUFFIX))

    def entries(self) -> Iterator[Entry]:
        """All that can be read."""
        for name in self.names():
            if found := self._read(name):
                yield Entry(name.removesuffix(SUFFIX), *found)

    def entry(self, key: str) -> Entry:
        """The one whose key is, or begins with, ``key``. Raises UsageError unless there is exactly one."""
        meant = [name for name in self.names() if key and key in (name[: len(key)], name.partition("-")[2][: len(key)])]
        if len(meant) != 1:
            which = "no run" if not meant else f"{len(meant)} runs"
            begin = "begins" if not meant else "begin"
            raise UsageError(f"{which} of the store {self.address} {begin} with {key!r}; croft runs lists them")
        found = self._read(meant[0])
        if not found:
            raise UsageError(f"the run {key} of the store {self.address} is damaged")
        return Entry(meant[0].removesuffix(SUFFIX), *found)

    def remove(self, key: str) -> None:
        """Drops a run."""
        self._files.rm_file(self._path(key + SUFFIX))

    def drop_stale(self, put: Collection[RunKey]) -> None:
        """Drops, in a folder of this host, old runs that those ``put`` have taken the place of."""
        if not self._is_local:
            return
        current = {key.name for key in put}
        labels = {key.label for key in put}
        for name in self.names():
            path = self._path(name)
            if name not in current and name.partition("-")[0] in labels and time.time() - _changed(path) > STALE:
                Path(path).unlink(missing_ok=True)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _read(self, name: str) -> tuple[KeptRun, Origin] | None:
        try:
            return unpacked(self._files.cat_file(self._path(name)))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise UsageError(f"the store {self.address}: {error}") from error


def _changed(path: str) -> float:
    try:
        return Path(path).stat().st_mtime
    except OSError:  # somebody else has dropped it
        return time.time()
