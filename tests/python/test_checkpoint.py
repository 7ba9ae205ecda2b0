"""A run that was stopped goes on from its checkpoint as if it had not been."""

import random
import signal
import subprocess
import time

import pytest

import croft
import digests
from commands import call
from croft.runs import checkpoint
from croft.runs.checkpoint import WAY_OUT, Every, read_checkpoint
from program_sources import PROGRAMS
from stopped_runs import CALLS, RUN, RUNS, make_home, outcome, whole_and_stopped

SHORT = ("cilk5/queens", "o3x4", ["--size", "6", "--grain", "2"])


@pytest.fixture
def kept(tmp_path):
    """The checkpoint of a short run, and its result had it not been stopped."""
    program, machine, arguments = SHORT
    file = tmp_path / "checkpoint"
    whole = croft.run(program, machine, arguments=arguments)
    stopped = croft.run(program, machine, arguments=arguments, max_cycles=whole.cycles // 2, checkpoint=file)
    assert (stopped.ending, stopped.checkpoint) == ("cycle_limit", whole.cycles // 2)
    return file, whole


@pytest.mark.slow("stops some fifty runs at ten places each; one stop in a few of them stays")
@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_ten_stops_in_as_many_processes_change_nothing(run, tmp_path):
    whole, stopped = whole_and_stopped(run, tmp_path, 10)
    assert stopped == whole


@pytest.mark.slow("one that was killed stands for it")
def test_a_stop_changes_nothing(tmp_path):
    whole, stopped = whole_and_stopped(CALLS, tmp_path, 1)
    assert stopped == whole


@pytest.mark.slow("stops some fifty runs at ten places each; one stop in a few of them stays")
@pytest.mark.parametrize("name", digests.RUNS)
def test_ten_stops_change_no_run_of_the_digests(name, tmp_path):
    run, file = digests.RUNS[name], tmp_path / "checkpoint"
    source = PROGRAMS / f"{run.program}.cpp"
    path = croft.build(source) if source.exists() else run.program
    what = {"name": run.program, "arguments": run.arguments.split(), **run.options}
    whole = result = croft.run(path, run.machine, **what)
    for number, place in enumerate(sorted(random.Random(name).sample(range(1, whole.cycles), 10))):
        if number == 0:
            result = croft.run(path, run.machine, max_cycles=place, checkpoint=file, **what)
        else:
            result = croft.restore(file, max_cycles=place, checkpoint=file)
        assert (result.ending, result.checkpoint) == ("cycle_limit", place)
    result = croft.restore(file)
    assert result == whole
    assert result.to_json() == whole.to_json()
    assert result.threads == whole.threads


@pytest.mark.slow("many checkpoints of one run")
def test_checkpoints_on_the_way_change_nothing(tmp_path):
    program, machine, arguments = SHORT
    whole = croft.run(program, machine, arguments=arguments)
    file = tmp_path / "checkpoint"
    result = croft.run(program, machine, arguments=arguments, checkpoint=file, every="10Kcycles")
    assert result == whole
    assert result.checkpoint == whole.cycles // 10_000 * 10_000
    assert croft.restore(file) == whole
    assert not list(tmp_path.glob(".*"))


def test_a_run_that_was_killed_goes_on(tmp_path):
    program = [str(croft.build("cilk5/queens")), "--", "--size", "8", "--grain", "2"]
    home = make_home(tmp_path / "home")
    whole = outcome(home, ["--machine", "io1", *program])
    file = home / "checkpoint"
    command = [*RUN, "-q", "--machine", "io1", "--checkpoint", file, "--every", "500Kcycles", *program]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        while not file.exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert outcome(home, ["--restore", file]) == whole


def test_a_run_that_was_stopped_by_the_host_goes_on(tmp_path):
    program, machine, arguments = "cilk5/queens", "io1", ["--size", "9", "--grain", "2"]  # it takes some asking
    file = tmp_path / "checkpoint"
    whole = croft.run(program, machine, arguments=arguments)
    # Whatever asks it to stop: a limit of seconds and Ctrl-C do so, too.
    stopped = croft.run(program, machine, arguments=arguments, checkpoint=file, progress=lambda *at: False)
    if stopped.ending == "interrupted":
        assert stopped.checkpoint == stopped.cycles
        stopped = croft.restore(file)
    assert stopped == whole


def test_checkpoints_by_the_time_of_the_host_change_nothing(tmp_path):
    program, machine, arguments = "cilk5/queens", "io1", ["--size", "9", "--grain", "2"]
    file = tmp_path / "checkpoint"
    whole = croft.run(program, machine, arguments=arguments)
    result = croft.run(program, machine, arguments=arguments, checkpoint=file, every="0.001s")
    assert result == whole
    if result.checkpoint is not None:  # it took long enough to be asked
        assert croft.restore(file) == whole


def test_statistics_over_time_go_on(tmp_path):
    program, machine, arguments = SHORT
    file, more = tmp_path / "checkpoint", {"arguments": arguments, "interval": 9_000, "regions": True}
    whole = croft.run(program, machine, **more)
    croft.run(program, machine, max_cycles=whole.cycles // 3, checkpoint=file, **more)
    result = croft.restore(file)
    assert result.intervals.equals(whole.intervals)
    assert result.regions.equals(whole.regions)
    assert result.to_json() == whole.to_json()


def test_output_is_kept_within_its_bounds(tmp_path, simulated):
    home = make_home(tmp_path / "home")
    what = {"arguments": ["/home", "12"], "directories": [f"{home}::/home"], "max_output": 60}
    whole = croft.run(simulated("system_calls"), **what)
    assert b"left out" in whole.output
    croft.run(simulated("system_calls"), max_cycles=whole.cycles * 3 // 4, checkpoint=tmp_path / "file", **what)
    assert croft.restore(tmp_path / "file") == whole


# ---- refusals ----


def refusal(file, **options):
    with pytest.raises(croft.UsageError) as refused:
        croft.restore(file, **options)
    sentence = str(refused.value)
    assert "\n" not in sentence
    return sentence


def test_what_is_no_checkpoint_is_refused(tmp_path, kept):
    file, whole = kept
    (tmp_path / "text").write_text("some text")
    assert refusal(tmp_path / "text").endswith(f"text: that is no checkpoint of croft; {WAY_OUT}")
    assert refusal(tmp_path).endswith(f": that is no checkpoint of croft; {WAY_OUT}")
    assert refusal(tmp_path / "nothing").endswith(f"nothing: there is no such file; {WAY_OUT}")
    assert "is of cycle" in refusal(file, max_cycles=whole.cycles // 4)


def test_a_checkpoint_of_another_build_or_format_is_refused(kept, monkeypatch):
    file, _ = kept
    mine = checkpoint._simulator.build_identity()
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint, "FORMAT", 7)
        assert "format 2; this croft reads format 7" in refusal(file)
    monkeypatch.setattr(checkpoint._simulator, "build_identity", lambda: "0123456789abcdef")
    sentence = refusal(file)
    assert f"build {mine} of the simulator" in sentence
    assert "this is build 0123456789abcdef" in sentence


def test_any_byte_that_is_another_one_is_found(kept):
    file, _ = kept
    content = file.read_bytes()
    draw = random.Random(1)
    for _ in range(100):
        at = draw.randrange(len(content))
        file.write_bytes(content[:at] + bytes([content[at] ^ draw.randrange(1, 256)]) + content[at + 1 :])
        assert any(text in refusal(file) for text in ("damaged or cut short", "no checkpoint", "of format"))
    for _ in range(20):
        file.write_bytes(content[: draw.randrange(len(content))])
        assert any(text in refusal(file) for text in ("damaged or cut short", "no checkpoint"))


def test_a_state_that_is_damaged_although_its_digest_is_right_is_refused(kept):
    header, parts = read_checkpoint(kept[0])
    machine = croft.machine("o3x4").model_dump()
    for length in (1, 1000, len(parts["state"]) - 1):
        with pytest.raises(checkpoint._simulator.CheckpointError, match="the state in the checkpoint is damaged"):
            checkpoint._simulator.simulate(
                parts["program"], machine, header["options"], restore=parts["state"][:length]
            )


@pytest.fixture
def busy_with_files(tmp_path, simulated):
    home = make_home(tmp_path / "home")
    with (home / "input").open("rb") as given:
        croft.run(
            simulated("system_calls"),
            arguments=["/home", "30"],
            directories=[f"{home}::/home"],
            standard_input=given.fileno(),
            max_cycles=300_000,
            checkpoint=tmp_path / "checkpoint",
        )
    return home, tmp_path / "checkpoint"


def test_files_that_are_not_what_they_were_are_refused(busy_with_files):
    home, file = busy_with_files
    assert refusal(file).endswith("bytes of its standard input, which has to begin with the same bytes again")
    with (home / "input").open("rb") as given:
        before = (home / "log").read_bytes()
        (home / "log").write_bytes(before + b"more")
        length = len(before)
        assert f"the file /home/log has {length + 4} bytes, but had {length} when" in refusal(
            file, standard_input=given.fileno()
        )
    (home / "log").unlink()
    with (home / "input").open("rb") as given:
        assert "the program's file /home/log is no longer there" in refusal(file, standard_input=given.fileno())
    home.rename(home.with_name("elsewhere"))
    assert refusal(file).endswith(f"the directory {home} of the run is no longer there")


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(tmp_path):
    program, machine, arguments = SHORT
    told = []
    folder = tmp_path / "folder"
    folder.mkdir()

    writer = checkpoint.CheckpointWriter(folder / "file", {}, b"", tell=told.append)
    folder.rmdir()
    writer.keep(7, b"state", "")
    assert writer.written is None
    assert told == [f"no checkpoint was written to {folder / 'file'} at cycle 7: No such file or directory"]
    with pytest.raises(croft.UsageError, match="No such file"):
        croft.run(program, machine, arguments=arguments, checkpoint=folder / "file")
    with pytest.raises(croft.UsageError, match="is a directory"):
        croft.run(program, machine, arguments=arguments, checkpoint=tmp_path)


def test_a_host_in_real_time_has_no_checkpoint(tmp_path):
    host = checkpoint._simulator.LiveHost(4, 4)
    with pytest.raises(croft.UsageError, match="the host would not go back"):
        croft.run(SHORT[0], host=host, checkpoint=tmp_path / "file")


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("30s", Every(seconds=30)),
        ("1.5m", Every(seconds=90)),
        ("2h", Every(seconds=7200)),
        ("50Mcycles", Every(cycles=50_000_000)),
        ("7cycles", Every(cycles=7)),
    ],
)
def test_how_often_is_said_in_seconds_or_cycles(text, every):
    assert Every.of(text) == every


@pytest.mark.parametrize("text", ["", "10", "0s", "0cycles", "5M", "-1s", "1e3s", "99999999999Gcycles"])
def test_how_often_is_nothing_else(text, tmp_path):
    program, machine, arguments = SHORT
    with pytest.raises(croft.UsageError, match="a time like 30s, 10m or 2h, or like 50Mcycles"):
        croft.run(program, machine, arguments=arguments, checkpoint=tmp_path / "file", every=text)
    with pytest.raises(croft.UsageError, match="needs a checkpoint to write"):
        croft.run(program, machine, arguments=arguments, every="1s")


def test_the_command_refuses_what_the_checkpoint_says(kept):
    file, _ = kept
    for more in (["--seed", "3"], ["queens"]):
        done = call("run", "--restore", file, *more)
        assert done.returncode == 2
        assert "goes on with the run of a checkpoint" in done.stderr
