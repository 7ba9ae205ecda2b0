"""A host in simulated time, at the other end of a co-processor's link."""

from collections.abc import Sequence
from dataclasses import dataclass

from croft import _simulator
from croft.base.errors import UsageError


@dataclass(frozen=True)
class HostScript:
    """A host in simulated time, for ``croft.run(..., host=...)``: what it offloads, and when.

    It offloads ``messages`` one after the other, then from the first one again, ``count`` in all (default: each once).
    It does so as fast as there are slots for them, or one ``every`` so many cycles. The link has ``input_slots`` and
    ``output_slots``, unless the program chooses others. Results are taken as they come: Result.host_results.
    """

    messages: Sequence[bytes]
    count: int | None = None
    every: int = 0
    input_slots: int = 16
    output_slots: int = 16

    def __post_init__(self) -> None:
        check_slots(self.input_slots, self.output_slots)
        if self.every < 0 or (self.count is not None and self.count < 0):
            raise UsageError("a host script has no negative numbers")
        if self.count and not self.messages:
            raise UsageError(f"a host script of {self.count} messages has none to send")

    def start(self) -> _simulator.ScriptedHost:
        """The host itself, for one run."""
        count = len(self.messages) if self.count is None else self.count
        messages = [bytes(message) for message in self.messages]
        return _simulator.ScriptedHost(messages, count, self.every, self.input_slots, self.output_slots)


def check_slots(inputs: int, outputs: int) -> None:
    """Raises UsageError for a number of slots that a link cannot have."""
    for name, slots in (("input", inputs), ("output", outputs)):
        if not 1 <= slots <= 1024:
            raise UsageError(f"the link has 1 to 1024 {name} slots, not {slots}")
