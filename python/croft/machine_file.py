"""Reads machine files, and says in one sentence what is wrong with a wrong one."""

import difflib
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from croft.errors import MachineError
from croft.machine_model import ImpossibleError, Machine
from croft.places import machines_folder


def machine_names() -> list[str]:
    """The names of the machines that come with croft."""
    return sorted(path.stem for path in machines_folder().glob("*.toml"))


def machine_path(name: str | os.PathLike[str]) -> Path:
    """The file of a machine, given by the name of one that comes with croft or by a path.

    Raises MachineError if there is none.
    """
    path = Path(name)
    if path.suffix == ".toml" or path.parent != Path():
        if path.is_file():
            return path
        raise MachineError(f"machine file {path}: no such file")
    known = machine_names()
    if str(name) in known:
        return machines_folder() / f"{name}.toml"
    raise MachineError(f"no machine is called {str(name)!r}{_suggest(str(name), known)} (known: {', '.join(known)})")


def machine(name: str | os.PathLike[str]) -> Machine:
    """Reads and checks a machine: the name of one that comes with croft, or the path of a TOML file.

    Raises MachineError; its text has one sentence per mistake, each with the file and the key.
    """
    path = machine_path(name)
    return machine_from(_values(path), str(path))


def _values(path: Path, above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """What a file says, on top of what the one says that it is based on."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise MachineError(f"machine file {path}: {error}") from error
    base = values.pop("based_on", None)
    if base is None:
        return values
    return _merged(_values(_base_path(path, base, above), (*above, path)), values)


def _base_path(path: Path, base: object, above: tuple[Path, ...]) -> Path:
    if not isinstance(base, str):
        raise MachineError(f"machine file {path}: `based_on` = {base!r}: it should be the name of a machine")
    found = machine_path(path.parent / base if base.endswith(".toml") else base)
    if found in (*above, path):
        raise MachineError(f"machine file {path}: it is based on itself, through {found}")
    return found


def _merged(base: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Tables are merged; any other value of ``values`` takes the place of base's. ``key = false`` removes a table."""
    merged = dict(base)
    for key, value in values.items():
        if value is False:
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merged(merged[key], value)
        else:
            merged[key] = value
    return merged


def machine_values(name: str | os.PathLike[str]) -> dict[str, Any]:
    """What a machine's file and those that it is based on say, unchecked: as a nested dictionary."""
    return _values(machine_path(name))


def machine_from(values: dict[str, Any], origin: str = "(given)") -> Machine:
    """Checks a machine given as a nested dictionary; ``origin`` names it in errors. Raises MachineError."""
    try:
        return Machine.model_validate(values)
    except ValidationError as error:
        sentences = [f"machine file {origin}: {_sentence(detail)}" for detail in error.errors()]
        raise MachineError("\n".join(sentences)) from None


def _suggest(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def _key(location: tuple[str | int, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _part(location: tuple[str | int, ...]) -> type[BaseModel]:
    """The model that holds the key at ``location``."""
    model: type[BaseModel] = Machine
    for name in location[:-1]:
        if isinstance(name, str):
            inner = model.model_fields[name].annotation
            arguments = getattr(inner, "__args__", ())
            model = arguments[0] if arguments else inner
    return model


def _sentence(detail: dict[str, Any]) -> str:
    location, kind = detail["loc"], detail["type"]
    key = _key(location)
    if kind == "extra_forbidden":
        close = difflib.get_close_matches(str(location[-1]), list(_part(location).model_fields), n=1, cutoff=0.5)
        return f"unknown key `{key}`" + (f"; did you mean `{close[0]}`?" if close else "")
    if kind == "missing":
        return f"key `{key}` is missing"
    problem = detail.get("ctx", {}).get("error")
    if isinstance(problem, ImpossibleError):
        return f"`{_key((*location, problem.key))}` {problem}"
    message = detail["msg"][0].lower() + detail["msg"][1:]
    return f"`{key}` = {detail['input']!r}: {message.replace('input should', 'it should')}"


_TABLE = re.compile(r"^\[([\w.]+)\]")
_ENTRY = re.compile(r"^(\w+)\s*=\s*(.*?)\s*#\s*(.+)$")


def sources(name: str | os.PathLike[str]) -> dict[str, str]:
    """Where each value of a machine file comes from: its key ("l1d.size"), and the comment at the end of its line."""
    found, table = {}, ""
    path = machine_path(name)
    base = tomllib.loads(path.read_text(encoding="utf-8")).get("based_on")
    if base:
        found = sources(_base_path(path, base, ()))
    for line in machine_path(name).read_text(encoding="utf-8").splitlines():
        if header := _TABLE.match(line):
            table = header[1] + "."
        elif entry := _ENTRY.match(line):
            found[table + entry[1]] = entry[3].strip()
    return {key: found[key] for key, _ in flattened(_values(path)) if key in found}


def flat_description(described: Machine) -> str:
    """A machine as ``key = value`` lines, for programs without Python (simulator/machine/description_file.hpp)."""
    lines = []
    for key, value in flattened(described.model_dump(exclude_none=True)):
        if isinstance(value, list):  # the memory controllers
            for number, each in enumerate(value):
                lines += [f"{key}.{number}.{inner} = {place}" for inner, place in each.items()]
        else:
            lines.append(f"{key} = " + (f'"{value}"' if isinstance(value, str) else str(value)))
    return "".join(f"{line}\n" for line in lines)


def flattened(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a nested dictionary, keys joined by dots: ``("l1d.size", 8192)``."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from flattened(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
