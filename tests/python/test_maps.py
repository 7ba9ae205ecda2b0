"""The papers' map programs and experiments, here and on the simulated machine."""

import itertools
import re
import subprocess

import pandas as pd
import pytest

import croft
from conftest import QUICKLY
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.published import published
from croft.results import fields

pytestmark = pytest.mark.slow("large programs, one for each kind of map and run-time")

RUNTIMES = {
    "map_matvec": [
        "croft",
        "udn_tree",
        "sm_tree",
        "sm_linear",
        "ra_home_tree",
        "ra_home_linear",
        "fastflow",
        "lock_queue",
    ],
    "map_gemv": ["croft", "ra_udn", "ra_sm", "ff_queue", "ra_notified"],
}
CAPTURED = {"capture_output": True, "text": True, "check": True, "timeout": 120}
CASES = [(program, runtime) for program, runtimes in RUNTIMES.items() for runtime in runtimes]


@pytest.mark.parametrize(("program", "runtime"), CASES)
def test_every_runtime_computes_the_right_vectors_coherently(program, runtime):
    # 6 workers: no whole tree, and not every worker has the same number of rows. 12 matrices of a set of 8: each
    # vector's place is used again.
    arguments = ["--runtime", runtime, "--workers", "6", "--count", "12", "--check", "--collector", "reads"]
    result = croft.run(program, "tilepro64", arguments=arguments, check="coherence")
    assert (result.ending, result.exit_status, result.errors) == ("exited", 0, b"")
    assert result.text.startswith("check: 12 vectors are those of a sequential computation\n")
    assert result.coherence_count == 0
    line = fields.find(result.text, program)
    assert (line["runtime"], line["workers"], line["count"], line["size"]) == (runtime, 6, 12, 56)
    assert line["service_time_cycles"] > 0


@pytest.mark.parametrize(("program", "runtime"), [("map_matvec", "udn_tree"), ("map_gemv", "ra_udn")])
def test_56_workers_with_floats(program, runtime):
    arguments = ["--runtime", runtime, "--workers", "56", "--count", "9", "--check", "--type", "float", "--size", "168"]
    result = croft.run(program, "tilepro64", arguments=arguments)
    assert (result.exit_status, result.errors) == (0, b"")
    assert "check: 9 vectors are those of a sequential computation\n" in result.text


@pytest.mark.parametrize(("program", "runtime"), CASES)
def test_they_do_the_same_natively(program, runtime):
    path = croft.build(program, **QUICKLY)
    for workers in (0, 1, 5):
        which = ["--runtime", runtime, "--workers", str(workers), "--collector", "reads"]
        arguments = [*which, "--count", "200", "--check"]
        answer = subprocess.run([path, *arguments], capture_output=True, text=True, check=True, timeout=120)
        assert answer.stdout.startswith("check: 200 vectors are those of a sequential computation\nfold 0x")


def test_every_run_folds_the_same_vectors():
    path = croft.build("map_gemv", **QUICKLY)
    folds = set()
    for which in (["--sequential"], ["--workers", "3"], ["--runtime", "ff_queue", "--workers", "2"]):
        answer = subprocess.run([path, *which, "--count", "50", "--collector", "reads"], **CAPTURED)
        folds.add(re.search(r"fold (\w+)", answer.stdout)[1])
    assert len(folds) == 1
    assert folds != {"0x0000000000000000"}


def test_a_linear_map_over_the_network_says_why_it_cannot_be():
    program = """
        #include <croft/channel/kinds.hpp>
        #include <croft/pattern/map.hpp>
        #include <croft/pattern/run.hpp>
        #include <cstdio>
        int main() {
            try {
                croft::run<croft::kinds::udn>(
                    []() -> std::optional<int> { return {}; },
                    croft::map([](int i) { return i; }, {.workers = 5, .distribution = croft::distribution::linear}),
                    [](int, croft::map_part) {}, {.place = croft::placements::thread_a_role{}});
            } catch (const std::length_error& error) {
                std::puts(error.what());
            }
        }"""
    assert "four hardware queues, which are taken" in run_source(program)


def run_source(text):
    """What a program prints on the simulated machine."""
    folder = croft.base.folders.cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "map_test_source.cpp"
    source.write_text(text, encoding="utf-8")
    return croft.run(source, "tilepro64").text


def test_a_stream_ends_when_its_service_time_is_stable():
    arguments = ["--workers", "4", "--runtime", "udn_tree", "--stable", "--count", "3000"]
    line = fields.find(croft.run("map_matvec", "tilepro64", arguments=arguments).text, "map_matvec")
    assert 300 <= line["count"] < 1000
    longer = [*arguments[:4], "--count", "1000"]
    line_of_longer = fields.find(croft.run("map_matvec", "tilepro64", arguments=longer).text, "map_matvec")
    assert line["service_time_cycles"] == pytest.approx(line_of_longer["service_time_cycles"], rel=0.02)


def made_up(name, factor=1.0, workers=56):
    """Runs that come out as published, but for a factor."""
    experiment = EXPERIMENTS[name]
    rows = [
        {
            "runtime": row.runtime,
            "type": row.type,
            "size": row.size,
            "workers": 0 if row.runtime == "sequential" else workers,
            "collector": collector,
            "service_time_ns": 1e3 * row.service_time_us * (1 if row.runtime == "sequential" else factor),
        }
        for row in published(name).itertuples()
        for collector in ("reads", "passes")
    ]
    return experiment, pd.DataFrame(rows)


@pytest.mark.parametrize("name", RUNTIMES)
def test_the_papers_own_numbers_pass(name):
    experiment, measured = made_up(name)
    cells = experiment.cells(measured)
    assert all(cell.ok for cell in cells if cell.scored)
    assert {cell.kind for cell in cells if cell.unit != "true"} <= {"calibrated", "predicted"}
    assert len(experiment.draw(measured).axes) == 6


@pytest.mark.parametrize("name", RUNTIMES)
def test_numbers_that_are_far_off_do_not(name):
    experiment, measured = made_up(name, 2.1)
    scored = [cell for cell in experiment.cells(measured) if cell.scored]
    assert [cell.ok for cell in scored if cell.name.startswith("at ")] == [False, False]
    assert all(not cell.ok for cell in scored if cell.unit == "us" and cell.kind == "predicted")


def test_an_order_that_is_not_the_published_one_is_found():
    experiment, measured = made_up("map_gemv")
    slow = (measured["runtime"] == "ra_udn") & (measured["size"] == 56) & (measured["type"] == "int")
    measured.loc[slow, "service_time_ns"] = 9e3
    wrong = [cell for cell in experiment.cells(measured) if cell.unit == "true" and not cell.ok]
    assert [cell.name for cell in wrong] == [
        "int 56 order as published",
        "int, ra_sm comes nearer to ra_udn as matrices grow",  # from 0.94 it cannot
    ]
    assert wrong[0].note == "ra_udn not before ra_sm"


def test_misprints_are_not_scored_and_columns_that_follow_are_shown():
    experiment, measured = made_up("map_matvec")
    cells = {cell.name: cell for cell in experiment.cells(measured)}
    assert not cells["int 112 lock_queue throughput"].scored
    assert cells["int 56 udn_tree throughput"].ratio == pytest.approx(1, rel=0.02)
    assert len([cell for cell in cells.values() if cell.unit == "us" and cell.scored]) == 30


def test_crofts_own_form_is_shown_beside_the_papers():
    experiment, measured = made_up("map_matvec")
    alone = experiment.cells(measured)
    own = measured.query("runtime == 'sm_tree'").assign(runtime="ra_home_tree")
    cells = experiment.cells(pd.concat([measured, own.assign(service_time_ns=own["service_time_ns"] / 2)]))
    shown = {cell.name: cell for cell in cells[len(alone) :]}
    assert cells[: len(alone)] == alone and not any(cell.scored for cell in shown.values())
    assert shown["int 56 ra_home_tree service time, beside sm_tree"].ratio == pytest.approx(0.5, rel=0.02)


def test_quick_points_are_a_part_of_the_full_ones():
    for name in RUNTIMES:
        full, quick = (EXPERIMENTS[name].points(quick) for quick in (False, True))
        assert {point.arguments for point in quick} <= {point.arguments for point in full}
        assert len(set(itertools.chain(point.arguments for point in full))) == len(full)
