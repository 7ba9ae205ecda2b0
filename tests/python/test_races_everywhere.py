"""``--check races`` finds nothing in croft's programs and library, and something in those that were made wrong."""

import pytest

import croft
import race_runs
from croft.programs.builder import shipped_programs
from race_runs import GWB, TILED, Run
from stopped_runs import make_home
from test_races import FILES

FOLDER = "/folder"


def result_of(run, folder):
    make_home(folder / "home")
    (folder / "home" / "in").write_text(
        "".join(f"2031-05-04T10:11:12 INFO ip u{n} GET /{n} 200 7\n" for n in range(40))
    )
    options = {"max_cycles": 100_000_000, "directories": [f"{folder / 'home'}::{FOLDER}"], **run.options}
    arguments = run.arguments.replace("FOLDER", FOLDER).split()
    return croft.run(run.build(), run.machine, name=run.program, arguments=arguments, check="races", **options)


# By kernel, as conftest.py groups what shares a program.
@pytest.mark.slow_cases(
    r"^(?!mutex-.*tile|cilk5/q.*shared_deques-.*mesi|threads-.*o3x4)",
    "every program by every run-time; of each kind of machine one stays",
)
@pytest.mark.parametrize(("kernel", "run"), [(run.program, name) for name, run in race_runs.RUNS.items()])
def test_nothing_races(kernel, run, tmp_path):
    row = race_runs.RUNS[run]
    result = result_of(row, tmp_path)
    assert [str(report) for report in result.races] == []
    assert result.race_count == 0
    exit_code, ending = row.ends
    assert result.ending == ending, result.message
    assert exit_code in (None, result.exit_code), result.errors


def test_every_program_is_there():
    """Those that run simulated, and are not made to race."""
    of_croft = set(shipped_programs()) - {"graph/make_graph"}  # which has one thread
    of_tests = {path.stem for path in race_runs.PROGRAMS.glob("*.cpp")}
    examples = {path.stem for path in race_runs.EXAMPLES.glob("*.cpp")}
    planted = set(FILES)
    missing = (of_croft | of_tests | examples) - {run.program for run in race_runs.RUNS.values()}
    assert missing == planted | {"silent", "litmus", "forwarded_order"}  # these race for a living


# What was left out there is what orders: a release before the flag, or what makes the words of the deque seen.
# (Mutants that keep an old copy, of which --check coherence tells, have their accesses in order.)
MUTANTS = [
    *[Run("channel_mutants", name, TILED) for name in ("unreleased", "unreleased-split")],
    *[
        Run("task_mutants", name, GWB, {"cores": 4})
        for name in (
            "deques-invalidate-deq",
            "deques-invalidate-steal-stolen",
            "deques-flush-spawn",
            "deques-flush-deq",
            "deques-flush-steal",
            "deques-flush-stolen",
        )
    ],
]


@pytest.mark.slow("every program by every run-time; of each kind of machine one stays")
@pytest.mark.parametrize(
    ("kernel", "run"), [(run.program, run) for run in MUTANTS], ids=lambda of: getattr(of, "name", of)
)
def test_what_is_left_out_races(kernel, run, tmp_path):
    assert result_of(run, tmp_path).race_count > 0
