"""The parts of a run that its program wants counted."""

import pytest

import croft

MACHINES = ("tilepro64", "big-tiny-64-mesi", "tiny-64-gwb")


def run(simulated, regions, machine="tilepro64", **options):
    result = croft.run(simulated("regions"), machine, cores=3, arguments=[regions], **options)
    assert (result.ending, result.text) == ("exited", "ok\n")
    return result


def of_core(result, core, name):
    frame = result.frame
    row = frame[(frame["part"] == "core") & (frame["index"] == core) & (frame["name"] == name)]
    return int(row["value"].sum())


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("regions", "count"), [("one", 1), ("two", 2), ("twice", 1)])
def test_what_is_in_regions_is_counted_and_nothing_else(machine, regions, count, simulated):
    result = run(simulated, regions, machine)
    assert result.total("region", "regions") == count
    assert 1000 * count <= of_core(result, 0, "stores") < 1000 * count + 100
    assert of_core(result, 1, "instructions") == 0
    assert 0 < result.total("region", "cycles") < result.cycles


@pytest.mark.parametrize("machine", MACHINES)
def test_a_region_may_last_to_the_end(machine, simulated):
    whole, open_ = run(simulated, "none", machine), run(simulated, "open", machine)
    assert 0 < open_.total("region", "cycles") < open_.cycles
    assert of_core(whole, 0, "stores") > 50_000 > of_core(open_, 0, "stores") > 1_000
    assert whole.frame["part"].eq("region").sum() == 0


@pytest.mark.parametrize("machine", MACHINES)
def test_the_cycles_of_each_thread_that_lives_throughout_add_up_to_the_regions(machine, simulated):
    result = run(simulated, "two", machine)
    cycles = result.total("region", "cycles")
    names = result.frame.query("part == 'core'")["name"].unique()
    parts = [
        name for name in names if name.startswith(("stall", "wait", "issue", "interrupt")) and name != "interrupts"
    ]
    for core in range(3):
        assert of_core(result, core, "active") == cycles
        assert sum(of_core(result, core, name) for name in parts) == cycles
    assert of_core(result, 1, "wait_kernel") == cycles


@pytest.mark.parametrize("machine", MACHINES)
def test_the_window_changes_nothing(machine, simulated):
    longest = run(simulated, "two", machine)
    for options in ({"window": 1}, {"run_ahead": 0}, {"run_ahead": 7}):
        other = run(simulated, "two", machine, **options)
        assert other.cycles == longest.cycles
        assert other.frame.equals(longest.frame)
