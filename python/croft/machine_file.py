"""Reads machine files, and says in one sentence what is wrong with a wrong one."""

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from croft import _simulator
from croft.errors import MachineError
from croft.machine_model import Machine
from croft.places import machines_folder

MOST_BASES = 30
"""Machine files below each other: croft's own have two."""


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
    meant = _simulator.nearest(os.fsencode(name).decode(errors="replace"), known)
    suggestion = f"; did you mean {meant!r}?" if meant else ""
    raise MachineError(f"no machine is called {str(name)!r}{suggestion} (known: {', '.join(known)})")


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
    except RecursionError:
        raise MachineError(f"machine file {path}: its tables lie too deep in each other") from None
    base = values.pop("based_on", None)
    if base is None:
        return values
    return _merged(_values(_base_path(path, base, above), (*above, path)), values)


def _base_path(path: Path, base: object, above: tuple[Path, ...]) -> Path:
    if not isinstance(base, str):
        raise MachineError(f"machine file {path}: `based_on` = {base!r}: it should be the name of a machine")
    found = machine_path(path.parent / base if base.endswith(".toml") else base)
    if len(above) >= MOST_BASES:
        raise MachineError(f"machine file {above[0]}: more than {MOST_BASES} files are based on each other")
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
    return Machine.model_validate(values, origin)


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
    """A machine as ``key = value`` lines, for programs without Python (simulator/description/description_file.hpp)."""
    lines = []
    for key, value in flattened(described.model_dump()):
        if isinstance(value, list):  # of places in the mesh
            for number, each in enumerate(value):
                lines += [f"{key}.{number}.{inner} = {place}" for inner, place in each.items()]
        else:
            lines.append(f"{key} = " + (f'"{value}"' if isinstance(value, str) else str(value)))
    return "".join(f"{line}\n" for line in lines)


def flattened(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a nested dictionary, keys joined by dots: ``("l1d.size", 8192)``; not what is None."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from flattened(value, f"{prefix}{key}.")
        elif value is not None:
            yield prefix + key, value
