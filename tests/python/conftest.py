"""What several test files use: the programs of tests/programs, built once for each machine."""

import ast
import contextlib
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import croft
from program_sources import PROGRAMS

with contextlib.suppress(ImportError):
    # readline, which pytest loads, sets these for processes that it starts, and croft's tables would be as narrow.
    import readline  # noqa: F401

    for name in ("COLUMNS", "LINES"):
        os.unsetenv(name)

LINES_ONLY = ("-g1",)
"""Lines of the source, but no variables, which are a quarter of the compiler's time."""

QUICKLY = {"native": True, "optimise": "0", "flags": ("-g0",)}
"""How a program is built that runs here only for what it prints: in half the time."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Where tests run in several processes: those that share a program, which one of them builds, in one of these.

    They are those of a file; if they name a kernel, those of the file with that kernel. Channels take so long to build
    that whoever runs them does so where that is done, instead of waiting for it elsewhere.
    """
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    group = f"{item.path.stem} {parameters.get('kernel', '')}".strip()
    if str(parameters.get("program", "")).startswith("channels"):
        group = "test_channels"
    item.add_marker(pytest.mark.xdist_group(group))
    for mark in item.iter_markers("slow_cases"):
        cases, why = mark.args
        if re.search(cases, item.callspec.id):
            item.add_marker(pytest.mark.slow(why))


SLOWEST = 10


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the tests that took longest, and what their files are for. The first to need a program has built it."""
    seconds: dict[str, float] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid] = seconds.get(report.nodeid, 0.0) + report.duration
    longest = sorted((test for test in seconds if seconds[test] >= 1), key=lambda test: -seconds[test])[:SLOWEST]
    if not longest:
        return
    terminalreporter.section("those that took longest, and what for")
    for test in longest:
        name = test.removeprefix("tests/python/").rpartition("@")[0] or test
        terminalreporter.write_line(f"{seconds[test]:6.1f} s  {name}: {_first_line(Path(test.partition('::')[0]))}")


def _first_line(file: Path) -> str:
    """What a test file says that it tests."""
    said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) if file.is_file() else None
    return (said or "").partition("\n")[0]


@pytest.fixture(scope="session")
def simulated() -> Callable[[str], Path]:
    """The executable of tests/programs/NAME.cpp for simulated machines."""
    return lambda name: croft.build(PROGRAMS / f"{name}.cpp")


@pytest.fixture(scope="session")
def native() -> Callable[..., str]:
    """What tests/programs/NAME.cpp prints on this host."""

    def run(name: str, *arguments: str) -> str:
        program = croft.build(PROGRAMS / f"{name}.cpp", native=True, optimise="1", flags=LINES_ONLY)
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout

    return run


@pytest.fixture(scope="session")
def make_graph() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the generator of graphs on this host."""
    program = croft.build("graph/make_graph", **QUICKLY)

    def make(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60)

    return make


@pytest.fixture(scope="session")
def small() -> croft.Machine:
    """A TILEPro64 cut down to 2 x 2 tiles."""
    values = croft.machine("tilepro64").model_dump()
    values.update(name="small", cores=4)
    values["network"].update(columns=2, rows=2)
    values["memory"]["controllers"] = [{"column": 0, "row": 0}, {"column": 1, "row": 1}]
    return croft.Machine.model_validate(values)
