"""What cores and channels are called: by pattern and role, from the calls that make them and from who sends to whom."""

import pytest

import croft
from croft.recording.channel_roles import ChannelRoles, Site, kind_of, site_of
from croft.recording.identity import Identity, called
from croft.results.trace_file import encode
from croft.symbols.symbols import Place

SLOT = Place("slots", "/src/include/croft/channel/slot.hpp", 103)
FARM = Place("build_inside<int>", "/src/include/croft/pattern/farm.hpp", 172)
RUN = Place("run<int>", "/src/include/croft/pattern/run.hpp", 155)
MAIN = Place("main", "/home/user/farm.cpp", 9)
WHERE = str(MAIN)


@pytest.mark.parametrize(
    ("calls", "site"),
    [
        ([SLOT, FARM, RUN, MAIN], Site("farm", WHERE)),
        ([SLOT, RUN, MAIN], Site("stream", WHERE)),
        ([SLOT, MAIN], Site("", WHERE)),
        (
            [SLOT, Place("void p::run_pointer_farm<int>", "/home/user/f.hpp", 3)],
            Site("farm", "void p::run_pointer_farm<int>"),
        ),
        ([SLOT, Place("run<pipeline>", "/home/user/f.hpp", 3)], Site("", WHERE)),
        ([FARM, RUN, MAIN], None),
        ([MAIN], None),
        ([], None),
    ],
)
def test_the_calls_name_the_pattern(calls, site):
    assert site_of(calls, WHERE) == site


def roles(pattern, *by_site):
    """Of channels made at several sites of one pattern, each with pairs of cores; ten messages went through each."""
    site = Site(pattern, WHERE)
    sent = [(number, pair, 10) for number, pairs in enumerate(by_site) for pair in pairs]
    return ChannelRoles(dict.fromkeys(range(len(by_site)), site), sent)


def test_a_farm():
    found = roles("farm", [(0, 1), (0, 2), (0, 3)], [(1, 4), (2, 4), (3, 4)], [(4, 0)])
    assert found.of_cores() == {0: "emitter", 1: "worker 0", 2: "worker 1", 3: "worker 2", 4: "collector"}
    assert found.name(0) == "farm: emitter to 3 workers"
    assert found.name(0, (0, 3)) == "farm: emitter to worker 2"
    assert found.name(1) == "farm: 3 workers to collector"
    assert found.name(2) == "farm: collector to emitter"
    assert found.name(9) == ""


def test_a_farm_of_one_worker_and_one_of_several_emitters():
    assert roles("farm", [(0, 1)], [(1, 2)]).of_cores() == {0: "emitter", 1: "worker", 2: "collector"}
    several = roles("farm", [(0, 2), (0, 4), (1, 3), (1, 5)], [(2, 6), (3, 6), (4, 6), (5, 6)])
    assert several.of_cores()[1] == "emitter 1"
    assert several.name(0) == "farm: 2 emitters to 4 workers"


def test_a_farm_whose_emitter_collects():
    found = roles("farm", [(0, 1), (0, 2)], [(1, 0), (2, 0)])
    assert found.of_cores() == {0: "emitter and collector", 1: "worker 0", 2: "worker 1"}


def test_a_pipeline_and_what_has_no_pattern():
    found = roles("pipeline", [(3, 1)], [(1, 2)])
    assert found.of_cores() == {3: "source", 1: "stage 1", 2: "sink"}
    assert found.name(0) == "pipeline: source to stage 1"
    assert roles("pipeline", [(0, 1), (0, 2)]).of_cores() == {}
    assert roles("pipeline", [(0, 1)], [(1, 0)]).of_cores() == {}
    assert roles("", [(0, 5)]).name(0) == "channel: core 0 to core 5"
    assert roles("farm", []).name(0) == "farm channel"


def test_a_core_of_two_patterns_has_the_part_with_most_messages():
    sites = {0: Site("farm", "one"), 1: Site("pipeline", "two")}
    found = ChannelRoles(sites, [(0, (0, 1), 5), (0, (0, 2), 5), (1, (1, 0), 100)])
    assert found.of_cores() == {0: "sink", 1: "source", 2: "worker 1"}
    assert found.name(0, (0, 1)) == "farm: emitter to worker 0"


def test_several_alike():
    assert kind_of(["worker 1", "worker 12"]) == "worker"
    assert kind_of(["worker 1", "emitter"]) == ""


def test_memory_as_a_person_is_told_of_it():
    slots = Identity(
        "allocation", "slots<int> (slot.hpp:103)", "main (/home/user/a.cpp:9)", "farm: emitter to 3 workers"
    )
    assert called(slots) == "farm: emitter to 3 workers, for main (a.cpp:9)"
    whole = "farm: emitter to 3 workers (allocated in slots<int> (slot.hpp:103)), for main (/home/user/a.cpp:9)"
    assert called(slots, full=True) == whole
    assert called(slots._replace(channel="")) == "allocated in slots<…> (slot.hpp:103), for main (a.cpp:9)"
    assert called(Identity("variable", "table<int>::rows")) == "table<…>::rows"
    assert Identity.of_dict(slots._asdict()) == slots


@pytest.mark.slow("croft's farm takes long to build")
@pytest.mark.parametrize("channel", ["ra", "ff-queue"])
def test_the_channels_of_farms(channel):
    arguments = ["--channel", channel, "--size", "32", "--workers", "3", "--count", "30"]
    result = croft.run("farm_convolution", "tilepro64", arguments=arguments, lines=1 << 30, trace=1 << 26)
    assert b"core 3: worker 2" in encode(result)
    used = result.lines
    assert used.roles == {0: "emitter", 1: "worker 0", 2: "worker 1", 3: "worker 2", 4: "collector"}
    named = {each.between for each in used.channels}
    assert {"farm: emitter to worker 2", "farm: worker 0 to collector"} <= named
    objects = {each.identity.channel for each in used.objects}
    assert {"farm: emitter to 3 workers", "farm: 3 workers to collector"} <= objects
    lines = {line["channel"] for line in used.to_dict()["lines"]}
    assert "farm: emitter to worker 1" in lines
