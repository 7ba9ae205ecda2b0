"""Functions that take the options of a run as keyword arguments, without a word of their declaration said again.

A type checker reads the fields of a pydantic class as keyword arguments of that class. A ParamSpec hands these on. So
mypy and editors know the options of croft.run without a plugin, a stub, or a TypedDict beside the declaration.
"""

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, get_type_hints

from croft.machines.model import Machine
from croft.results.result import Result
from croft.runs.spec import Attendance, RunSpec, StrPath

Options = ParamSpec("Options")


class Run(Protocol[Options]):
    """The type of croft.run."""

    def __call__(
        self,
        program: StrPath,
        machine: Machine | StrPath | None = None,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> Result: ...


def run_taking(spec: Callable[Options, RunSpec], function: Callable[..., Result]) -> Run[Options]:
    """``function(spec, program, machine)`` with the options of ``spec`` as keyword arguments."""
    return _taking(RunSpec, function)


def restore_taking(
    spec: Callable[Options, Attendance], function: Callable[..., Result]
) -> Callable[Concatenate[StrPath, Options], Result]:
    """``function(spec, file)`` with the options of ``spec`` as keyword arguments."""
    return _taking(Attendance, function)


def _taking(spec: type[Attendance], function: Callable[..., Result]) -> Any:
    _, *first = inspect.signature(function).parameters.values()
    types = get_type_hints(spec)  # without what Annotated has beside them
    options, meanings = [], []
    for name, field in spec.model_fields.items():
        options.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=types[name])
        )
        meanings.append(
            textwrap.fill(f"{name}: {field.description}", 116, initial_indent=" " * 4, subsequent_indent=" " * 8)
        )
    signature = inspect.Signature([*first, *options], return_annotation=Result)

    def called(*given: Any, **options: Any) -> Result:
        bound = signature.bind(*given, **options).arguments
        own = {each.name: bound.pop(each.name) for each in first if each.name in bound}
        return function(spec.of(bound), **own)

    called.__doc__ = "\n".join([inspect.getdoc(function) or "", "\nOptions:\n", *meanings])
    called.__name__ = called.__qualname__ = function.__name__.removesuffix("_as")
    called.__module__ = function.__module__
    called.__signature__ = signature  # type: ignore[attr-defined]
    return called
