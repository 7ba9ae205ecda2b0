"""Who uses which memory, exactly: `croft run --lines`, and `croft lines`."""

import json

import pytest

import croft
from commands import call
from croft.base.errors import UsageError
from program_sources import PROGRAMS
from recorded_runs import COMBINATIONS, recorded, whole
from stripped import stripped

ROUNDS, TABLE = 200, 512  # of tests/programs/shared_lines.cpp


@pytest.fixture(scope="module", params=COMBINATIONS)
def both(request):
    return recorded(*request.param), recorded(*request.param, lines=1 << 30)


def test_nothing_changes(both):
    without, with_lines = both
    assert without.statistics == with_lines.statistics
    assert (without.cycles, without.output) == (with_lines.cycles, with_lines.output)
    assert without.lines is None


def test_accesses_add_up_to_the_statistics_of_each_core(both):
    _, result = both
    report, counted = result.lines, whole(result)
    assert report.left_out == 0
    for name in ("loads", "stores", "atomics"):
        cores = {}
        for each in report.objects:
            for use in each.uses():
                cores[use.core] = cores.get(use.core, 0) + getattr(use, name)
        for core, count in cores.items():
            assert count == counted.get(("core", core, name), 0)
        assert sum(cores.values()) == report.totals()[name] == counted.xs("core").xs(name, level="name").sum()


def test_messages_add_up_to_the_statistics(both):
    _, result = both
    totals, counted = result.lines.totals(), whole(result)
    assert totals["invalidations"] == counted.get(("messages", 0, "invalidate"), 0)
    ours = [mesh for mesh in ("coherence_mesh", "memory_mesh") if (mesh, 0, "messages") in counted]
    assert totals["messages"] == sum(counted[mesh, 0, "messages"] for mesh in ours) > 0
    assert totals["hops"] == sum(counted.get((mesh, 0, "hops"), 0) for mesh in ours)


def test_no_wait_is_longer_than_the_statistics_say(both):
    """What is no wait for memory is in no line; what is, nearly all of it: a line is known from its first access on."""
    _, result = both
    counted, waits = whole(result), {}
    for each in result.lines.objects:
        for use in each.uses():
            for cause, cycles in use.waits.items():
                waits[use.core, cause] = waits.get((use.core, cause), 0) + cycles
    for (core, cause), cycles in waits.items():
        assert cycles <= counted["core", core, cause]
    for cause in ("stall_home", "stall_memory", "wait_line"):
        of_cores = sum(cycles for (_, each), cycles in waits.items() if each == cause)
        assert of_cores == sum(counted.get(("core", core, cause), 0) for core in range(result.cores))


@pytest.fixture(scope="module")
def shared():
    return croft.run(PROGRAMS / "shared_lines.cpp", "tilepro64", lines=1 << 30)


def named(result, name, kind="variable"):
    return next(each for each in result.lines.objects if each.identity.kind == kind and name in each.identity.name)


def test_counters_of_different_cores_in_one_line_are_falsely_shared(shared):
    (line,) = named(shared, "false_counters").lines
    assert line.is_falsely_shared
    one, two = (use for use in line.uses if use.stores)
    assert (one.stores, two.stores) == (ROUNDS, ROUNDS)
    assert (one.write_bytes, two.write_bytes) == (0xFF, 0xFF00)
    assert min(one.false_sharing, two.false_sharing) > ROUNDS / 4
    assert "count" in one.write_at


def test_a_counter_of_several_cores_is_not(shared):
    (line,) = named(shared, "true_counter").lines
    assert not line.is_falsely_shared
    assert [use.atomics for use in line.uses if use.stores or use.atomics > 1] == [ROUNDS, ROUNDS]
    assert sum(use.true_sharing for use in line.uses) > ROUNDS


def test_who_reads_next(shared):
    (line,) = named(shared, "pong").lines
    by_writes = sorted(line.uses, key=lambda use: use.stores)
    writer, reader = by_writes[-1], max(line.uses, key=lambda use: use.next)
    assert writer.stores == ROUNDS == reader.next
    assert writer.core != reader.core
    assert reader.waits["stall_home"] > ROUNDS
    assert line.invalidations == ROUNDS


def test_memory_belongs_to_who_allocated_it(shared):
    allocated = {each.identity.name: each for each in shared.lines.objects if each.identity.kind == "allocation"}
    table = next(each for name, each in allocated.items() if "allocate_table" in name or each.bytes == 8 * TABLE)
    assert {use.core: use.stores for use in table.uses() if use.stores > 2} == {1: TABLE}  # others: malloc's own
    reader = next(use for use in table.uses() if use.core == 2)
    assert reader.loads == TABLE
    assert reader.next in (TABLE // 8, TABLE // 8 + 1)  # of each line its first one
    # The same memory, twice: the stores of the first are not the second's.
    tenants = [each for each in allocated.values() if each.bytes == 4096 and each is not table]
    assert sorted(sum(use.loads for use in each.uses()) >= 1024 for each in tenants) == [False, True]


def test_who_waits_for_whom():
    result = croft.run("pingpong", "tilepro64", arguments=["--count", "200"], lines=1 << 30)
    waits = {(wait.core, wait.writer): wait.cycles for wait in result.lines.waits}
    assert all(core != writer for core, writer in waits)
    assert max(waits.values()) > result.cycles / 20


def test_room_is_bounded():
    program = PROGRAMS / "shared_lines.cpp"
    whole_run, small = croft.run(program, lines=1 << 30), croft.run(program, lines=1 << 15)
    assert small.lines.left_out > 0
    assert small.cycles == whole_run.cycles
    totals = whole_run.lines.totals()
    accesses = sum(small.lines.totals().get(name, 0) for name in ("loads", "stores", "atomics"))
    reserves = small.lines.left_out + accesses
    assert reserves >= sum(totals[name] for name in ("loads", "stores", "atomics"))


@pytest.mark.parametrize("machine", ["tilepro64", "o3x4"])
def test_the_host_decides_nothing(machine):
    program = PROGRAMS / "shared_lines.cpp"
    first, second = (croft.run(program, machine, lines=1 << 30, run_ahead=ahead) for ahead in (0, 200))
    assert first.lines.totals() == second.lines.totals()
    assert without_messages(first.lines.to_dict()) == without_messages(second.lines.to_dict())


def without_messages(report):
    """Those under way when memory becomes something else are counted for the one or for the other."""
    if isinstance(report, dict):
        left_out = ("messages", "hops", "invalidations")
        return {key: without_messages(value) for key, value in report.items() if key not in left_out}
    return [without_messages(each) for each in report] if isinstance(report, list) else report


@pytest.mark.slow("as with profiles, whose test stays")
@pytest.mark.parametrize(("program", "status"), [("deadlock.cpp", 121), ("forever.cpp", 122), ("faults.cpp", None)])
def test_a_run_that_ends_early_has_its_lines(tmp_path, program, status):
    file = tmp_path / "lines.json.gz"
    arguments = ["--", "read"] if program == "faults.cpp" else []
    ran = call("run", PROGRAMS / program, "--lines", file, "--max-cycles", "200000", *arguments)
    assert ran.returncode == status if status else ran.returncode > 0
    printed = call("lines", file)
    assert printed.returncode == 0
    assert "lines that several cores used" in printed.stdout


def test_the_command_prints_objects_and_lines(tmp_path):
    file = tmp_path / "lines.json"
    assert call("run", PROGRAMS / "shared_lines.cpp", "-m", "tilepro64", "--lines", file).returncode == 0
    content = json.loads(file.read_text())
    assert content["lines"]["totals"]["left_out"] == 0
    by_object = call("lines", file, "--top", "50").stdout
    assert "false_counters [falsely shared]" in by_object
    assert "allocated in main" in by_object
    by_line = call("lines", file, "--by", "line", "--top", "50").stdout
    assert "pong" in by_line
    assert "[falsely shared]" in by_line


def test_other_files_are_refused(tmp_path):
    other = tmp_path / "other.json"
    other.write_text("{}")
    refused = call("lines", other)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "no lines are recorded there" in refused.stderr
    with pytest.raises(UsageError, match="fast-forwarded"):
        croft.run("pingpong", lines=1 << 20, fast_forward=True)


def test_without_symbols_there_are_addresses(tmp_path, simulated):
    bare_program = stripped(simulated("shared_lines"), tmp_path)
    file = tmp_path / "lines.json"
    ran = call("run", bare_program, "--lines", file)
    assert ran.returncode == 0
    assert "has no symbols: its lines are of addresses" in ran.stderr
    kinds = {each["kind"] for each in json.loads(file.read_text())["lines"]["objects"]}
    assert kinds == {"stack", "unknown"}
