"""The options of ``croft run`` that are a run's, made from its declaration; those of the command stand beside them."""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

import typer

from croft.base.errors import UsageError
from croft.runs.spec import OPTIONS, Changes, Option, RunSpec

Command = TypeVar("Command", bound=Callable[..., None])


def with_run_options(command: Command) -> Command:
    """Gives a command, for its ``**options``, each option of a run that it has no parameter of its own for."""
    own = inspect.signature(command).parameters
    taken = [each for each in own.values() if each.kind is not each.VAR_KEYWORD]
    made = [_parameter(name, option) for name, option in OPTIONS.items() if name not in own and flag(name)]
    command.__signature__ = inspect.Signature([*taken, *made])  # type: ignore[attr-defined]
    return command


def flag(name: str) -> str:
    """How the command has an option; empty if it has not."""
    said = OPTIONS[name].flag
    return f"--{name.replace('_', '-')}" if said is None else said


def as_typed(name: str, value: object) -> str:
    """How an error about an option begins."""
    return f"{flag(name) or name} {value}"


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """A run's options, of those of the command that are given. Raises UsageError."""
    given = {name: value for name, value in options.items() if value is not None}
    if "environment" in given:
        given["environment"] = dict(_pair(text) for text in given["environment"])
    return given


def _parameter(name: str, option: Option) -> inspect.Parameter:
    field = RunSpec.model_fields[name]
    limits = {bound: getattr(each, bound) for each in field.metadata for bound in ("ge", "le") if hasattr(each, bound)}
    declared = typer.Option(
        flag(name),
        min=None if option.typed else limits.get("ge"),
        max=None if option.typed else limits.get("le"),
        help=" ".join((field.description or "").split()),
        rich_help_panel=None if option.changes is Changes.NOTHING else f"Options that change {option.changes.value}",
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None if option.typed else field.default,
        annotation=Annotated[option.typed or field.annotation, declared],
    )


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise UsageError(f"--env {text}: it must be NAME=VALUE")
    return name, value
