"""What is wrong with a command line that typer refuses, as one sentence with a way out."""

import sys
from typing import Any

import typer

from croft.base.nearest import did_you_mean

OF_PROGRAMS = ("run", "advise")
"""The commands whose line may hold a program's own options."""


def sentence(error: typer.TyperException) -> str:
    """Which command, what is wrong with its words, and what it takes."""
    context: Any = getattr(error, "ctx", None)
    # Of an option without its value typer does not say whose it is; the command is known by then.
    command = context.command_path if context else " ".join(["croft", *sys.argv[1:2]])
    option, parameter = getattr(error, "option_name", None), getattr(error, "param", None)
    if option and context and option not in _options(context):
        return f"{command} has no option {option}{_meant(option, context)}"
    if parameter is not None:
        name = max(parameter.opts, key=len) if parameter.param_type_name == "option" else parameter.name.upper()
        if error.message:
            wrong = error.message.removeprefix("Value error, ").replace("Input", "it", 1)
            return f"{command}, {name}: {_lower(wrong)}; {command} --help says what it takes"
        means = f" ({_lower(parameter.help)})" if parameter.help else ""
        return f"{command} needs {name}{means}; {command} --help says what it takes"
    said = _lower(error.format_message()).replace(". Did you mean", "; did you mean")
    return said if "did you mean" in said else f"{said}; {command} --help says what it takes"


def _lower(text: str) -> str:
    """The text inside a sentence."""
    text = " ".join(text.split()).rstrip(".")
    return text[:1].lower() + text[1:]


def _options(context: Any) -> list[str]:
    return [name for each in context.command.get_params(context) for name in each.opts if name.startswith("-")]


def _meant(option: str, context: Any) -> str:
    command = context.command_path
    known = [name for name in _options(context) if name.startswith("--")]
    meant = did_you_mean(option, known, f"; {command} --help lists those that it has")
    if context.command.name not in OF_PROGRAMS:
        return meant
    behind = f"a program's own, which stands behind --: {command} PROGRAM -- {option}"
    return f"{meant[:-1]}, or {behind}?" if meant.endswith("?") else f"; did you mean {behind}?"
