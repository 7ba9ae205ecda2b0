"""Homes that lines of a program get whatever it asks for: ``croft run --homes FILE``, ``croft.run(homes=...)``.

A file of them is TOML, with a table ``[[home]]`` for each: a core, and what is homed there, which is a range of
addresses, a variable with static storage, or all that a place of the program allocates.

    [[home]]
    core = 5
    variable = "counters"

    [[home]]
    core = 7
    allocated = "make_queue (queue.cpp:12)"    # as `croft lines` names it

    [[home]]
    core = 9
    address = 0x1034000
    bytes = 4096

Whole lines are homed: those that hold a byte of it.
"""

import os
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import tomlkit

from croft.base.errors import UsageError
from croft.machines.model import Machine
from croft.recording.line_use import LINE_BYTES, LineUse
from croft.symbols.symbols import Symbols

_LIMIT = 1 << 63


@dataclass(frozen=True)
class Home:
    """What ``core`` is home to: ``variable``, what is ``allocated`` somewhere, or ``bytes`` from ``address`` on."""

    core: int
    address: int = 0
    bytes: int = 0
    variable: str = ""
    allocated: str = ""

    def __str__(self) -> str:
        what = self.variable or (f"what is allocated in {self.allocated}" if self.allocated else "")
        return what or f"{self.bytes} bytes at {self.address:#x}"


def homes_of(homes: str | os.PathLike[str] | Sequence[Home]) -> Sequence[Home]:
    """These homes, or those of a file. Raises UsageError."""
    return read_homes(Path(homes)) if isinstance(homes, str | os.PathLike) else homes


def read_homes(file: Path) -> list[Home]:
    """Those of a file. Raises UsageError."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from None
    tables = content.pop("home", None)
    if content or not isinstance(tables, list) or not tables:
        raise UsageError(f"{file}: a file of homes has tables [[home]], and nothing else")
    return [_home(f"{file}: home {number}", table) for number, table in enumerate(tables, 1)]


def _home(where: str, table: Any) -> Home:
    if not isinstance(table, dict) or not table.keys() <= Home.__dataclass_fields__.keys():
        raise UsageError(f"{where}: it may have core, and address and bytes, variable or allocated")
    for key, value in table.items():
        is_text = key in ("variable", "allocated")
        fits = isinstance(value, str) if is_text else type(value) is int and 0 <= value < _LIMIT
        if not fits:
            kind = "text" if is_text else "a number"
            raise UsageError(f"{where}: {key} should be {kind}, not {value!r}")
    ways = sum(key in table for key in ("variable", "allocated", "address"))
    if "core" not in table or ways != 1 or ("address" in table) != bool(table.get("bytes")):
        raise UsageError(f"{where}: it needs a core, and one of address with bytes, variable and allocated")
    return Home(**table)


def to_toml(homes: Sequence[Home]) -> str:
    """A file of them."""
    tables = tomlkit.aot()
    for home in homes:
        table = tomlkit.item({key: value for key, value in asdict(home).items() if value or key == "core"})
        if home.bytes:
            table["address"] = tomlkit.value(f"{home.address:#x}")
        tables.append(table)
    return tomlkit.dumps({"home": tables})


def ranges(
    homes: Sequence[Home], elf: bytes, machine: Machine, rehearse: Callable[[], LineUse | None]
) -> list[tuple[int, int, int]]:
    """The lines and their homes, as (begin, end, core) in ascending order.

    Where memory is allocated, a run tells: ``rehearse`` makes one, if that is asked for. Raises UsageError.
    """
    if not homes:
        return []
    if machine.protocol != "ddc":
        raise UsageError(f"{machine.name} has a shared L2, so its lines have no homes to choose")
    symbols = Symbols(elf)
    used = rehearse() if any(home.allocated for home in homes) else None
    found = []
    for home in homes:
        if home.core >= machine.cores:
            raise UsageError(f"{home} cannot be homed at core {home.core}: {machine.name} has {machine.cores}")
        parts = _parts(home, symbols, used)
        if not parts:
            raise UsageError(f"there is no {home} to be homed at core {home.core}")
        found += [
            (begin // LINE_BYTES * LINE_BYTES, -(-end // LINE_BYTES) * LINE_BYTES, home.core) for begin, end in parts
        ]
    found = sorted(set(found))
    joined: list[tuple[int, int, int]] = []
    for begin, end, core in found:
        if joined and begin <= joined[-1][1] and core == joined[-1][2]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1]), core
        else:
            joined.append((begin, end, core))
    for (_, end, core), (begin, _, other) in pairwise(joined):
        if begin < end:
            raise UsageError(f"the line at {begin:#x} cannot have two homes, core {core} and core {other}")
    return joined


def _parts(home: Home, symbols: Symbols, used: LineUse | None) -> list[tuple[int, int]]:
    if home.variable:
        return [(start, start + size) for name, start, size in symbols.variables() if name == home.variable and size]
    if home.allocated and used:
        return [(begin, end) for begin, end, name in used.allocated if name == home.allocated]
    return [(home.address, home.address + home.bytes)]
