"""Experiments: cells, verdicts, files; and that they run."""

import pandas as pd
import pytest

import croft
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.experiment import Cell, cells_frame, verdict
from croft.experiments.farm_convolution import speedups
from croft.experiments.published import is_misprint, published


def cell(measured, tolerance=0.1, **options):
    return Cell("x", "us", 10.0, measured, "predicted", tolerance, **options)


def test_a_verdict_counts_scored_cells_and_names_the_worst_ratio():
    assert verdict("e", [cell(10.9), cell(9.2)]) == "verdict: e pass 2/2 worst=1.090"
    assert verdict("e", [cell(11.1), cell(5.0), cell(10)]) == "verdict: e short 1/3 worst=0.500"
    assert verdict("e", [cell(15), cell(5), cell(99, scored=False)]) == "verdict: e short 0/2 worst=0.500"
    table = cells_frame([cell(11), cell(12)])
    assert list(table["ratio"]) == pytest.approx([1.1, 1.2])
    assert list(table["ok"]) == [False, False] or list(table["ok"]) == [True, False]


def test_published_numbers():
    assert len(published("pingpong")) == 15
    farm = published("farm_convolution").set_index(["type", "size", "runtime"])
    assert farm.loc[("int", 32, "ra_sm"), "speedup"] == 9.31
    assert is_misprint("farm_convolution", "float 64 sequential service time")
    assert not is_misprint("farm_convolution", "float 32 sequential service time")


def test_speedup_is_over_the_sequential_time():
    rows = pd.DataFrame({"workers": [2, 0, 1], "service_time_ns": [50.0, 100.0, 125.0]})
    found = speedups(rows)
    assert list(found["workers"]) == [1, 2]
    assert list(found["speedup"]) == [0.8, 2.0]


def test_pingpong_quick(tmp_path):
    report = croft.experiment("pingpong", quick=True, jobs=2)
    hashed = report.measured[report.measured["support"] == "sm_hash"]
    assert len(hashed) == 20
    cells = report.table.set_index("cell")
    mean = cells.loc["symmetric, sm_hash, mean over placements"]
    assert mean["published"] == pytest.approx(343.8733333)
    assert mean["measured"] == pytest.approx(hashed["cycles"].mean())
    assert report.verdict.startswith("verdict: pingpong ")
    files = {path.name: path for path in report.write(tmp_path / "new")}
    assert set(files) == {"pingpong.csv", "pingpong-runs.csv", "pingpong.svg", "pingpong.png"}
    table = pd.read_csv(files["pingpong.csv"])
    assert {"published", "measured", "ratio", "kind"} <= set(table.columns)
    first = files["pingpong.svg"].read_bytes()
    report.write(tmp_path / "new")
    assert files["pingpong.svg"].read_bytes() == first


@pytest.mark.slow("ping-pong stands for them")
@pytest.mark.parametrize(("name", "cells"), [("read_latency", 7), ("write_latency", 20)])
def test_latency_tables_quick(name, cells):
    report = croft.experiment(name, quick=True)
    assert len(report.cells) == cells
    assert set(report.table["kind"]) == {"calibrated"}
    # One line is like another, wherever it lies; only memory controllers are nearer and farther. (Once in a while it
    # takes the place of a line of the program in an L2, which is then fetched while another is timed.)
    cached = report.measured[~report.measured["line_at"].str.startswith("memory")]
    assert (cached["least"] == cached["most"]).mean() >= 0.97
    own = report.measured[report.measured["line_at"] == "l1"]
    assert (own["cycles"] == 2).all()
    assert len(report.figure.axes) == 2


def test_the_farm_misprint_is_reported_and_not_scored():
    farm = EXPERIMENTS["farm_convolution"]
    rows = [
        {
            "type": kind,
            "size": size,
            "runtime": runtime if workers else "sequential",
            "workers": workers,
            "collector": "passes",
            "service_time_ns": 1e5 / max(workers, 1),
        }
        for kind in ("int", "float")
        for size in (32, 64, 128)
        for runtime in farm.runtimes
        for workers in (0, 1, 56)
    ]
    cells = farm.cells(pd.DataFrame(rows))
    times = [each for each in cells if each.name.endswith("service time")]
    assert len(times) == 24
    assert [each.name for each in times if not each.scored] == ["float 64 sequential service time"]
    assert {each.kind for each in times} == {"calibrated", "predicted"}
    assert len(farm.draw(pd.DataFrame(rows)).figure.axes) == 6


@pytest.mark.slow("waits for a program that another test builds")
def test_a_sweep_tells_which_run_failed():
    point = croft.Point("farm_convolution", ("--size", "33"))
    error = croft.sweep([point], "tilepro64")["error"].item()
    assert error.startswith("farm_convolution --size 33 on tilepro64: exited, status 2: ")
    assert "33" in error.partition("status 2")[2]
