"""Functions that take the options of a run as keyword arguments, without a word of their declaration said again.

A type checker reads the fields of a pydantic class as keyword arguments of that class. A ParamSpec hands these on. So
mypy and editors know the options of croft.run without a plugin, a stub, or a TypedDict beside the declaration.
"""

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, get_type_hints

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
    ) -> Result:
        """Runs ``program`` on ``machine`` and returns the result, however the program ended.

        ``program`` is a static RISC-V Linux executable, a C++ or C source file (built first), or the name of one of
        croft's programs. ``machine`` is the name of one of croft's machines, the path of a machine file, or a Machine
        (default: tilepro64; io1 to analyze). Ctrl-C ends the run, with the statistics so far.

        Raises UsageError, MachineError, BuildError, or ProgramError for a file that is no program for such a machine;
        TypeError for an option that there is not.
        """


class Restore(Protocol[Options]):
    """The type of croft.restore."""

    def __call__(self, file: StrPath, *args: Options.args, **options: Options.kwargs) -> Result:
        """Goes on with the run whose checkpoint ``file`` is, and returns the result: that of a run that never stopped.

        Program, machine, arguments and all else that decides the run come from the file. What an ``output`` function
        heard before is not in the result; what the result kept is.

        Raises UsageError for a file that is no checkpoint, is damaged or of another build of the simulator, and if the
        program's directories and files are not as they were (by name and length); TypeError for an option that there
        is not.
        """


def run_taking(spec: Callable[Options, RunSpec], function: Callable[..., Result]) -> Run[Options]:
    """``function(program, machine, spec)`` with the options of ``spec`` as keyword arguments."""
    return _taking(RunSpec, function, Run.__call__)


def restore_taking(spec: Callable[Options, Attendance], function: Callable[..., Result]) -> Restore[Options]:
    """``function(file, spec)`` with the options of ``spec`` as keyword arguments."""
    return _taking(Attendance, function, Restore.__call__)


def _taking(spec: type[Attendance], function: Callable[..., Result], like: Callable[..., Result]) -> Any:
    _, *first, _, _ = inspect.signature(like).parameters.values()  # without self, *args and **options
    types = get_type_hints(spec)  # without what Annotated has beside them
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=types[name])
        for name, field in spec.model_fields.items()
    ]
    signature = inspect.Signature([*first, *options], return_annotation=Result)

    def called(*given: Any, **options: Any) -> Result:
        bound = signature.bind(*given, **options).arguments
        return function(*(bound.pop(each.name, each.default) for each in first), spec.of(bound))

    meanings = [
        textwrap.fill(f"{name}: {field.description}", 116, initial_indent="    ", subsequent_indent=" " * 8)
        for name, field in spec.model_fields.items()
    ]
    called.__doc__ = "\n".join([inspect.cleandoc(like.__doc__ or ""), "\nOptions:\n", *meanings])
    called.__name__ = called.__qualname__ = function.__name__.removesuffix("_as")
    called.__module__ = function.__module__
    called.__signature__ = signature  # type: ignore[attr-defined]
    return called
