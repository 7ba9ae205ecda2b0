"""The experiment `scaling`: what it runs, and what it makes of what was measured."""

import pandas as pd
import pytest

import croft
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.scaling import CORES, PROBLEMS, speedups, time_spent
from croft.reports.findings.time_spent import CAUSES_IN_WORDS

EXPERIMENT = EXPERIMENTS["scaling"]


def measured(at_best=1.0):
    """Each problem on each machine, half as fast as its cores; the map ``at_best`` times as fast as its cores."""
    spent = {f"core.{cause}": 0 for cause in CAUSES_IN_WORDS} | {
        "core.active": 100,
        "core.issue": 70,
        "core.wait_line": 30,
    }
    rows = []
    for chip, numbers in CORES.items():
        for problem in PROBLEMS:
            for cores in numbers:
                faster = 1.0 if cores == 1 else cores * (at_best if problem == "map" else 0.5)
                rows.append({"problem": problem, "machine": chip, "cores": cores, "time": 1e6 / faster, **spent})
    return pd.DataFrame(rows)


def test_each_problem_runs_on_every_number_of_cores_of_a_machine():
    points = EXPERIMENT.points(quick=False)
    labels = [tuple(point.labels.values()) for point in points]
    assert len(labels) == len(set(labels)) == len(PROBLEMS) * sum(map(len, CORES.values()))
    for point in points:
        assert point.labels["cores"] <= croft.machine(point.labels["machine"]).cores
    assert len(EXPERIMENT.points(quick=True)) < len(points)


def test_a_farm_has_a_thread_a_core():
    for point in EXPERIMENT.points(quick=False):
        if point.program == "farm_convolution" and point.labels["cores"] > 1:
            threads = [int(point.arguments[point.arguments.index(f"--{role}") + 1]) for role in ROLES]
            assert sum(threads) == point.labels["cores"] and min(threads) >= 1


ROLES = ("workers", "emitters", "collectors")


def test_speedups_are_over_one_core_of_the_same_machine_and_only_a_bound_is_scored():
    table = speedups(measured())
    assert set(table[(table["problem"] == "farm") & (table["cores"] > 1)].eval("speedup / cores")) == {0.5}
    cells = EXPERIMENT.cells(measured())
    assert [cell.name for cell in cells if cell.scored] == [
        "cores over the map's speedup on manycore-1024, the least",
        "cores over the map's speedup on tilepro64, the least",
    ]
    assert all(cell.ok for cell in cells if cell.scored)
    assert cells[0].note == "70% executing instructions, 30% asleep until a line changed"
    assert not any(cell.ok for cell in EXPERIMENT.cells(measured(at_best=1.1)) if cell.scored)


def test_small_shares_of_the_time_are_not_named():
    row = measured().iloc[0].copy()
    row["core.issue"], row["core.wait_line"], row["core.stall_fetch"] = 96, 3, 1
    assert time_spent(row) == "96% executing instructions"


def test_it_draws_a_panel_for_each_machine():
    assert [axes.get_title() for axes in EXPERIMENT.draw(measured()).axes] == list(CORES)


@pytest.mark.slow("a dozen runs")
def test_scaling_quick():
    report = croft.experiment("scaling", quick=True)
    assert report.verdict == "verdict: scaling pass 1/1 worst=1.000"
    assert (speedups(report.measured).query("cores == 16")["speedup"] > 1).all()
