"""Signals reach simulated programs as they reach programs of this host."""

import pytest

import croft

CASES = ("raised", "masked", "nesting", "faults", "registers", "waits", "timers", "queued", "threads", "files")


@pytest.mark.parametrize("case", CASES)
def test_a_program_says_what_it_says_here(case, simulated, native):
    result = croft.run(simulated("signals"), "tilepro64", arguments=[case], max_cycles=100_000_000)
    assert (result.ending, result.text) == ("exited", native("signals", case))


@pytest.mark.slow_cases(r"^(o3x4|big-tiny-64-dnv)", "cores of another model, and another protocol")
@pytest.mark.parametrize(
    ("machine", "cores"),
    [("tilepro64", "0-3"), ("o3x4", "0-3"), ("big-tiny-64-dnv", "4-7"), ("big-tiny-64-gwb", "4-7")],
)
def test_when_a_signal_comes_does_not_depend_on_how_far_cores_run_ahead(machine, cores, simulated):
    runs = [
        croft.run(simulated("signals"), machine, cores=cores, max_cycles=100_000_000, **options)
        for options in ({}, {"run_ahead": 0, "window": 1}, {"check": "coherence"}, {"perturb": 1})
    ]
    assert {run.text for run in runs} == {runs[0].text}
    assert sum(run.coherence_count for run in runs) == 0
    for same in runs[1:3]:
        assert (same.cycles, same.frame.equals(runs[0].frame)) == (runs[0].cycles, True)


def test_abort_ends_the_program_behind_its_handler(simulated):
    result = croft.run(simulated("signals"), "tilepro64", arguments=["aborts"])
    assert (result.text, result.exit_status) == ("aborts\n", 123)
    assert result.message == "the program was ended by SIGABRT (abort())"


def test_signals_and_turns_come_at_once(simulated, tmp_path):
    (tmp_path / "shared.toml").write_text(
        'based_on = "o3x4"\nname = "o3x4-shared"\n[kernel]\nscheduler = "share"\nquantum = 5000\n'
    )
    result = croft.run(simulated("signals"), tmp_path / "shared.toml", arguments=["threads"], cores=1)
    assert result.text.count(": 1\n") == 3
