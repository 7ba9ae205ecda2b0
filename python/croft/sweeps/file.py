"""Sweeps as files: programs, machines, keys of machines and arguments to go through, as TOML (docs/sweeps.md)."""

import itertools
import math
import random
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
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
from croft.runs.spec import swept
from croft.sweeps.columns import columns_on, matching
from croft.sweeps.description import MOST, SORTS, Axis, Case, Description, Plot, Range
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


@dataclass
class _Reader:
    path: Path
    machines: dict[Any, Machine] = field(default_factory=dict)

    def read(self) -> SweepFile:
        said = self.described()
        design = said.chosen_design
        if not said.programs and design != "list":
            raise UsageError("it names no program: `programs` is missing")
        cases = list({"grid": self.grid, "list": self.listed, "random": self.drawn}[design](said))
        points = [self.point(case) for case in cases]
        if not points:
            raise UsageError("it has no points")
        if said.statistics:
            points = self.counting(said.statistics, cases, points)
        columns = dict.fromkeys(key for point in points for key in point.labels if key != "arguments" or not said.vary)
        differ = [each for each in columns if len({str(point.labels.get(each)) for point in points}) > 1]
        return SweepFile(said.name or self.path.stem, points, differ, said.plot)

    def described(self) -> Description:
        if not self.path.is_file():  # a device may have no end
            raise UsageError(f"no such file{file_meant(self.path, ('.toml',), IS_TOML)}")
        try:
            return Description.model_validate(tomllib.loads(self.path.read_text(encoding="utf-8")))
        except ValidationError as error:
            raise UsageError(mistake(error, besides=SORTS)) from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise UsageError(f"{error}{IS_TOML}") from error
        except RecursionError:
            raise UsageError("its tables lie too deep in each other") from None

    def grid(self, said: Description) -> Iterator[Case]:
        axes = _axes(said)
        for column, axis in zip((*_FIRST, *said.run, *said.keys, *said.vary), axes, strict=True):
            if isinstance(axis, Range):
                raise UsageError(f"`{column}` is a range: a grid needs its `step`")
        size = math.prod(len(axis) for axis in axes)
        if size > MOST:
            raise UsageError(f"it has {size:,} points; the most are {MOST:,}")
        return (_case(said, values) for values in itertools.product(*axes))

    def drawn(self, said: Description) -> Iterator[Case]:
        dice = random.Random(said.seed)
        axes = _axes(said)
        return (_case(said, [_drawn(axis, dice) for axis in axes]) for _ in range(said.samples or 0))

    def listed(self, said: Description) -> Iterator[Case]:
        first = {"program": (*said.programs, "")[0], "machine": said.machines[0], "arguments": said.arguments[0]}
        for each in said.point:
            yield each.model_copy(update={key: text for key, text in first.items() if key not in each.model_fields_set})

    def point(self, case: Case) -> Point:
        if not case.program:
            raise UsageError("it names no program: `programs` is missing")
        _check_program(case.program)
        try:
            arguments = case.arguments.format(**case.vary)
            words = tuple(shlex.split(arguments))
        except (KeyError, IndexError) as error:
            raise UsageError(f"`arguments` {case.arguments!r} name {error}, which is not in `vary`") from None
        except (ValueError, AttributeError) as error:
            raise UsageError(f"`arguments` {case.arguments!r}: {error}") from None
        swept(case.run, lambda option, value: f"`run.{option}` = {value!r}")
        labels: dict[str, object] = {"program": case.program, "machine": case.machine, "arguments": arguments}
        labels |= {key: str(value) if isinstance(value, list | dict) else value for key, value in case.run.items()}
        if twice := (labels.keys() | case.keys.keys()) & case.vary.keys():
            raise UsageError(f"`vary.{min(twice)}` would be two columns: give it another name")
        labels |= case.keys | case.vary
        return Point(case.program, words, labels, machine=self.machine(case), options=case.run)

    def machine(self, case: Case) -> Machine:
        which = (case.machine, *((key, repr(value)) for key, value in case.keys.items()))
        if which not in self.machines:
            chip = read_machine(case.machine)
            said = f"sweep {self.path}, {', '.join(f'{key} = {value}' for key, value in case.keys.items())}"
            self.machines[which] = chip.with_keys(case.keys, said) if case.keys else chip
        return self.machines[which]

    def counting(self, statistics: Sequence[str], cases: list[Case], points: list[Point]) -> list[Point]:
        """The points with the statistics that are asked for, as far as their machines have them."""
        known: dict[str, dict[str, None]] = {}
        # Which a machine has depends on the parts that it has, not on the numbers that keys give them.
        parts = [[value for value in case.keys.values() if type(value) not in (int, float)] for case in cases]
        which = [repr((case.machine, case.run.get("links"), each)) for case, each in zip(cases, parts, strict=True)]
        for name, case in zip(which, cases, strict=True):
            if name not in known:
                known[name] = dict.fromkeys(columns_on(self.machine(case), links=bool(case.run.get("links"))))
        wanted = matching(statistics, dict.fromkeys(itertools.chain.from_iterable(known.values())))
        there = {name: tuple(each for each in wanted if each in has) for name, has in known.items()}
        return [replace(point, statistics=there[name]) for point, name in zip(points, which, strict=True)]


_FIRST = ("program", "machine", "arguments")


def _axes(said: Description) -> list[Any]:
    """All dimensions: of ``_FIRST``, of run, of keys, of ``vary``."""
    first = (said.programs, said.machines, said.arguments)
    return [*first, *said.run.values(), *said.keys.values(), *said.vary.values()]


def _case(said: Description, values: Any) -> Case:
    program, machine, arguments, *others = values
    values = iter(others)
    run, keys, vary = (dict(zip(names, values, strict=False)) for names in (said.run, said.keys, said.vary))
    return Case(program=program, machine=machine, arguments=arguments, run=run, keys=keys, vary=vary)


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
    try:
        return _Reader(Path(path)).read()
    except UsageError as error:
        raise UsageError(f"sweep {path}: {error}") from error
