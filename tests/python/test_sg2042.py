"""The SG2042: its machine, and the experiment that compares it with published measurements."""

import pandas as pd
import pytest

import croft
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.published import published
from croft.experiments.sg2042 import figures, label, rows
from croft.results import fields
from croft.sweeps.points import sweep

EXPERIMENT = EXPERIMENTS["sg2042"]


def test_the_machine_is_the_documents():
    chip = croft.machine("sg2042")
    assert (chip.clock_mhz, chip.cores, chip.tiles, chip.protocol) == (2000, 64, 64, "mesi")
    levels = [(each["name"], each["shared_by"], each["size"]) for each in chip.model_dump()["level"]]
    assert levels == [("l2", 4, 1 << 20), ("l3", "all", 4 << 20)]
    assert (chip.network.columns, chip.network.rows, chip.network.tiles_per_router) == (4, 4, 4)
    # Controllers are beside the clusters of cores 4-7, 8-11, 52-55 and 56-59, and slices beside all clusters.
    assert chip.positions["memory.controllers"] == [(1, 0), (2, 0), (1, 3), (2, 3)]
    assert sorted(set(chip.positions["shared.banks"])) == [(column, row) for column in range(4) for row in range(4)]


def test_a_small_program_takes_exactly_so_many_cycles(simulated):
    assert croft.run(simulated("threads"), "sg2042", arguments=["3"]).cycles == 119286
    assert croft.run(simulated("mutex"), "sg2042", arguments=["4"]).cycles == 758875


@pytest.mark.parametrize("name", ["cilk5/queens", "cilk5/transpose"])
def test_kernels_give_right_results(name):
    arguments = {"cilk5/queens": ["--size", "6"], "cilk5/transpose": ["--size", "90"]}[name]
    result = croft.run(name, "sg2042", arguments=[*arguments, "--workers", "8", "--verify", "full"])
    assert result.exit_code == 0 and result.text.rstrip().endswith(" ok")


def test_each_published_figure_says_whether_it_is_calibrated_and_has_a_run_of_its_own():
    kinds = [kind for table in ("latency", "bandwidth") for kind in published(f"sg2042_{table}")["kind"]]
    assert set(kinds) == {"calibrated", "predicted", "shown"}
    assert (kinds.count("calibrated"), kinds.count("predicted")) == (5, 49)
    names = [point.labels["figure"] for point in EXPERIMENT.points(quick=False)]
    assert len(names) == len(set(names)) == 54
    assert set(names) == {label(row) for table in ("latency", "bandwidth") for row in rows(table)}


def as_measured(factor=1.0):
    """What a run would print if the machine met each published figure times ``factor``."""
    found = []
    for row in rows("latency"):
        found.append({"figure": label(row), "ns": row["ns"] * factor})
    for row in rows("bandwidth"):
        arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 3}.get(row["kernel"], 2)
        counted = arrays if row["benchmark"] == "stream" else 1
        found.append({"figure": label(row), "arrays": arrays, "mb_per_s": row["mb_per_s"] * factor / counted})
    return pd.DataFrame(found)


def test_figures_that_are_met_pass():
    cells = EXPERIMENT.cells(as_measured())
    assert all(cell.ratio == pytest.approx(1) and cell.ok for cell in cells)
    assert [cell.kind for cell in cells].count("calibrated") == 5
    assert (cells[-1].name, cells[-1].measured, cells[-1].scored) == ("predicted figures within 20%", 100, False)
    stream = next(cell for cell in cells if cell.name == "stream, triad, 64 cores")
    assert (stream.published, stream.unit, stream.kind) == (38931.9, "MB/s", "predicted")


def test_figures_that_are_off_fall_short_by_kind():
    by_kind = {}
    for cell in EXPERIMENT.cells(as_measured(1.15))[:-1]:
        by_kind.setdefault(cell.kind, set()).add(cell.ok)
    assert by_kind == {"calibrated": {False}, "predicted": {True}}
    cells = EXPERIMENT.cells(as_measured(1.25))
    assert not any(cell.ok for cell in cells[:-1]) and cells[-1].measured == 0


def test_a_quick_experiment_draws_what_it_has():
    measured = as_measured()
    few = {point.labels["figure"] for point in EXPERIMENT.points(quick=True)}
    quick = measured[measured["figure"].isin(few)]
    assert 0 < len(quick) < len(measured)
    assert len(list(figures(quick.set_index("figure")))) == len(quick) == len(EXPERIMENT.cells(quick)) - 1
    for each in (quick, measured):
        assert len(EXPERIMENT.draw(each).axes) == 2


def test_a_load_in_the_l1_takes_three_cycles_and_more_memory_takes_more():
    points = [
        point
        for point in EXPERIMENT.points(quick=True)
        if point.labels["figure"] in ("ramlat, 16 KiB, 1 load", "ramlat, 512 KiB, 1 load")
    ]
    measured = sweep(points, "sg2042", name="test").set_index("figure")
    in_l1, in_l2 = (measured.loc[f"ramlat, {kib} KiB, 1 load", "cycles"] for kib in (16, 512))
    assert (in_l1, in_l2) == (3.02, 34.08)


WRONG = [
    ("latency_by_size", ["--kib", "100"], "--kib takes a power of two, not 100"),
    ("latency_by_size", ["--chains", "3"], "--chains takes 1, 2, 4 or 8, not 3"),
    ("latency_by_size", ["--order", "random", "--chains", "4"], "--chains takes 1 or 2 with --order random, not 4"),
    ("memory_bandwidth", ["--threads", "65"], "--threads is 65, and this program may use only 64 cores"),
    ("memory_bandwidth", ["--threads", "3"], "--kib takes so many that each thread has whole lines"),
]


@pytest.mark.parametrize(("program", "arguments", "said"), WRONG)
def test_programs_say_what_is_wrong(program, arguments, said):
    result = croft.run(program, "sg2042", arguments=arguments)
    assert result.exit_code == 2 and said in result.errors.decode()


@pytest.mark.parametrize(
    ("kernel", "arrays"), [("copy", 2), ("copy_backwards", 2), ("two_pass_copy", 2), ("scan", 2), ("fill", 1)]
)
def test_kernels_of_bandwidth_print_what_was_moved(kernel, arrays):
    result = croft.run("memory_bandwidth", "sg2042", arguments=["--kernel", kernel, "--threads", "2", "--kib", "64"])
    (line,) = fields.lines_of(result.text, "memory_bandwidth")
    assert (line["threads"], line["kib"], line["arrays"]) == (2, 64, arrays)
    assert line["mb_per_s"] == pytest.approx(65536 * 1000 / line["ns"], rel=1e-3)
