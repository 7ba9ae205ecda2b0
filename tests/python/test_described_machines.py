"""Chips with other hierarchies and networks than the papers', each a machine file alone (tests/machines)."""

import re

import pytest

import croft
from croft.machines.hierarchy import hierarchy
from mixed_machines import DESCRIBED, runs_alike

PROGRAMS = {
    "tasks": ["default"],
    "mutex": ["7"],
    "threads": ["9"],
    "task_data": ["hashed"],
    "coherence_stress": ["16", "20", "2"],
    "barriers": ["flags", "5", "20"],
    "condition_variable": ["7"],
    "async": [],
    "own_stores": ["stack", "8", "32", "1"],
}


def test_each_has_a_hierarchy_of_its_own():
    assert list(DESCRIBED) == [
        "big-little-clusters",
        "big-little-ring",
        "clusters-moesi",
        "gpu-wb-levels",
        "owners-answer",
        "ring",
        "two-chips-mesif",
        "two-tilepro64",
    ]
    assert len({hierarchy(croft.machine(path)) for path in DESCRIBED.values()}) == len(DESCRIBED)


def test_the_chip_of_the_page_is_one_of_them():
    page = (DESCRIBED["ring"].parents[2] / "docs" / "lab" / "machines.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert shown == DESCRIBED["ring"].read_text(encoding="utf-8").partition("\n")[2]
    assert "\n".join(f"      {line}" for line in hierarchy(croft.machine(DESCRIBED["ring"])).splitlines()) in page


@pytest.mark.slow_cases(r"^(?!(tasks|mutex)-(clusters|gpu)|threads-two)", "the suite's programs on each; some stay")
@pytest.mark.parametrize("name", DESCRIBED)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_suites_programs_run_there_coherently_and_alike(program, name, simulated):
    chip = croft.machine(DESCRIBED[name])
    cores = min(8 if program == "tasks" else 16, chip.cores)
    runs = runs_alike(simulated(program), chip, PROGRAMS[program], cores)
    assert {(run.ending, run.exit_code, run.errors) for run in runs} == {("exited", 0, b"")}
