"""``--check races`` finds the races that programs have, where they are, and none where there are none."""

import json
import re

import pytest

import croft
from program_sources import PROGRAMS

FILES = (
    "races",
    "library_synchronisation",
    "library_results",
    "own_synchronisation",
    "kernel_order",
    "unreleased_library",
)
SOURCES = {name: (PROGRAMS / f"{name}.cpp").read_text(encoding="utf-8").splitlines() for name in FILES}
# Of coherent caches: the threads meet by relaxed loads, which where readers invalidate would never see each other.
MACHINES = ("tilepro64", "tiny-64-mesi", "o3x4")


def cases(name):
    """Those in the table at the file's end."""
    return [case for line in SOURCES[name] for case in re.findall(r'\{"(\w+)", \w+\}', line)]


def marked(name, case):
    """The lines whose accesses race."""
    return {number for number, line in enumerate(SOURCES[name], 1) if re.search(rf"// {case}$", line)}


SLOW = pytest.mark.slow("as many things again, on as many machines")


def is_slow(name, machine):
    return name.startswith(("library_", "own_")) or machine != "tilepro64"


def of_each_machine(has_twin):
    return [
        pytest.param(name, case, machine, marks=[SLOW] if is_slow(name, machine) else [])
        for name in FILES
        for case in cases(name)
        if marked(name, case) or not has_twin
        for machine in MACHINES
    ]


def checked(name, *arguments, machine):
    program = croft.build(PROGRAMS / f"{name}.cpp", optimise="1")
    result = croft.run(program, machine, cores=4, arguments=arguments, check="races", max_cycles=5_000_000)
    assert (result.ending, result.exit_code) == ("exited", 0)
    return result


def where(access, name, case):
    """Which of the case's marked lines the access is in."""
    return marked(name, case) & {place.line for place in access.places if place.file.endswith(f"/{name}.cpp")}


@pytest.mark.parametrize(("source", "case", "machine"), of_each_machine(has_twin=True))
def test_a_race_is_found_where_it_is(source, case, machine):
    result = checked(source, case, "wrong", machine=machine)
    assert result.exit_status == 124
    assert result.race_count >= len(result.races) > 0
    for report in result.races:
        assert where(report.first, source, case), str(report)
        assert where(report.second, source, case), str(report)
        assert report.first.core != report.second.core
    found = [where(side, source, case) for report in result.races for side in (report.first, report.second)]
    assert set.union(*found) == marked(source, case)


@pytest.mark.parametrize(("source", "case", "machine"), of_each_machine(has_twin=False))
def test_the_same_without_the_race_is_silent(source, case, machine):
    result = checked(source, case, "right", machine=machine)
    assert [str(report) for report in result.races] == []
    assert result.race_count == 0
    assert "?" not in result.text  # what a reader says that has seen something else


def test_all_cases_but_few_have_a_twin():
    without = {case for name in FILES for case in cases(name) if not marked(name, case)}
    assert without == {"neighbours", "last_of_shared_ptr", "moved"}


def test_a_check_changes_nothing_and_is_in_the_json():
    program = croft.build(PROGRAMS / "races.cpp", optimise="1")
    plain = croft.run(program, "tilepro64", cores=4, arguments=["counter", "wrong"])
    checked = croft.run(program, "tilepro64", cores=4, arguments=["counter", "wrong"], check="races")
    assert checked.statistics == plain.statistics
    assert checked.cycles == plain.cycles
    content = json.loads(checked.to_json())
    assert content["races"]["count"] == checked.race_count
    assert content["races"]["findings"][0]["variable"] == "(anonymous namespace)::data"
    assert "races" not in json.loads(plain.to_json())
