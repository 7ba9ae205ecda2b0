"""The results of a sweep as a Parquet dataset that grows: a folder of files, each of which appears whole."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from croft.base.errors import UsageError
from croft.base.whole_file import whole_file

if TYPE_CHECKING:
    import pandas as pd

POINT = "point"
"""The column that says which point a row is of: a digest of the program, its arguments and the machine."""
EVERY = 10.0
"""Seconds after which what has ended is written."""
MOST_ROWS = 2000
"""Rows that are held back at most."""


class SweepDataset:
    """The rows of a sweep's points in ``folder``, those of earlier calls among them.

    Rows of points that failed are there as long as the dataset is written; the next call does these points again.
    Raises UsageError for a folder that cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._waiting: list[dict[str, Any]] = []
        self._written = time.monotonic()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._before = self._read()
            if len(self._before):
                self._before = self._before[self._before["error"] == ""]
            self.done: set[str] = set(self._before[POINT]) if len(self._before) else set()
            self._number = max((int(file.stem.partition("-")[2]) for file in self._parts()), default=0)
        except (OSError, ValueError, KeyError) as error:
            raise UsageError(f"{folder}: {getattr(error, 'strerror', None) or error}") from error

    def add(self, point: str, rows: Iterable[dict[str, Any]]) -> None:
        """The rows of a point that has ended. They are on disk some seconds later, or when the dataset is closed."""
        self._waiting += [{POINT: point} | row for row in rows]
        if time.monotonic() - self._written > EVERY or len(self._waiting) >= MOST_ROWS:
            self.flush()

    def flush(self) -> None:
        """Writes what waits."""
        if self._waiting:
            import pandas as pd

            self._number += 1
            self._write(pd.DataFrame(self._waiting), self.folder / f"part-{self._number:06}.parquet")
            self._waiting = []
        self._written = time.monotonic()

    def close(self, order: list[str]) -> "pd.DataFrame":
        """Makes one file of all, with the points in this ``order``; returns its rows."""
        self.flush()
        rows = self._read()
        if not len(rows):
            return rows
        # Of a point that failed before and went well now, or was done twice: the latest.
        latest = rows.groupby(POINT)["_part"].transform("max")
        rows = rows[rows["_part"] == latest].drop(columns="_part")
        position = {point: number for number, point in enumerate(order)}
        rows = rows[rows[POINT].isin(position)].assign(_position=lambda table: table[POINT].map(position))
        rows = rows.sort_values("_position", kind="stable").drop(columns="_position").reset_index(drop=True)
        old = self._parts()
        self._number += 1
        self._write(rows, self.folder / f"part-{self._number:06}.parquet")
        for file in old:
            file.unlink(missing_ok=True)
        return rows

    def _parts(self) -> list[Path]:
        return sorted(self.folder.glob("part-*.parquet"))

    def _read(self) -> "pd.DataFrame":
        import pandas as pd

        tables = []
        for file in self._parts():
            table = pd.read_parquet(file)
            table["_part"] = int(file.stem.partition("-")[2])
            tables.append(table)
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()

    def _write(self, rows: "pd.DataFrame", file: Path) -> None:
        try:
            with whole_file(file) as partial:
                rows.to_parquet(partial, index=False)
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror or error}") from error
