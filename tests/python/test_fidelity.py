"""The summary of all experiments, from tables made by hand."""

import math

import pandas as pd
import pytest
from typer.testing import CliRunner

from croft.base.errors import UsageError
from croft.cli.app import app
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.experiment import Cell, cells_frame, true_cell
from croft.experiments.fidelity import Count, Fidelity, read_cells
from croft.experiments.fidelity_page import BEGIN, END, markdown, parts, rewrite


def number(measured, published=1.0, **rest):
    return Cell("x", "us", published, measured, rest.pop("kind", "predicted"), 0.1, **rest)


def count(*cells):
    return Count.of(cells)


@pytest.mark.parametrize(
    ("ratio", "within", "beyond"),
    [
        (1.0, (1, 1, 1), 0),
        (1.05, (1, 1, 1), 0),
        (1.0501, (0, 1, 1), 0),
        (0.9, (0, 1, 1), 0),
        (1.2, (0, 0, 1), 0),
        (1.2001, (0, 0, 0), 0),
        (0.8, (0, 0, 1), 0),
        (0.7999, (0, 0, 0), 0),
        (2.0, (0, 0, 0), 0),
        (2.0001, (0, 0, 0), 1),
        (0.5, (0, 0, 0), 0),
        (0.4999, (0, 0, 0), 1),
        (0.0, (0, 0, 0), 1),
        (-1.0, (0, 0, 0), 1),
        (math.inf, (0, 0, 0), 1),
        (math.nan, (0, 0, 0), 1),
    ],
)
def test_a_distance_includes_itself(ratio, within, beyond):
    assert count(number(ratio)) == Count(1, within, beyond)
    assert count(number(ratio * 64, 64.0)) == Count(1, within, beyond)


def test_nothing_beside_nothing_is_equal_and_something_beside_nothing_is_beyond():
    assert count(number(0.0, 0.0)) == Count(1, (1, 1, 1))
    assert count(number(1.0, 0.0)) == Count(1, beyond=1)


def test_statements_and_bounds_count_apart_and_what_is_not_scored_nowhere_else():
    held, missed = (true_cell("x", holds, "predicted") for holds in (True, False))
    kept, broken = (number(measured, rule="at_least") for measured in (30.0, 0.8))
    assert count(held, missed, kept, broken) == Count(statements=4, hold=2)
    assert count(number(1.0, scored=False), number(9.0, scored=False)) == Count(unscored=2)


def test_kinds_and_experiments_count_apart_and_add_up():
    cells = {
        "b": [number(1.0), number(3.0), number(1.0, kind="calibrated")],
        "a": [number(1.1), true_cell("y", True, "calibrated")],
        "empty": [],
    }
    fidelity = Fidelity.of(cells, ["a", "b", "c", "empty"])
    assert fidelity.missing == ["c"]
    assert fidelity.counts["predicted"] == {"a": Count(1, (0, 1, 1)), "b": Count(2, (1, 1, 1), 1)}
    assert list(fidelity.counts["predicted"]) == ["a", "b"]
    assert fidelity.counts["calibrated"] == {"a": Count(statements=1, hold=1), "b": Count(1, (1, 1, 1))}
    assert fidelity.all("predicted") == Count(3, (1, 2, 2), 1)
    assert fidelity.all("calibrated") == Count(1, (1, 1, 1), statements=1, hold=1)
    assert parts(fidelity.all("predicted")) == (1, 1, 0, 0, 1)
    assert fidelity.all("predicted", but=("b",)) == fidelity.counts["predicted"]["a"]
    assert [name for name, _ in fidelity.sums("predicted")] == ["all"]
    model = Fidelity.of({"contention": [number(1.0)], "uli": [number(3.0)]}, ["contention", "uli"])
    assert model.sums("predicted") == [
        ("all but contention", Count(1, beyond=1)),
        ("all", Count(2, (1, 1, 1), 1)),
    ]
    last = fidelity.table.iloc[-1]
    assert (last["kind"], last["experiment"], last["numbers"], last["beyond_2"]) == ("predicted", "all", 3, 1)


def test_the_page_says_shares_and_what_is_missing():
    text = markdown(Fidelity.of({"pingpong": [number(1.0), number(1.0), number(3.0)]}, ["pingpong", "uli"]))
    row = "| [pingpong](experiments.md#pingpong) | 3 | 2 (67%) | 2 (67%) | 2 (67%) | 1 (33%) | - | - |"
    assert row in text.splitlines()
    assert "| **all** | 0 | - | - | - | - | - | - |" in text.splitlines()  # of calibrated cells
    assert "Not run: uli." in text


@pytest.fixture
def tables(tmp_path):
    cells = [
        number(1.0),
        number(0.5),
        number(math.nan),
        number(1.0, scored=False, note="why"),
        true_cell("s", True, "predicted"),
    ]
    cells_frame(cells).to_csv(tmp_path / "pingpong.csv", index=False)
    cells_frame([number(1.0, kind="calibrated", rule="at_least")]).to_csv(tmp_path / "uli.csv", index=False)
    cells_frame([number(9.0)]).to_csv(tmp_path / "no_experiment.csv", index=False)
    return tmp_path


def test_tables_come_back_as_they_were_written(tables):
    cells = read_cells(tables, list(EXPERIMENTS))
    assert list(cells) == ["pingpong", "uli"]
    assert Count.of(cells["pingpong"]) == Count(3, (1, 1, 1), 1, 1, 1, 1)
    assert Count.of(cells["uli"]) == Count(statements=1, hold=1)


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("kind", "guessed", "of cell 'x' kind is 'guessed', not one of"),
        ("rule", "about", "rule is 'about'"),
        ("scored", "maybe", "scored is 'maybe'"),
        ("measured", "much", "could not convert string to float: 'much'"),
    ],
)
def test_a_damaged_table_is_said(column, value, complaint, tmp_path):
    table = cells_frame([number(1.0)]).astype(object)
    table.loc[0, column] = value
    table.to_csv(tmp_path / "pingpong.csv", index=False)
    with pytest.raises(UsageError, match=complaint):
        read_cells(tmp_path, ["pingpong"])


def test_what_is_no_table_is_said(tmp_path):
    with pytest.raises(UsageError, match="no experiment has written its table there"):
        read_cells(tmp_path, ["pingpong"])
    file = tmp_path / "pingpong.csv"
    file.write_text("cell,unit\n")
    with pytest.raises(UsageError, match=r"pingpong.csv: it is no experiment's table: it has no column 'published'"):
        read_cells(tmp_path, ["pingpong"])
    file.write_text("")
    with pytest.raises(UsageError, match=r"pingpong.csv: it cannot be read as an experiment's table"):
        read_cells(tmp_path, ["pingpong"])


def test_a_page_is_written_between_its_marks_and_again(tables):
    page = tables / "page.md"
    page.write_text(f"# Before\n\n{BEGIN}\nolder tables\n{END}\n\nBehind\n")
    fidelity = Fidelity.of(read_cells(tables, list(EXPERIMENTS)), list(EXPERIMENTS))
    rewrite(page, fidelity)
    first = page.read_text()
    assert first.startswith(f"# Before\n\n{BEGIN}\n\n| predicted |")
    assert first.endswith(f"(images/fidelity.png)\n\n{END}\n\nBehind\n")
    assert "older tables" not in first
    assert (tables / "images" / "fidelity.png").stat().st_size > 1000
    rewrite(page, fidelity)
    assert page.read_text() == first


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "it needs one line .*begin.* has 0"),
        (f"{BEGIN}\n{BEGIN}\n{END}", "has 2"),
        (f"{END}\n{BEGIN}", "before the other"),
    ],
)
def test_a_page_without_its_marks_is_left_alone(text, complaint, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        rewrite(page, Fidelity.of({}, []))
    assert page.read_text() == text


def run(*arguments):
    return CliRunner().invoke(app, ["experiment", *map(str, arguments)])


def test_the_command_writes_what_it_prints(tables):
    result = run("--summary", "--out", tables)
    assert result.exit_code == 0
    assert "not run: read_latency" in result.output
    table = pd.read_csv(tables / "summary.csv")
    assert table.set_index(["kind", "experiment"]).loc[("predicted", "pingpong"), "numbers"] == 3
    assert {path.name for path in tables.glob("summary.*")} == {"summary.csv", "summary.svg", "summary.png"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--summary"], "needs --out FOLDER"),
        (["--summary", "pingpong", "--out", "."], "takes --out and --write only"),
        (["pingpong", "--write", "page.md"], "is for what --summary counts"),
    ],
)
def test_what_the_command_cannot_do_is_said(arguments, complaint):
    result = run(*arguments)
    assert isinstance(result.exception, UsageError)
    assert complaint in str(result.exception)
