"""Runs in which out-of-order cores run in order outside the regions that the program marks."""

import json
from pathlib import Path

import pytest

import croft
from croft.errors import MachineError
from croft.kept_runs import KeptRun, RunCache
from croft.report import headline
from test_mixed_machines import OUT_OF_ORDER

MACHINES = ("o3x4", "big-tiny-64-mesi", "big-tiny-64-dnv", "big-tiny-64-gwt", "big-tiny-64-gwb")
SPEEDS = ({"run_ahead": 0}, {"run_ahead": 50}, {"window": 1})
"""What changes the simulator's speed, and nothing else."""


def run(simulated, kind, machine, cores=4, regions=20, **options):
    """A run of many_regions that went well."""
    arguments = [kind, str(cores), str(regions)]
    result = croft.run(
        simulated("many_regions"), machine, cores=cores, arguments=arguments, max_cycles=100_000_000, **options
    )
    assert (result.ending, result.message, result.errors) == ("exited", "", b"")
    assert result.text.endswith("ok\n")
    return result


def same(one, other):
    return one.cycles == other.cycles and one.frame.equals(other.frame)


@pytest.fixture
def tiles_out_of_order(tmp_path):
    path = tmp_path / "tilepro64-out-of-order.toml"
    path.write_text(OUT_OF_ORDER)
    return croft.machine(path)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kind", ["shared", "tasks"])
def test_the_program_does_the_same_and_cycles_do_not_depend_on_how_far_a_core_was_ahead(kind, machine, simulated):
    whole = run(simulated, kind, machine, cores=4 if machine == "o3x4" else 8)
    fast = run(simulated, kind, machine, cores=whole.cores, fast_forward=True)
    assert fast.text == whole.text
    assert fast.cycles > whole.cycles  # in order it takes longer between regions
    for options in ({}, *SPEEDS):
        assert same(fast, run(simulated, kind, machine, cores=whole.cores, fast_forward=True, **options))


@pytest.mark.parametrize("kind", ["shared", "tasks"])
def test_tiles_that_issue_out_of_order_take_turns_as_well(kind, tiles_out_of_order, simulated):
    fast = run(simulated, kind, tiles_out_of_order, fast_forward=True)
    for options in (*SPEEDS, {"check": "coherence"}):
        other = run(simulated, kind, tiles_out_of_order, fast_forward=True, **options)
        assert same(fast, other)
        assert other.coherence_count == 0


@pytest.mark.parametrize("machine", ["o3x4", "big-tiny-64-gwb"])
def test_delayed_messages_and_the_check_of_coherence_find_nothing(machine, simulated):
    for options in ({"check": "coherence"}, {"perturb": 1}, {"perturb": 2}):
        result = run(simulated, "tasks", machine, fast_forward=True, **options)
        assert result.coherence_count == 0


def test_what_one_core_does_in_regions_is_the_same_to_the_instruction(simulated):
    whole, fast = (run(simulated, "shared", "o3x1", cores=1, fast_forward=forward) for forward in (False, True))
    for part, name in (
        ("core", "instructions"),
        ("core", "loads"),
        ("core", "stores"),
        ("window", "branches"),
        ("region", "regions"),
    ):
        assert fast.total(part, name) == whole.total(part, name) > 0
    assert fast.total("window", "in_order") == 0
    assert whole.frame.query("part == 'window' and name == 'in_order'").empty
    # The caches are warm, the branch predictor has seen the regions alone.
    assert fast.total("region", "cycles") == pytest.approx(whole.total("region", "cycles"), rel=0.05)


def test_only_what_was_under_way_when_a_region_began_counts_as_in_order(simulated):
    result = run(simulated, "shared", "o3x4", fast_forward=True)
    assert 0 < result.total("window", "in_order") < result.total("core", "instructions") / 50


def test_a_region_that_is_open_at_the_end_and_one_that_begins_twice(simulated):
    for regions in ("open", "twice", "two"):
        fast, again = (
            croft.run(simulated("regions"), "o3x4", cores=3, arguments=[regions], fast_forward=True, **options)
            for options in ({}, {"run_ahead": 0})
        )
        assert (fast.ending, fast.text) == ("exited", "ok\n")
        assert same(fast, again)


def test_without_a_region_all_of_it_runs_in_order_and_the_result_says_so(simulated):
    result = run(simulated, "none", "o3x4", fast_forward=True)
    assert result.approximation == "fast-forwarded: no region was marked, so all of it ran in order"
    assert result.total("window", "in_order") == result.instructions
    assert result.total("window", "branches") == 0
    assert result.approximation in headline(result)
    assert json.loads(result.to_json())["fast_forward"] == result.approximation


def test_a_result_says_whether_it_is_an_approximation(simulated):
    whole, fast = (run(simulated, "shared", "o3x4", fast_forward=forward) for forward in (False, True))
    assert (whole.fast_forward, whole.approximation) == (False, "")
    assert "fast_forward" not in json.loads(whole.to_json())
    assert "fast" not in headline(whole)
    assert fast.fast_forward
    assert fast.approximation == "fast-forwarded: out-of-order cores ran in order outside the regions marked"
    assert headline(fast).endswith(fast.approximation)
    assert whole != fast


@pytest.mark.parametrize("machine", ["tilepro64", "io1", "tiny-64-mesi"])
def test_a_machine_without_out_of_order_cores_has_nothing_to_fast_forward(machine, simulated):
    with pytest.raises(MachineError, match=r"no core issues out of order: there is nothing to fast-forward"):
        croft.run(simulated("regions"), machine, arguments=["one"], fast_forward=True)


def test_a_fast_forwarded_run_is_never_taken_for_a_whole_one(tmp_path, monkeypatch, simulated):
    monkeypatch.setattr("croft.kept_runs.cache_folder", lambda: tmp_path)
    kept = {
        forward: KeptRun.of(run(simulated, "shared", "o3x1", cores=1, fast_forward=forward))
        for forward in (False, True)
    }
    places = {
        forward: RunCache(simulated("many_regions"), "many_regions", croft.machine("o3x1"), [], fast_forward=forward)
        for forward in (False, True)
    }
    with pytest.raises(ValueError, match="no whole run"):
        places[False].store(kept[True])
    places[True].store(kept[True])
    assert places[False].find() is None
    assert places[False].seconds() is None
    places[False].store(kept[False])
    assert all(places[forward].find() == kept[forward] for forward in (False, True))


def test_no_experiment_is_fast_forwarded():
    for source in Path(croft.__file__).parent.glob("experiments/*.py"):
        assert "fast_forward" not in source.read_text(encoding="utf-8"), source
