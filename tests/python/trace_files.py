"""Traces, as Perfetto's own messages read them again."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace as Packets

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def _events(content: bytes) -> Iterator[tuple[str, str, int, Any]]:
    """Each event as (track, name, time, event), in the order of the file."""
    names, tracks = {}, {}
    for packet in Packets.FromString(content).packet:
        names |= {each.iid: each.name for each in packet.interned_data.event_names}
        track = packet.track_descriptor
        if packet.HasField("track_descriptor"):
            tracks[track.uuid] = track.thread.thread_name or track.name or track.process.process_name
        if packet.HasField("track_event"):
            event = packet.track_event
            yield tracks[event.track_uuid], event.name or names.get(event.name_iid, ""), packet.timestamp, event


def _number(track: str) -> int:
    return int(track.split()[-1])


def slices_of(content: bytes):
    """Each slice as (core, name, begin, end), and counters as (name, time, value)."""
    slices, counters = [], []
    open_ones = defaultdict(list)
    latest = Counter()
    for track, name, time, event in _events(content):
        if event.type == COUNTER:
            counters.append((track, time, event.double_counter_value))
            continue
        if event.type == INSTANT:
            continue
        core = _number(track)
        assert time >= latest[core]  # so that whatever lies within a slice does
        latest[core] = time
        if event.type == BEGIN:
            open_ones[core].append((name, time))
        elif event.type == END:
            name, begin = open_ones[core].pop()
            slices.append((core, name, begin, time))
    assert not any(open_ones.values())
    return slices, counters


def instants_of(content: bytes):
    """Each instant as (core, name, time), in the order of the file."""
    return [(_number(track), name, time) for track, name, time, event in _events(content) if event.type == INSTANT]


def flows_of(content: bytes):
    """Each flow as ((core, name, time) of its beginning, the same of its end), and how many have one end only."""
    begun, ended = {}, {}
    for track, name, time, event in _events(content):
        for ends, numbers in ((begun, event.flow_ids), (ended, event.terminating_flow_ids)):
            for number in numbers:
                assert number not in ends
                ends[number] = (_number(track), name, time)
    return [(begun[number], ended[number]) for number in begun if number in ended], len(begun.keys() ^ ended.keys())
