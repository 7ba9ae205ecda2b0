"""What experiments make of measurements: rules, ranges, orders, growths, fits; without running anything."""

import math

import pandas as pd
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

from croft.cli.app import app
from croft.experiments import conduct, names
from croft.experiments.closed_queue import asymptotic_bound, closed_queue_response, fixed_point
from croft.experiments.conduct import EXPERIMENTS, ExperimentResult
from croft.experiments.contention import Contention
from croft.experiments.experiment import Cell, Experiment, Spread, cells_frame, range_cells, true_cell, verdict
from croft.experiments.pingpong import PingPong, pairs
from croft.experiments.published import published
from croft.experiments.selection import Selection


def bound(measured):
    return Cell("x", "us", 10.0, measured, "predicted", 0.01, rule="at_least")


def test_a_bound_is_kept_from_above():
    assert bound(10).ok
    assert bound(9.95).ok
    assert not bound(9.8).ok
    assert bound(1000).ok
    assert verdict("e", [bound(1000), bound(11)]) == "verdict: e pass 2/2 worst=1.000"
    assert verdict("e", [bound(1000), bound(9)]) == "verdict: e short 1/2 worst=0.900"


def test_a_statement_holds_or_not():
    assert true_cell("x", True, "predicted").ok
    assert verdict("e", [true_cell("x", False, "predicted"), bound(12)]) == "verdict: e short 1/2 worst=0.000"


def test_nothing_to_score_is_no_shortfall():
    assert verdict("e", []) == "verdict: e unscored 0/0 worst=1.000"
    assert list(cells_frame([]).columns) == list(cells_frame([bound(1)]).columns)


def test_a_tolerance_includes_itself():
    assert Cell("x", "us", 10, 11, "predicted", 0.1).ok
    assert not Cell("x", "us", 10, 11.001, "predicted", 0.1).ok
    assert Cell("x", "us", 0, 0, "predicted", 0.1).ok
    assert Cell("x", "us", 0, 1, "predicted", 0.1).ratio == math.inf


def test_a_range_has_a_cell_for_either_end_and_a_single_number_one():
    ends = range_cells("x", "cycles", (40, 70), Spread(41, 50, 65), "calibrated", 0.1, "why")
    assert [(cell.name, cell.published, cell.measured) for cell in ends] == [("x, least", 40, 41), ("x, most", 70, 65)]
    assert {cell.note for cell in ends} == {"why"}
    (mean,) = range_cells("x", "cycles", (120, 120), Spread(100, 121, 150), "calibrated", 0.1)
    assert (mean.measured, mean.ok) == (121, True)


class Fake(Experiment):
    name, title, source, machine = "fake", "A fake", "no paper", "none"
    tolerances = {"predicted": 0.1}  # noqa: RUF012

    def __init__(self, measured):
        self.measured = measured

    def measure(self, quick, how):
        return pd.DataFrame({"value": [self.measured]})

    def cells(self, measured):
        return [Cell("value", "us", 10.0, measured["value"][0], "predicted", self.tolerances["predicted"])]

    def draw(self, measured):
        return Figure(figsize=(1, 1))


@pytest.mark.parametrize(("measured", "strict", "status"), [(10.5, True, 0), (15.0, True, 1), (15.0, False, 0)])
def test_strict_makes_a_shortfall_the_exit_status(measured, strict, status, monkeypatch, tmp_path):
    monkeypatch.setitem(conduct.EXPERIMENTS, "fake", Fake(measured))
    monkeypatch.setattr(names, "NAMES", (*names.NAMES, "fake"))
    answer = CliRunner().invoke(
        app, ["experiment", "fake", "--out", str(tmp_path / "out"), *(["--strict"] if strict else [])]
    )
    assert answer.exit_code == status, answer.output
    word = "pass 1/1" if measured < 11 else "short 0/1"
    assert answer.output.splitlines()[-1] == f"verdict: fake {word} worst={measured / 10:.3f}"
    table = pd.read_csv(tmp_path / "out" / "fake.csv")
    assert {"published", "measured", "ratio", "kind"} <= set(table.columns)
    assert table["ratio"].tolist() == [measured / 10]


def test_of_many_cells_only_those_that_fall_short_are_printed():
    cells = [Cell(str(i), "us", 1, 2 if i == 7 else 1, "predicted", 0.1) for i in range(100)]
    assert ExperimentResult("e", pd.DataFrame(), cells, None).summary()["cell"].tolist() == ["7"]
    assert len(ExperimentResult("e", pd.DataFrame(), cells[:50], None).summary()) == 50


def test_what_is_compared_is_only_in_the_published_tables():
    assert len(published("tilepro64_read_latency")) == 5
    assert len(published("tilepro64_write_latency")) == 11


@pytest.mark.parametrize("name", ["read_latency", "write_latency"])
def test_a_latency_table_that_is_met_exactly(name):
    each = EXPERIMENTS[name]
    rows = []
    for row, low, high in each.rows():
        ends = {"least": low, "cycles": (low + high) / 2, "most": high, "hops": 1, "copies": 1}
        rows.append(dict(zip(each.columns, row, strict=True)) | ends)
    cells = each.cells(pd.DataFrame(rows))
    assert all(cell.ratio == 1 and cell.kind == "calibrated" for cell in cells)
    assert len(cells) == sum(2 if low < high else 1 for _, low, high in each.rows())
    assert len({cell.name for cell in cells}) == len(cells)
    rows[-1]["most"] *= 2
    assert [cell.ok for cell in each.cells(pd.DataFrame(rows))].count(False) == 1


def published_pingpong(factor=1.0):
    table = published("pingpong").rename(columns={"avg_cycles": "cycles"})
    return table.assign(cycles=table["cycles"] * factor, form="paper")


def short_cells(measured):
    return [cell.name for cell in PingPong().cells(measured) if not cell.ok]


def test_pingpong_rows_order_and_growth():
    cells = PingPong().cells(published_pingpong())
    assert all(cell.ok for cell in cells)
    # 12 rows, the mean over hashed placements, how many are close, 4 growths, the order at 3 distances
    assert len(cells) == 12 + 1 + 1 + 4 + 3
    assert [cell.name for cell in cells if cell.kind == "calibrated"] == ["symmetric, udn, 1 hop"]
    assert "predicted rows within 15%" in short_cells(published_pingpong(1.2))
    measured = published_pingpong()
    measured.loc[(measured["support"] == "sm_home") & (measured["hops"] == 14), "cycles"] *= 1.4
    assert {"symmetric, sm_home, 14 hops", "symmetric, sm_home, growth"} <= set(short_cells(measured))
    measured = published_pingpong()
    measured.loc[(measured["support"] == "udn") & (measured["interface"] == "asymmetric"), "cycles"] *= 3
    assert "order as published, 8 hops" in short_cells(measured)


def test_pingpong_shows_crofts_own_form_and_does_not_score_it():
    paper = published_pingpong()
    own = paper.query("support == 'sm_home'").assign(form="croft", cycles=lambda rows: rows["cycles"] * 3)
    own = pd.concat([own, own.assign(hops=2)])  # a distance that is not published
    cells = PingPong().cells(pd.concat([paper, own]))
    shown = [cell for cell in cells if not cell.scored]
    assert len(shown) == 6 and all(cell.ratio == pytest.approx(3) for cell in shown)
    assert [cell for cell in cells if cell.scored] == PingPong().cells(paper)


def test_pingpong_compares_what_there_is():
    only = published_pingpong().query("support == 'sm_hash'")
    assert [cell.name for cell in PingPong().cells(only)] == ["symmetric, sm_hash, mean over placements"]
    assert len(set(pairs(100))) > 90
    assert all(a != b for a, b in pairs(100))


def test_selection_tells_constant_from_linear():
    idle = [0, 1, 8, 55]
    flat, rising = [56.0, 56.5, 57.0, 56.0], [130 + 7 * number for number in idle]

    def cells(udn, sm_home):
        frames = [
            pd.DataFrame({"support": name, "form": form, "idle": idle, "cycles": cycles})
            for name, form, cycles in (("udn", "paper", udn), ("sm_home", "paper", sm_home), ("sm_home", "croft", flat))
        ]
        found = Selection().cells(pd.concat(frames))
        assert [cell.name for cell in found if not cell.scored] == ["sm_home, no idle sender, croft's own form"]
        return {cell.name: cell.ok for cell in found if cell.scored}

    assert list(cells(flat, rising).values()) == [True, True, True, True]
    found = cells(rising, flat)
    assert not found["udn, constant in the number of idle senders"]
    assert not found["sm_home, linear in the number of idle senders"]


def test_the_model_of_a_shared_server():
    response, utilisation = fixed_point(8, 10, 20, 100)
    assert response == pytest.approx(20 + utilisation * 10 / (2 * (1 - utilisation)))
    assert utilisation == pytest.approx(80 / (100 + response))
    assert fixed_point(1, 5, 100, 2000)[0] == pytest.approx(100, abs=0.01)
    assert fixed_point(60, 20, 20, 100)[0] > asymptotic_bound(60, 20, 100) == 1100


def test_the_closed_queue_knows_its_limits():
    assert closed_queue_response(1, 20, 50, 100) == pytest.approx(50)
    assert closed_queue_response(60, 20, 20, 100) == pytest.approx(1100, rel=1e-6)  # always busy
    # Two clients by hand: who asks meets the other in service with the same chance as anyone, and waits for its rest.
    gone, service, think = math.exp(-20 / 100), 20, 100
    left = 1 - gone  # a request leaves the other one behind if that asks during the service
    expected = 2 * (service + (1 - left) * think / 2) - think
    assert closed_queue_response(2, 20, 20, 100) == pytest.approx(expected)


def test_contention_is_the_simulators_own(monkeypatch):
    monkeypatch.setattr("croft.experiments.contention.REQUESTS", 20_000)
    report = conduct.experiment("contention", quick=True)
    assert report.measured["clients"].max() == 60
    assert (
        report.measured.query("clients == 1")["response"] == report.measured.query("clients == 1")["base_latency"]
    ).all()
    equal = [cell for cell in report.cells if cell.rule == "equal" and cell.scored]
    assert len(equal) > 100
    assert all(cell.ok for cell in equal)
    assert any(not cell.scored and cell.note for cell in report.cells)
    assert len(report.figure.axes) == 9
    assert isinstance(EXPERIMENTS["contention"], Contention)


def native_lines(**cycles):
    """What the program prints if an access takes as long as said for its place."""
    return pd.DataFrame(
        [
            {"access": access, "state": state, "place": place, "level": level, "cycles": cycles[place] * factor}
            for access in ("read", "write")
            for state in ("modified", "exclusive", "shared")
            for place in ("own", "other")
            for level, factor in {"L1": 1, "L2": 2, "L3": 3, "memory": 9}.items()
        ]
    ).assign(processor="a processor")


def test_this_host_is_shown_beside_another_and_scored_by_what_holds_for_both():
    cells = EXPERIMENTS["native_latency"].cells(native_lines(own=5, other=50))
    numbers = {cell.name: cell for cell in cells if cell.unit == "cycles"}
    assert not any(cell.scored for cell in numbers.values())
    assert numbers["read local l2"].published == 12
    assert numbers["read local l2"].measured == 10
    assert numbers["read same chip modified l1"].measured == 50
    assert "write same chip shared l1" not in numbers  # its own core has a copy, too
    assert not any("other chip" in name for name in numbers)
    statements = {cell.name: cell.ok for cell in cells if cell.unit == "true"}
    assert len(statements) == 5
    # All but one: the made-up numbers take a line that both have for as fast as an own one.
    assert [name for name, ok in statements.items() if not ok] == [
        "write local modified or exclusive l1 < write local shared l1"
    ]
    assert len(EXPERIMENTS["native_latency"].draw(native_lines(own=5, other=50)).axes) == 2


def test_queues_are_shown_on_both_machines():
    rows = [
        {"queue": queue, "size": size, "ns": 10.0, "where": where}
        for where in ("tilepro64", "here")
        for queue in ("bounded", "unbounded")
        for size in (2, 4)
    ]
    assert EXPERIMENTS["queue_latency"].cells(pd.DataFrame(rows)) == []
    assert [axes.get_title() for axes in EXPERIMENTS["queue_latency"].draw(pd.DataFrame(rows)).axes] == [
        "tilepro64",
        "here",
    ]


def offloaded_runs(times):
    """Rows of the accelerator experiment with 54 workers, from {(mode, size, messages): cycles}."""
    rows = [
        {"mode": "sequential", "size": size, "policy": "hhn", "messages": "exact", "workers": 0, "service_time_ns": 1e6}
        for size in (32, 64, 128)
    ]
    for (mode, size, messages), cycles in times.items():
        row = {"mode": mode, "size": size, "messages": messages, "workers": 54, "service_time_ns": cycles / 0.866}
        rows += [{**row, "policy": policy} for policy in ("hhn", "nhn")]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("cycles", "pays"), [(3980, False), (5000, True), (3000, True)])
def test_offloading_does_not_pay_if_it_is_slower_and_the_link_is_why(cycles, pays):
    times = {("alone", 32, "exact"): 3100, ("offloaded", 32, "exact"): cycles, ("offloaded", 32, "whole"): 57_176}
    exact, whole = EXPERIMENTS["accelerator"].cells(offloaded_runs(times))[:2]
    assert (exact.ok, exact.scored) == (not pays, True)
    assert (whole.ok, whole.scored) == (True, False)


def test_offloaded_is_as_fast_as_alone_within_a_tenth():
    times = {("alone", 64, "exact"): 100, ("offloaded", 64, "exact"): 109, ("alone", 128, "exact"): 100}
    times[("offloaded", 128, "exact")] = 115
    assert [cell.ok for cell in EXPERIMENTS["accelerator"].cells(offloaded_runs(times))] == [True, True, False, False]
    assert len(EXPERIMENTS["accelerator"].draw(offloaded_runs(times)).axes) == 2
