"""What an object in memory is called, however often it is allocated."""

from typing import Any, NamedTuple

from croft.symbols.demangle import elided_place


class Identity(NamedTuple):
    """What an object is: ``kind`` is "variable", "allocation", "stack" or "unknown"; ``where`` it was allocated.

    ``channel`` says of the library's channels between whom they are: "farm: emitter to 4 workers". Of messages, "user
    network" is no object.
    """

    kind: str
    name: str
    where: str = ""
    channel: str = ""

    @classmethod
    def of_dict(cls, row: dict[str, Any]) -> "Identity":
        """What a record's JSON says of an object or a channel."""
        return cls(row["kind"], row["name"], row["where"], row.get("channel", ""))


def called(what: Identity, full: bool = False) -> str:
    """A piece of memory as a person is told of it: "farm: emitter to 4 workers, for main (a.cpp:9)".

    What is no channel is a variable's name, or "allocated in f (a.cpp:3), for main (a.cpp:9)". ``full``: with template
    arguments, whole paths, and where a channel's memory is allocated.
    """
    verb = "allocated in " if what.kind == "allocation" else ""
    name, where = (part if full else elided_place(part) for part in (what.name, what.where))
    if what.channel:
        name, verb = f"{what.channel} ({verb}{name})" if full else what.channel, ""
    return f"{verb}{name}" + (f", for {where}" if where else "")
