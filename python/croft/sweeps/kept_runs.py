"""What is kept of a simulated run, as bytes for a store, and the key by which it is found again."""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from croft import _simulator
from croft.base.digest import digest_of
from croft.machines.model import Machine
from croft.recording.analysis import Analysis
from croft.results.result import Result
from croft.runs.homes import homes_of, to_toml
from croft.runs.host_script import HostScript
from croft.runs.runner import is_executable
from croft.runs.sandbox import grant, working_directory
from croft.runs.spec import Changes, RunSpec, StrPath
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

    def counted(self, column: str) -> int:
        """The statistic of a column: "PART.NAME" added up, or "PART.NAME.INDEX"."""
        part, name, *index = column.split(".")
        first = int(index[0]) if index else 0
        return self.total(part, name, first, first + 1 if index else None)

    def columns(self) -> Iterator[str]:
        """The columns whose statistics are not zero."""
        for part, names in self.statistics.items():
            for name, values in names.items():
                yield f"{part}.{name}"
                yield from (f"{part}.{name}.{index}" for index in values)

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


def contents(directories: Sequence[StrPath]) -> list[Any]:
    """All that a program can see of these directories: their names for it, their files' names and digests."""
    granted = [grant(directory) for directory in directories]
    found: list[Any] = [working_directory(granted)] if granted else []
    for each in granted:
        files = [path for path in sorted(Path(each.host).rglob("*")) if path.is_file()]
        found.append([each.guest, [(str(path.relative_to(each.host)), file_digest(path)) for path in files]])
    return found


@dataclass(frozen=True)
class RunKey:
    """Which run it is: ``label`` by what it is called, ``content`` by all that its result depends on.

    ``limits`` may end it early. What is kept has ended by itself, so they are not in its name.

    Runs of one label are those of earlier builds of program, machine or simulator, too: they took about as long.
    """

    label: str
    content: str
    limits: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(
        cls, program: Path, name: str, machine: Machine, spec: RunSpec, reads: Sequence[Path] = (), part: str = ""
    ) -> "RunKey":
        """The run of an executable on a machine, by this build of the simulator.

        Of ``reads``, files that the program is given to read, and of directories the contents count, not the names.
        """
        # What the run is called, whatever the program and the machine are by now.
        label = json.dumps([name, machine.name, list(spec.arguments)])
        more: list[Any] = [_host_digest(spec.host)] if isinstance(spec.host, HostScript) else []
        if part:
            more.append(part)
        said = spec.said([Changes.RESULT, Changes.RECORD], besides=["arguments", "host"])
        if not is_executable(name):  # it is built to be analyzed, or not, which its digest says
            said.pop("analyze", None)
        if spec.directories:
            said["directories"] = contents(spec.directories)
        if homes := homes_of(spec.homes):
            said["homes"] = to_toml(homes)
        if said:
            more.append(said)
        content = [label, program_digest(program), machine.model_dump_json(), [file_digest(path) for path in reads]]
        key = json.dumps([*content, simulator_digest(), *more])
        limits = tuple(spec.said([Changes.END], besides=["progress"]).items())
        return cls(digest_of(label.encode())[:16], digest_of(key.encode())[:32], limits)

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
