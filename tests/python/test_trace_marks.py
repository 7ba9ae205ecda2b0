"""What a program and its library name in a trace: marks, tasks, and the services of patterns' roles."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import croft
from croft.results.trace_file import encode
from croft.symbols.landmarks import FLAGS
from trace_files import flows_of, instants_of, slices_of

pytestmark = pytest.mark.slow("programs that are built twice, and large traces")

PROGRAMS = Path(__file__).parent.parent / "programs"
MACHINES = ["tilepro64", "big-tiny-64-mesi", "big-tiny-64-gwb"]
SERVICES = ("emitter", "worker", "collector")
LONG = "a text of more than eighty characters, of which the first eighty are what is sho"


def both(program, machine, *arguments, **options):
    """A run without a trace, and the same with one: they do not differ."""
    without = croft.run(program, machine, arguments=arguments)
    traced = croft.run(program, machine, arguments=arguments, trace=1 << 28, **options)
    assert (without.cycles, without.instructions, without.output) == (traced.cycles, traced.instructions, traced.output)
    assert without.statistics == traced.statistics
    return traced


@pytest.fixture(scope="module")
def marks():
    """As `croft run --trace` builds it."""
    return croft.build(PROGRAMS / "marks.cpp", flags=FLAGS)


def nest(slices):
    """Slices of one track lie within or behind each other."""
    for core in {core for core, *_ in slices}:
        ends = []
        for begin, end in sorted(
            ((begin, end) for at, _, begin, end in slices if at == core), key=lambda s: (s[0], -s[1])
        ):
            while ends and ends[-1] <= begin:
                ends.pop()
            assert not ends or end <= ends[-1]
            ends.append(end)


@pytest.mark.parametrize("machine", MACHINES)
def test_marks_are_on_the_track_of_the_core_that_came_by(machine, marks):
    content = encode(both(marks, machine, "phases"))
    slices, _ = slices_of(content)
    nest(slices)
    own = [one for one in slices if one[1] in ("outer", "inner")]
    cores = {core for core, *_ in own}
    assert len(cores) == 2
    instants = instants_of(content)
    for core in cores:
        (outer,) = [one for one in own if one[:2] == (core, "outer")]
        inner = sorted(one for one in own if one[:2] == (core, "inner"))
        assert len(inner) == 3
        assert all(outer[2] < begin < end <= outer[3] for _, _, begin, end in inner)
        assert all(end <= begin for (*_, end), (_, _, begin, _) in pairwise(inner))
        mine = [(name, time) for at, name, time in instants if at == core]
        assert [name for name, _ in mine] == ["begins", "caf??", LONG]
        assert mine[0][1] <= outer[2] < mine[1][1] <= outer[3] <= mine[2][1]


def test_a_mark_is_an_instruction_and_its_address(marks):
    """On a core that issues one instruction a cycle, and where they are computed."""
    counted = {mode: croft.run(marks, "tilepro64", arguments=[mode]).instructions for mode in ("phases", "silent")}
    assert counted["phases"] - counted["silent"] < 2 * (7 * 3 + 4 + 20)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("mode", ["tasks", "interrupts"])
def test_every_task_is_a_slice_and_so_is_every_stolen_one(machine, mode, marks):
    if mode == "interrupts" and machine == "tilepro64":
        pytest.skip("it has no interrupts between cores")
    result = both(marks, machine, mode)
    slices, _ = slices_of(encode(result))
    nest(slices)
    found = Counter(name for _, name, *_ in slices)
    total, stolen = map(int, result.output.split())
    assert total == 34
    assert stolen > 0
    assert found["stolen task"] == stolen
    assert found["task"] + found["stolen task"] == 2 * 55 - 2  # the calls of fib(9) but the first


@pytest.mark.parametrize("machine", ["tilepro64", "big-tiny-64-mesi"])
def test_every_stolen_task_comes_from_where_it_was_left(machine):
    """By memory: where cores cannot interrupt each other, and from shared deques."""
    arguments = ("shared_deques",) if machine == "big-tiny-64-mesi" else ("default",)
    content = encode(both(PROGRAMS / "tasks.cpp", machine, *arguments))
    begins = {(core, begin) for core, name, begin, _ in slices_of(content)[0] if name == "stolen task"}
    flows, _ = flows_of(content)
    arrows = [(left, taken) for left, taken in flows if taken[1] == "steal"]
    assert {(core, time) for _, (core, _, time) in arrows} == begins
    assert len(arrows) == len(begins) > 10
    assert all(left[1] == "hand over" and left[0] != taken[0] and left[2] < taken[2] for left, taken in arrows)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_service_of_a_role_is_a_slice(machine, marks):
    slices, _ = slices_of(encode(both(marks, machine, "farm")))
    nest(slices)
    found = Counter(name for _, name, *_ in slices)
    assert {name: found[name] for name in SERVICES} == {"emitter": 101, "worker": 100, "collector": 100}
    cores = {name: {core for core, what, *_ in slices if what == name} for name in SERVICES}
    assert len(cores["worker"]) == 3
    assert all(end - begin >= 200 for _, name, begin, end in slices if name == "worker")


def test_a_service_that_throws_has_ended(marks):
    result = both(marks, "tilepro64", "thrown")
    assert result.output == b"thrown\n"
    slices, _ = slices_of(encode(result))
    workers = sorted(one for one in slices if one[1] == "worker")
    assert len(workers) >= 11
    for (core, _, _, end), (after, _, begin, _) in pairwise(workers):
        assert core != after or end <= begin


def test_a_part_of_the_time_has_what_lies_in_it(marks):
    whole = encode(both(marks, "tilepro64", "farm"))
    everything, _ = slices_of(whole)
    times = sorted(begin for _, name, begin, _ in everything if name == "worker")
    first, last = times[30], times[60]
    part, _ = slices_of(encode(both(marks, "tilepro64", "farm", trace_from=first, trace_to=last)))
    expected, found = Counter(), Counter()
    for core, name, begin, end in everything:
        expected[core, name] += max(min(end, last) - max(begin, first), 0)
    for core, name, begin, end in part:
        assert first <= begin < end <= last or name == "thread"
        found[core, name] += end - begin
    assert +found == +expected
    assert found[min(core for core, name in found if name == "worker"), "worker"] > 0


def counted(result, part, name):
    return sum(value for at, _, what, _, value in result.statistics if (at, what) == (part, name))


def test_every_word_of_the_user_network_flows_to_its_receipt():
    result = both(PROGRAMS / "messages.cpp", "tilepro64", "udn")
    flows, single = flows_of(encode(result))
    # Those of a word each that nobody received.
    assert single == counted(result, "user_port", "words_sent") - counted(result, "user_port", "words_received")
    assert len(flows) + single == counted(result, "user_port", "messages") > 100
    for (_, sends, sent), (_, receives, received) in flows:
        assert (sends, receives) == ("send", "receive")
        assert sent < received


KINDS = ("ra", "ra-home", "ra-hf", "turns", "batched", "null-slot", "lamport", "unbounded", "answers")


@pytest.mark.parametrize(
    ("kind", "machine"), [(kind, "tilepro64") for kind in KINDS] + [(kind, "big-tiny-64-gwb") for kind in KINDS[2:]]
)
def test_every_message_in_memory_flows_from_its_send_to_its_receipt(kind, machine):
    flows, single = flows_of(encode(both(PROGRAMS / "messages.cpp", machine, kind)))
    assert single == 0
    there = [(sent, received) for sent, received in flows if sent[0] == 0]
    assert len(there) == 101  # and the end
    assert len(flows) - len(there) == (100 if kind == "answers" else 0)
    for sent, received in flows:
        assert (sent[1], received[1]) == ("send", "receive")
        assert {sent[0], received[0]} == {0, 1}
        assert sent[2] < received[2]
    by_send = sorted(there, key=lambda flow: flow[0][2])
    assert all(one[1][2] <= other[1][2] for one, other in pairwise(by_send))  # first in, first out


@pytest.mark.parametrize("machine", ["big-tiny-64-mesi", "big-tiny-64-gwb"])
def test_every_request_flows_to_its_handler_and_its_response_back(machine, marks):
    result = both(marks, machine, "interrupts")
    content = encode(result)
    flows, _ = flows_of(content)
    found = Counter((begin[1], end[1]) for begin, end in flows)
    asked, answered = ("interrupt request", "interrupted by"), ("response", "answer")
    assert set(found) == {asked, answered}
    assert found[answered] == counted(result, "uli", "handled")
    assert int(result.output.split()[1]) <= found[answered] <= found[asked]  # what is stolen comes by a response
    handlers = {(core, begin) for core, name, begin, _ in slices_of(content)[0] if name == "interrupt handler"}
    for (thief, name, sent), (victim, _, received) in flows:
        assert thief != victim
        assert sent < received
        if name == "interrupt request":
            assert (victim, received) in handlers
