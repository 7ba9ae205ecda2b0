"""The options of a run, each declared once: its type, range, unit and meaning, and what it changes.

All that takes these options is made from this: croft.run and croft.restore (keywords.py), `croft run`, the table [run]
of a sweep, the keys of kept runs, the headers of checkpoints, and docs/run-options.md.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, InstanceOf, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from croft import _simulator
from croft.base.errors import UsageError
from croft.base.mistakes import Table, mistake
from croft.runs.cores import Cores
from croft.runs.homes import Home
from croft.runs.host_script import HostScript
from croft.watching.sample import Sample

StrPath = str | os.PathLike[str]


class Changes(Enum):
    """What an option changes. A kept run has those in its key that change its result or its record."""

    RESULT = "the result"
    RECORD = "what is recorded"
    END = "when it ends"
    SPEED = "the speed only"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Option:
    """What a field's type does not say: what it changes, its unit, and whether a sweep has it.

    The command has it as ``typed``, in the place of the field's type, after ``flag``: by default the field's name;
    empty, it has not.
    """

    changes: Changes
    unit: str = ""
    swept: bool = False
    typed: Any = None
    flag: str | None = None


RESULT, RECORD, END, SPEED, NOTHING = Changes


def _whole(least: int, bits: int) -> Any:
    return Field(strict=True, ge=least, le=2**bits - 1)


def _passable(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("zero", "without a zero byte, or a program cannot be given it")
    if text != text.encode(errors="replace").decode():
        raise PydanticCustomError("encoding", "UTF-8")
    return text


def _bytes(given: object) -> object:
    """A number of bytes; of a text, maybe with the suffix K, M, G or T."""
    if not isinstance(given, str):
        return given
    said = re.fullmatch(r"([0-9]*[1-9][0-9]*)([KMGT]?)", given, re.IGNORECASE)
    if not said:
        raise PydanticCustomError("bytes", "a number of bytes, or one with K, M, G or T behind it")
    return int(said[1]) << 10 * " KMGT".index(said[2].upper() or " ")


def _unheard(sentence: str) -> None:
    """Nobody listens."""


Text = Annotated[str, AfterValidator(_passable)]
Bytes = Annotated[int | None, _whole(1, 64), BeforeValidator(_bytes)]
Directories = Annotated[Sequence[StrPath], AfterValidator(tuple)]
Environment = Annotated[Mapping[Text, Text] | None, AfterValidator(lambda said: said or None)]
Host = InstanceOf[HostScript] | InstanceOf[_simulator.HostSide]


class Attendance(Table):
    """What a run is given again when it goes on from a checkpoint: its limits, and who hears of it."""

    model_config = ConfigDict(arbitrary_types_allowed=True, allow_inf_nan=True, use_attribute_docstrings=True)

    max_cycles: Annotated[int | None, _whole(1, 64), Option(END, "cycles", swept=True)] = None
    """End the run after so many simulated cycles, counted from the beginning of the program."""
    max_seconds: Annotated[float | None, Field(gt=0), Option(END, "s of this host", swept=True)] = None
    """End the run after so many seconds of this host."""
    checkpoint: Annotated[StrPath | None, Option(NOTHING, typed=Path | None)] = None
    """Write the run's state to this file, at the latest when the run is stopped. --restore, or croft.restore, goes on
    from there."""
    every: Annotated[str | None, Option(NOTHING)] = None
    """Write a checkpoint every 30s, 10m or 2h of this host, or every 50Mcycles (default: only when it is stopped)."""
    standard_input: Annotated[int | None, Option(RESULT, flag="")] = None
    """Let the program read this file descriptor as its standard input (default: empty). When a run goes on, that has to
    begin with what the program has read already."""
    output: Annotated[Callable[[int, bytes], None] | None, Option(NOTHING, flag="")] = None
    """Call this with a stream, 1 or 2, and bytes that the program has written to it."""
    progress: Annotated[Callable[[int, int], bool] | None, Option(END, flag="")] = None
    """Call this about ten times a second with the cycles and instructions so far. The run ends if it returns False."""
    sample: Annotated[Callable[[Sample], None] | None, Option(NOTHING, flag="")] = None
    """Call this about ten times a second, and at the end, with what every core does: a croft.watching.sample.Sample."""
    tell: Annotated[Callable[[str], None], Option(NOTHING, flag="")] = _unheard
    """Call this with sentences about what happens beside the run: a build, a checkpoint that cannot be written."""

    @model_validator(mode="after")
    def _writes_somewhere(self) -> Self:
        if self.every is not None and self.checkpoint is None:
            raise ValueError(f"every {self.every} needs a checkpoint to write; name its file by --checkpoint")
        return self

    @classmethod
    def of(cls, options: Mapping[str, Any], said: Callable[[str, object], str] = "{} is {!r}".format) -> Self:
        """These options, checked. ``said`` is how an error names one and its value. Raises UsageError."""

        def assigned(where: str, value: object) -> str:
            single = where.startswith("arguments ")
            return f"an argument is {value!r}" if single else said(re.split("[ .]", where)[0], value)

        try:
            return cls.model_validate(options)
        except ValidationError as error:
            raise UsageError(mistake(error, said=assigned)) from None


class RunSpec(Attendance):
    """All options of a run."""

    name: Annotated[Text | None, Option(RESULT, flag="")] = None
    """Tell the program that it is called so (default: as its file)."""
    arguments: Annotated[Sequence[Text], AfterValidator(tuple), Option(RESULT, flag="--")] = ()
    """Give the program these arguments."""
    cores: Annotated[Cores, Option(RESULT, "cores", swept=True, typed=str | None)] = None
    """Give the program only so many cores (default: all of the machine), or those of a list like 0-7,16-23. The
    program sees a list's first core as core 0, the next one as core 1, and so on."""
    directories: Annotated[Directories, Option(RESULT, swept=True, typed=list[str] | None, flag="--dir")] = ()
    """Let the program see this directory: HOST or HOST::GUEST. With :ro behind it, the program can only read there."""
    sysroot: Annotated[Text | None, Option(RESULT, swept=True, typed=str | None)] = None
    """Let a dynamically linked program see the RISC-V system in this folder as its own, to be read only. Its
    interpreter and its libraries are there. Debian's package libc6-riscv64-cross is one, in /usr/riscv64-linux-gnu."""
    environment: Annotated[Environment, Option(RESULT, swept=True, typed=list[str] | None, flag="--env")] = None
    """Set a variable that the program sees: NAME=VALUE. It sees no others."""
    seed: Annotated[int, _whole(0, 64), Option(RESULT, swept=True)] = 1
    """Decide what getrandom returns."""
    max_output: Annotated[int | None, _whole(0, 63), Option(RECORD, "bytes")] = None
    """Keep, and pass on, so many bytes of each stream, without the middle (default: keep 64 MiB, pass on all)."""
    memory: Annotated[Bytes, Option(END, "bytes", swept=True, typed=str | None)] = None
    """End the program with a fault once it has written to more memory than this: 500M, 4G, ... (default: half of this
    host's)."""
    window: Annotated[int | None, _whole(1, 32), Option(SPEED, "cycles", swept=True)] = None
    """Exchange messages between cores every so many cycles (default: as rarely as the machine allows)."""
    run_ahead: Annotated[int | None, _whole(0, 32), Option(SPEED, "cycles", swept=True)] = None
    """Let a core run so far ahead of that on trust. With 0, out-of-order cores do not remember instructions either."""
    perturb: Annotated[int | None, _whole(1, 64), Option(RESULT, swept=True)] = None
    """Delay messages, and let loads overtake others, at random by this seed: for tests of programs."""
    check: Annotated[Literal["coherence", "races"] | None, Option(RECORD, swept=True)] = None
    """Report, with coherence, stale loads, lost writes and lost stores; with races, data races of the program. The exit
    status is 124 if there are any."""
    analyze: Annotated[bool, Option(RESULT, swept=True)] = False
    """Measure work, span and parallelism of the program's tasks. Each task runs where it is spawned, on one core."""
    host: Annotated[Host | None, Option(RESULT, flag="")] = None
    """Put this croft.HostScript at the other end of the machine's link to a host (results: Result.host_results)."""
    interval: Annotated[int | None, _whole(1, 64), Option(RECORD, "cycles")] = None
    """Keep the statistics of every so many cycles, too."""
    regions: Annotated[bool, Option(RECORD)] = False
    """Keep the statistics of each occurrence of a region, too."""
    links: Annotated[bool, Option(RECORD, swept=True)] = False
    """Count how long each link of the meshes was busy, too."""
    profile: Annotated[bool, Option(RECORD)] = False
    """Record where every cycle went."""
    trace: Annotated[int | None, _whole(1, 48), Option(RECORD, "bytes")] = None
    """Record when each core ran and waited, in so many bytes at most."""
    trace_from: Annotated[int, _whole(0, 63), Option(RECORD, "cycles")] = 0
    """Begin the trace at this cycle."""
    trace_to: Annotated[int | None, _whole(1, 63), Option(RECORD, "cycles")] = None
    """End the trace before this cycle."""
    lines: Annotated[int | None, _whole(1, 48), Option(RECORD, "bytes")] = None
    """Record who used which memory and how many messages went through it, in so many bytes at most."""
    homes: Annotated[StrPath | Sequence[InstanceOf[Home]], Option(RESULT, swept=True, typed=Path | None)] = ()
    """Give lines the homes of this file, .toml, whatever the program asks for (`croft advise` writes one)."""
    fast_forward: Annotated[bool, Option(RESULT, swept=True)] = False
    """Carry out functionally what comes before the first region, and begin that with warm caches."""
    strict_system_calls: Annotated[bool, Option(RESULT, swept=True)] = False
    """End the run at the first system call that is not simulated (default: the call fails with ENOSYS)."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.fast_forward and (self.check or self.analyze or self.profile or self.trace or self.lines):
            raise ValueError(
                "a run that is fast-forwarded has not all that a check, an analysis, a profile, a trace or a record of "
                "lines is about: ask for one of them"
            )
        if self.fast_forward and self.host is not None:
            raise ValueError("a run with a host is not fast-forwarded: the host's time would stand still meanwhile")
        if self.checkpoint is None:
            return self
        if isinstance(self.host, _simulator.LiveHost):
            raise ValueError("a run whose host is a program in real time has no checkpoint: the host would not go back")
        if self.check == "races":
            raise ValueError(
                "a run that is checked for races has no checkpoint: what the check knows is not kept; "
                "leave one of them out"
            )
        if self.profile or self.trace or self.lines:
            raise ValueError(
                "a run of which a profile, a trace or a record of lines is made has no checkpoint: what was recorded "
                "is not kept; leave one of them out"
            )
        return self

    def said(self, changes: Sequence[Changes], besides: Sequence[str] = ()) -> dict[str, Any]:
        """The options that are not as by default and change one of these, without ``besides``."""
        names = [name for name, option in OPTIONS.items() if option.changes in changes and name not in besides]
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value != RunSpec.model_fields[name].default}


OPTIONS: dict[str, Option] = {
    name: next(each for each in field.metadata if isinstance(each, Option))
    for name, field in RunSpec.model_fields.items()
}
"""What is said of each, by its name, in the order of the declaration."""


def swept(options: Mapping[str, Any], said: Callable[[str, object], str] = "{} is {!r}".format) -> RunSpec:
    """A spec of options that a sweep has. Raises UsageError."""
    known = [name for name, option in OPTIONS.items() if option.swept]
    for unknown in options.keys() - set(known):
        meant = _simulator.nearest(unknown, known)
        suggestion = f"; did you mean {meant!r}?" if meant else ""
        raise UsageError(f"a sweep has no option {unknown!r} of a run{suggestion} (known: {', '.join(known)})")
    return RunSpec.of(options, said)
