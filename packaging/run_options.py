"""Prints docs/run-options.md from the declaration of a run's options: ``make docs`` after a change to it."""

import inspect
import re
from typing import Any, get_type_hints

from pydantic.fields import FieldInfo

from croft.cli.run_options import flag
from croft.runs.spec import OPTIONS, Attendance, Changes, Option, RunSpec

HEAD = """\
# The options of a run

`croft.run(program, machine, **options)`, `croft run` and the table `[run]` of [a sweep](sweeps.md) take these options.
Each is declared once, in `python/croft/runs/spec.py`, and this page is made from that (`make docs`). A dash means that
the command has no such option. The last two columns say whether a sweep has it, and whether `croft.restore` and
`croft run --restore` take it again when a run goes on.

In Python `profile`, `trace` and `lines` ask for a record in the result: `profile=True`, `trace=256 << 20`. The command
writes the record to the file that it is given.
"""
ABOUT = {
    Changes.RESULT: "A kept run has these in its key, as far as they are not as by default.",
    Changes.RECORD: "They do not change what the program does or how long it takes. Kept runs have them in their keys.",
    Changes.END: "A kept run has ended by itself, so its key does not have them.",
    Changes.SPEED: "They change how fast the simulator is. The result is the same to the last cycle.",
    Changes.NOTHING: "They are about what happens beside the run.",
}


def page() -> str:
    """The page, as Markdown."""
    text = HEAD
    for changes, about in ABOUT.items():
        text += f"\n## Options that change {changes.value}\n\n{about}\n\n"
        text += "| option | command | value | meaning | sweep | restore |\n| --- | --- | --- | --- | --- | --- |\n"
        text += "".join(_row(name, option) for name, option in OPTIONS.items() if option.changes is changes)
    return text


def _row(name: str, option: Option) -> str:
    field = RunSpec.model_fields[name]
    meaning = " ".join((field.description or "").split()).replace("|", "\\|")
    command = f"`{flag(name)}`" if flag(name) else "-"
    again = "yes" if name in Attendance.model_fields else ""
    swept = "yes" if option.swept else ""
    value = _value(field, option, get_type_hints(RunSpec)[name])
    return f"| `{name}` | {command} | {value} | {meaning} | {swept} | {again} |\n"


def _value(field: FieldInfo, option: Option, hint: Any) -> str:
    kind = re.sub(r"[a-z_]+\.", "", inspect.formatannotation(hint)).replace("str | PathLike[str]", "path")
    kind = (
        re.sub(r"Optional\[(.*)\]|Union\[(.*), NoneType\]", r"\1\2", kind)
        .removesuffix(" | None")
        .replace("HostScript, HostSide", "HostScript")
    )
    bounds = {bound: getattr(each, bound) for each in field.metadata for bound in _BOUNDS if hasattr(each, bound)}
    said = ", ".join(f"{_BOUNDS[bound]} {_number(limit)}" for bound, limit in bounds.items())
    default = f"default {field.default}" if type(field.default) is int else ""
    return ", ".join(filter(None, (f"`{kind}`".replace("|", "\\|"), option.unit, said, default)))


_BOUNDS = {"ge": "at least", "gt": "above", "le": "below"}


def _number(limit: int) -> str:
    return f"2^{limit.bit_length()}" if limit > 9 else f"{limit}"


if __name__ == "__main__":
    print(page(), end="")
