"""The library's channels on the simulated TILEPro64: every kind, and mutants of them that have to be caught."""

import pytest

import croft

KINDS = (
    "ra",
    "ra-home",
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
    result = croft.run(simulated("channels"), cores=6, arguments=[kind, str(degree)], max_cycles=2_000_000_000)
    assert (result.ending, result.text, result.errors) == ("exited", "ok\n", b"")


def run_mutant(simulated, name):
    return croft.run(simulated("channel_mutants"), cores=4, arguments=[name], max_cycles=100_000_000)


@pytest.mark.parametrize("whole", ["none", "split", "incoherent", "forwarded-to-receiver", "forwarded-to-sender"])
def test_what_the_mutants_are_made_of_is_right(whole, simulated):
    assert run_mutant(simulated, whole).text == "ok\n"


@pytest.mark.parametrize(
    "mutant",
    [
        "unreleased",
        "unreleased-split",
        "written-and-kept",
        "read-and-kept",
        "looked-at-in-the-cache",
        "flag-kept",
        "dropped-unwritten",
        "too-much-allocated",
    ],
)
def test_a_step_left_out_shows(mutant, simulated):
    result = run_mutant(simulated, mutant)
    assert result.text != "ok\n"
    assert result.ending != "exited" or result.exit_code == 1


def invalidations(result):
    return result.frame.query("part == 'home' and name == 'invalidations'").value.sum()


@pytest.mark.parametrize(
    ("whole", "mutant"),
    [
        ("forwarded-to-receiver", "not-forwarded"),
        ("forwarded-to-receiver", "flag-not-forwarded"),
        ("forwarded-to-sender", "not-dropped"),
    ],
)
def test_what_forwarding_saves_is_invalidations(whole, mutant, simulated):
    """200 messages of 16 lines: left out, one of its steps costs an invalidation a line or a message."""
    right, wrong = run_mutant(simulated, whole), run_mutant(simulated, mutant)
    assert right.text == wrong.text == "ok\n"
    assert invalidations(wrong) > invalidations(right) + 150


def test_home_forwarding_leaves_no_copy_to_be_invalidated(simulated):
    assert invalidations(run_mutant(simulated, "none")) > 400
    for whole in ("forwarded-to-receiver", "forwarded-to-sender"):
        assert invalidations(run_mutant(simulated, whole)) < 250
