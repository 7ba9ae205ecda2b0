"""The same program on the same machine gives the same result, to the last statistic."""

import pytest

import croft
from program_sources import PROGRAMS


@pytest.mark.parametrize("cores", [1, 8, 58])
def test_two_runs_give_identical_json(cores, simulated):
    program = simulated("mutex" if cores > 1 else "misaligned")
    arguments = [str(cores - 1)] if cores > 1 else []
    first, second = (croft.run(program, cores=cores, arguments=arguments) for _ in range(2))
    assert first.ending == "exited"
    assert first.to_json() == second.to_json()
    assert first == second


def test_how_far_a_core_runs_ahead_changes_nothing(simulated):
    runs = [
        croft.run(simulated("mutex"), cores=8, arguments=["7"], window=window, run_ahead=run_ahead)
        for window, run_ahead in ((None, None), (1, None), (None, 0), (1, 150))
    ]
    assert runs[1].window == 1
    assert len({run.cycles for run in runs}) == 1
    assert all(run.frame.equals(runs[0].frame) for run in runs)


def test_runs_side_by_side_do_not_disturb_each_other():
    points = [croft.Point(str(PROGRAMS / "threads.cpp"), ("7",)) for _ in range(4)]
    rows = croft.sweep(points, "tilepro64", jobs=4)
    assert list(rows["count"]) == [7] * 4
    assert len(set(rows["run_cycles"])) == 1


def test_the_seed_decides_random_numbers_and_nothing_else_does(simulated):
    texts = [croft.run(simulated("surroundings"), seed=seed).text for seed in (1, 1, 2)]
    assert texts[0] == texts[1]
    lines = [dict(line.split(" ", 1) for line in text.splitlines()) for text in texts]
    assert lines[0]["random"] != lines[2]["random"]


@pytest.mark.slow("interrupts at every distance, on each machine")
@pytest.mark.parametrize(
    ("program", "arguments", "machine"),
    [
        *[("tasks", ["paper_direct"], f"big-tiny-64-{l1}") for l1 in ("mesi", "dnv", "gwt", "gwb")],
        ("tasks", ["default"], "tiny-64-mesi"),
        ("channels", ["udn", "3"], "tilepro64"),
        ("channels", ["ra-udn", "2"], "tilepro64"),
    ],
)
def test_where_an_interrupt_or_a_message_meets_a_core_does_not_depend_on_how_far_it_was_ahead(
    program, arguments, machine, simulated
):
    runs = [
        croft.run(simulated(program), machine, arguments=arguments, cores=6, **options)
        for options in ({}, {"run_ahead": 0}, {"run_ahead": 50}, {"window": 1}, {"check": "coherence"})
    ]
    for other in runs[1:]:
        assert other.cycles == runs[0].cycles
        assert other.frame.equals(runs[0].frame)
