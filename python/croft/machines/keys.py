"""Keys of machine files: as nested tables, and by their names with dots (``"l1d.size"``); and where values are from."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from croft.base.errors import UsageError

BY_CALLER = "set by the caller"
"""The source of a value that no file says."""
LISTED = "level"
"""The key that has a list of whole tables, one below the other in a file: ``level.0.size`` is of the first one."""


def flattened(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a nested dictionary, keys joined by dots: ``("l1d.size", 8192)``; not what is None."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from flattened(value, f"{prefix}{key}.")
        elif key == LISTED and not prefix and isinstance(value, list):
            yield from flattened({str(number): table for number, table in enumerate(value)}, f"{key}.")
        elif value is not None:
            yield prefix + key, value


def merged(base: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Tables are merged; any other value of ``values`` takes the place of base's. ``key = false`` removes a table."""
    both = dict(base)
    for key, value in values.items():
        if value is False:
            both.pop(key, None)
        elif isinstance(value, dict) and isinstance(both.get(key), dict):
            both[key] = merged(both[key], value)
        else:
            both[key] = value
    return both


def table_of(key: str, value: Any) -> dict[str, Any]:
    """``"network.hop", 3`` as ``{"network": {"hop": 3}}``."""
    *outer, last = key.split(".")
    table = {last: value}
    for part in reversed(outer):
        table = {part: table}
    return table


def leaves(key: str, value: Any) -> list[tuple[str, Any]]:
    """What a key says: itself with its value, or, if that is a table, what the keys in it say."""
    return list(flattened(table_of(key, value)))


def is_word(text: str) -> bool:
    """Whether that is a text, and means nothing else in TOML."""
    return text.isidentifier() and text not in {"true", "false", "inf", "nan"}


def settings(texts: Iterable[str], option: str = "--set") -> dict[str, Any]:
    """The keys of texts such as ``network.hop=3``, which an option of the command line has, and their values, which are
    written as in TOML. A single word may stand without quotes. Raises UsageError.
    """
    keys: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{option} {text}: it must be KEY=VALUE, network.hop=3 for instance")
        word = value.strip(" \t")
        try:
            said = {"value": word} if is_word(word) else tomllib.loads(f"value = {value}")
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            why = str(error).partition(" (at ")[0] if isinstance(error, tomllib.TOMLDecodeError) else "it is too deep"
            hint = "; it should be a number, or a text in quotes"
            raise UsageError(f"{option} {text}: {value!r} is no value of TOML ({why}){hint}") from None
        if said.keys() != {"value"}:
            raise UsageError(f"{option} {text}: it must be one value")
        keys.pop(key.strip(), None)  # said again, it comes last
        keys[key.strip()] = said["value"]
    return keys


def overridden(sources: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Where values are from, of which some have others in their place now, as ``own`` has it."""
    listed = f"{LISTED}."  # of which all are replaced
    gone = (*(f"{each}." for each in own), *[listed] * any(each.startswith(listed) for each in own))
    kept = {key: text for key, text in sources.items() if not key.startswith(gone)}
    return {**kept, **own}


def source_of(key: str, sources: Mapping[str, str]) -> str | None:
    """Where the value of ``key`` is from; what is said of a whole table holds for its keys."""
    while key:
        if key in sources:
            return sources[key]
        key = key.rpartition(".")[0]
    return None
