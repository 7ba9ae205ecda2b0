"""What an object in memory is called, however often it is allocated."""

from typing import NamedTuple


class Identity(NamedTuple):
    """What an object is: ``kind`` is "variable", "allocation", "stack" or "unknown"; ``where`` it was allocated.

    Of messages, "user network" is no object.
    """

    kind: str
    name: str
    where: str = ""


def called(what: Identity) -> str:
    """An object in a table: "allocated in f (a.cpp:3), for main (a.cpp:9)"."""
    verb = "allocated in " if what.kind == "allocation" else ""
    where = f", for {what.where}" if what.where else ""
    return f"{verb}{what.name}{where}"
