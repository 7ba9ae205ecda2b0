"""What several test files use: the programs of tests/programs, built once for each machine."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import croft
from program_sources import PROGRAMS

APART = {"test_documentation.py"}
"""Files whose tests take long and share nothing."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where tests run in several processes: those of a file in one, as they share the programs that they build."""
    for item in items:
        if item.path.name not in APART:
            item.add_marker(pytest.mark.xdist_group(item.path.name))


@pytest.fixture(scope="session")
def simulated() -> Callable[[str], Path]:
    """The executable of tests/programs/NAME.cpp for simulated machines."""
    return lambda name: croft.build(PROGRAMS / f"{name}.cpp")


@pytest.fixture(scope="session")
def native() -> Callable[..., str]:
    """What tests/programs/NAME.cpp prints on this host."""

    def run(name: str, *arguments: str) -> str:
        program = croft.build(PROGRAMS / f"{name}.cpp", native=True, optimise="1")
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout

    return run


@pytest.fixture(scope="session")
def small() -> croft.Machine:
    """A TILEPro64 cut down to 2 x 2 tiles."""
    values = croft.machine("tilepro64").model_dump()
    values.update(name="small", cores=4)
    values["network"].update(columns=2, rows=2)
    values["memory"]["controllers"] = [{"column": 0, "row": 0}, {"column": 1, "row": 1}]
    return croft.Machine.model_validate(values)
