"""A result shows itself in Jupyter, and the notebook of docs/ says what running it says."""

import base64
import html
import importlib.util
import re
import sys
import xml.etree.ElementTree as ElementTree

import nbformat
import pytest

import croft
from packages import ROOT
from program_sources import PROGRAMS

PLANTED = PROGRAMS / "planted_faults.cpp"
RECORDED = {"profile": True, "lines": 1 << 30, "interval": 20_000, "links": True}
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def pictures(text):
    """The words of each of its pictures."""
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', text)
    return ["\n".join(ElementTree.fromstring(base64.b64decode(each)).itertext()) for each in found]


def words(text):
    """What is to be read of a result but for its pictures, whose text is as wide as the fonts that are there."""
    return re.sub(r'src="data:[^"]*"', "", text)


@pytest.fixture(scope="module")
def result():
    return croft.run(PLANTED, "tilepro64", arguments=["counters"], **RECORDED)


def test_what_was_recorded_is_said_and_drawn(result):
    text = result._repr_html_()
    assert "<strong>costs time:</strong>" in text
    assert "cores 1 and 2 use different bytes of one line" in text
    assert f"{result.cycles:,} (" in text
    assert "Not recorded" not in text
    by_core, over_time, mesh = pictures(text)
    assert {"core", "cycles", "issue", "stall_home"} <= set(by_core.split("\n"))
    assert {"time, cycles", "cores", "issue"} <= set(over_time.split("\n"))
    for what in ("cores executing", "homes busy", "coherence mesh"):
        assert re.search(rf"^{what}, up to \d", mesh, re.MULTILINE)


def test_it_asks_nobody_and_does_nothing(result):
    text = result._repr_html_()
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert "<script" not in text
    assert "<style" not in text
    for picture in re.findall(r"base64,([^\"]+)", text):
        assert not re.search(rb"(href|src)=\"(?!#)|url\((?!#)|<script", base64.b64decode(picture))


@pytest.mark.parametrize("machine", ["io1", "tilepro64", "big-tiny-256-mesi"])
def test_of_any_machine_and_of_a_run_of_which_nothing_was_recorded(machine):
    result = croft.run("cilk5/queens", machine, cores=1, arguments=["--size", "5"])
    text = result._repr_html_()
    by_core, mesh = pictures(text)
    assert "issue" in by_core
    assert "cores executing, up to " in mesh
    for option in ("interval=10_000", "links=True", "lines=1 &lt;&lt; 30", "profile=True"):
        assert f"<code>{option}</code>" in text
    assert len(text) < 200_000


def test_in_one_line(result):
    assert repr(result) == f"<planted_faults counters on tilepro64: {result.cycles:,} cycles, exit status 0>"
    stopped = croft.run(PLANTED, "tilepro64", arguments=["a\nb"], max_cycles=1000)
    assert repr(stopped) == "<planted_faults 'a\\nb' on tilepro64: 1,000 cycles, cycle_limit>"


@pytest.mark.parametrize(("cycles", "drawn"), [(1, 0), (50_000, 2)])
def test_a_run_that_ended_early_says_so(cycles, drawn):
    result = croft.run(PLANTED, "tilepro64", arguments=["counters"], max_cycles=cycles)
    text = result._repr_html_()
    assert "<strong>ended early:</strong> The run was stopped at its limit of cycles" in text
    assert len(pictures(text)) == drawn


def test_names_are_text():
    result = croft.run(PLANTED, "tilepro64", name="<b>", arguments=["counters", "<script>alert(1)</script>"])
    text = result._repr_html_()
    assert "<script" not in text
    assert "<b>" not in text
    assert "&lt;script&gt;" in text


@pytest.mark.parametrize(
    ("hidden", "install"),
    [
        ({"vl_convert"}, "vl-convert-python: pip install 'croft-manycore[report]'"),
        ({"vl_convert", "pandas"}, "vl-convert-python and pandas: pip install 'croft-manycore[report,tables]'"),
        ({"pandas"}, "pandas: pip install 'croft-manycore[tables]'"),
    ],
)
def test_without_an_extra_a_table_says_what_is_missing(result, hidden, install, monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name in hidden else there(name, *more))
    for name in hidden:
        monkeypatch.setitem(sys.modules, name, None)
    text = result._repr_html_()
    assert f"<p><small>{html.escape(f'a figure needs {install}')}</small></p>" in text
    assert "Not recorded" not in text
    assert pictures(text) == []
    assert "cores 1 and 2 use different bytes of one line" in text
    issued = result.total("core", "issue")
    assert re.search(rf"<tr><td>issue</td><td>{issued:,}</td><td>\d+%</td>", text)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_of_no_machine(notebook):
    text = notebook.read_text(encoding="utf-8")
    assert len(text.encode()) < 300_000
    assert not re.search(r"/(tmp|home|root|work)/", text)
    cells = nbformat.reads(text, as_version=4).cells
    assert [cell.execution_count for cell in cells if cell.cell_type == "code"] == list(
        range(1, 1 + sum(cell.cell_type == "code" for cell in cells))
    )


def printed(notebook):
    """What its cells print, as text."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            found.append((cell.source, output.get("text"), data.get("text/plain"), words(data.get("text/html", ""))))
    return found


@pytest.mark.slow("every cell of the notebooks of docs/")
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_stands_in_it(notebook):
    sys.path.insert(0, str(ROOT / "packaging"))
    from notebooks import executed

    there = printed(nbformat.read(notebook, as_version=4))
    assert len(there) > 3
    for shown, now in zip(there, printed(executed(notebook)), strict=True):
        assert now == shown
