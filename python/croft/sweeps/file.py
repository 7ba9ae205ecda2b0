"""Sweeps as files: programs, machines, keys of machines and arguments to go through, as TOML (docs/sweeps.md)."""

import itertools
import math
import random
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from croft.base.errors import UsageError
from croft.base.mistakes import mistake
from croft.base.nearest import file_meant
from croft.machines.file import machine as read_machine
from croft.machines.model import Machine
from croft.programs.builder import find_source
from croft.runs.runner import is_executable
from croft.sweeps.description import MOST, SORTS, Axis, Description, Plot, Range
from croft.sweeps.points import Point

IS_TOML = '; name a file of TOML, in which there is `programs = "pingpong"` for instance'


@dataclass(frozen=True)
class SweepFile:
    """A sweep: its points, in their order, and what is drawn of them."""

    name: str
    points: list[Point]
    axes: list[str]
    """The columns in which points differ by what the file says."""
    plot: Plot | None = None


@dataclass(frozen=True)
class _Case:
    """One point before it is checked: its program, machine and arguments, and the values of keys and of ``vary``."""

    program: str
    machine: str
    arguments: str
    keys: dict[str, Any]
    vary: dict[str, Any]


@dataclass
class _Reader:
    path: Path
    machines: dict[Any, Machine] = field(default_factory=dict)

    def wrong(self, what: str) -> UsageError:
        return UsageError(f"sweep {self.path}: {what}")

    def read(self) -> SweepFile:
        said = self.described()
        design = said.chosen_design
        if not said.programs and design != "list":
            raise self.wrong("it names no program: `programs` is missing")
        cases = {"grid": self.grid, "list": self.listed, "random": self.drawn}[design](said)
        points = [self.point(case) for case in cases]
        if not points:
            raise self.wrong("it has no points")
        columns = dict.fromkeys(key for point in points for key in point.labels if key != "arguments" or not said.vary)
        differ = [each for each in columns if len({str(point.labels.get(each)) for point in points}) > 1]
        return SweepFile(said.name or self.path.stem, points, differ, said.plot)

    def described(self) -> Description:
        if not self.path.is_file():  # a device may have no end
            raise self.wrong(f"no such file{file_meant(self.path, ('.toml',), IS_TOML)}")
        try:
            return Description.model_validate(tomllib.loads(self.path.read_text(encoding="utf-8")))
        except ValidationError as error:
            raise self.wrong(mistake(error, besides=SORTS)) from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise self.wrong(f"{error}{IS_TOML}") from error
        except RecursionError:
            raise self.wrong("its tables lie too deep in each other") from None

    def grid(self, said: Description) -> Iterator[_Case]:
        axes = _axes(said)
        for column, axis in zip((*_FIRST, *said.keys, *said.vary), axes, strict=True):
            if isinstance(axis, Range):
                raise self.wrong(f"`{column}` is a range: a grid needs its `step`")
        size = math.prod(len(axis) for axis in axes)
        if size > MOST:
            raise self.wrong(f"it has {size:,} points; the most are {MOST:,}")
        return (_case(said, values) for values in itertools.product(*axes))

    def drawn(self, said: Description) -> Iterator[_Case]:
        dice = random.Random(said.seed)
        axes = _axes(said)
        return (_case(said, [_drawn(axis, dice) for axis in axes]) for _ in range(said.samples or 0))

    def listed(self, said: Description) -> Iterator[_Case]:
        programs = said.programs or ("",)
        for each in said.point:
            yield _Case(
                program=programs[0] if each.program is None else each.program,
                machine=said.machines[0] if each.machine is None else each.machine,
                arguments=said.arguments[0] if each.arguments is None else each.arguments,
                keys=each.keys,
                vary=each.vary,
            )

    def point(self, case: _Case) -> Point:
        if not case.program:
            raise self.wrong("it names no program: `programs` is missing")
        _check_program(case.program)
        try:
            arguments = case.arguments.format(**case.vary)
            words = tuple(shlex.split(arguments))
        except (KeyError, IndexError) as error:
            raise self.wrong(f"`arguments` {case.arguments!r} name {error}, which is not in `vary`") from None
        except (ValueError, AttributeError) as error:
            raise self.wrong(f"`arguments` {case.arguments!r}: {error}") from None
        labels = {"program": case.program, "machine": case.machine, "arguments": arguments, **case.keys, **case.vary}
        return Point(case.program, words, labels, machine=self.machine(case))

    def machine(self, case: _Case) -> Machine:
        which = (case.machine, *((key, repr(value)) for key, value in case.keys.items()))
        if which not in self.machines:
            chip = read_machine(case.machine)
            said = f"sweep {self.path}, {', '.join(f'{key} = {value}' for key, value in case.keys.items())}"
            self.machines[which] = chip.with_keys(case.keys, said) if case.keys else chip
        return self.machines[which]


_FIRST = ("program", "machine", "arguments")


def _axes(said: Description) -> list[Any]:
    """All dimensions: of ``_FIRST``, of keys, of ``vary``."""
    return [said.programs, said.machines, said.arguments, *said.keys.values(), *said.vary.values()]


def _case(said: Description, values: Any) -> _Case:
    program, machine, arguments, *others = values
    keys = dict(zip(said.keys, others, strict=False))
    return _Case(program, machine, arguments, keys, dict(zip(said.vary, others[len(keys) :], strict=True)))


def _drawn(axis: Axis, dice: random.Random) -> Any:
    if not isinstance(axis, Range):
        return dice.choice(axis)
    if isinstance(axis.low, int) and isinstance(axis.high, int):
        return dice.randint(axis.low, axis.high)
    return dice.uniform(axis.low, axis.high)


@cache
def _check_program(program: str) -> None:
    if not is_executable(program):
        find_source(program)


def read_sweep(path: Path | str) -> SweepFile:
    """The sweep that a file describes, all of it checked: programs, machines and their keys, arguments.

    Raises UsageError or MachineError, which name the file and the key.
    """
    return _Reader(Path(path)).read()
