"""The croft command, as a user meets it: a process with streams and an exit status."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import croft
from commands import CROFT, call
from program_sources import PROGRAMS


def test_help_of_every_command():
    top = call("--help")
    assert top.returncode == 0
    for command in ("build", "run", "machines", "experiment", "demo", "picture", "config", "version"):
        assert command in top.stdout
        assert "Usage" in call(command, "--help").stdout
    assert "121: deadlock" in " ".join(call("run", "--help").stdout.replace("│", "").split())


def test_run_passes_streams_and_status_through(simulated):
    answer = call("run", simulated("surroundings"), "--env", "COLOUR=red", "--", "--size", "3", input="line\n")
    assert answer.returncode == 7
    assert "argument --size\nargument 3\nCOLOUR red, HOME unset\ninput line\n" in answer.stdout
    assert answer.stderr.startswith("this goes to standard error\ntilepro64: exit status 7 after ")
    assert call("run", "-q", simulated("surroundings"), input="").stderr == "this goes to standard error\n"


def test_run_builds_a_source_and_writes_its_result(tmp_path):
    files = {kind: tmp_path / f"result.{kind}" for kind in ("json", "csv", "parquet")}
    options = [f"--{kind}={file}" for kind, file in files.items()]
    answer = call("run", PROGRAMS / "threads.cpp", "--machine", "tilepro64", "--cores", 4, "--stats", *options, "--", 3)
    assert (answer.returncode, answer.stdout) == (0, "threads count=3 sum=17991 calls=0\n") or answer.stderr
    content = json.loads(files["json"].read_text())
    assert content["program"]["name"] == "threads"
    frames = [pd.read_csv(files["csv"]), pd.read_parquet(files["parquet"])]
    for frame in frames:
        assert frame["value"].tolist() == [row["value"] for row in content["statistics"]]
    assert "l1d" in answer.stderr
    assert "load_misses" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "nowhere"], "croft: nowhere: no such file, and no program of croft is called so"),
        (["run", PROGRAMS / "threads.cpp", "-m", "tilepro"], "croft: no machine is called 'tilepro'; did you mean"),
        (["run", PROGRAMS / "threads.cpp", "--cores", 65], "croft: tilepro64 has 1 to 64 cores to run on, not 65"),
        (["run", PROGRAMS / "threads.cpp", "--dir", "/nowhere"], "croft: --dir /nowhere: no such directory"),
        (["run", PROGRAMS / "threads.cpp", "--env", "X"], "croft: --env X: it must be NAME=VALUE"),
        (["run", PROGRAMS / "threads.cpp", "--json", "/nowhere/x"], "croft: /nowhere/x: No such file or directory"),
        (["run", PROGRAMS / "threads.cpp", "--dir", ""], "croft: --dir '': it must be HOST or HOST::GUEST"),
        (["run", PROGRAMS / "threads.cpp", "--dir", "::"], "croft: --dir '::': it must be HOST or HOST::GUEST"),
        (["run", PROGRAMS / "threads.cpp", "--csv", "/"], "croft: /: that is a directory"),
        (
            ["run", PROGRAMS / "threads.cpp", "--max-seconds", "0"],
            "croft: --max-seconds 0.0: it should be greater than 0",
        ),
        (["run", PROGRAMS / "threads.cpp", "--", b"\xff"], "croft: an argument is '\\udcff': it should be UTF-8"),
        (
            ["build", PROGRAMS / "threads.cpp", "-o", PROGRAMS / "threads.cpp"],
            f"croft: {PROGRAMS / 'threads.cpp'}: the",
        ),
        (["run", PROGRAMS / "threads.cpp", "--memory", "4X"], "croft: --memory 4X: it should be a number of bytes"),
        (["build", PROGRAMS / "threads.cpp", "-o", PROGRAMS], f"croft: {PROGRAMS}: that is a directory"),
        (
            ["run", PROGRAMS / "threads.cpp", "--dir", ".::/x", "--dir", "..::/x"],
            "croft: two directories are named /x for the program",
        ),
        (
            ["run", PROGRAMS / "threads.cpp", "--window", 9999],
            "croft: a window of 9999 cycles is longer than the 1 that",
        ),
        (["experiment", "nothing"], "croft: no experiment is called 'nothing' (known: read_latency, "),
        (["build", "nowhere.cpp", "-o", "x"], "croft: nowhere.cpp: no such file"),
        (["machines", "nix.toml"], "croft: machine file nix.toml: no such file"),
    ],
)
def test_wrong_input_is_one_sentence_and_status_2(arguments, sentence):
    answer = call(*arguments)
    assert answer.returncode == 2
    last = answer.stderr.strip().splitlines()[-1]
    assert last.startswith(sentence)
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    ("option", "number"),
    [
        ("--seed", "-1"),
        ("--max-cycles", "18446744073709551616"),
        ("--window", "4294967296"),
        ("--run-ahead", "4294967296"),
        ("--perturb", "18446744073709551616"),
        ("--max-output", "-1"),
    ],
)
def test_a_number_that_cannot_be_is_refused(option, number):
    answer = call("run", PROGRAMS / "threads.cpp", option, number)
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"croft: croft run, {option}: it should be ")
    assert answer.stderr.count("\n") == 1


def test_results_are_promised_before_a_run_and_none_is_lost_with_another(simulated, tmp_path):
    there, gone = tmp_path / "there.csv", tmp_path / "gone" / "r.json"
    there.write_text("before")
    program = simulated("threads")
    answer = call("run", program, "--json", gone, "--csv", there, "--", 3)
    assert (answer.returncode, answer.stdout) == (2, "")  # it has not even begun
    assert there.read_text() == "before"
    answer = call("run", program, "--json", "/dev/full", "--csv", there, "--stats", "--", 3)
    assert (answer.returncode, answer.stdout) == (2, "threads count=3 sum=20997 calls=0\n")
    assert "croft: /dev/full: No space left on device" in answer.stderr
    assert "load_misses" in answer.stderr
    assert len(pd.read_csv(there)) > 100
    assert [file.name for file in tmp_path.iterdir()] == ["there.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this host has no /dev/full")
def test_a_stream_that_cannot_be_written_loses_no_result(simulated, tmp_path):
    kept = tmp_path / "result.json"
    with Path("/dev/full").open("w") as full:
        command = [*CROFT, "run", str(simulated("threads")), "--cores", "4", "--json", str(kept), "--", "3"]
        answer = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert answer.returncode == 2
    assert answer.stderr.endswith("croft: standard output: No space left on device\n")
    assert json.loads(kept.read_text())["output"].startswith("threads count=3 ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this host has no /dev/full")
@pytest.mark.parametrize("command", ["machines", "config", "--help"])
def test_a_full_disk_is_one_sentence(command):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        answer = subprocess.run([*CROFT, command], stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    assert (answer.returncode, answer.stderr) == (2, "croft: No space left on device\n")


@pytest.mark.slow("starts Python a dozen times")
def test_streams_may_be_closed(simulated):
    for closed in ("1>&-", "2>&-", "1>&- 2>&-"):
        for command in (f"run {simulated('threads')} --cores 4 -- 3", "machines"):
            line = f"{' '.join(CROFT)} {command} {closed}"
            answer = subprocess.run(line, shell=True, capture_output=True, text=True)
            assert (answer.returncode, "Traceback" in answer.stderr, "croft:" in answer.stderr) == (0, False, False)


def test_a_run_may_be_limited_in_time_and_output(simulated, tmp_path):
    answer = call("run", simulated("forever"), "--max-seconds", "0.5", "--csv", tmp_path / "r.csv")
    assert answer.returncode == 125
    assert "stopped by --max-seconds after" in answer.stderr
    assert (tmp_path / "r.csv").exists()
    answer = call("run", simulated("threads"), "--max-output", "10", "-q", "--", 3)
    assert answer.stdout == "threa\n[24 bytes left out]\nls=0\n"


def test_brackets_are_no_markup(simulated, tmp_path):
    file = tmp_path / "[red]" / "[bold]m.toml"
    file.parent.mkdir()
    file.write_text('based_on = "tilepro64"\n[network]\nhop = 2  # [slower]\n')
    shown = call("machines", file).stdout
    assert "[red]/[bold]m.toml" in shown
    assert "[slower]" in shown
    program = tmp_path / "[" / "oops]"  # together a tag that was never opened
    program.parent.mkdir()
    program.write_bytes(simulated("deadlock").read_bytes())
    answer = call("run", program, "--cores", 3, "--stats")
    assert (answer.returncode, "Traceback" in answer.stderr) == (121, False)


def test_a_large_file_that_is_no_program_is_not_read(tmp_path):
    for begin, sentence in ((b"hello", "not an ELF"), (b"\x7fELF", "the largest program that is run has 1 GiB")):
        file = tmp_path / "large"
        with file.open("wb") as sparse:
            sparse.write(begin)
            sparse.truncate(20 << 30)
        answer = call("run", file)
        assert answer.returncode == 2
        assert sentence in answer.stderr


def test_a_program_that_is_none(tmp_path):
    file = tmp_path / "text"
    file.write_text("hello")
    answer = call("run", file)
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"croft: {file}: ")


def test_a_deadlock_is_a_table(simulated):
    answer = call("run", simulated("deadlock"), "--cores", 3)
    assert answer.returncode == 121
    assert answer.stderr.count("take_both") == 2
    assert "futex" in answer.stderr
    assert "deadlock.cpp:" in answer.stderr


def test_a_fault_is_told(simulated):
    answer = call("run", simulated("faults"), "--", "illegal")
    assert answer.returncode == 123
    assert "illegal instruction" in answer.stderr
    assert "faults.cpp:" in answer.stderr


def test_ctrl_c_ends_a_run_with_its_statistics(simulated, tmp_path):
    file = tmp_path / "result.json"
    command = [*CROFT, "run", str(simulated("forever")), "--cores", "1", "--json", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "started\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted after" in errors
    content = json.loads(file.read_text())
    assert content["ending"] == "interrupted"
    assert content["instructions"] > 0
    assert (
        sum(row["value"] for row in content["statistics"] if row["name"] == "instructions") == content["instructions"]
    )


def test_machines():
    assert "tilepro64" in call("machines").stdout
    shown = call("machines", "tilepro64").stdout
    assert "l1d.size" in shown
    assert "paper 000, 7" in shown


@pytest.mark.slow("builds twice")
def test_build_native_and_simulated(tmp_path, native):
    here, there = tmp_path / "here", tmp_path / "there"
    assert call("build", PROGRAMS / "threads.cpp", "--native", "-o", here).returncode == 0
    assert call("build", PROGRAMS / "threads.cpp", "--machine", "tilepro64", "-O", 2, "-o", there).returncode == 0
    printed = subprocess.run([here, "3"], capture_output=True, text=True, check=True).stdout
    assert printed == call("run", there, "--", 3).stdout == native("threads", "3")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("croft run -m big-tiny-256-", {"big-tiny-256-gwb", "big-tiny-256-mesi"}),
        ("croft run cilk5/lu", {"cilk5/lu"}),
        ("croft experiment pingp", {"pingpong"}),
        ("croft machines mine", {"mine.toml"}),
        ("croft run fold", {"folder/"}),
        ("croft run folder/", {"folder/x.c"}),
    ],
)
def test_words_are_completed(words, expected, tmp_path):
    (tmp_path / "folder").mkdir()
    for file in ("mine.toml", "mine.txt", "folder/x.c"):
        (tmp_path / file).touch()
    asked = {"_CROFT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    answer = call(env=os.environ | asked, cwd=tmp_path)
    assert set(answer.stdout.split()) == expected


def test_a_build_is_told_once_and_tables_are_as_wide_as_they_are(tmp_path):
    source = tmp_path / "quick.cpp"
    source.write_text("int main() {}\n")
    first, second = (call("run", source, "--stats").stderr for _ in range(2))
    assert first.startswith(f"building {source}\n")
    assert "building" not in second
    assert first.partition("\n")[2].rpartition("; ")[0] == second.rpartition("; ")[0]
    assert "…" not in second
    assert "stall_store_buffer" in second
    assert "window (64)" not in second  # its cores have none
    narrow = call("run", source, "--stats", env={**os.environ, "COLUMNS": "40"}).stderr
    assert (
        max(len(line) for line in narrow.splitlines() if line[:1] in "┏┃│└") <= 40 < max(map(len, second.splitlines()))
    )


def test_a_build_says_what_the_compiler_said(tmp_path):
    source = tmp_path / "wrong.cpp"
    source.write_text("int main() { return missing; }\n")
    answer = call("build", source, "-o", tmp_path / "x")
    assert answer.returncode == 2
    assert "croft: the compiler failed:" in answer.stderr
    assert "wrong.cpp:1:21: error: use of undeclared identifier 'missing'" in answer.stderr


def test_a_program_is_built_again_only_when_something_it_reads_changed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "value.hpp").write_text("#define VALUE 1\n")
    source = tmp_path / "main.cpp"
    source.write_text('#include "value.hpp"\nint main() { return VALUE; }\n')
    first = croft.build(source, native=True)
    assert croft.build(source, native=True) == first
    assert subprocess.run([first]).returncode == 1
    (tmp_path / "value.hpp").write_text("#define VALUE 2\n")
    second = croft.build(source, native=True)
    assert second != first
    assert subprocess.run([second]).returncode == 2
    assert croft.build(source, native=True, defines=["X"]).parent != second.parent


@pytest.mark.slow("draws")
def test_pictures(tmp_path):
    from PIL import Image

    Image.new("RGB", (5, 3), (255, 0, 0)).save(tmp_path / "red.png")
    assert call("picture", tmp_path / "red.png", tmp_path / "red.pgm").returncode == 0
    assert (tmp_path / "red.pgm").read_bytes() == b"P5\n5 3\n255\n" + bytes([76] * 15)
    assert call("picture", tmp_path / "red.pgm", tmp_path / "back.png").returncode == 0
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
    (tmp_path / "text.png").write_text("hello")
    for name, reason in (
        ("broken", "cannot be|not a picture|broken"),
        ("text", "not a picture"),
        ("no", "No such file"),
    ):
        answer = call("picture", tmp_path / f"{name}.png", tmp_path / "out.pgm")
        assert answer.returncode == 2
        assert answer.stderr.startswith(f"croft: {tmp_path / name}.png: ")
        assert pd.Series([answer.stderr]).str.contains(reason).all()


def test_config_and_version():
    folders = dict(line.split(": ", 1) for line in call("config").stdout.splitlines())
    assert set(folders) == {"cmake-dir", "include-dir", "many-core-dir", "machines-dir", "programs-dir"}
    assert call("config", "--include-dir").stdout.strip() == folders["include-dir"]
    script = Path(sys.executable).with_name("croft")
    assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout == call("version").stdout
    assert call("version").stdout == "croft 0.1.0, ziglang 0.17.1\n"
