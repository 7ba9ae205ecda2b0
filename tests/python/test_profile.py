"""Where every cycle goes, exactly: `croft run --profile`, the files it writes, and `croft profile`."""

import json
import os
import shutil
import subprocess
from collections import Counter

import pytest

import croft
from commands import call
from croft.base.errors import UsageError
from croft.recording.profile import CAUSES, ISSUE, Profile, Sample, difference
from croft.recording.profile_files import FORMATS, format_of, read_profile
from croft.recording.waiting import by_call, by_writer, split
from croft.symbols.symbols import Place, Symbols
from program_sources import PROGRAMS
from recorded_runs import COMBINATIONS, recorded, whole
from stripped import stripped, without_sections

SLOW = pytest.mark.slow("every format, and programs of one's own")


def without_names(result):
    """Its profile by addresses: reading the debug information of a large program takes seconds."""
    return Profile.of(result._profile, Symbols(without_sections(result._elf)))


@pytest.fixture(scope="module", params=COMBINATIONS)
def both(request):
    return recorded(*request.param), recorded(*request.param, profile=True)


def test_nothing_changes(both):
    without, with_profile = both
    assert without == with_profile or without.statistics == with_profile.statistics
    assert (without.cycles, without.output) == (with_profile.cycles, with_profile.output)
    assert without.profile is None


def test_cycles_add_up_to_the_statistics_of_each_core(both):
    _, result = both
    profile = without_names(result)
    cores = profile.by_core()
    assert len(cores) > 1
    counted = whole(result)
    instructions = Counter()
    for sample in profile.samples:
        instructions[sample.core] += sample.instructions
        assert sample.cycles >= 0
    for core, causes in cores.items():
        for cause in CAUSES:
            assert causes[cause] == counted.get(("core", core, cause), 0)
        assert sum(causes.values()) == counted["core", core, "active"]
        assert instructions[core] == counted["core", core, "instructions"]


@SLOW
def test_every_format_holds_it(simulated, tmp_path):
    profile = croft.run(simulated("call_shapes"), profile=True).profile
    for form in FORMATS:
        file = tmp_path / f"profile{form.ending}"
        file.write_bytes(form.write(profile))
        again = read_profile(file)
        assert again.by_core() == {core: +causes for core, causes in profile.by_core().items()}
        by_name = Counter()
        for cost in again.functions():
            by_name[cost.place.function.replace(";", ":")] += cost.cycles
        expected = Counter()
        for cost in profile.functions():
            expected[cost.place.function.replace(";", ":")] += cost.cycles
        assert +by_name == +expected
        if form.ending != ".folded":
            lines = {cost.place: cost.cycles for cost in again.lines() if cost.cycles}
            assert lines == {cost.place: cost.cycles for cost in profile.lines() if cost.cycles}
        assert form.write(profile) == file.read_bytes()


@pytest.fixture(scope="module", params=["tilepro64", "o3x4"])
def shapes(request, simulated):
    result = croft.run(simulated("call_shapes"), request.param, profile=True)
    assert result.exit_code == 0, result.text
    return result.profile


OWN = {
    *("main", "work", "with_longjmp", "jumps", "behind_longjmp", "with_exception", "throws", "behind_exception"),
    *("with_tail_call", "tail", "recursion"),
}


def callers(profile, function):
    """The stacks in which a function spent cycles, as the names of the program's own functions."""
    found = Counter()
    for sample in profile.samples:
        names = [place.function.rpartition("::")[2] for place in sample.stack]
        if names[-1] == "loop" and function in names:
            found[tuple(name for name in names if name in OWN)] += sample.cycles
    return found


def test_a_function_that_was_left_by_longjmp_calls_nobody(shapes):
    assert set(callers(shapes, "behind_longjmp")) == {("main", "with_longjmp", "behind_longjmp", "work")}


def test_nor_does_one_that_was_left_by_an_exception(shapes):
    assert set(callers(shapes, "behind_exception")) == {("main", "with_exception", "behind_exception", "work")}


def test_a_tail_call_takes_its_callers_place(shapes):
    assert set(callers(shapes, "tail")) == {("main", "tail", "work")}
    assert set(callers(shapes, "with_tail_call")) == {("main", "with_tail_call", "work")}


def test_a_deep_recursion_is_followed_as_far_as_it_tells_something(shapes):
    found = callers(shapes, "recursion")
    depths = {len(stack) - 2 for stack in found}
    assert {1, 2, 3, 100} <= depths
    assert max(depths) < 300
    everything = sum(found.values())
    behind = sum(cost.total for cost in shapes.functions() if cost.place.function.endswith("recursion"))
    assert everything <= behind


def test_a_thread_has_a_stack_of_its_own(shapes):
    of_thread = [sample for sample in shapes.samples if sample.core != 0 and sample.stack[-1].function.endswith("loop")]
    assert of_thread
    assert not any(place.function == "main" for sample in of_thread for place in sample.stack)


def test_a_function_costs_what_its_lines_and_its_calls_do(shapes):
    functions, lines = shapes.functions(), shapes.lines()
    assert sum(cost.cycles for cost in functions) == sum(cost.cycles for cost in lines) == shapes.cycles
    main = next(cost for cost in functions if cost.place.function == "main")
    inside = sum(sample.cycles for sample in shapes.samples if any(place.function == "main" for place in sample.stack))
    assert main.total == inside
    frame = shapes.frame("line")
    assert frame["cycles"].sum() == shapes.cycles
    assert frame[ISSUE].sum() + frame[list(CAUSES[1:])].sum().sum() == shapes.cycles


def test_the_difference_of_two_names_what_changed_first():
    short = croft.run(PROGRAMS / "call_shapes.cpp", "tilepro64", profile=True).profile
    longer = Profile([*short.samples, *(each for each in short.samples if each.stack[-1].function.endswith("loop"))])
    first, *_ = difference(longer.functions(), short.functions())
    assert first[0].place.function.endswith("loop")
    assert first[0].cycles == 2 * first[1].cycles


def test_the_command_writes_and_prints_it(simulated, tmp_path):
    file = tmp_path / "calls.pb.gz"
    written = call("run", simulated("call_shapes"), "--profile", file)
    assert written.returncode == 0, written.stderr
    printed = call("profile", file, "--by", "line", "--top", "3")
    assert "cycles of 2 cores" in printed.stdout
    assert "loop (programs/call_shapes.cpp:" in printed.stdout
    assert "issue 100%" in printed.stdout
    one = call("profile", file, "--core", "1")
    assert "cycles of 1 cores" in one.stdout
    same = call("profile", file, file)
    assert "+0 (+0.0%)" in same.stdout


@pytest.mark.parametrize("ending", ["--max-cycles 20000", "fault", "deadlock"])
def test_a_run_that_ends_early_has_a_profile_up_to_there(simulated, tmp_path, ending):
    file = tmp_path / "early.folded"
    program = {"fault": (simulated("faults"), "--", "read"), "deadlock": (simulated("deadlock"),)}
    options = [] if ending in program else ending.split()
    written = call("run", *options, "--profile", file, *program.get(ending, (simulated("call_shapes"),)))
    assert written.returncode in (121, 122, 123), written.stderr
    assert read_profile(file).cycles > 0


@SLOW
def test_a_stripped_program_is_one_of_addresses(simulated, tmp_path):
    objcopy = shutil.which("riscv64-linux-gnu-strip") or shutil.which("llvm-strip")
    bare_program = stripped(simulated("call_shapes"), tmp_path)
    if objcopy is not None:
        subprocess.run([objcopy, simulated("call_shapes"), "-o", bare_program], check=True)
    file = tmp_path / "stripped.speedscope.json"
    written = call("run", bare_program, "--profile", file)
    assert written.returncode == 0
    assert "has no symbols: its profile is of addresses" in written.stderr
    assert read_profile(file).functions()[0].place.function.startswith("0x")


def test_what_is_no_profile_is_said_in_one_sentence(simulated, tmp_path):
    with pytest.raises(UsageError, match=r"p\.txt: by its ending that is no profile"):
        format_of(tmp_path / "p.txt")
    refused = call("run", simulated("call_shapes"), "--profile", tmp_path / "p.txt")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "by its ending that is no profile" in refused.stderr
    for form in FORMATS:
        file = tmp_path / f"damaged{form.ending}"
        with pytest.raises(UsageError, match="No such file"):
            read_profile(file)
        for content in (b"nonsense\n", b"\x1f\x8b\x08nonsense", json.dumps({"exporter": "other"}).encode()):
            file.write_bytes(content)
            with pytest.raises(UsageError, match="that is no profile that croft has written"):
                read_profile(file)


def test_a_profile_and_a_checkpoint_exclude_each_other(simulated, tmp_path):
    with pytest.raises(UsageError, match="has no checkpoint"):
        croft.run(simulated("call_shapes"), profile=True, checkpoint=tmp_path / "state")


@SLOW
@pytest.mark.skipif(shutil.which("go") is None, reason="go tool pprof is not installed")
def test_pprof_reads_it(simulated, tmp_path):
    result = croft.run(simulated("call_shapes"), profile=True)
    file = tmp_path / "calls.pb.gz"
    file.write_bytes(format_of(file).write(result.profile))
    printed = subprocess.run(
        ["go", "tool", "pprof", "-top", "-sample_index=issue", file], capture_output=True, text=True, timeout=120
    )
    assert printed.returncode == 0, printed.stderr
    issued = sum(causes[ISSUE] for causes in result.profile.by_core().values())
    assert f"of {issued}cycles total" in printed.stdout


MAIN, WORK = Place("main", "/home/user/a.cpp", 3), Place("work", "/home/user/a.cpp", 9)
RECEIVE = Place("receive<int>", "/src/include/croft/channel/channel.hpp", 20)
NEXT = Place("next_message", "/src/include/croft/channel/channel.hpp", 30)
SPIN = Place("watch", "/src/include/croft/channel/wait.hpp", 40)
SLEEP = Place("wait_for_change", "/src/include/croft/port/riscv64.hpp", 50)
CALL = Place("__syscall4", "/x/ziglang/lib/libc/musl/syscall.h", 5)


def test_waits_are_apart_from_work():
    made = [
        Sample(0, (MAIN, WORK), ISSUE, 100, 100),
        Sample(0, (MAIN, WORK), "stall_home", 50, 0),  # for data, not for a core
        Sample(1, (MAIN, RECEIVE, NEXT, SPIN, SLEEP), "wait_line", 400, 1),
        Sample(2, (MAIN, RECEIVE, NEXT, SPIN), ISSUE, 30, 30),  # where cores cannot sleep
        Sample(2, (MAIN, RECEIVE, NEXT), ISSUE, 7, 7),
        Sample(0, (MAIN, CALL), "wait_kernel", 20, 0),
    ]
    done, waited = split(Profile(made))
    assert (done.cycles, waited.cycles) == (157, 450)
    receive, kernel = by_call(waited)
    assert (receive.what, receive.cycles, receive.cores) == (Place("receive<int>", RECEIVE.file), 430, {1: 400, 2: 30})
    assert (kernel.what.function, kernel.cycles) == ("main", 20)


def test_who_waited_for_whom():
    roles = {0: "emitter", 1: "worker 0", 2: "worker 1"}
    waits = [(1, 0, 10), (2, 0, 20), (0, 2, 5), (1, 1, 99), (7, 0, 1), (7, 8, 2)]
    assert by_writer(waits, roles) == [
        ("2 workers", "emitter (core 0)", 30),
        ("emitter (core 0)", "2 workers", 5),
        ("core 7", "core 8", 2),
        ("core 7", "emitter (core 0)", 1),
    ]


@pytest.mark.slow("a large profile")
def test_the_programs_own_code_is_first(tmp_path):
    profile, lines = tmp_path / "p.pb.gz", tmp_path / "l.json"
    ran = call("run", PROGRAMS / "shared_lines.cpp", "-m", "tilepro64", "--profile", profile, "--lines", lines)
    assert ran.returncode == 0, ran.stderr
    printed = call("profile", profile, "--lines", lines, "--top", "500")
    assert printed.returncode == 0, printed.stderr
    costs, waited, writers = printed.stdout.split("┏")[1:]
    own = [number for number, line in enumerate(costs.splitlines()) if "shared_lines.cpp)" in line]
    (rule,) = (number for number, line in enumerate(costs.splitlines()) if line.startswith("├"))
    assert own
    assert max(own) < rule
    assert "waited in" in waited
    assert "core 1" in writers
    narrow = call("profile", profile, "--lines", lines, env=os.environ | {"COLUMNS": "70"})
    assert max(len(line) for line in narrow.stdout.splitlines() if line[:1] in "┏┃│└├") <= 70
    refused = call("profile", profile, profile, "--lines", lines)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    other = tmp_path / "other.json"
    other.write_text("{}")
    assert "no lines are recorded there" in call("profile", profile, "--lines", other).stderr
