"""A run's trace as a file for Perfetto (``croft run --trace``; ui.perfetto.dev shows it).

The simulator writes the slices (simulator/record/timeline.cpp); here are the names of tracks and slices, which come in
front of them, and counters. A tick, which Perfetto shows as a nanosecond, is a cycle of the machine.
"""

from collections.abc import Iterator
from typing import Any

from croft.base.errors import UsageError
from croft.base.extras import require
from croft.recording.profile import WAITS
from croft.recording.trace import NAMES, OWN, Trace
from croft.results.result import Result

_SEQUENCE, _PROCESS = 1, 1 << 32
_COUNTERS = _PROCESS + 1


def encode(result: Result) -> bytes:
    """The file of a run with ``trace``: all that its trace has, and its intervals as counters."""
    if result.trace is None:
        raise UsageError(f"{result!r} has no trace: ask for one")
    require("a trace", "perfetto")
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace as Packets

    head = Packets()
    for packet in _descriptors(result, result.trace):
        head.packet.add(**packet)
    tail = Packets()
    for packet in _counters(result):
        tail.packet.add(**packet)
    return head.SerializeToString() + result.trace.packets + tail.SerializeToString()


def _descriptors(result: Result, trace: Trace) -> Iterator[dict[str, Any]]:
    left_out = f"; {trace.left_out} slices left out" if trace.left_out else ""
    process = f"{result.program} on {result.machine.title}, in cycles{left_out}"
    numbered = NAMES | dict(enumerate(trace.names, OWN))
    names = [{"iid": number, "name": name} for number, name in numbered.items()]
    yield {
        "trusted_packet_sequence_id": _SEQUENCE,
        "sequence_flags": 1,  # what was interned before is forgotten
        "interned_data": {"event_names": names},
        "track_descriptor": {"uuid": _PROCESS, "process": {"pid": 1, "process_name": process}},
    }
    roles = result.lines.roles if result.lines else {}
    for core in range(result.machine.cores):
        name = f"core {core}: {roles[core]}" if core in roles else f"core {core}"
        thread = {"pid": 1, "tid": core + 1, "thread_name": name}
        yield {
            "trusted_packet_sequence_id": _SEQUENCE,
            "track_descriptor": {"uuid": core + 1, "parent_uuid": _PROCESS, "thread": thread},
        }


def _counters(result: Result) -> Iterator[dict[str, Any]]:
    """Of each interval: instructions a cycle of all cores, and how much of their time went to each cause."""
    if result._intervals is None:
        return
    names = {"instructions": "instructions a cycle", **{cause: f"cores in {cause}" for cause in WAITS}}
    rows = [(at, name) for at, (part, _, name, *_) in enumerate(result._counts) if part == "core" and name in names]
    for number, (name, text) in enumerate(names.items()):
        yield {
            "trusted_packet_sequence_id": _SEQUENCE,
            "track_descriptor": {"uuid": _COUNTERS + number, "parent_uuid": _PROCESS, "name": text, "counter": {}},
        }
        mine = [at for at, other in rows if other == name]
        for begin, end, _, grew in result._intervals:
            if end > begin:
                value = sum(grew[at] for at in mine) / (end - begin)
                yield {
                    "timestamp": begin,
                    "trusted_packet_sequence_id": _SEQUENCE,
                    "track_event": {"type": 4, "track_uuid": _COUNTERS + number, "double_counter_value": value},
                }
