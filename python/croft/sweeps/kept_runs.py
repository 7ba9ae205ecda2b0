"""What is kept of a simulated run, as bytes for a store, and the key by which it is found again."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from croft import _simulator
from croft.base.digest import digest_of
from croft.machines.model import Machine
from croft.recording.analysis import Analysis
from croft.results.result import Result
from croft.runs.host_script import HostScript
from croft.symbols.symbols import Symbols

Statistics = dict[str, dict[str, dict[int, int]]]


@dataclass(frozen=True)
class KeptRun:
    """What is kept of a run that ended well: what it printed, and its statistics by part, name and index.

    Zeros are left out, but for the part that was asked for.
    """

    text: str
    cycles: int
    instructions: int
    host_seconds: float
    statistics: Statistics = field(default_factory=dict, repr=False)
    analysis: Analysis | None = None

    @classmethod
    def of(cls, result: Result, part: str = "") -> "KeptRun":
        """What is to be kept of a result; all of ``part``."""
        statistics: Statistics = {}
        for of_part, index, name, _, value in result.statistics:
            if value or of_part == part:
                statistics.setdefault(of_part, {}).setdefault(name, {})[index] = value
        whole = (result.text, result.cycles, result.instructions, result.host_seconds)
        return cls(*whole, statistics, result.analysis)

    def total(self, part: str, name: str, first: int = 0, last: int | None = None) -> int:
        """One statistic added up over the indices from ``first`` to before ``last``; 0 if there is none."""
        values = self.statistics.get(part, {}).get(name, {})
        return sum(value for index, value in values.items() if index >= first and (last is None or index < last))

    def names(self, part: str) -> list[str]:
        """The statistics of a part that are not zero everywhere."""
        return list(self.statistics.get(part, {}))


@dataclass(frozen=True)
class Origin:
    """Whose run it is, for people: what a list of kept runs shows. ``when`` is in seconds since 1970."""

    program: str
    machine: str
    arguments: tuple[str, ...]
    croft: str
    simulator: str
    when: float


@cache
def simulator_digest() -> str:
    """Tells one build of the simulator from another, by its binary."""
    return digest_of(Path(_simulator.__file__).read_bytes())


def program_digest(program: Path) -> str:
    """Of all that a machine loads of a program."""
    return _program_digest(program, program.stat().st_mtime_ns)


def file_digest(path: Path) -> str:
    """Of a file's contents."""
    return _file_digest(path, path.stat().st_mtime_ns)


# By the file's time, so that one that has changed is read again.
@cache
def _program_digest(program: Path, changed: int) -> str:
    return digest_of(Symbols(program.read_bytes()).loaded())


@cache
def _file_digest(path: Path, changed: int) -> str:
    return digest_of(path.read_bytes())


@dataclass(frozen=True)
class RunKey:
    """Which run it is: ``label`` by what it is called, ``content`` by all that its result depends on.

    Runs of one label are those of earlier builds of program, machine or simulator, too: they took about as long.
    """

    label: str
    content: str

    @classmethod
    def of(
        cls,
        program: Path,
        name: str,
        machine: Machine,
        arguments: Sequence[str],
        reads: Sequence[Path] = (),
        host: HostScript | None = None,
        part: str = "",
    ) -> "RunKey":
        """The run of an executable with arguments on a machine, by this build of the simulator.

        ``reads`` are the files that the program is given to read: their contents count, not their names.
        """
        # What the run is called, whatever the program and the machine are by now.
        label = json.dumps([name, machine.name, list(arguments)])
        more = [_host_digest(host)] if host else []
        if part:
            more.append(part)
        content = [label, program_digest(program), machine.model_dump_json(), [file_digest(path) for path in reads]]
        key = json.dumps([*content, simulator_digest(), *more])
        return cls(digest_of(label.encode())[:16], digest_of(key.encode())[:32])

    @property
    def name(self) -> str:
        """The name of what is stored under it."""
        return f"{self.label}-{self.content}.json.gz"


def _host_digest(host: HostScript) -> str:
    said = [host.count, host.every, host.input_slots, host.output_slots]
    return digest_of(json.dumps(said).encode() + b"".join(bytes(message) for message in host.messages))


def packed(kept: KeptRun, origin: Origin) -> bytes:
    """A run as bytes; the same bytes for the same run and origin."""
    content = vars(kept) | {"analysis": kept.analysis and vars(kept.analysis), "origin": vars(origin)}
    return gzip.compress(json.dumps(content, separators=(",", ":"), sort_keys=True).encode(), 1, mtime=0)


def unpacked(content: bytes) -> tuple[KeptRun, Origin] | None:
    """What packed() was given; None for what is damaged, or was written by another version."""
    try:
        values = json.loads(gzip.decompress(content))
        origin = values.pop("origin")
        origin["arguments"] = tuple(origin["arguments"])
        statistics = {
            part: {name: {int(index): value for index, value in indices.items()} for name, indices in names.items()}
            for part, names in values.pop("statistics").items()
        }
        analysis = values.pop("analysis")
        kept = KeptRun(**values, statistics=statistics, analysis=analysis and Analysis(**analysis))
        return kept, Origin(**origin)
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError):
        return None
