"""Zacas and Zabha under contention: no update is lost, whoever carries the atomic operations out."""

import pytest

import croft

MACHINES = [
    *("big-tiny-64-mesi", "big-tiny-64-dnv", "big-tiny-64-gwt", "big-tiny-64-gwb"),
    *("tilepro64", "o3x4", "xeon-e5-2650", "io1"),
]


def counted(threads: int, rounds: int) -> str:
    total = threads * rounds
    return (
        f"bytes {total}, halves {total}, words {total}, wide {total}, pairs {total}, "
        f"atomic {total} {total}, guarded {total}\n"
    )


@pytest.mark.parametrize("machine", MACHINES)
def test_no_update_by_compare_and_swap_is_lost(machine, simulated):
    threads = {"io1": 1, "o3x4": 4}.get(machine, 8)
    arguments = [str(threads), "10"]
    plain = croft.run(simulated("compare_and_swap"), machine=machine, arguments=arguments)
    checked = croft.run(simulated("compare_and_swap"), machine=machine, arguments=arguments, check="coherence")
    assert (plain.text, checked.text) == (counted(threads, 10),) * 2
    assert (checked.coherence_count, checked.exit_status) == (0, 0)
    assert checked.cycles == plain.cycles


@pytest.mark.parametrize("machine", ["big-tiny-64-mesi", "tilepro64", "big-tiny-64-gwb"])
def test_a_compare_and_swap_orders_what_it_should(machine, simulated):
    result = croft.run(simulated("compare_and_swap"), machine=machine, arguments=["4", "5"], check="races")
    assert (result.text, result.races) == (counted(4, 5), [])


@pytest.mark.parametrize("machine", ["big-tiny-64-mesi", "tilepro64"])
@pytest.mark.parametrize(("what", "races"), [("released", 0), ("unreleased", 1)])
def test_one_that_fails_releases_nothing(what, races, machine, simulated):
    result = croft.run(simulated("compare_and_swap"), machine=machine, arguments=[what], check="races")
    assert (result.text, len(result.races)) == ("1\n", races)


def test_a_delayed_machine_loses_none_either(simulated):
    for seed in (1, 2):
        result = croft.run(simulated("compare_and_swap"), machine="big-tiny-64-dnv", arguments=["6", "5"], perturb=seed)
        assert result.text == counted(6, 5)
