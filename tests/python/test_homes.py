"""Data homed by policy: handed on right on the simulated machine, and what happens if a step is left out."""

import itertools
import subprocess

import pandas as pd
import pytest

import croft
from conftest import QUICKLY
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.published import claim
from croft.results import fields

pytestmark = pytest.mark.slow("large programs, here and simulated")

HOMES = {"hashed": "-1", "fixed": "1 2 3", "none": "-4"}
POLICIES = ("hhn", "nhn", "fhn")


@pytest.mark.parametrize("policy", HOMES)
def test_data_arrive_as_they_were_left_and_have_their_homes(policy, simulated):
    """By value, in place with memory used again, and made before the worker was known."""
    result = croft.run(simulated("task_data"), cores=8, arguments=[policy], check="coherence")
    assert result.text == f"ok, 0 words are wrong, homes {HOMES[policy]}\n" * 3
    assert (result.ending, result.exit_status, result.coherence_count) == ("exited", 0, 0)


@pytest.mark.parametrize("policy", HOMES)
def test_delays_of_messages_do_not_matter(policy, simulated):
    for seed in (1, 2, 3):
        result = croft.run(simulated("task_data"), cores=8, arguments=[policy], perturb=seed)
        assert result.text == f"ok, 0 words are wrong, homes {HOMES[policy]}\n" * 3


@pytest.mark.parametrize(
    ("mutant", "kind"), [("kept", "stale load"), ("unwritten", "lost write"), ("forgotten", "stale load")]
)
def test_a_flush_left_out_is_found(mutant, kind, simulated):
    result = croft.run(simulated("task_data"), cores=8, arguments=["none", mutant], check="coherence")
    assert result.text.startswith("FAILED, ")
    assert result.coherence_count > 0
    assert kind in {found.kind for found in result.coherence}


@pytest.mark.parametrize("policy", ["hashed", "fixed"])
def test_with_homes_nothing_has_to_be_flushed(policy, simulated):
    result = croft.run(simulated("task_data"), cores=8, arguments=[policy, "forgotten"], check="coherence")
    assert result.text.count("ok, 0 words are wrong") == 3
    assert result.coherence_count == 0


def test_a_worker_finds_data_homed_at_it_in_its_own_cache_and_others_at_third_cores_or_in_memory():
    """The traffic that the policies differ in, of a farm's four workers on cores 1 to 4: what 24 more tasks add."""
    arguments = ["--workers", "4", "--size", "32"]

    def total_of(count, policy, part, name, where):
        frame = croft.run("stream_matmul", arguments=[*arguments, "--policy", policy, "--count", count]).frame
        return frame.query(f"part == @part and name == @name and {where}").value.sum()

    def total(*which):
        return (total_of("48", *which) - total_of("24", *which)) / 24

    misses = {policy: total(policy, "l2", "misses", "1 <= index <= 4") for policy in POLICIES}
    assert misses["fhn"] < 10  # a task is 192 lines
    assert min(misses["hhn"], misses["nhn"]) > 120
    third = {policy: total(policy, "home", "reads", "index > 5") for policy in POLICIES}
    assert third["hhn"] > max(third["nhn"], third["fhn"]) + 80  # the rest is not of tasks


@pytest.mark.parametrize("runtime", ["fastflow", "croft"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_multiplies_right_and_coherently(policy, runtime):
    arguments = ["--policy", policy, "--runtime", runtime, "--workers", "5", "--count", "24", "--size", "32", "--check"]
    result = croft.run("stream_matmul", arguments=arguments, check="coherence")
    assert (result.exit_status, result.errors, result.coherence_count) == (0, b"", 0)
    assert result.text.startswith("check: 24 products are those of a sequential computation\n")
    line = fields.find(result.text, "stream_matmul")
    assert (line["policy"], line["runtime"], line["workers"], line["count"]) == (policy, runtime, 5, 24)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_sequential_program_takes_every_policy(policy):
    arguments = ["--policy", policy, "--sequential", "--count", "6", "--size", "32", "--check"]
    line = fields.find(croft.run("stream_matmul", arguments=arguments).text, "stream_matmul")
    assert (line["policy"], line["runtime"], line["workers"]) == (policy, "sequential", 0)
    assert line["service_time_cycles"] > 32**3


def test_the_programs_run_natively():
    def here(program, *arguments):
        command = [croft.build(program, **QUICKLY), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    for policy, workers in itertools.product(POLICIES, ("0", "3")):
        text = here("stream_matmul", "--policy", policy, "--workers", workers, "--count", "50", "--check")
        assert text.startswith("check: 50 products are those of a sequential computation\n")
    for workers in ("0", "3"):
        assert fields.find(here("grain", "--workers", workers), "grain")["multiplications"] == 100_000
        elements = ("--multiplications", "99999", "--per-element", "7", "--check")
        assert here("memory_grain", "--workers", workers, *elements).startswith("check: 14285 elements are what")


def test_the_grains_compute_what_they_should_on_the_simulated_machine():
    line = fields.find(croft.run("grain", arguments=["--workers", "5", "--multiplications", "12345"]).text, "grain")
    assert 0 < line["service_time_cycles"] < line["whole_cycles"]
    arguments = ["--workers", "5", "--multiplications", "30001", "--per-element", "3", "--check"]
    assert croft.run("memory_grain", arguments=arguments, check="coherence").text.startswith("check: 10000 elements")


def as_published(policy, size, workers):
    """A service time with which every statement of the paper holds."""
    alone = {"hhn": 100.0, "nhn": 111.0, "fhn": 111.0}[policy] if size == 128 else 100.0
    if workers <= 1:
        return alone
    if size == 64:
        return alone / (min(workers, 20) if policy == "hhn" else 0.95 * workers)
    return alone / (42 / 54 * workers if policy == "nhn" else workers / 2)


def made_up(name, time=as_published):
    experiment = EXPERIMENTS[name]
    rows = []
    for point in experiment.points(quick=False):
        given = dict(zip(point.arguments[::2], point.arguments[1::2], strict=True))
        size, workers = int(given["--size"]), int(given["--workers"])
        service = time(given["--policy"], size, workers)
        rows.append({"policy": given["--policy"], "size": size, "workers": workers, "service_time_ns": service})
    return experiment, pd.DataFrame(rows)


def test_the_papers_own_numbers_pass():
    experiment, measured = made_up("stream_matmul")
    cells = experiment.cells(measured)
    assert all(cell.ok for cell in cells)
    assert {cell.kind for cell in cells} == {"predicted"}
    by_name = {cell.name: cell for cell in cells}
    assert by_name["64, hhn scales to"].measured == 20
    assert by_name["128, nhn, 54 workers: scalability"].ratio == pytest.approx(1)
    assert by_name["128, nhn, 54 workers: speedup"].measured == pytest.approx(42 / 1.11)
    assert len(experiment.draw(measured).axes) == 3


def test_policies_that_do_not_differ_fall_short():
    experiment, measured = made_up("stream_matmul", lambda policy, size, workers: 100.0 / max(workers, 1))
    short = {cell.name for cell in experiment.cells(measured) if not cell.ok}
    assert short == {
        "64, hhn scales to",
        "64, 54 workers: hhn behind nhn and fhn",
        "128, nhn, 54 workers: scalability",
        "128, nhn, 54 workers: speedup",
        "128, nhn, 54 workers: its speedup is below its scalability",
        "128, sequential: nhn over hhn",
    }


def grain_rows(overhead):
    return pd.DataFrame(
        {
            "multiplications": grain,
            "workers": workers,
            "service_time_ns": alone / max(workers, 1) + late,
            "whole_ns": alone,
        }
        for grain, alone in ((1, 1e4), (2, 1e7), (3, 1e8))
        for workers in (0, 8, 54)
        for late in (overhead if workers else 0.0,)
    )


def test_a_grain_pays_if_its_overhead_is_small():
    experiment = EXPERIMENTS["grain"]
    assert [cell.ok for cell in experiment.cells(grain_rows(1e4))] == [True] * 4
    assert [cell.ok for cell in experiment.cells(grain_rows(2e5))] == [True, True, False, False]
    assert len(experiment.draw(grain_rows(1e4)).axes) == 1


@pytest.mark.parametrize(("bound", "ok"), [(20.0, True), (50.0, False)])
def test_memory_is_a_bottleneck_if_speedups_say_so(bound, ok):
    speedup = {1: bound, 16: bound + 1, 128: 53.0, 1024: 53.5}
    rows = [
        {"per_element": each, "workers": workers, "time_ns": 1e6 / (speedup[each] if workers else 1)}
        for each in speedup
        for workers in (0, 54)
    ]
    experiment = EXPERIMENTS["memory_grain"]
    cells = experiment.cells(pd.DataFrame(rows))
    assert [cell.ok for cell in cells] == [ok, ok, True]
    assert len(experiment.draw(pd.DataFrame(rows)).axes) == 1


@pytest.mark.parametrize("name", ["stream_matmul", "grain", "memory_grain"])
def test_quick_runs_measure_less(name):
    full, quick = (EXPERIMENTS[name].points(quick) for quick in (False, True))
    assert {point.arguments for point in quick} < {point.arguments for point in full}
    assert len({point.arguments for point in full}) == len(full)


def test_claims_are_read_from_the_published_table():
    assert claim("128x128 int, incoherent pages, 54 workers: scalability / speedup") == "42 / 37"
