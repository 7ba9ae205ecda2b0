"""Messages from core to core, and how full what they go through is (``croft run --lines``)."""

import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from croft.recording.identity import Identity, called

_CHANNEL = struct.Struct("<4I4Q")
USER_NETWORK = Identity("user network", "user network")


@dataclass(frozen=True)
class Channel:
    """What one core sends another by way of one object, or of the user network, whatever the program calls it.

    ``messages`` are those received, the last one, which says that no more will come, with them. ``under_way`` are
    the cycles from send to receipt, of all of them together. ``most`` is how many were under way at once; None: not
    known, for one overtook another, or what the object is made of was counted in parts. ``between`` names the two ends
    by their parts in a pattern, if there is one: "farm: emitter to worker 3".
    """

    sender: int
    receiver: int
    identity: Identity
    messages: int
    under_way: int
    most: int | None
    between: str = ""

    def called(self, full: bool = False) -> str:
        """What a person is told that it is (identity.called)."""
        return called(self.identity._replace(channel=self.between), full)

    @property
    def latency(self) -> float:
        """Cycles from send to receipt, of a message on the mean."""
        return self.under_way / self.messages

    def fill(self, cycles: int) -> float:
        """How many messages were under way on the mean of a run of so many cycles.

        By Little's law: messages a cycle, times the cycles that each takes, which is all their cycles by the run's.
        """
        return self.under_way / cycles

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "from": self.sender,
            "to": self.receiver,
            **self.identity._asdict(),
            "messages": self.messages,
            "under_way": self.under_way,
            "most": self.most,
            "between": self.between,
        }

    @classmethod
    def of_dict(cls, row: dict[str, Any]) -> "Channel":
        """What as_dict() gave."""
        counted = row["messages"], row["under_way"], row["most"]
        return cls(row["from"], row["to"], Identity.of_dict(row), *counted, row.get("between", ""))


def messages_by_site(rows: bytes) -> Iterator[tuple[int, tuple[int, int], int]]:
    """Of each channel in memory the number of its allocation, sender and receiver, and how many messages."""
    for sender, receiver, allocation, by_user_network, _, messages, *_ in _CHANNEL.iter_unpack(rows):
        if not by_user_network:
            yield allocation, (sender, receiver), messages


def between(sent: Iterable[Channel], identity: Identity, cores: set[int]) -> str:
    """What the one channel of an object is called whose ends are both among these cores; empty if that is not one."""
    found = {each.between for each in sent if each.identity == identity and {each.sender, each.receiver} <= cores}
    return found.pop() if len(found) == 1 else ""


def channels(
    rows: bytes, identity_of: Callable[[int, int], Identity], name: Callable[[int, tuple[int, int]], str]
) -> list[Channel]:
    """What the simulator counted, those with most messages first.

    ``identity_of`` is asked with the number of an allocation and with a line outside of any, ``name`` with that number
    and with sender and receiver.
    """
    parts = defaultdict(list)
    for sender, receiver, allocation, by_user_network, line, *counts in _CHANNEL.iter_unpack(rows):
        identity = USER_NETWORK if by_user_network else identity_of(allocation, line)
        called_so = "" if by_user_network else name(allocation, (sender, receiver))
        parts[sender, receiver, identity, called_so].append(counts)
    found = []
    for (sender, receiver, identity, called_so), counted in parts.items():
        messages, under_way, most = map(sum, zip(*counted, strict=True))
        known = most if len(counted) == 1 and most else None
        found.append(Channel(sender, receiver, identity, messages, under_way, known, called_so))
    return sorted(found, key=lambda one: (-one.messages, one.sender, one.receiver, one.identity))
