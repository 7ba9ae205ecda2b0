"""What is wrong with what somebody has written down, as one sentence: of pydantic's list of errors, the first."""

from collections.abc import Callable, Container, Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from croft.base.nearest import nearest

_WANTED = {
    "dict_type": "a table",
    "model_type": "a table",
    "list_type": "a list",
    "sequence_str": "a list of texts",
    "string_type": "a text",
    "int_type": "a whole number",
}
"""By the type of an error, where pydantic's own word is Python's and not TOML's."""


class Table(BaseModel):
    """A table of a file, with the keys that it may have. It refuses others, and names the one that was meant."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _has_known_keys(cls, values: Any) -> Any:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in values if isinstance(values, dict) else ():
            if key not in known:
                raise PydanticCustomError(
                    "unknown_key", "unknown", {"key": key, "meant": nearest(key, known), "known": known}
                )
        return values


def _assigned(where: str, value: object) -> str:
    return f"`{where}` = {value!r}"


def mistake(
    error: ValidationError, besides: Container[int | str] = (), said: Callable[[str, object], str] = _assigned
) -> str:
    """The sentence: which key, what it is, and what it should be.

    A validator's own ValueError goes on behind the key: "should be ...", "= 3: it should be ...". ``besides`` are parts
    of pydantic's paths that are no keys. ``said`` names a key with its value.
    """
    first = error.errors(include_url=False)[0]
    where = _path(part for part in first["loc"] if part not in besides)
    kind, context = first["type"], first.get("ctx", {})
    if kind == "unknown_key":
        listed = ", ".join(context["known"])
        meant = f"; did you mean `{context['meant']}`?" if context["meant"] else f" (known: {listed})"
        return f"unknown key `{where}{'.' if where else ''}{context['key']}`{meant}"
    if kind == "missing":
        return f"`{where}` is missing"
    if kind == "value_error":
        return f"`{where}` {context['error']}" if where else str(context["error"])
    wanted = _WANTED.get(kind) or first["msg"].removeprefix("Input should be ")
    return f"{said(where, first['input'])}: it should be {wanted}"


def _path(parts: Iterable[int | str]) -> str:
    """``point 1.vary.x``: tables that are listed are counted from 1."""
    text = ""
    for part in parts:
        text += f" {part + 1}" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
