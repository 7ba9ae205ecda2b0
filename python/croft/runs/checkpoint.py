"""Checkpoints of runs: files from which a run that was stopped goes on, in another process and on another day.

A file begins with a magic, the version of its format, and a digest of all that follows: a header in JSON (what decides
the run), and behind it the parts that the header names, compressed: the program's file, the machine's state, and what
has been printed so far, if that is kept. The state is the simulator's classes as they are in memory, so only the build
that wrote a checkpoint can go on with it.
"""

import hashlib
import json
import os
import re
import struct
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from croft import _simulator
from croft.base.errors import UsageError
from croft.base.whole_file import WholeFile, whole_file

StrPath = str | os.PathLike[str]
MAGIC = b"croft checkpoint"
WAY_OUT = "croft run PROGRAM --checkpoint FILE writes one"
FORMAT = 2
_FIXED = struct.Struct("<16sI32s")
_LENGTH = struct.Struct("<Q")
_LEVEL = 1
"""Of zlib: higher ones take several times as long for a tenth less."""


@dataclass(frozen=True)
class Every:
    """How often a run writes a checkpoint: every so many seconds of this host, or simulated cycles (0: neither)."""

    seconds: float = 0
    cycles: int = 0

    @classmethod
    def of(cls, text: str) -> "Every":
        """Reads ``30s``, ``10m``, ``2h`` or ``50Mcycles``. Raises UsageError."""
        times = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
        if times and float(times[1]) > 0:
            return cls(seconds=float(times[1]) * {"s": 1, "m": 60, "h": 3600}[times[2]])
        counted = re.fullmatch(r"(\d+)([KMG]?)cycles", text)
        cycles = int(counted[1]) * {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}[counted[2]] if counted else 0
        if not 0 < cycles < 2**64:
            raise UsageError(f"every {text!r}: it should be a time like 30s, 10m or 2h, or like 50Mcycles")
        return cls(cycles=cycles)


@dataclass
class CheckpointWriter:
    """Writes a run's checkpoints to one file, each in the place of the one before."""

    file: Path
    header: Mapping[str, Any]
    """What decides the run."""
    program: bytes
    interval: Every = field(default_factory=Every)
    parts: Callable[[], tuple[dict[str, Any], dict[str, bytes]]] = lambda: ({}, {})
    """Called for what else belongs to a checkpoint now: entries of its header, and parts by name."""
    written: int | None = None
    """The cycle of the latest checkpoint that was written."""
    problem: str = ""
    """Why the latest one could not be, in a sentence."""
    tell: Callable[[str], None] = lambda sentence: None
    """Hears of a checkpoint that cannot be written."""

    def __post_init__(self) -> None:
        self.every = self.interval.cycles
        self._last = time.monotonic()
        self._program = zlib.compress(self.program, _LEVEL)
        self._target = self.file.resolve()
        if self._target.is_dir():
            raise UsageError(f"{self.file}: that is a directory; name a file in it")
        if self._target.exists() and not self._target.is_file():
            raise UsageError(f"{self.file}: that is no file, which a checkpoint has to be; name another one")
        try:  # said now, not behind hours of simulation
            WholeFile(self._target).drop()
        except OSError as error:
            why = error.strerror or error
            raise UsageError(f"{self.file}: {why}; name another file for the checkpoint") from error

    def due(self) -> bool:
        """Whether the host's time says that one is to be written."""
        return 0 < self.interval.seconds <= time.monotonic() - self._last

    def keep(self, cycles: int, state: bytes, problem: str) -> None:
        """Writes one: beside its place, which it then takes. A problem is told, and the run goes on."""
        if not problem:
            try:
                self._write(cycles, state)
                self.written = cycles
            except OSError as error:
                problem = error.strerror or str(error)
        if problem and problem != self.problem:
            self.tell(f"no checkpoint was written to {self.file} at cycle {cycles:,}: {problem}")
        self.problem = problem
        self._last = time.monotonic()

    def _write(self, cycles: int, state: bytes) -> None:
        more, parts = self.parts()
        stored = {"program": self._program, "state": zlib.compress(state, _LEVEL)}
        stored |= {name: zlib.compress(part, _LEVEL) for name, part in parts.items()}
        lengths = {"program": len(self.program), "state": len(state)} | {
            name: len(part) for name, part in parts.items()
        }
        header = dict(self.header) | more
        header |= {"build": _simulator.build_identity(), "cycles": cycles}
        header["parts"] = [[name, len(part), lengths[name]] for name, part in stored.items()]
        text = json.dumps(header).encode()
        body = [_LENGTH.pack(len(text)), text, *stored.values()]
        digest = hashlib.sha256()
        for piece in body:
            digest.update(piece)
        with whole_file(self._target, lasting=True) as partial, partial.open("wb") as file:
            file.write(_FIXED.pack(MAGIC, FORMAT, digest.digest()))
            file.writelines(body)


def read_checkpoint(file: StrPath) -> tuple[dict[str, Any], dict[str, bytes]]:
    """A checkpoint's header, and its parts by name.

    Raises UsageError for a file that is none, is damaged, or was written by another build of the simulator.
    """
    path = Path(file)
    try:
        content = path.read_bytes() if path.is_file() else _no_file(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if content[: len(MAGIC)] != MAGIC:
        raise UsageError(f"{path}: that is no checkpoint of croft; {WAY_OUT}")
    damaged = UsageError(f"{path}: the checkpoint is damaged or cut short; {WAY_OUT}")
    if len(content) < _FIXED.size + _LENGTH.size:
        raise damaged
    _, version, digest = _FIXED.unpack_from(content)
    if version != FORMAT:
        raise UsageError(f"{path}: a checkpoint of format {version}; this croft reads format {FORMAT}")
    body = memoryview(content)[_FIXED.size :]
    if hashlib.sha256(body).digest() != digest:
        raise damaged
    try:
        (length,) = _LENGTH.unpack_from(body)
        header = json.loads(bytes(body[_LENGTH.size : _LENGTH.size + length]))
        if header["build"] != (mine := _simulator.build_identity()):
            raise UsageError(
                f"{path}: build {header['build']} of the simulator wrote this checkpoint, and this is build {mine}: "
                "only the same one can go on with it"
            )
        at, parts = _LENGTH.size + length, {}
        for name, stored, size in header["parts"]:
            parts[name] = zlib.decompressobj().decompress(bytes(body[at : at + stored]), size + 1)
            at += stored
            if len(parts[name]) != size:
                raise damaged
    except (KeyError, TypeError, ValueError, struct.error, zlib.error):
        raise damaged from None
    return header, parts


def _no_file(path: Path) -> bytes:
    if not path.exists():
        raise UsageError(f"{path}: there is no such file; {WAY_OUT}")
    raise UsageError(f"{path}: that is no checkpoint of croft; {WAY_OUT}")
