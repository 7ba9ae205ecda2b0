"""When each core ran and waited, as Perfetto's own messages read it again: `croft run --trace`."""

import resource
import subprocess
import sys
from collections import Counter

import pytest

import croft
from commands import call
from croft.base.errors import UsageError
from croft.recording.profile import WAITS
from croft.results.trace_file import encode
from trace_files import flows_of, slices_of

SLOW = pytest.mark.slow("more programs, each built twice; tasks and interrupts stay")

RUNS = {
    "tasks": ("tilepro64", "cilk5/queens", ("--size", "6")),
    "messages": ("tilepro64", "pingpong", ("--count", "100")),
    "stealing": ("big-tiny-64-mesi", "cilk5/queens", ("--size", "6")),
    "interrupts": (
        "big-tiny-64-gwb",
        "cilk5/queens",
        ("--size", "6", "--grain", "2", "--runtime", "interrupt_stealing"),
    ),
}


def run(name, **options):
    machine, program, arguments = RUNS[name]
    return croft.run(program, machine, arguments=arguments, interval=2**62, **options)


def whole(result):
    return result.intervals.groupby(["part", "index", "name"])["value"].sum()


@pytest.mark.slow("large programs, each built twice")
@pytest.mark.parametrize("name", RUNS)
def test_slices_add_up_to_the_statistics_and_change_nothing(name):
    without, traced = run(name), run(name, trace=1 << 28)
    assert (without.cycles, without.output) == (traced.cycles, traced.output)
    assert without.statistics == traced.statistics
    counted = whole(traced)
    totals = Counter()
    for core, what, begin, end in slices_of(encode(traced))[0]:
        totals[core, what] += end - begin
    cores = {core for core, _ in totals}
    assert len(cores) > 1
    for core in cores:
        assert totals[core, "thread"] == counted["core", core, "active"]
        for cause in WAITS:
            assert totals[core, cause] == counted.get(("core", core, cause), 0)
    handlers = sum(cycles for (_, what), cycles in totals.items() if what == "interrupt handler")
    assert (handlers > 0) == (name in ("interrupts", "stealing"))
    assert traced.trace.left_out == 0


@SLOW
def test_a_profile_and_a_trace_are_made_together():
    both, profiled, traced = (
        run("tasks", **options)
        for options in ({"profile": True, "trace": 1 << 28}, {"profile": True}, {"trace": 1 << 28})
    )
    assert both.statistics == profiled.statistics
    assert both.profile.by_core() == profiled.profile.by_core()
    assert encode(both) == encode(traced)


@pytest.mark.slow("a large trace")
def test_a_part_of_the_time_is_cut_at_its_ends():
    everything, _ = slices_of(encode(run("tasks", trace=1 << 28)))
    begin, end = 300_000, 340_000
    part, _ = slices_of(encode(run("tasks", trace=1 << 28, trace_from=begin, trace_to=end)))
    expected = Counter()
    for core, what, first, last in everything:
        expected[core, what] += max(min(last, end) - max(first, begin), 0)
    found = Counter()
    for core, what, first, last in part:
        assert begin <= first <= last <= end
        found[core, what] += last - first
    assert +found == +expected


@SLOW
def test_what_finds_no_room_is_counted():
    result = run("tasks", trace=10_000)
    assert len(result.trace.packets) <= 10_000 + 4000  # what ends open slices has to be there
    assert result.trace.left_out > 100
    assert 0 < result.trace.left_out_from < result.cycles
    slices, _ = slices_of(encode(result))
    everything, _ = slices_of(encode(run("tasks", trace=1 << 28)))
    arrows, _ = flows_of(encode(result))
    all_arrows, _ = flows_of(encode(run("tasks", trace=1 << 28)))
    assert len(slices) + len(arrows) + result.trace.left_out == len(everything) + len(all_arrows)


@pytest.mark.slow("a large trace")
def test_intervals_are_counters():
    machine, program, arguments = RUNS["tasks"]
    result = croft.run(program, machine, arguments=arguments, interval=100_000, trace=1 << 28)
    _, counters = slices_of(encode(result))
    first = result.intervals.query("interval == 0 and part == 'core' and name == 'instructions'")["value"].sum()
    assert ("instructions a cycle", 0, first / 100_000) in counters
    assert {name for name, *_ in counters} == {"instructions a cycle", *(f"cores in {cause}" for cause in WAITS)}


@pytest.mark.parametrize("ending", ["whole", "limit", "fault", "deadlock"])
def test_the_command_writes_what_there_is(ending, simulated, tmp_path):
    file = tmp_path / "run.pftrace"
    what = {
        "whole": (simulated("threads"), "--", "3"),
        "limit": ("--max-cycles", "30000", simulated("threads"), "--", "3"),
        "fault": (simulated("faults"), "--", "read"),
        "deadlock": (simulated("deadlock"),),
    }
    told = call("run", "-q", "--trace", file, *what[ending])
    assert told.returncode == {"whole": 0, "limit": 122, "fault": 123, "deadlock": 121}[ending], told.stderr
    slices, _ = slices_of(file.read_bytes())
    assert any(name == "thread" for _, name, *_ in slices)


def test_the_command_says_what_it_left_out(simulated, tmp_path):
    file = tmp_path / "run.pftrace"
    told = call("run", "-q", "--trace", file, "--trace-limit", "1", "cilk5/queens", "--", "--size", "8")
    assert told.returncode == 0, told.stderr
    assert "run.pftrace: " in told.stderr
    assert "are left out (--trace-limit 1 MiB" in told.stderr
    refused = call("run", "-q", "--trace", tmp_path / "run.json", simulated("threads"))
    assert refused.returncode == 2
    assert "a trace is a file for Perfetto, and its name ends in .pftrace" in refused.stderr


@SLOW
def test_a_disk_that_is_full_costs_what_finds_no_room_there(tmp_path):
    """Stood in for by a limit of the size of files, which every disk tells of in the same way."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200 << 10, 200 << 10))

    asked = ("--trace", "run.pftrace", "--csv", "run.csv", "--profile", "run.folded", "--lines", "run.json")
    command = [sys.executable, "-m", "croft.cli", "run", "-q", *asked, "cilk5/queens", "--", "--size", "6"]
    croft.build("cilk5/queens")
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, preexec_fn=limit)
    assert told.returncode == 2
    assert "cycles=" in told.stdout
    names = ("run.folded", "run.pftrace", "run.json")
    assert told.stderr.splitlines() == [f"croft: {name}: File too large" for name in names]
    assert [file.name for file in tmp_path.iterdir()] == ["run.csv"]


def test_a_trace_and_a_checkpoint_exclude_each_other(simulated, tmp_path):
    with pytest.raises(UsageError, match="has no checkpoint"):
        croft.run(simulated("threads"), trace=1 << 20, checkpoint=tmp_path / "state")
