"""croft run --analyze: work and span of programs whose graphs are known, and what cannot be analysed."""

import pytest

import croft
from commands import call
from croft.recording.analysis import Analysis
from program_sources import PROGRAMS

pytestmark = pytest.mark.slow("the programs of tasks anew, with another run-time")

DAGS = PROGRAMS / "dags.cpp"


def analysed(*arguments) -> Analysis:
    result = croft.run(DAGS, arguments=[str(argument) for argument in arguments], analyze=True)
    assert (result.ending, result.exit_code, result.errors) == ("exited", 0, b"")
    assert result.machine.name == "io1"
    assert result.analysis is not None
    return result.analysis


# Work and span in thousands; what a strand has beside its thousands are calls, loops and the library's own.
@pytest.mark.parametrize(
    ("arguments", "work", "span", "spawns", "syncs"),
    [
        (["strand"], 1, 1, 0, 0),
        (["twice"], 2, 2, 0, 0),
        (["invoke"], 10, 7, 2, 2),
        (["loop", 1], 1, 1, 0, 0),
        (["loop", 64], 64, 1, 63, 63),
        (["loop", 37], 37, 1, 36, 36),
        (["chunks", 64], 64, 4, 15, 15),
        (["reduce", 64], 64, 1, 63, 63),
        (["task"], 10, 6, 2, 1),
        (["group"], 10, 6, 2, 1),
        (["nested"], 2, 2, 0, 0),
        (["failing"], 1, 1, 1, 0),
    ],
)
def test_work_and_span_of_known_graphs(arguments, work, span, spawns, syncs):
    found = analysed(*arguments)
    assert (found.spawns, found.syncs) == (spawns, syncs)
    strands = found.runs + 2 * spawns + syncs
    # Finding who catches takes some ten thousands; setting up a scheduler within a strand, some hundreds; and each task
    # of a group is allocated and freed.
    more = {"failing": 200_000, "nested": 1000, "group": 250 * spawns}.get(arguments[0], 0)
    assert 1000 * work <= found.work <= 1000 * work + 100 * strands + more
    # The way goes through few strands: a tree is as deep as a logarithm, a sequence has at most some.
    assert 1000 * span <= found.span <= 1000 * span + 900 + more


def test_a_scan_is_cut_as_for_many_workers():
    found = analysed("scan", 64)
    # Nearly every value is asked for twice; the blocks are one step each.
    assert 126_000 <= found.work <= 150_000
    assert 2000 <= found.span <= 8000
    assert found.spawns >= 120


@pytest.mark.parametrize("form", ["fib", "fib_task"])
def test_fib_follows_its_recurrence_to_the_instruction(form):
    found = {n: analysed(form, n) for n in range(8, 13)}
    work = {n: one.work for n, one in found.items()}
    span = {n: one.span for n, one in found.items()}
    # work(n) = work(n - 1) + work(n - 2) + c, span(n) = span(n - 1) + d: the same c and d for every n.
    assert len({work[n] - work[n - 1] - work[n - 2] for n in range(10, 13)}) == 1
    assert len({span[n] - span[n - 1] for n in range(9, 13)}) == 1
    assert 0 < span[9] - span[8] < 200
    forks = {8: 33, 12: 232}  # calls with n >= 2: fib(n + 1) - 1
    for n, count in forks.items():
        assert found[n].syncs == count
        assert found[n].spawns == (count if form == "fib" else 2 * count)


def test_what_the_numbers_come_to():
    found = Analysis(runs=1, work=1000, span=50, spawns=3, syncs=3)
    assert (found.parallelism, found.tasks, found.strands) == (20, 4, 10)
    assert (found.instructions_per_task, found.instructions_per_strand) == (250, 100)


def test_the_analysis_does_not_depend_on_the_machine():
    elsewhere = croft.run(DAGS, "tilepro64", arguments=["loop", "64"], analyze=True, cores=4)
    assert elsewhere.analysis == analysed("loop", 64)


def test_the_command_prints_a_table():
    answer = call("run", "--analyze", "-q", DAGS, "--", "loop", 64)
    assert answer.returncode == 0
    assert answer.stdout == ""
    lines = [line.split("│") for line in answer.stderr.splitlines()]
    table = {cells[1].strip(): cells[2].strip() for cells in lines if len(cells) > 3}
    found = analysed("loop", 64)
    assert table["work"] == f"{found.work:,}"
    assert table["span"] == f"{found.span:,}"
    assert table["parallelism"] == f"{found.parallelism:.1f}"
    assert table["tasks"] == "64"
    assert table["strands"] == "190"
    assert "croft-analysis" not in answer.stderr


def test_what_cannot_be_analysed(simulated):
    program = simulated("dags")
    with pytest.raises(croft.UsageError, match=r"was not built to be analysed, or has no tasks: name its source, or "):
        croft.run(program, analyze=True)
    answer = call("run", "--analyze", program)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"croft: {program} was not built to be analysed")
    with pytest.raises(croft.UsageError, match="was not built to be analysed, or has no tasks"):
        croft.run(PROGRAMS / "misaligned.cpp", analyze=True)
    with pytest.raises(croft.BuildError, match="only there it can count instructions"):
        croft.build(DAGS, native=True, defines=["CROFT_ANALYSIS"])
    answer = call("run", "--analyze", "-q", DAGS, "--", "nothing")
    assert "nothing was analysed: no task_scheduler::run() by the default run-time" in answer.stderr
    answer = call("run", "--analyze", "-q", "--max-cycles", 1000, DAGS, "--", "strand")
    assert answer.returncode == 122
    assert "nothing was analysed: the program ended before it could tell" in answer.stderr


def test_a_run_that_was_not_asked_to_has_no_analysis(simulated):
    result = croft.run(simulated("dags"), arguments=["loop", "8"], cores=4)
    assert result.analysis is None
    assert "analysis" not in result.to_json()
