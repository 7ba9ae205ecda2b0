"""What a sweep file may say (docs/sweeps.md): its keys, their types and ranges."""

import math
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    PlainValidator,
    StrictInt,
    StrictStr,
    Tag,
    model_validator,
)

from croft.base.mistakes import Table

MOST = 1_000_000
"""Points of one sweep, and steps of a range."""


def _texts(value: Any) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(each, str) for each in texts):
        raise ValueError("should be a text, or a list of some")
    return tuple(texts)


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("should be a number")
    return value


def _values(value: Any) -> tuple[Any, ...]:
    if value == []:
        raise ValueError("has no value")
    return tuple(value) if isinstance(value, list) else (value,)


def _single_values(run: Any) -> Any:
    """Where an option's value is a list or a table itself, several of them are a list of those."""
    for key, kind in (("directories", list), ("environment", dict)):
        value = run.get(key) if isinstance(run, dict) else None
        if value is not None and not (isinstance(value, list) and all(isinstance(each, kind) for each in value)):
            run = run | {key: [value]}
    return run


def _named(value: str) -> str:
    if not value or "/" in value:
        raise ValueError(f"= {value!r}: it should be a text without a slash")
    return value


Texts = Annotated[tuple[str, ...], PlainValidator(_texts)]
Number = Annotated[int | float, PlainValidator(_number)]


class Range(Table):
    """From ``low`` to ``high``, both included: every ``step``, or anywhere between."""

    low: Number = Field(alias="from")
    high: Number = Field(alias="to")
    step: Number | None = None

    @model_validator(mode="after")
    def _goes_up(self) -> Self:
        if not self.low <= self.high:
            raise ValueError(f"goes from {self.low} to {self.high}")
        if self.step is not None and (not self.step > 0 or (self.high - self.low) / self.step > MOST):
            raise ValueError(f"has `step` = {self.step}: it should be above 0, and make at most {MOST:,} steps")
        return self


def _stepped(axis: tuple[Any, ...] | Range) -> tuple[Any, ...] | Range:
    """Of a range with a step its values."""
    if not isinstance(axis, Range) or axis.step is None:
        return axis
    count = int((axis.high - axis.low) / axis.step + 1e-9) + 1
    return tuple(axis.low + number * axis.step for number in range(count))


SORTS = ("range", "values")
Axis = Annotated[
    Annotated[Range, Tag("range")] | Annotated[tuple[Any, ...], BeforeValidator(_values), Tag("values")],
    Discriminator(lambda value: "range" if isinstance(value, dict) else "values"),
    AfterValidator(_stepped),
]
"""The values of one dimension, or from where to where it goes. ``SORTS`` stand in the paths of its errors."""


class Case(Table):
    """What makes a point; one of a list may leave out what is as the sweep says first."""

    program: StrictStr = ""
    machine: StrictStr = ""
    arguments: StrictStr = ""
    run: dict[str, Any] = Field(default_factory=dict)
    keys: dict[str, Any] = Field(default_factory=dict)
    vary: dict[str, Any] = Field(default_factory=dict)


class Plot(Table):
    """What is drawn of a sweep: column ``y`` over column ``x``, a line for each value of column ``by``."""

    x: StrictStr
    y: StrictStr = "run_cycles"
    by: StrictStr = ""


class Description(Table):
    """A whole file."""

    name: Annotated[StrictStr, AfterValidator(_named)] | None = None
    programs: Texts = ()
    machines: Texts = ("tilepro64",)
    arguments: Texts = ("",)
    design: Literal["grid", "list", "random"] | None = None
    samples: Annotated[StrictInt, Field(ge=1, le=MOST)] | None = None
    seed: Annotated[StrictInt, Field(ge=0, le=MOST)] = 1
    run: Annotated[dict[str, Axis], BeforeValidator(_single_values)] = Field(default_factory=dict)
    keys: dict[str, Axis] = Field(default_factory=dict)
    vary: dict[str, Axis] = Field(default_factory=dict)
    point: list[Case] = Field(default_factory=list)
    statistics: Texts = ()
    plot: Plot | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.chosen_design == "random" and self.samples is None:
            raise ValueError("`samples` is missing: a random design draws so many points, `samples = 100` for instance")
        return self

    @property
    def chosen_design(self) -> str:
        """The one it names; else "list" if it lists points, and "grid" if not."""
        return self.design or ("list" if self.point else "grid")
