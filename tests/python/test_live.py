"""`croft run --live` in a terminal, and the samples of which it draws: they change nothing of a run."""

import re
import subprocess

import pytest

import croft
from commands import CROFT, call
from croft import _simulator
from croft.watching.sample import MESHES
from terminals import in_terminal

SLOW = pytest.mark.slow("more machines; one run is watched")

RUN = [*CROFT, "run"]
QUEENS = ["cilk5/queens", "--", "--size", "8"]
"""A part of a second."""
RUNS = [
    ("tilepro64", "pingpong", ["--count", "1000"]),
    ("big-tiny-64-mesi", "cilk5/queens", ["--size", "8"]),
    ("big-tiny-64-gwb", "cilk5/queens", ["--size", "8", "--runtime", "interrupt_stealing"]),
]


def cycles_drawn(text: str) -> list[str]:
    """Of all pictures, in their order."""
    return list(dict.fromkeys(re.findall(r"cycle ([0-9,]+) \(", text)))


@pytest.mark.slow_cases(r"mesi|gwb", "more machines; one run is watched")
@pytest.mark.parametrize(("machine", "program", "arguments"), RUNS, ids=[run[0] for run in RUNS])
def test_who_watches_changes_nothing(machine, program, arguments):
    samples = []
    watched = croft.run(program, machine, arguments=arguments, sample=samples.append)
    alone = croft.run(program, machine, arguments=arguments)
    assert watched.to_json() == alone.to_json()
    times = [each.cycles for each in samples]
    assert times == sorted(times)
    assert (times[-1], samples[-1].total_instructions) == (alone.cycles, alone.instructions)
    assert len(samples[-1].activities) == len(samples[-1].instructions) == 64
    assert set(samples[-1].activities) <= {"finished", "unused", "absent"}


@SLOW
def test_samples_say_what_statistics_say():
    samples = []
    result = croft.run("pingpong", arguments=["--count", "50"], links=True, sample=samples.append)
    last = samples[-1]
    assert last.spent == {cause: result.total("core", cause) for cause in _simulator.PROFILE_CAUSES}
    rows = {(each.name, each.index): each.value for each in result.statistics if each.part == "link"}
    for mesh in MESHES:
        of_mesh = {link: busy for link, busy in enumerate(last.links[mesh]) if busy}
        assert of_mesh == {link: busy for (name, link), busy in rows.items() if name == f"{mesh}_busy" and busy}
    assert sum(last.links["coherence"]) > 0
    assert last.activities.count("absent") == 64 - result.machine.cores
    assert last.activities.count("finished") == sum(1 for each in last.instructions if each) == 2


@SLOW
def test_samples_of_out_of_order_cores():
    states = set()
    croft.run("cilk5/queens", "o3x4", arguments=["--size", "9"], sample=lambda sample: states.update(sample.activities))
    assert {"runs", "finished"} <= states


@pytest.mark.parametrize("links", [False, True])
def test_checkpoints_of_a_watched_run_are_those_of_any(tmp_path, links):
    options = {"arguments": ["--count", "200"], "links": links}
    whole = croft.run("pingpong", **options)
    half = whole.cycles // 2
    ignore = {"sample": lambda sample: None}
    files = {watched: tmp_path / f"{watched}" for watched in (False, True)}
    for watched, file in files.items():
        croft.run("pingpong", max_cycles=half, checkpoint=file, **options, **(ignore if watched else {}))
    assert croft.restore(files[True]).to_json() == whole.to_json()
    assert croft.restore(files[False], **ignore).to_json() == whole.to_json()


@pytest.mark.slow("draws for seconds")
def test_a_run_is_drawn_and_leaves_its_last_picture(tmp_path):
    files = [tmp_path / "live.json", tmp_path / "plain.json"]
    options = ["-m", "big-tiny-64-mesi", "--stats", "--links", "--interval", "100000", "--json"]
    shown = in_terminal([*RUN, "--live", *options, str(files[0]), *QUEENS], 60, 100)
    assert shown.status == 0
    assert len(cycles_drawn(shown.text)) >= 2
    screen = shown.screen
    assert screen.cursor_is_shown
    text = "\n".join(screen.lines)
    assert text.count("queens on big-tiny-64-mesi") == text.count("instructions a cycle") == 1
    assert "whole run" in text
    assert "64 finished" in text
    plain = call("run", *options, files[1], *QUEENS)
    assert plain.stdout
    printed = plain.stdout.splitlines()
    above = screen.lines[: next(index for index, line in enumerate(screen.lines) if "cycle" in line and " on " in line)]
    assert [line.rstrip() for line in above if line] == printed
    assert files[0].read_bytes() == files[1].read_bytes()


@SLOW
def test_what_is_printed_may_go_elsewhere(tmp_path):
    with (tmp_path / "printed").open("w+b") as file:
        shown = in_terminal([*RUN, "--live", "-q", "-m", "big-tiny-64-mesi", *QUEENS], 24, 80, stdout=file.fileno())
        file.seek(0)
        printed = file.read()
    plain = subprocess.run([*RUN, "-q", "-m", "big-tiny-64-mesi", *QUEENS], capture_output=True, timeout=300)
    assert (shown.status, printed) == (0, plain.stdout)
    assert cycles_drawn(shown.text)
    assert shown.screen.cursor_is_shown
    assert not any(shown.screen.lines)  # --quiet leaves nothing


def test_interrupted_it_tells_what_it_always_tells(simulated):
    shown = in_terminal([*RUN, "--live", str(simulated("forever"))], 40, 100, interrupt_at="instructions a cycle")
    assert shown.status == 130
    assert shown.screen.cursor_is_shown
    text = "\n".join(shown.screen.lines)
    assert "whole run" in text
    assert "tilepro64: interrupted after " in text
    assert text.index("whole run") < text.index("main") < text.index("interrupted after")  # where every thread was


def test_a_run_that_goes_on_is_drawn(simulated, tmp_path):
    file = tmp_path / "state"
    croft.run("pingpong", arguments=["--count", "1000"], max_cycles=1000, checkpoint=file)
    shown = in_terminal([*RUN, "--live", "--restore", str(file)], 24, 80)
    assert shown.status == 0
    assert "pingpong on tilepro64" in "\n".join(shown.screen.lines)


@pytest.mark.parametrize("dumb", [False, True])
def test_without_a_terminal_it_says_that_it_needs_one(dumb, monkeypatch):
    why = "which is no terminal (or one whose cursor cannot be moved); leave that out"
    sentence = f"croft: --live draws on standard error, {why}"
    if dumb:
        shown = in_terminal(["env", "TERM=dumb", *RUN, "--live", "pingpong"], 24, 200)
        status, told = shown.status, shown.text
    else:
        answer = call("run", "--live", "pingpong")
        status, told = answer.returncode, answer.stderr
    assert (status, told.strip()) == (2, sentence)


@pytest.mark.parametrize("option", [[], ["--live"]], ids=["progress", "live"])
def test_what_a_program_prints_arrives_as_it_is(simulated, option):
    shown = in_terminal([*RUN, *option, "-q", str(simulated("awkward_output"))], 24, 60)
    assert shown.status == 0
    lines = [line.rstrip() for line in shown.screen.lines]
    long = "".join(f"word{number} " for number in range(40)).rstrip()
    assert lines[:4] == ["one line, in parts", long, "[bold]of brackets[/bold] and \N{EURO SIGN}", "no end"]
