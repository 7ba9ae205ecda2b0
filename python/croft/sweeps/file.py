"""Sweeps as files: programs, machines, keys of machines and arguments to go through, as TOML (docs/sweeps.md)."""

import itertools
import math
import random
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from croft import _simulator
from croft.base.errors import UsageError
from croft.machines.file import machine as read_machine
from croft.machines.model import Machine
from croft.programs.builder import find_source
from croft.runs.runner import is_executable
from croft.sweeps.points import Point

DESIGNS = ("grid", "list", "random")
TOP = ("name", "programs", "machines", "arguments", "design", "samples", "seed", "keys", "vary", "point", "plot")
OF_POINT = ("program", "machine", "arguments", "keys", "vary")
OF_RANGE = ("from", "to", "step")
OF_PLOT = ("x", "y", "by")
MOST = 1_000_000
"""Points of one sweep."""


@dataclass(frozen=True)
class Plot:
    """What is drawn of a sweep: column ``y`` over column ``x``, a line for each value of column ``by``."""

    x: str
    y: str = "run_cycles"
    by: str = ""


@dataclass(frozen=True)
class SweepFile:
    """A sweep: its points, in their order, and what is drawn of them."""

    name: str
    points: list[Point]
    axes: list[str]
    """The columns in which points differ by what the file says."""
    plot: Plot | None = None


@dataclass(frozen=True)
class _Axis:
    """One dimension: a column, and the values it takes, or from where to where it goes."""

    column: str
    values: tuple[Any, ...] = ()
    low: float | int = 0
    high: float | int = 0

    def drawn(self, dice: random.Random) -> Any:
        if self.values:
            return dice.choice(self.values)
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        return dice.randint(self.low, self.high) if whole else dice.uniform(self.low, self.high)


@dataclass
class _Reader:
    path: Path
    machines: dict[Any, Machine] = field(default_factory=dict)

    def wrong(self, what: str) -> UsageError:
        return UsageError(f"sweep {self.path}: {what}")

    def known(self, table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
        for key in table:
            if key not in keys:
                meant = _simulator.nearest(key, list(keys))
                raise self.wrong(f"unknown key `{where}{key}`" + (f"; did you mean `{meant}`?" if meant else ""))

    def table(self, values: Mapping[str, Any], key: str) -> dict[str, Any]:
        found = values.get(key, {})
        if not isinstance(found, dict):
            raise self.wrong(f"`{key}` should be a table")
        return found

    def texts(self, values: Mapping[str, Any], key: str, default: list[str]) -> tuple[str, ...]:
        found = values.get(key, default)
        found = [found] if isinstance(found, str) else found
        if not isinstance(found, list) or not found or not all(isinstance(each, str) for each in found):
            raise self.wrong(f"`{key}` should be a text, or a list of some")
        return tuple(found)

    def number(self, values: Mapping[str, Any], key: str, default: int, least: int) -> int:
        found = values.get(key, default)
        if isinstance(found, bool) or not isinstance(found, int) or not least <= found <= MOST:
            raise self.wrong(f"`{key}` = {found!r}: it should be a whole number from {least} to {MOST:,}")
        return found

    def axis(self, column: str, values: Any, where: str) -> _Axis:
        """From a list, one value, or a range."""
        if not isinstance(values, dict):
            values = values if isinstance(values, list) else [values]
            if not values:
                raise self.wrong(f"`{where}{column}` has no value")
            return _Axis(column, tuple(values))
        self.known(values, OF_RANGE, f"{where}{column}.")
        for key in OF_RANGE:
            value = values.get(key, 1 if key == "step" else None)
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise self.wrong(f"`{where}{column}.{key}` should be a number")
        low, high, step = (values.get(key) for key in OF_RANGE)
        if not low <= high:
            raise self.wrong(f"`{where}{column}` goes from {low} to {high}")
        if step is None:
            return _Axis(column, low=low, high=high)
        if not step > 0 or (high - low) / step > MOST:
            raise self.wrong(f"`{where}{column}.step` = {step}: it should be above 0, and make at most {MOST:,} steps")
        count = int((high - low) / step + 1e-9) + 1
        return _Axis(column, tuple(low + number * step for number in range(count)))

    def read(self) -> SweepFile:
        if not self.path.is_file():  # a device may have no end
            raise self.wrong("no such file")
        try:
            values = tomllib.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise self.wrong(str(error)) from error
        except RecursionError:
            raise self.wrong("its tables lie too deep in each other") from None
        self.known(values, TOP, "")
        design = values.get("design", "list" if "point" in values else "grid")
        if design not in DESIGNS:
            raise self.wrong(f"`design` = {design!r}: it should be one of {', '.join(DESIGNS)}")
        axes = [
            _Axis("program", self.texts(values, "programs", [] if design != "list" else [""])),
            _Axis("machine", self.texts(values, "machines", ["tilepro64"])),
            _Axis("arguments", self.texts(values, "arguments", [""])),
            *(self.axis(key, each, "keys.") for key, each in self.table(values, "keys").items()),
        ]
        keys = list(self.table(values, "keys"))
        vary = self.table(values, "vary")
        axes += [self.axis(key, each, "vary.") for key, each in vary.items()]
        if design == "list":
            cases = self.listed(values)
        elif design == "random":
            cases = self.drawn(axes, self.number(values, "samples", 0, 1), self.number(values, "seed", 1, 0))
        else:
            cases = self.grid(axes)
        points = [self.point(case, keys, list(vary)) for case in cases]
        if not points:
            raise self.wrong("it has no points")
        columns = dict.fromkeys(key for point in points for key in point.labels if key != "arguments" or not vary)
        differ = [each for each in columns if len({str(point.labels.get(each)) for point in points}) > 1]
        name = values.get("name", self.path.stem)
        if not isinstance(name, str) or not name or "/" in name:
            raise self.wrong(f"`name` = {name!r}: it should be a text without a slash")
        return SweepFile(name, points, differ, self.plot(values))

    def plot(self, values: Mapping[str, Any]) -> Plot | None:
        said = self.table(values, "plot")
        self.known(said, OF_PLOT, "plot.")
        if any(not isinstance(each, str) for each in said.values()):
            raise self.wrong("what `plot` says are names of columns")
        if said and "x" not in said:
            raise self.wrong("`plot.x` is missing")
        return Plot(**said) if said else None

    def grid(self, axes: list[_Axis]) -> Iterator[dict[str, Any]]:
        size = 1
        for axis in axes:
            if not axis.values:
                raise self.wrong(f"`{axis.column}` is a range: a grid needs its `step`")
            size *= len(axis.values)
        if size > MOST:
            raise self.wrong(f"it has {size:,} points; the most are {MOST:,}")
        for case in itertools.product(*(axis.values for axis in axes)):
            yield {axis.column: value for axis, value in zip(axes, case, strict=True)}

    def drawn(self, axes: list[_Axis], samples: int, seed: int) -> Iterator[dict[str, Any]]:
        dice = random.Random(seed)
        for _ in range(samples):
            yield {axis.column: axis.drawn(dice) for axis in axes}

    def listed(self, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        given = values.get("point", [])
        if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
            raise self.wrong("points are tables, each [[point]]")
        default = {
            "program": self.texts(values, "programs", [""])[0],
            "machine": self.texts(values, "machines", ["tilepro64"])[0],
            "arguments": self.texts(values, "arguments", [""])[0],
        }
        for number, each in enumerate(given, 1):
            self.known(each, OF_POINT, f"point {number}.")
            own = {key: each[key] for key in ("program", "machine", "arguments") if key in each}
            yield default | own | self.table(each, "keys") | self.table(each, "vary") | {"": each}

    def point(self, case: dict[str, Any], keys: list[str], vary: list[str]) -> Point:
        listed = case.pop("", None)
        if listed is not None:
            keys, vary = list(listed.get("keys", {})), list(listed.get("vary", {}))
        program, machine = case["program"], case["machine"]
        self.check_program(program)
        try:
            arguments = case["arguments"].format(**{key: case[key] for key in vary})
            words = tuple(shlex.split(arguments))
        except (KeyError, IndexError) as error:
            raise self.wrong(f"`arguments` {case['arguments']!r} name {error}, which is not in `vary`") from None
        except (ValueError, AttributeError) as error:
            raise self.wrong(f"`arguments` {case['arguments']!r}: {error}") from None
        changed = {key: case[key] for key in keys}
        labels = {"program": program, "machine": machine, "arguments": arguments, **changed}
        labels |= {key: case[key] for key in vary}
        return Point(program, words, labels, machine=self.machine(machine, changed))

    def check_program(self, program: str) -> None:
        if not program:
            raise self.wrong("it names no program: `programs` is missing")
        _check_program(program)

    def machine(self, name: str, changed: dict[str, Any]) -> Machine:
        which = (name, *((key, repr(value)) for key, value in changed.items()))
        if which not in self.machines:
            chip = read_machine(name)
            said = f"sweep {self.path}, {', '.join(f'{key} = {value}' for key, value in changed.items())}"
            self.machines[which] = chip.with_keys(changed, said) if changed else chip
        return self.machines[which]


@cache
def _check_program(program: str) -> None:
    if not is_executable(program):
        find_source(program)


def read_sweep(path: Path | str) -> SweepFile:
    """The sweep that a file describes, all of it checked: programs, machines and their keys, arguments.

    Raises UsageError or MachineError, which name the file and the key.
    """
    return _Reader(Path(path)).read()
