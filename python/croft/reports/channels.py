"""Channels as a page shows them: how many messages, how full, and who waits."""

import re
from collections import Counter
from typing import Any

from croft.recording.channel_use import USER_NETWORK, Channel
from croft.recording.identity import Identity, called
from croft.reports.run_data import RunData

_NAMED = re.compile(r"channel|queue|inbox|mailbox|one_to_many|many_to_one", re.IGNORECASE)


def channels(run: RunData) -> list[dict[str, Any]]:
    """Those whose messages were counted; if none were, objects that are channels by their names and handed lines on.

    Of these nothing is known that tells a message from other data: queues with a lock, or of a program without debug
    information.
    """
    lines = run.lines or {}
    counted = [Channel.of_dict(row) for row in lines.get("channels", [])]
    if counted:
        return [_counted(run, each) for each in counted]
    return [
        _named(run, each)
        for each in lines.get("objects", [])
        if (each.get("channel") or _NAMED.search(each["name"] + each["where"]))
        and any(use["next"] for use in each["uses"])
    ]


def _counted(run: RunData, each: Channel) -> dict[str, Any]:
    # Cores that wait for the user network wait for no line that another one has written.
    ends = () if each.identity == USER_NETWORK else ((each.receiver, each.sender), (each.sender, each.receiver))
    waits = [(core, run.waits_for.get(other, Counter[int]())[core]) for core, other in ends]
    return {
        "name": each.called(),
        "messages": each.messages,
        "from": run.called(each.sender),
        "to": run.called(each.receiver),
        "fill": each.fill(run.content["cycles"]),
        "most": each.most,
        "latency": each.latency,
        "waits": [f"{run.called(core)}: {cycles:,}" for core, cycles in waits if cycles],
    }


def _named(run: RunData, each: dict[str, Any]) -> dict[str, Any]:
    def cores(what: str) -> str:
        named = [use["core"] for use in each["uses"] if use[what]]
        return run.called_all(named) if named else ""

    return {
        "name": called(Identity.of_dict(each)),
        "messages": None,
        "from": cores("writes"),
        "to": cores("next"),
        "waits": [f"{run.called(use['core'])}: {use['waits']:,}" for use in each["uses"] if use["waits"]][:4],
    }
