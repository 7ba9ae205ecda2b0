"""A machine's caches in one line, from the cores to memory."""

from collections.abc import Iterator
from typing import Any

from croft.machines.model import Machine


def hierarchy(machine: Machine) -> str:
    """What an access of each kind of core meets on its way, one line a kind.

    Example: ``l1d 4 KiB (mesi) -> l2 64 KiB, one for 4 tiles -> l3 256 KiB for all -> memory behind 8 controllers``.
    """
    values = machine.model_dump()
    places = {what: len(at) for what, at in machine.positions.items()}
    kinds = {name: values[name] for name in ("big", "tiny") if values.get(name)}
    ways = {name: " -> ".join(_way(values, kind, places)) for name, kind in (kinds or {"": values}).items()}
    return "\n".join(f"{name}: {way}" if name else way for name, way in ways.items())


def _way(values: dict[str, Any], kind: dict[str, Any], places: dict[str, int]) -> Iterator[str]:
    yield f"l1d {_size(kind['l1d']['size'])} ({kind['protocol']})"
    in_tiles = values.get("home") is not None
    if kind.get("l2"):
        of = "the home of its share of the lines" if in_tiles else "one for each tile"
        yield f"l2 {_size(kind['l2']['size'])}, {of}"
    for level in values.get("level") or []:
        yield _level(level, places.get("shared.banks", 0))
    if shared := values.get("shared"):
        yield f"{places['shared.banks']} banks of {_size(shared['size'])} for all"
    controllers = places["memory.controllers"]
    yield f"memory behind {controllers} controller{'s' * (controllers > 1)}"


def _level(level: dict[str, Any], slices: int) -> str:
    answers = "owners answer" if level.get("answers") == "owner" else None
    said = [word for word in (level.get("protocol"), level.get("inclusion"), answers) if word and word != "inclusive"]
    what = f" ({', '.join(said)})" if said else ""
    size = _size(level["size"])
    if level["shared_by"] == "all":
        return f"{level['name']} {f'{slices} x ' if slices > 1 else ''}{size} for all{what}"
    tiles = "each tile" if level["shared_by"] == 1 else f"{level['shared_by']} tiles"
    of_each = f"{level['slices']} x " if (level.get("slices") or 1) > 1 else ""
    return f"{level['name']} {of_each}{size}, one for {tiles}{what}"


def _size(size: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"
