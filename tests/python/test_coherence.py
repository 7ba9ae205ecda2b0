"""The random tester of coherence (tests/programs/coherence_stress.cpp) on machines of several sizes."""

import pytest

import croft


@pytest.mark.parametrize(("threads", "episodes"), [(2, 100), (4, 60), (16, 20), (64, 20)])
def test_no_word_is_stale_and_no_episode_lost(threads, episodes, simulated):
    result = croft.run(simulated("coherence_stress"), cores=threads, arguments=[str(threads), str(episodes), "1"])
    assert (result.ending, result.text) == ("exited", f"ok total={threads * episodes}\n")


def test_with_caches_so_small_that_lines_and_directory_entries_leave_all_the_time(simulated):
    values = croft.machine("tilepro64").model_dump()
    values.update(name="small-caches")
    values["l1d"].update(size=512)
    values["l2"].update(size=2048, ways=2)
    machine = croft.Machine.model_validate(values)
    result = croft.run(simulated("coherence_stress"), machine, cores=16, arguments=["16", "20", "2"])
    assert (result.ending, result.text) == ("exited", "ok total=320\n")
    evictions = result.frame.query("part == 'l2' and name == 'evictions'").value.sum()
    assert evictions > 1000


@pytest.mark.parametrize(("window", "run_ahead"), [(1, None), (None, 0), (1, 0), (None, 200)])
def test_the_tester_runs_the_same_however_far_a_core_runs_ahead(window, run_ahead, simulated):
    longest, shorter = (
        croft.run(simulated("coherence_stress"), cores=8, arguments=["8", "10", "3"], window=w, run_ahead=ahead)
        for w, ahead in ((None, None), (window, run_ahead))
    )
    assert shorter.window == (window or longest.window)
    assert shorter.cycles == longest.cycles
    assert shorter.frame.equals(longest.frame)
