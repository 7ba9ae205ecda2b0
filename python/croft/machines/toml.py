"""Writes a machine as a file that says all of it, each value with where it is from."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from croft.machines.keys import BY_CALLER, source_of

COMMENT_COLUMN = 44


def toml_value(value: Any) -> str:
    """A value as TOML writes it. What no machine file holds is written as Python does, for sentences about it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return repr(value)


def toml_text(values: Mapping[str, Any], sources: Mapping[str, str], head: Iterable[str]) -> str:
    """The file: ``head`` as comments, then the keys of the machine and its tables, each with its source behind it."""
    return "".join([*(f"# {line}\n" for line in head), *_table(values, sources, "")])


def _table(values: Mapping[str, Any], sources: Mapping[str, str], prefix: str) -> Iterable[str]:
    for key, value in values.items():
        if value is None or isinstance(value, dict):
            continue
        said = f"{key} = {toml_value(value)}"
        yield f"{said:{COMMENT_COLUMN - 1}} # {source_of(prefix + key, sources) or BY_CALLER}\n"
    for key, value in values.items():
        if isinstance(value, dict):
            yield f"\n[{prefix}{key}]\n"
            yield from _table(value, sources, f"{prefix}{key}.")
