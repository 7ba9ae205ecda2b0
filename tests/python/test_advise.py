"""Where data should be homed: what `croft advise` expects, beside what running with those homes comes to."""

import os

import pytest

import croft
from commands import call
from croft.advice.advisor import advise, by_object, is_elsewhere, movable
from croft.advice.limits import own_limit
from croft.advice.sharing import suggestions
from croft.advice.trials import pays, try_parts
from croft.base.errors import UsageError
from croft.runs.homes import Home
from program_sources import PROGRAMS

ROOM = 1 << 30
TABLE = PROGRAMS / "collected_table.cpp"
RUNS = {
    "the papers' farm": ("farm_convolution", ("--channel", "ff-queue", "--workers", "4", "--count", "100")),
    "the papers' map": ("map_matvec", ("--runtime", "fastflow", "--count", "400")),
    "matrices of a stream": ("stream_matmul", ("--size", "32", "--count", "40")),
    "a table that one core reads": (TABLE, ()),
    "lines of many kinds": (PROGRAMS / "shared_lines.cpp", ()),
}


def run(program, arguments, **options):
    return croft.run(program, "tilepro64", arguments=arguments, lines=ROOM, **options)


@pytest.mark.slow_cases(r"^(the papers|matrices)", "the papers' baselines; others stay")
@pytest.mark.parametrize("name", RUNS)
def test_what_is_expected_is_measured(name):
    """Within a quarter: the figures are the issue's, and nothing in the model was fitted to these runs."""
    before = run(*RUNS[name])
    advised = advise(before.lines, before.machine)
    homes = [home for advice in advised for home in advice.homes()]
    after = run(*RUNS[name], homes=homes)
    assert after.exit_code == 0
    compared = [
        advice
        for advices in by_object(advised)
        if not is_elsewhere(before.lines, after.lines, [each for advice in advices for each in advice.ranges])
        for advice in advices
    ]
    ranges = [each for advice in compared for each in advice.ranges]
    saved = movable(before.lines, ranges) - movable(after.lines, ranges)
    expected = sum(advice.saves for advice in compared)
    assert sum(advice.before for advice in compared) == movable(before.lines, ranges)
    assert expected > 0.01 * movable(before.lines)
    assert 0.75 * expected <= saved <= 1.25 * expected


@pytest.fixture(scope="module")
def table():
    return run(TABLE, ())


def object_named(result, name):
    return next(each for each in result.lines.objects if each.identity.name.endswith(name))


def test_a_table_belongs_at_the_core_that_reads_it(table):
    advised = [advice for advice in advise(table.lines, table.machine) if advice.what.identity.name.endswith("::table")]
    (advice,) = advised
    reader = max(object_named(table, "::table").uses(), key=lambda use: use.loads).core
    assert advice.core == reader
    assert advice.bytes > 0.9 * 4 * 64 * 64


def test_where_nothing_is_advised_nothing_would_have_helped(table):
    """Homed as advised it stays where it is, and at every other core that uses it cores wait longer."""
    variable = object_named(table, "::table").identity.name
    (advice,) = (each for each in advise(table.lines, table.machine) if each.what.identity.name == variable)
    best = run(TABLE, (), homes=[Home(advice.core, variable=variable)])
    again = [each for each in advise(best.lines, best.machine) if each.what.identity.name == variable]
    assert not again
    ranges = advice.ranges
    for core in range(1, 5):
        assert core != advice.core
        other = run(TABLE, (), homes=[Home(core, variable=variable)])
        assert movable(other.lines, ranges) > movable(best.lines, ranges)
        assert other.cycles > best.cycles
    assert table.cycles > best.cycles


def test_what_else_can_be_done_about_lines():
    result = croft.run(PROGRAMS / "shared_lines.cpp", "tilepro64", lines=ROOM)
    ways = {one.what.identity.name.rpartition("::")[2]: one.how for one in suggestions(result.lines)}
    assert ways == {"false_counters": "pad", "true_counter": "privatise", "ping": "batch", "pong": "batch"}


def test_equal_advice_is_said_once_with_its_count():
    used = croft.run(PROGRAMS / "shared_lines.cpp", "tilepro64", lines=ROOM).lines
    (ping,) = (one for one in suggestions(used) if one.what.identity.name.endswith("ping"))
    what = ping.what
    assert f", line {what.lines[0].address:#x}: one core writes" in ping.text()
    what.lines *= 3
    (again,) = (one for one in suggestions(used) if one.what is what)
    assert f"batch {what.identity.name}, 3 lines: " in again.text()
    assert again.cycles == 3 * ping.cycles


def test_a_channel_is_not_to_be_privatised():
    used = croft.run("pingpong", "tiny-64-mesi", arguments=["--count", "200"], lines=ROOM).lines
    found = suggestions(used)
    assert {one.how for one in found} == {"batch"}
    assert {one.text().partition(", for ")[0] for one in found} == {
        "batch channel: core 0 to core 1",
        "batch channel: core 1 to core 0",
    }
    slept = sum(use.waits["wait_line"] for one in found for line in one.lines for use in line.uses)
    assert slept > 0
    assert sum(one.cycles for one in found) + slept <= sum(line.waits for one in found for line in one.lines)


def test_what_pays_is_kept():
    parts = [[name] for name in ("slower", "faster", "chance", "never")]
    cycles = iter((101_000, 90_000, 89_990))
    asked = []

    def run(homes):
        asked.append(homes)
        return next(cycles)

    class Part(list):
        def homes(self):
            return self

    trials = try_parts([[Part(part)] for part in parts], run, 100_000, 3)
    assert [trial.verdict for trial in trials] == ["withdrawn", "kept", "withdrawn", "not tried"]
    assert [trial.cycles for trial in trials] == [101_000, 90_000, 89_990, None]
    assert asked == [["slower"], ["faster"], ["faster", "chance"]]
    assert pays(1000, 999)
    assert not pays(1000, 1000)


def test_the_runs_own_limit(table):
    assert own_limit(table).startswith("5 of 64 cores had threads")
    result = croft.run(PROGRAMS / "planted_faults.cpp", "tilepro64", arguments=["emitter"], lines=ROOM)
    said = own_limit(result)
    assert said.startswith("The emitter (core 0) limits: 3 workers wait for it for 8")
    assert "of its cycles for lines at their homes: " in said


@pytest.mark.slow("a large farm, three times")
def test_homes_that_make_the_run_longer_are_withdrawn(tmp_path):
    arguments = ["--channel", "ff-queue", "--size", "32", "--workers", "16", "--count", "200"]
    command = [
        "advise",
        "farm_convolution",
        "-m",
        "tilepro64",
        "--runs",
        "2",
        "--homes",
        tmp_path / "h",
        "--",
        *arguments,
    ]
    told = call(*command, env=os.environ | {"COLUMNS": "100"})
    assert told.returncode == 0
    assert told.stdout.startswith("The emitter (core 0) limits: 16 workers wait for it")
    assert "withdrawn: with all homes that are advised, the run takes " in told.stdout
    assert "trying 1 of " in told.stdout
    assert "farm: emitter to 16 workers" in told.stdout
    assert "privatise" not in told.stdout
    assert max(len(line) for line in told.stdout.splitlines() if line[:1] in "┏┃│└") <= 100
    assert (tmp_path / "h").exists() == ("with the homes that are kept" in told.stdout)


@pytest.mark.parametrize("program", ["threads.cpp", "atomic.cpp", "misaligned.cpp"])
def test_who_is_alone_is_told_nothing(program):
    result = croft.run(PROGRAMS / program, "tilepro64", arguments=["1"], lines=ROOM)
    told = {one.how for one in suggestions(result.lines)}
    assert told <= ({"privatise"} if program == "atomic.cpp" else set())


def test_the_command_says_it_and_writes_the_homes(tmp_path, table):
    file = tmp_path / "homes.toml"
    told = call("advise", TABLE, "-m", "tilepro64", "--homes", file)
    assert told.returncode == 0, told.stderr
    assert "::table" in told.stdout
    assert f"the run {table.cycles:,} cycles before" in told.stdout
    again = call("run", TABLE, "-m", "tilepro64", "--homes", file)
    assert again.returncode == 0
    now = int(again.stderr.split("after ")[1].split(" cycles")[0].replace(",", ""))
    assert f"{now:,} with these homes" in told.stdout


def test_a_shared_l2_is_told_what_it_can_use():
    told = call("advise", PROGRAMS / "shared_lines.cpp", "-m", "big-tiny-64-mesi")
    assert told.returncode == 0
    assert "privatise" in told.stdout
    assert "home" not in told.stdout
    with pytest.raises(UsageError, match="shared L2"):
        advise(None, croft.machine("o3x4"))


def test_a_run_that_fails_is_no_ground_for_advice(tmp_path):
    file = tmp_path / "homes.toml"
    told = call("advise", PROGRAMS / "faults.cpp", "-m", "tilepro64", "--homes", file, "--", "read")
    assert told.returncode == 123
    assert "faults ended with status 123: wild access" in told.stderr
    assert not file.exists()
