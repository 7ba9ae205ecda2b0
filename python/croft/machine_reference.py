"""Writes docs/machine-file.md from the models: ``python -m croft.machine_reference``."""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from croft.machine_model import Machine

_HEAD = """\
# Machine files

A machine is one TOML file. `machines/` holds those that come with croft; `croft run --machine my.toml` takes your own.
Its cores and caches are one of two: a mesh of tiles that are all alike, each with an L2 that is the home of its share
of the lines (`protocol`, `[core]`, `[l1d]`, `[l2]`, `[home]`), or cores with an L1 only, of one kind or two, at an L2
that they share (`[shared]`, and `[big]` or `[tiny]` or both). Of the one it is, every key must be there, none has a
default, and an unknown one is an error that names the key meant; only whole parts that a machine has not may be left
out: the networks that programs use themselves (`[user_network]`, `[uli]`, either or both, on any machine),
`[host_link]`, `[out_of_order]` (of a kind: `[big.out_of_order]`), `[big.l1i]`. In the files that come with croft, every
line ends with a comment that says where its value is from; `croft machines NAME` shows them.

`based_on = "NAME"`, or a path ending in `.toml`, beside the file, takes everything from another machine file that this
one does not say itself; `part = false` leaves a part of that out. `cost = 1` is short for every cost being so much.

All times are cycles of the machine's one clock. This page is made from the checks themselves (`make docs`).
"""

_TAIL = """
## What must fit together

- the mesh holds all cores, all memory controllers, and the home tile if the policy is `fixed`;
- a machine with a shared L2 has as many `cores` as there are big and tiny ones together;
- a cache's sets, `size / (line x ways)`, are a whole number and a power of two;
- an L1 line has 16 or 64 bytes, an L2 line 64; the L1 is neither larger nor slower than the L2;
- a stripe holds at least one L2 line.
"""


def reference() -> str:
    """The page, as Markdown."""
    return _HEAD + "".join(_sections(Machine, "", {})) + _TAIL


def _sections(model: type[BaseModel], path: str, shown: dict[type[BaseModel], str]) -> Iterator[str]:
    if model in shown:
        yield f"\n## `[{path}]`\n\nAs `[{shown[model]}]`.\n"
        return
    shown[model] = path
    inner: list[tuple[str, type[BaseModel]]] = []
    rows = []
    for key, field in model.model_fields.items():
        part = _part(field)
        if part is None:
            rows.append(f"| `{key}` | {_values(_needed(field))} | {_unit(_needed(field))} | {field.description} |\n")
        elif get_origin(field.annotation) is list:
            keys = ", ".join(f"`{name}`" for name in part.model_fields)
            rows.append(f"| `{key}` | tables with {keys}; {_values(field)} | | {field.description} |\n")
        else:
            inner.append((f"{path}.{key}" if path else key, part))
    title = f"`[{path}]`" if path else "At the top"
    about = (model.__doc__ or "").strip().splitlines()[0]
    yield f"\n## {title}\n\n{about}\n\n| key | value | unit | meaning |\n| --- | --- | --- | --- |\n" + "".join(rows)
    for name, part in inner:
        yield from _sections(part, name, shown)


def _part(field: FieldInfo) -> type[BaseModel] | None:
    for candidate in (field.annotation, *get_args(field.annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _needed(field: FieldInfo) -> FieldInfo:
    """The field as it is where it must be there."""
    if get_origin(field.annotation) not in (Union, UnionType):
        return field
    (value,) = (part for part in get_args(field.annotation) if part is not NoneType)
    return FieldInfo.from_annotation(value)


def _unit(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    return str(extra["unit"]) if isinstance(extra, dict) else ""


def _values(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return " or ".join(f'`"{value}"`' for value in get_args(field.annotation))
    kind = {int: "integer", float: "number", str: "text"}.get(field.annotation, "")
    bounds = []
    for mark in field.metadata:
        match mark:
            case Ge(ge=bound):
                bounds.append(f"from {bound:,}")
            case Gt(gt=bound):
                bounds.append(f"above {bound:,}")
            case Le(le=bound) | Lt(lt=bound):
                bounds.append(f"to {bound:,}")
            case MinLen(min_length=bound) if not kind:
                bounds.append(f"from {bound}")
            case MaxLen(max_length=bound) if not kind:
                bounds.append(f"to {bound} of them")
    return " ".join([kind, *bounds]).strip()


if __name__ == "__main__":
    print(reference(), end="")
