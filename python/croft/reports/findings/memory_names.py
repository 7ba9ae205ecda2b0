"""What memory is called in sentences."""

from typing import Any

from croft.recording.identity import Identity, called
from croft.reports.run_data import RunData


def object_name(run: RunData, key: int | str | None) -> str:
    """An object of the record by its number, with where it was allocated if it was; anything else as it is."""
    if not isinstance(key, int) or run.lines is None:
        return str(key or "other memory")
    each = run.lines["objects"][key]
    name = called(Identity.of_dict({"where": ""} | each))
    return f"memory {name}," if each["kind"] == "allocation" and not each.get("channel") else name


def bytes_text(ranges: list[list[int]]) -> str:
    """Bytes of a line: "bytes 0 to 7", "byte 4", "bytes 0 to 3 and 8 to 11"."""
    parts = [f"{first} to {last}" if last > first else str(first) for first, last in ranges]
    return ("byte " if parts == [str(ranges[0][0])] else "bytes ") + " and ".join(parts)


def uses_by_core(line: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """What each core did with a line or an object."""
    return {use["core"]: use for use in line["uses"]}
