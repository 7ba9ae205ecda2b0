"""The options of a run, each declared once: its type, range, unit and meaning, and what it changes.

All that takes these options is made from this: croft.run and croft.restore (keywords.py), `croft run`, the table [run]
of a sweep, the keys of kept runs, the headers of checkpoints, and docs/run-options.md.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, InstanceOf, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from croft import _simulator
from croft.base.errors import UsageError
from croft.base.mistakes import Table
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

    The command has it as ``typed``, in the place of the field's type, after ``flag`` (default: by the field's name;
    empty: it has not), where its help names the value ``metavar``.
    """

    changes: Changes
    unit: str = ""
    swept: bool = False
    typed: Any = None
    flag: str | None = None
    metavar: str | None = None


def _whole(least: int, bits: int) -> Any:
    return Field(strict=True, ge=least, le=2**bits - 1)


def _passable(text: str) -> str:
    if "\0" in text:
        raise ValueError("a program cannot be given a zero byte")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it is not UTF-8") from None
    return text


def _bytes(given: object) -> object:
    """A number of bytes; of a text, maybe with the suffix K, M, G or T."""
    if not isinstance(given, str):
        return given
    number, suffix = (given[:-1], given[-1].upper()) if given[-1:].isalpha() else (given, "")
    if suffix not in ("", *"KMGT") or not number.isascii() or not number.isdigit() or not int(number):
        raise ValueError("it should be a number of bytes, or one with K, M, G or T behind it")
    return int(number) << 10 * ("KMGT".index(suffix) + 1 if suffix else 0)


def _unheard(sentence: str) -> None:
    """Nobody listens."""


Text = Annotated[str, AfterValidator(_passable)]
_FILE = Path | None
_IN_PYTHON_ONLY = ""


class Attendance(Table):
    """What a run is given again when it goes on from a checkpoint: its limits, and who hears of it."""

    model_config = ConfigDict(arbitrary_types_allowed=True, allow_inf_nan=True, use_attribute_docstrings=True)

    max_cycles: Annotated[int | None, _whole(1, 64), Option(Changes.END, "cycles", swept=True)] = None
    """End the run after so many simulated cycles, counted from the beginning of the program."""
    max_seconds: Annotated[float | None, Field(gt=0), Option(Changes.END, "s of this host", swept=True)] = None
    """End the run after so many seconds of this host."""
    checkpoint: Annotated[StrPath | None, Option(Changes.NOTHING, typed=_FILE)] = None
    """Write the run's state to this file, at the latest when the run is stopped. --restore, or croft.restore, goes on
    from there."""
    every: Annotated[str | None, Option(Changes.NOTHING)] = None
    """Write a checkpoint every 30s, 10m or 2h of this host, or every 50Mcycles (default: only when it is stopped)."""
    standard_input: Annotated[int | None, Option(Changes.RESULT, flag=_IN_PYTHON_ONLY)] = None
    """Let the program read this file descriptor as its standard input (default: empty). When a run goes on, that has to
    begin with what the program has read already."""
    output: Annotated[Callable[[int, bytes], None] | None, Option(Changes.NOTHING, flag=_IN_PYTHON_ONLY)] = None
    """Call this with a stream, 1 or 2, and bytes that the program has written to it."""
    progress: Annotated[Callable[[int, int], bool] | None, Option(Changes.END, flag=_IN_PYTHON_ONLY)] = None
    """Call this about ten times a second with the cycles and instructions so far. The run ends if it returns False."""
    sample: Annotated[Callable[[Sample], None] | None, Option(Changes.NOTHING, flag=_IN_PYTHON_ONLY)] = None
    """Call this about ten times a second, and at the end, with what every core does: a croft.watching.sample.Sample."""
    tell: Annotated[Callable[[str], None], Option(Changes.NOTHING, flag=_IN_PYTHON_ONLY)] = _unheard
    """Call this with sentences about what happens beside the run: a build, a checkpoint that cannot be written."""

    @model_validator(mode="after")
    def _writes_somewhere(self) -> Self:
        if self.every is not None and self.checkpoint is None:
            raise ValueError(f"every {self.every} needs a checkpoint to write")
        return self

    @classmethod
    def of(cls, options: Mapping[str, Any], name: Callable[[str, object], str] = "{} is {!r}".format) -> Self:
        """These options, checked. ``name`` says of an option and its value how an error begins. Raises UsageError."""
        try:
            return cls.model_validate(options)
        except ValidationError as error:
            raise UsageError(_sentence(cls, error.errors(include_url=False)[0], name)) from None


class RunSpec(Attendance):
    """All options of a run."""

    name: Annotated[Text | None, Option(Changes.RESULT, flag=_IN_PYTHON_ONLY)] = None
    """Tell the program that it is called so (default: as its file)."""
    arguments: Annotated[Sequence[Text], AfterValidator(tuple), Option(Changes.RESULT, flag="--")] = ()
    """Give the program these arguments."""
    cores: Annotated[int | None, Field(strict=True), Option(Changes.RESULT, "cores", swept=True)] = None
    """Give the program only so many cores (default: all of the machine)."""
    directories: Annotated[
        Sequence[StrPath],
        AfterValidator(tuple),
        Option(Changes.RESULT, swept=True, typed=list[str] | None, flag="--dir", metavar="HOST[::GUEST][:ro]"),
    ] = ()
    """Let the program see this directory: HOST or HOST::GUEST. With :ro behind it, the program can only read there."""
    environment: Annotated[
        Mapping[Text, Text] | None,
        AfterValidator(lambda said: said or None),
        Option(Changes.RESULT, swept=True, typed=list[str] | None, flag="--env", metavar="NAME=VALUE"),
    ] = None
    """Set a variable that the program sees: NAME=VALUE. It sees no others."""
    seed: Annotated[int, _whole(0, 64), Option(Changes.RESULT, swept=True)] = 1
    """Decide what getrandom returns."""
    max_output: Annotated[int | None, _whole(0, 63), Option(Changes.RECORD, "bytes")] = None
    """Keep, and pass on, so many bytes of each stream, without the middle (default: keep 64 MiB, pass on all)."""
    memory: Annotated[
        int | None,
        _whole(1, 64),
        BeforeValidator(_bytes),
        Option(Changes.END, "bytes", swept=True, typed=str | None, metavar="BYTES"),
    ] = None
    """End the program with a fault once it has written to more memory than this: 500M, 4G, ... (default: half of this
    host's)."""
    window: Annotated[int | None, _whole(1, 32), Option(Changes.SPEED, "cycles", swept=True)] = None
    """Exchange messages between cores every so many cycles (default: as rarely as the machine allows)."""
    run_ahead: Annotated[int | None, _whole(0, 32), Option(Changes.SPEED, "cycles", swept=True)] = None
    """Let a core run so far ahead of that on trust. With 0, out-of-order cores do not remember instructions either."""
    perturb: Annotated[int | None, _whole(1, 64), Option(Changes.RESULT, swept=True)] = None
    """Delay messages, and let loads overtake others, at random by this seed: for tests of programs."""
    check: Annotated[Literal["coherence", "races"] | None, Option(Changes.RECORD, swept=True)] = None
    """Report, with coherence, stale loads, lost writes and lost stores; with races, data races of the program. The exit
    status is 124 if there are any."""
    analyze: Annotated[bool, Option(Changes.RESULT, swept=True)] = False
    """Measure work, span and parallelism of the program's tasks. Each task runs where it is spawned, on one core."""
    host: Annotated[
        InstanceOf[HostScript] | InstanceOf[_simulator.HostSide] | None,
        Option(Changes.RESULT, flag=_IN_PYTHON_ONLY),
    ] = None
    """Put this croft.HostScript at the other end of the machine's link to a host (results: Result.host_results)."""
    interval: Annotated[int | None, _whole(1, 64), Option(Changes.RECORD, "cycles")] = None
    """Keep the statistics of every so many cycles, too."""
    regions: Annotated[bool, Option(Changes.RECORD)] = False
    """Keep the statistics of each occurrence of a region, too."""
    links: Annotated[bool, Option(Changes.RECORD, swept=True)] = False
    """Count how long each link of the meshes was busy, too."""
    profile: Annotated[bool, Option(Changes.RECORD, metavar="FILE")] = False
    """Record where every cycle went."""
    trace: Annotated[int | None, _whole(1, 48), Option(Changes.RECORD, "bytes", metavar="FILE")] = None
    """Record when each core ran and waited, in so many bytes at most."""
    trace_from: Annotated[int, _whole(0, 63), Option(Changes.RECORD, "cycles")] = 0
    """Begin the trace at this cycle."""
    trace_to: Annotated[int | None, _whole(1, 63), Option(Changes.RECORD, "cycles")] = None
    """End the trace before this cycle."""
    lines: Annotated[int | None, _whole(1, 48), Option(Changes.RECORD, "bytes", metavar="FILE")] = None
    """Record who used which memory and how many messages went through it, in so many bytes at most."""
    homes: Annotated[StrPath | Sequence[InstanceOf[Home]], Option(Changes.RESULT, swept=True, typed=_FILE)] = ()
    """Give lines the homes of this file, .toml, whatever the program asks for (`croft advise` writes one)."""
    fast_forward: Annotated[bool, Option(Changes.RESULT, swept=True)] = False
    """Carry out functionally what comes before the first region, and begin that with warm caches."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        about_all = {
            "a check": self.check,
            "an analysis": self.analyze,
            "a profile": self.profile,
            "a trace": self.trace,
            "a record of lines": self.lines,
        }
        asked = next((what for what, given in about_all.items() if given), None)
        if self.fast_forward and asked:
            raise ValueError(f"a run that is fast-forwarded has not all that {asked} is about: ask for one of them")
        if self.fast_forward and self.host is not None:
            raise ValueError("a run with a host is not fast-forwarded: the host's time would stand still meanwhile")
        if self.checkpoint is None:
            return self
        if isinstance(self.host, _simulator.LiveHost):
            raise ValueError("a run whose host is a program in real time has no checkpoint: the host would not go back")
        if self.check == "races":
            raise ValueError("a run that is checked for races has no checkpoint: what the check knows is not kept")
        if self.profile or self.trace or self.lines:
            raise ValueError(
                "a run of which a profile, a trace or a record of lines is made has no checkpoint: what was recorded "
                "is not kept"
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
_SINGLE = {"arguments": "an argument", "environment": "the environment"}


def swept(options: Mapping[str, Any], name: Callable[[str, object], str] = "{} is {!r}".format) -> RunSpec:
    """A spec of options that a sweep has. Raises UsageError."""
    known = [option for option, said in OPTIONS.items() if said.swept]
    for unknown in options.keys() - set(known):
        meant = _simulator.nearest(unknown, known)
        suggestion = f"; did you mean {meant!r}?" if meant else ""
        raise UsageError(f"a sweep has no option {unknown!r} of a run{suggestion} (known: {', '.join(known)})")
    return RunSpec.of(options, name)


def limits(field: FieldInfo) -> tuple[int | None, int | None]:
    """The least and the most that a field may be."""
    least, most = (
        next((getattr(each, bound) for each in field.metadata if hasattr(each, bound)), None) for bound in ("ge", "le")
    )
    return least, most


def _sentence(spec: type[Attendance], first: ErrorDetails, name: Callable[[str, object], str]) -> str:
    kind, context = first["type"], first.get("ctx", {})
    if kind == "unknown_key":
        meant = f"; did you mean {context['meant']}?" if context["meant"] else ""
        return f"there is no option {context['key']} of a run{meant}"
    if not first["loc"]:
        return str(context["error"])
    option, *inside = map(str, first["loc"])
    said = f"{_SINGLE[option]} is {first['input']!r}" if inside and option in _SINGLE else name(option, first["input"])
    if kind == "value_error":
        return f"{said}: {context['error']}"
    least, most = limits(spec.model_fields[option])
    wanted = {
        "int_type": "a whole number",
        "greater_than": "more than 0",
        "greater_than_equal": f"between {least} and {most}",
        "less_than_equal": f"between {least} and {most}",
        "sequence_str": "a list of strings",
        "string_type": "a string",
    }.get(kind)
    return f"{said}: it should be {wanted or first['msg'].removeprefix('Input should be ')}"
