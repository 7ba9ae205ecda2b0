"""Traces in Perfetto's own trace_processor: what its queries find is what the messages hold, and adds up to the run."""

import io
import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

import croft
from croft.recording.profile import WAITS
from croft.results.trace_file import encode
from croft.symbols.landmarks import FLAGS
from program_sources import PROGRAMS
from recorded_runs import recorded, whole
from trace_files import flows_of, instants_of, slices_of

SLOW = pytest.mark.slow("the same of more programs")

RUNS = (
    ("locks", "tilepro64"),
    ("messages", "tilepro64"),
    ("stealing", "big-tiny-64-mesi"),
    ("interrupts", "big-tiny-64-gwb"),
)
SHELL = os.environ.get("CROFT_TRACE_PROCESSOR") or shutil.which("trace_processor_shell")
pytestmark = pytest.mark.skipif(
    not SHELL, reason="trace_processor_shell is not installed, and CROFT_TRACE_PROCESSOR does not name it"
)

THOSE = """
create perfetto view those as
select slice.id, thread.name as track, slice.name as what, ts, ts + dur as until, dur, depth, slice.parent_id
from slice join thread_track on track_id = thread_track.id join thread using (utid)
"""
DEFECTS = "select name, value from stats where severity != 'info' and value > 0"
OUTSIDE = """
select one.id from those as one join those as around on one.parent_id = around.id
where one.ts < around.ts or one.until > around.until
"""
FLOWS = """
select sent.track, sent.what, sent.ts, received.track as by, received.what as how, received.ts as at
from flow left join those as sent on slice_out = sent.id left join those as received on slice_in = received.id
"""
COUNTERS = "select track.name, ts, value from counter join process_counter_track as track on track_id = track.id"


@contextmanager
def opened(content):
    """What asks a trace, given by its content, by a query."""
    with TraceProcessor(io.BytesIO(content), config=TraceProcessorConfig(bin_path=SHELL)) as processor:
        processor.query(THOSE)
        yield lambda query: sorted(tuple(vars(row).values()) for row in processor.query(query))


def is_what_the_messages_hold(rows, content, track="core"):
    """Slices, instants and flows, each at its time, on its track and within what is around it; nothing is lost."""
    slices, _ = slices_of(content)
    instants = [(at, name, time, time) for at, name, time in instants_of(content)]
    flows, _ = flows_of(content)
    assert rows(DEFECTS) == []
    assert rows(OUTSIDE) == []
    there = rows("select track, what, ts, until from those")
    assert there == sorted((f"{track} {at}", *rest) for at, *rest in slices + instants)
    arrows = [
        (f"{track} {sends}", *sent, f"{track} {receives}", *received) for (sends, *sent), (receives, *received) in flows
    ]
    assert rows(FLOWS) == sorted(arrows)


@pytest.mark.slow_cases(r"^(?!messages)", "the same of more programs")
@pytest.mark.parametrize(("name", "machine"), RUNS)
def test_slices_add_up_to_the_run(name, machine):
    result = recorded(name, machine, trace=1 << 28)
    content, counted = encode(result), whole(result)["core"]
    with opened(content) as rows:
        is_what_the_messages_hold(rows, content)
        outermost = rows("select track, sum(dur) as cycles from those where depth = 0 group by track")
        waits = rows("select track, what, sum(dur) as cycles from those where depth > 0 group by track, what")
        last = rows("select max(until) as cycles from those")
    assert len(outermost) > 1
    assert outermost == sorted(
        (f"core {core}", cycles) for (core, what), cycles in counted.items() if what == "active" and cycles
    )
    assert [row for row in waits if row[1] in WAITS] == sorted(
        (f"core {core}", what, cycles) for (core, what), cycles in counted.items() if what in WAITS and cycles
    )
    assert last == [(result.cycles,)]


@SLOW
def test_a_part_of_the_time_and_what_finds_room():
    for options in ({"trace": 1 << 28, "trace_from": 200_000, "trace_to": 240_000}, {"trace": 10_000}):
        content = encode(recorded("locks", "tilepro64", **options))
        with opened(content) as rows:
            is_what_the_messages_hold(rows, content)


def test_intervals_are_counters():
    result = croft.run("pingpong", "tilepro64", arguments=["--count", "100"], interval=10_000, trace=1 << 20)
    content = encode(result)
    _, counters = slices_of(content)
    with opened(content) as rows:
        assert rows(COUNTERS) == sorted(counters)
        names = {name for name, *_ in counters}
    assert names == {"instructions a cycle", *(f"cores in {cause}" for cause in WAITS)}
    assert len(counters) > 2 * len(names)


@SLOW
@pytest.mark.parametrize("kind", ["ra", "udn"])
def test_every_message_is_an_arrow(kind):
    """Of the user network some words are sent and never received."""
    content = encode(croft.run(PROGRAMS / "messages.cpp", "tilepro64", arguments=[kind], trace=1 << 28))
    with opened(content) as rows:
        is_what_the_messages_hold(rows, content)
        if kind == "ra":
            assert rows("select count(*) as arrows from flow") == [(101,)]


@SLOW
@pytest.mark.parametrize("machine", ["tilepro64", "big-tiny-64-gwb"])
def test_marks_and_services_of_roles(machine):
    marks = croft.build(PROGRAMS / "marks.cpp", flags=FLAGS)
    for mode in ("phases", "farm"):
        content = encode(croft.run(marks, machine, arguments=[mode], trace=1 << 28))
        with opened(content) as rows:
            is_what_the_messages_hold(rows, content)


@SLOW
def test_native_programs(tmp_path):
    program = croft.build(PROGRAMS / "marks.cpp", native=True, optimise="1", defines=["CROFT_TRACE"])
    for mode in ("phases", "farm", "tasks"):
        subprocess.run([program, mode], cwd=tmp_path, env={}, check=True, timeout=60)
        content = (tmp_path / "croft-trace.pftrace").read_bytes()
        with opened(content) as rows:
            is_what_the_messages_hold(rows, content, "thread")
