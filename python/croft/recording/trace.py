"""When each core ran and waited (``croft run --trace``): slices, as the simulator numbers their names."""

from dataclasses import dataclass

from croft.recording.profile import WAITS
from croft.symbols.landmarks import NAMES as LANDMARKS

_THREAD, _HANDLER, _FLOWS, _LANDMARKS = 64, 65, 66, 80
OWN = 128
"""The number of a program's first own name."""
_FLOW_ENDS = ("send", "receive", "interrupt request", "interrupted by", "response", "answer", "hand over", "steal")
NAMES = {
    **dict(enumerate(WAITS, 1)),
    _THREAD: "thread",
    _HANDLER: "interrupt handler",
    **dict(enumerate(_FLOW_ENDS, _FLOWS)),
    **dict(enumerate(LANDMARKS, _LANDMARKS)),
}
"""What slices are called, by number (Trace::Name in simulator/contract/simulation.hpp)."""


@dataclass(frozen=True)
class Trace:
    """What was recorded of a run: ``packets``, and how many slices found no room, from which cycle on."""

    packets: bytes
    left_out: int
    left_out_from: int
    names: list[str]
    """What the program calls its own marks."""
