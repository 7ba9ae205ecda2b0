"""``--check races`` finds the races that programs have, where they are, and none where there are none."""

import json
import re

import pytest

import croft
from program_sources import PROGRAMS

SOURCE = (PROGRAMS / "races.cpp").read_text().splitlines()
CASES = [line.split('"')[1] for line in SOURCE if re.match(r'    \{"', line)]
# Of coherent caches: the threads meet by relaxed loads, which where readers invalidate would never see each other.
MACHINES = ("tilepro64", *(pytest.param(name, marks=pytest.mark.slow) for name in ("tiny-64-mesi", "o3x4")))


@pytest.fixture(scope="session")
def program():
    return croft.build(PROGRAMS / "races.cpp", optimise="1")


def marked(case):
    """The lines whose accesses race."""
    return {number for number, line in enumerate(SOURCE, 1) if re.search(rf"// {case}$", line)}


def where(access, case):
    """Which of the case's marked lines the access is in."""
    return marked(case) & {place.line for place in access.places if place.file.endswith("/races.cpp")}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("case", [case for case in CASES if case != "neighbours"])
def test_a_race_is_found_where_it_is(case, machine, program):
    result = croft.run(program, machine, cores=4, arguments=[case, "wrong"], check="races", max_cycles=5_000_000)
    assert (result.ending, result.exit_code) == ("exited", 0)
    assert result.exit_status == 124
    assert result.race_count >= len(result.races) > 0
    for report in result.races:
        assert where(report.first, case), str(report)
        assert where(report.second, case), str(report)
        assert report.first.core != report.second.core
    found = [where(side, case) for report in result.races for side in (report.first, report.second)]
    assert set.union(*found) == marked(case)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("case", CASES)
def test_the_same_without_the_race_is_silent(case, machine, program):
    result = croft.run(program, machine, cores=4, arguments=[case, "right"], check="races", max_cycles=5_000_000)
    assert (result.ending, result.exit_code) == ("exited", 0)
    assert [str(report) for report in result.races] == []
    assert result.race_count == 0


def test_a_check_changes_nothing_and_is_in_the_json(program):
    plain = croft.run(program, "tilepro64", cores=4, arguments=["counter", "wrong"])
    checked = croft.run(program, "tilepro64", cores=4, arguments=["counter", "wrong"], check="races")
    assert checked.statistics == plain.statistics
    assert checked.cycles == plain.cycles
    content = json.loads(checked.to_json())
    assert content["races"]["count"] == checked.race_count
    assert content["races"]["findings"][0]["variable"] == "(anonymous namespace)::data"
    assert "races" not in json.loads(plain.to_json())
