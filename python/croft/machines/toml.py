"""Writes a machine as a file that says all of it, each value with where it is from."""

from collections.abc import Iterable, Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import ConvertError
from tomlkit.items import Item

from croft.machines.keys import BY_CALLER, are_tables, source_of

COMMENT_COLUMN = 44


def toml_value(value: Any) -> str:
    """A value as TOML writes it. What no machine file holds is written as Python does, for sentences about it."""
    try:
        return _in_a_line(value).as_string()
    except ConvertError:
        return repr(value)


def toml_text(values: Mapping[str, Any], sources: Mapping[str, str], head: Iterable[str]) -> str:
    """The file: ``head`` as comments, then the keys of the machine and its tables, each with its source behind it."""
    document = tomlkit.document()
    for line in head:
        document.add(tomlkit.comment(line))
    _fill(document, values, sources, "")
    return tomlkit.dumps(document)


def _fill(table: Any, values: Mapping[str, Any], sources: Mapping[str, str], prefix: str) -> None:
    for key, value in sorted(
        values.items(), key=lambda pair: isinstance(pair[1], dict) or are_tables(pair[1])
    ):  # tables last
        if isinstance(value, dict):
            table.append(key, _table(value, sources, f"{prefix}{key}."))
        elif are_tables(value):
            tables = tomlkit.aot()
            for number, each in enumerate(value):
                tables.append(_table(each, sources, f"{prefix}{key}.{number}."))
            table.append(key, tables)
        elif value is not None:
            item = _in_a_line(value).comment(source_of(prefix + key, sources) or BY_CALLER)
            item.trivia.comment_ws = " " * max(1, COMMENT_COLUMN - len(f"{key} = {item.as_string()}"))
            table.append(key, item)


def _table(values: Mapping[str, Any], sources: Mapping[str, str], prefix: str) -> Any:
    table = tomlkit.table()
    _fill(table, values, sources, prefix)
    return table


def _in_a_line(value: Any) -> Item:
    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update({key: _in_a_line(each) for key, each in value.items() if each is not None})
        return table
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        array.extend(map(_in_a_line, value))
        return array
    return tomlkit.item(value)
