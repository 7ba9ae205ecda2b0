"""No store is lost, nor seen late by its own thread, where the kernel changes pages while threads store to them."""

import pytest

import croft
from croft.machines.file import machine_from, machine_values
from mixed_machines import tilepro64_out_of_order

L1S = ("mesi", "dnv", "gwt", "gwb")
MANY_CORES = ["tilepro64", *(f"big-tiny-64-{l1}" for l1 in L1S)]


def with_private_l2s(l1: str) -> croft.Machine:
    """Between the L1s of the tiny cores and the banks."""
    values = machine_values(f"big-tiny-64-{l1}")
    values["tiny"]["l2"] = {"size": 16384, "line": 64, "ways": 4, "hit": 6, "store": 2}
    return machine_from(values | {"name": f"big-tiny-64-{l1}-private-l2"})


MACHINES = {name: croft.machine(name) for name in (*MANY_CORES, "o3x8")} | {
    machine.name: machine for machine in (with_private_l2s("mesi"), with_private_l2s("gwb"), tilepro64_out_of_order())
}


@pytest.mark.slow_cases(r"8 32|dnv|gwt", "the same in other ways; the hardest stays")
@pytest.mark.parametrize("machine", MANY_CORES)
@pytest.mark.parametrize("arguments", ["stack 8 32 1", "mprotect 8 32 1", "stack 20 30 4"])
def test_a_thread_sees_its_own_stores(arguments, machine, simulated):
    result = croft.run(simulated("own_stores"), machine, arguments=arguments.split(), max_cycles=20_000_000)
    assert (result.ending, result.text) == ("exited", "0 at once, 0 later\n")


def page_changes(simulated, machine, operations, seed=1, **options):
    workers = 6 if machine.cores == 8 else 8
    arguments = [str(number) for number in (workers, operations, seed)]
    most = 100_000 + 20 * operations  # cycles: a thread whose stack has lost a store may run for ever
    return croft.run(simulated("page_changes"), machine, arguments=arguments, max_cycles=most, **options)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_nothing_is_lost_at_random(machine, simulated):
    result = page_changes(simulated, machine, 60_000)
    assert (result.ending, result.exit_status) == ("exited", 0), result.text


@pytest.mark.many_cores
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_nothing_is_lost_in_ten_million_operations(machine, simulated):
    result = page_changes(simulated, machine, 10_000_000, 4)
    assert (result.ending, result.exit_status) == ("exited", 0), result.text


@pytest.mark.parametrize("machine", ["tilepro64", "big-tiny-64-mesi", "big-tiny-64-gwb"])
def test_how_far_cores_run_ahead_changes_nothing(machine, simulated):
    runs = [
        page_changes(simulated, MACHINES[machine], 12_000, 2, window=window, run_ahead=ahead)
        for window, ahead in ((None, None), (1, 0), (None, 0), (1, 200))
    ]
    assert {run.cycles for run in runs} == {runs[0].cycles}
    assert all(run.frame.equals(runs[0].frame) for run in runs)


@pytest.mark.parametrize("machine", MANY_CORES)
def test_a_check_for_coherence_finds_nothing(machine, simulated):
    plain = page_changes(simulated, MACHINES[machine], 12_000, 3)
    checked = page_changes(simulated, MACHINES[machine], 12_000, 3, check="coherence")
    assert (checked.coherence_count, checked.coherence) == (0, [])
    assert checked.cycles == plain.cycles
