"""Keeps what simulated runs came to, so that what is asked again costs nothing."""

import gzip
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from croft import _simulator
from croft.analysis import Analysis
from croft.machine_model import Machine
from croft.places import cache_folder
from croft.program_cache import digest_of
from croft.result import Result
from croft.symbols import Symbols

STALE = 30 * 24 * 3600
"""Seconds after which a run that something newer has taken the place of is dropped."""

Statistics = dict[str, dict[str, dict[int, int]]]


@dataclass(frozen=True)
class KeptRun:
    """What is kept of a run that ended: what it printed, and its statistics by part, name and index, without zeros."""

    text: str
    cycles: int
    instructions: int
    host_seconds: float
    statistics: Statistics = field(default_factory=dict, repr=False)
    analysis: Analysis | None = None
    fast_forward: bool = False

    @classmethod
    def of(cls, result: Result) -> "KeptRun":
        """What is to be kept of a result."""
        statistics: Statistics = {}
        for row in result.frame[result.frame["value"] > 0].itertuples(index=False):
            statistics.setdefault(row.part, {}).setdefault(row.name, {})[int(row.index)] = int(row.value)
        whole = (result.text, result.cycles, result.instructions, result.host_seconds)
        return cls(*whole, statistics, result.analysis, result.fast_forward)

    def total(self, part: str, name: str, first: int = 0, last: int | None = None) -> int:
        """One statistic added up over the indices from ``first`` to before ``last``; 0 if there is none."""
        values = self.statistics.get(part, {}).get(name, {})
        return sum(value for index, value in values.items() if index >= first and (last is None or index < last))

    def names(self, part: str) -> list[str]:
        """The statistics of a part that are not zero everywhere."""
        return list(self.statistics.get(part, {}))


@cache
def simulator_digest() -> str:
    """Tells one build of the simulator from another, by its binary."""
    return digest_of(Path(_simulator.__file__).read_bytes())


@cache
def program_digest(program: Path, changed: int) -> str:
    """Of all that a machine loads of a program; ``changed`` is the file's time, so that a rebuilt one is read again."""
    return digest_of(Symbols(program.read_bytes()).loaded())


class RunCache:
    """The place of one run: an executable with arguments on a machine, by this build of the simulator.

    ``reads`` are the files that the program is given to read: their contents count, not their names. A run that is
    fast-forwarded has another place than the whole one.
    """

    def __init__(
        self,
        program: Path,
        name: str,
        machine: Machine,
        arguments: Sequence[str],
        reads: Sequence[Path] = (),
        fast_forward: bool = False,
    ) -> None:
        described = machine.model_dump_json()
        # What the run is called, whatever the program and the machine are by now.
        label = json.dumps([name, machine.name, list(arguments), *(["fast-forwarded"] if fast_forward else [])])
        self._fast_forward = fast_forward
        inputs = [_file_digest(path, path.stat().st_mtime_ns) for path in reads]
        digest = program_digest(program, program.stat().st_mtime_ns)
        key = json.dumps([label, digest, described, inputs, simulator_digest()])
        self._folder = cache_folder() / "runs"
        self._label = digest_of(label.encode())[:16]
        self._file = self._folder / f"{self._label}-{digest_of(key.encode())[:32]}.json.gz"

    def find(self) -> KeptRun | None:
        """The run, or None if there was none like this."""
        kept = _read(self._file)
        if kept:
            os.utime(self._file)
        return kept

    def seconds(self) -> float | None:
        """How long the run took the last time that it was done, by any build of program, machine and simulator."""
        earlier = [_read(path) for path in self._folder.glob(f"{self._label}-*.json.gz")]
        return max((kept.host_seconds for kept in earlier if kept), default=None)

    def store(self, kept: KeptRun) -> None:
        """Keeps a run, of the kind that the place is for."""
        if kept.fast_forward != self._fast_forward:
            raise ValueError("a fast-forwarded run is no whole run, nor the other way round")
        self._folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(kept), separators=(",", ":"), sort_keys=True)
        # Whoever reads at the same time finds a whole file, or none.
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            partial = Path(folder, "run")
            partial.write_bytes(gzip.compress(text.encode(), 6, mtime=0))
            partial.replace(self._file)
        for old in self._folder.glob(f"{self._label}-*.json.gz"):
            if old != self._file and time.time() - old.stat().st_mtime > STALE:
                old.unlink(missing_ok=True)


@cache
def _file_digest(path: Path, changed: int) -> str:
    return digest_of(path.read_bytes())


def _read(file: Path) -> KeptRun | None:
    try:
        values = json.loads(gzip.decompress(file.read_bytes()))
        statistics = {
            part: {name: {int(index): value for index, value in indices.items()} for name, indices in names.items()}
            for part, names in values.pop("statistics").items()
        }
        analysis = values.pop("analysis")
        return KeptRun(**values, statistics=statistics, analysis=analysis and Analysis(**analysis))
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        return None  # damaged, or written by another version
