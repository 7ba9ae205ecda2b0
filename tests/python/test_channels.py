"""The library's channels on the simulated TILEPro64: every kind, and mutants of them that have to be caught."""

import pytest

import croft
from croft.results import fields
from mixed_machines import tilepro64_out_of_order

pytestmark = pytest.mark.slow("the programs of all kinds of channels, a minute to compile")

KINDS = (
    "ra",
    "ra-home",
    "ra-home-allocating",
    "ra-hf",
    "ra-hf-drop",
    "ra-hf-period",
    "udn",
    "ra-udn",
    "turns",
    "batched",
    "incoherent",
    "incoherent-split",
    "forwarded-split",
    "at-sender",
    "at-core",
    "round-robin",
)


@pytest.mark.parametrize("degree", [1, 2, 3, 16])
@pytest.mark.parametrize("kind", KINDS)
def test_messages_arrive_once_whole_and_in_order(kind, degree, simulated):
    """And no load is stale, no write lost."""
    arguments = [kind, str(degree)]
    result = croft.run(simulated("channels"), cores=6, arguments=arguments, max_cycles=2_000_000_000, check="coherence")
    assert (result.ending, result.text, result.errors) == ("exited", "ok\n", b"")
    assert result.exit_status == 0


@pytest.mark.parametrize("out_of_order", [False, True], ids=["messages", "messages and loads"])
@pytest.mark.parametrize("kind", KINDS)
def test_delays_do_not_matter(kind, out_of_order, simulated):
    machine = tilepro64_out_of_order() if out_of_order else "tilepro64"
    for seed, degree in ((1, 1), (2, 2), (3, 3), (4, 16)):  # perturbed_channels.py runs a thousand
        result = croft.run(simulated("channels"), machine, cores=6, arguments=[kind, str(degree)], perturb=seed)
        assert (seed, result.ending, result.text) == (seed, "exited", "ok\n")


def run_mutant(simulated, name, perturb=None):
    return croft.run(simulated("channel_mutants"), arguments=[name], max_cycles=30_000_000, perturb=perturb)


@pytest.mark.parametrize("perturb", [None, 1, 2])
@pytest.mark.parametrize(
    "whole", ["none", "split", "notified", "incoherent", "forwarded-to-receiver", "forwarded-to-sender"]
)
def test_what_the_mutants_are_made_of_is_right(whole, perturb, simulated):
    assert run_mutant(simulated, whole, perturb).text == "ok\n"


@pytest.mark.parametrize(
    "mutant",
    [
        "unreleased",
        "unreleased-split",
        "unreleased-notified",
        "written-and-kept",
        "read-and-kept",
        "looked-at-in-the-cache",
        "flag-kept",
        "dropped-unwritten",
    ],
)
def test_a_step_left_out_shows(mutant, simulated):
    """At once, or when messages are delayed at random."""
    runs = (run_mutant(simulated, mutant, perturb) for perturb in (None, *range(1, 40)))
    assert any(run.ending != "exited" or run.text.endswith("FAILED\n") for run in runs)


def invalidations(result):
    return result.frame.query("part == 'home' and name == 'invalidations'").value.sum()


@pytest.mark.parametrize(
    ("whole", "mutant"), [("forwarded-to-receiver", "not-forwarded"), ("forwarded-to-sender", "not-dropped")]
)
def test_what_forwarding_saves_is_invalidations(whole, mutant, simulated):
    """200 messages of 16 lines each. (Averaged over random delays: how many copies there are depends on timing.)"""

    def count(name):
        runs = [run_mutant(simulated, name, perturb) for perturb in (1, 2, 3)]
        assert all(run.text == "ok\n" for run in runs)
        return sum(map(invalidations, runs)) / len(runs)

    assert count(mutant) > count(whole) + 300


def test_home_forwarding_leaves_few_copies_to_be_invalidated(simulated):
    assert invalidations(run_mutant(simulated, "none")) > 4000
    assert invalidations(run_mutant(simulated, "forwarded-to-sender")) < 600


@pytest.mark.parametrize("kind", ["flags", "forwarded", "network"])
@pytest.mark.parametrize("threads", [1, 2, 5, 16])
def test_nobody_leaves_a_barrier_early(kind, threads, simulated):
    for perturb in (None, 1):
        result = croft.run(simulated("barriers"), arguments=[kind, str(threads), "20"], perturb=perturb)
        assert (result.ending, result.text.split()[0]) == ("exited", "ok")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["queues"], "core 1 has four hardware queues, which are taken"),
        (["words"], "129 messages of 1 words do not fit into a hardware queue, which holds 128 words"),
        (["senders"], "66 messages of (with their sender's number) 2 words do not fit into a hardware queue"),
        (["elsewhere"], "a side that was to run on core 9 runs on core 0"),
    ],
)
def test_what_the_network_cannot_do_is_said(arguments, complaint, simulated):
    result = croft.run(simulated("network_limits"), arguments=arguments)
    assert (result.ending, result.exit_code) == ("exited", 1)
    assert complaint in result.text


@pytest.mark.parametrize("channel", ["ra", "ra-home", "ra-hf", "ra-hf-drop", "ra-hf-period", "ra-udn", "ra-incoherent"])
def test_a_farm_runs_over_every_kind_of_channel(channel):
    arguments = ["--workers", "6", "--count", "40", "--check", "--channel", channel]
    result = croft.run("farm_convolution", arguments=arguments, max_cycles=1_000_000_000)
    assert (result.ending, result.exit_code, result.errors) == ("exited", 0, b"")


@pytest.mark.parametrize("interface", ["symmetric", "asymmetric"])
def test_the_nearer_the_home_the_faster_the_message(interface):
    def cycles(channel):
        arguments = ["--hops", "8", "--count", "200", "--channel", channel, "--interface", interface]
        return fields.find(croft.run("pingpong", arguments=arguments).text, "pingpong")["cycles"]

    assert cycles("udn") < cycles("ra-home") < cycles("ra-home-allocating") < cycles("ra-hf") < cycles("ra")


@pytest.mark.parametrize("channel", ["ra", "ra-home", "turns", "ra-home-allocating"])
def test_an_idle_sender_costs_a_message_seven_cycles_at_most(channel):
    def cycles(senders):
        arguments = ["--interface", "asymmetric", "--senders", str(senders), "--channel", channel]
        text = croft.run("pingpong", arguments=[*arguments, "--hops", "1", "--count", "200", "--pause", "2000"]).text
        return fields.find(text, "pingpong")["cycles"]

    assert 3 < (cycles(56) - cycles(9)) / (56 - 9) <= 7


@pytest.mark.parametrize(("machine", "races"), [("tilepro64", True), ("tiny-64-mesi", False)])
def test_the_papers_ack_is_no_release_where_the_order_of_a_home_stands_in_for_it(machine, races):
    """What races by the language is a value with its next one, and nothing else."""
    arguments = ["--runtime", "sm_tree", "--workers", "6", "--count", "12", "--check"]
    result = croft.run("map_matvec", machine, arguments=arguments, check="races")
    assert (result.ending, result.exit_code, result.race_count > 0) == ("exited", 0, races)
    assert all("write<int *>" in str(race.second) and race.size == 8 for race in result.races)


def test_waiting_ends_with_its_time_and_with_a_receiver_that_leaves(simulated):
    result = croft.run(simulated("channel_waiting"), cores=6, max_cycles=50_000_000, check="coherence")
    received = [f"{kind}: 20 messages, sum 190" for kind in ("default", "ra-hf-drop", "ra-udn", "udn")]
    left = [f"{kind}: croft::channel: the receiver has left, and there is no room" for kind in ("default", "ra-home")]
    left.append(left[0].replace("default", "ra-hf-drop"))
    assert result.text.splitlines() == received + left
    assert (result.ending, result.errors) == ("exited", b"")
