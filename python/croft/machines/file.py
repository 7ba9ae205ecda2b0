"""Reads machine files, and says in one sentence what is wrong with a wrong one."""

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.items import AoT, Table

from croft import _simulator
from croft.base.errors import MachineError
from croft.base.folders import machines_folder
from croft.base.nearest import did_you_mean, file_meant
from croft.machines.keys import flattened, merged, overridden, source_of
from croft.machines.model import Machine

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
        listed = "; `croft machines` lists those that need no file"
        raise MachineError(f"machine file {path}: no such file{file_meant(path, ('.toml',), listed)}")
    known = machine_names()
    if str(name) in known:
        return machines_folder() / f"{name}.toml"
    if (file := path.with_name(f"{path.name}.toml")).is_file():
        raise MachineError(f"no machine is called {str(name)!r}; did you mean the file {str(file)!r}?")
    listed = f" (known: {', '.join(known)})"
    raise MachineError(f"no machine is called {str(name)!r}{did_you_mean(str(name), known, listed)}")


def machine(name: str | os.PathLike[str] | Machine, /, **keys: Any) -> Machine:
    """Reads and checks a machine: the name of one that comes with croft, or the path of a TOML file.

    ``keys`` are keys of the machine that are to have other values, as in a file that is based on it:
    ``machine("tilepro64", network={"hop": 3})``. A Machine is taken as it is, but for these.

    Raises MachineError; its text has one sentence per mistake, each with the file and the key.
    """
    if isinstance(name, Machine):
        found = name
    else:
        path = machine_path(name)
        said = _read(path)
        found = Machine.model_validate(said.values, f"machine file {path}", said.sources)
    return found.with_keys(keys) if keys else found


@dataclass(frozen=True)
class _Said:
    """What a file says together with those that it is based on: values unchecked, and the source of each."""

    values: dict[str, Any]
    sources: dict[str, str]


def _read(path: Path, above: tuple[Path, ...] = ()) -> _Said:
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
        comments = _comments(text)
    except (OSError, ValueError) as error:
        raise MachineError(f"machine file {path}: {error}; `croft machines tilepro64 --toml` prints one") from error
    except RecursionError:
        raise MachineError(f"machine file {path}: its tables lie too deep in each other") from None
    base = values.pop("based_on", None)
    here = f"said in {path.name if path.name.isprintable() else ascii(path.name)}"
    own = {key: source_of(key, comments) or here for key, _ in flattened(values)} | comments
    if base is None:
        return _Said(values, own)
    below = _read(_base_path(path, base, above), (*above, path))
    base_values = below.values
    if _names_one_of_many(base_values, values):  # `cost.alu = 2`, where the base has `cost = 1`
        base_values, _ = _simulator.read_machine(base_values)
    return _Said(merged(base_values, values), overridden(below.sources, own))


def _names_one_of_many(base: dict[str, Any], own: dict[str, Any]) -> bool:
    """Whether ``own`` has a key in what ``base`` says by one number for all of its keys."""
    tables = [(base.get(key), value) for key, value in own.items() if isinstance(value, dict)]
    return any(
        isinstance(below, int) or (isinstance(below, dict) and _names_one_of_many(below, value))
        for below, value in tables
    )


def _base_path(path: Path, base: object, above: tuple[Path, ...]) -> Path:
    if not isinstance(base, str):
        raise MachineError(f"machine file {path}: `based_on` = {base!r}: it should be the name of a machine")
    found = machine_path(path.parent / base if base.endswith(".toml") else base)
    if len(above) >= MOST_BASES:
        raise MachineError(f"machine file {above[0]}: more than {MOST_BASES} files are based on each other")
    if found in (*above, path):
        raise MachineError(f"machine file {path}: it is based on itself, through {found}")
    return found


def machine_values(name: str | os.PathLike[str]) -> dict[str, Any]:
    """What a machine's file and those that it is based on say, unchecked: as a nested dictionary."""
    return _read(machine_path(name)).values


def machine_from(values: dict[str, Any], origin: str = "(given)") -> Machine:
    """Checks a machine given as a nested dictionary; ``origin`` names it in errors. Raises MachineError."""
    return Machine.model_validate(values, f"machine file {origin}")


@lru_cache(maxsize=64)  # tomlkit takes ten times as long as tomllib, and many files have the same base
def _comments(text: str) -> dict[str, str]:
    """Where a file says that its values are from, by their keys: the comments at the ends of their lines."""
    return dict(_comments_in(tomlkit.parse(text), ""))


def _comments_in(table: Container, prefix: str) -> Iterator[tuple[str, str]]:
    for key, item in table.body:
        if key and isinstance(item, Table):
            yield from _comments_in(item.value, f"{prefix}{key.key}.")
        elif key and isinstance(item, AoT):
            for number, each in enumerate(item):
                yield from _comments_in(each.value, f"{prefix}{key.key}.{number}.")
        elif key and (comment := item.trivia.comment.removeprefix("#").strip()):
            yield prefix + key.key, comment


def flat_description(described: Machine) -> str:
    """A machine as ``key = value`` lines, for programs without Python (simulator/description/description_file.hpp)."""
    lines = []
    for key, value in flattened(described.model_dump()):
        if isinstance(value, list):  # of positions in the mesh
            for number, each in enumerate(value):
                lines += [f"{key}.{number}.{inner} = {at}" for inner, at in each.items()]
        else:
            lines.append(f"{key} = " + (f'"{value}"' if isinstance(value, str) else str(value)))
    return "".join(f"{line}\n" for line in lines)
