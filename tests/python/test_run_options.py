"""Each option of a run is declared once: croft.run, the command and their page are what the declaration says."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import croft
from commands import call
from croft.cli.run_options import flag
from croft.runs.checkpoint import read_checkpoint
from croft.runs.homes import Home
from croft.runs.simulation import Plan
from croft.runs.spec import OPTIONS, Attendance, RunSpec

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date():
    made = subprocess.run([sys.executable, ROOT / "packaging" / "run_options.py"], capture_output=True, text=True)
    assert made.stdout == (ROOT / "docs" / "run-options.md").read_text(encoding="utf-8") or made.stderr


def test_croft_run_takes_every_option_and_says_what_it_means():
    parameters = inspect.signature(croft.run).parameters
    assert [*parameters] == ["program", "machine", *OPTIONS]
    assert parameters["seed"].annotation is int
    assert [*inspect.signature(croft.restore).parameters] == ["file", *Attendance.model_fields]
    for name, field in RunSpec.model_fields.items():
        assert field.description and field.description.endswith((".", ").")), name
        assert f"    {name}: " in croft.run.__doc__


def test_the_command_has_every_option_that_has_a_flag():
    asked = call("run", "--help", env={"COLUMNS": "200"})
    for flagged in filter(None, map(flag, OPTIONS)):
        assert flagged in asked.stdout
    assert "Options that change the speed only" in asked.stdout


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("seed", -1, "seed is -1: it should be greater than or equal to 0"),
        ("seed", True, "seed is True: it should be a whole number"),
        ("window", 1 << 32, "window is 4294967296: it should be less than or equal to 4294967295"),
        ("max_seconds", float("nan"), "max_seconds is nan: it should be greater than 0"),
        ("memory", "4X", "memory is '4X': it should be a number of bytes, or one with K, M, G or T behind it"),
        ("memory", "0G", "memory is '0G': it should be a number of bytes, or one with K, M, G or T behind it"),
        ("arguments", "abc", "arguments is 'abc': it should be a list of texts"),
        ("arguments", ["a", 3], "an argument is 3: it should be a text"),
        (
            "arguments",
            ["a\0"],
            "an argument is 'a\\x00': it should be without a zero byte, or a program cannot be given",
        ),
        ("environment", {"A": "\udcff"}, "environment is '\\udcff': it should be UTF-8"),
        ("directories", [3], "directories is 3: it should be a text"),
        ("host", 3, "host is 3: it should be an instance of HostScript"),
        ("progress", 3, "progress is 3: it should be callable"),
    ],
)
def test_a_wrong_value_is_one_sentence(option, value, sentence):
    with pytest.raises(croft.UsageError) as refused:
        croft.run("pingpong", **{option: value})
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_option_that_there_is_not_is_a_type_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'sede'"):
        croft.run("pingpong", sede=3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'seed'"):
        croft.restore("file", seed=3)


@pytest.mark.parametrize(("text", "number"), [("500", 500), ("10K", 10 << 10), ("4g", 4 << 30), ("1T", 1 << 40)])
def test_memory_is_a_number_of_bytes_or_a_text(text, number):
    assert RunSpec.of({"memory": text}).memory == number


def test_a_checkpoint_has_what_decides_the_run_and_nothing_of_who_hears_of_it():
    host = croft.HostScript([b"\xff\0"], count=3)
    spec = RunSpec.of(
        {"name": "p", "arguments": ["1"], "seed": 3, "analyze": True, "host": host, "interval": 9, "max_cycles": 5}
        | {"window": 1, "tell": print, "homes": [Home(0, variable="x")], "directories": ["."]}
    )
    plan = Plan(spec, croft.machine("io1"), b"elf", "p", {})
    header = json.loads(json.dumps(plan.header()))
    again = Plan.of(header, b"elf").spec
    assert header["spec"].keys() == {"name", "arguments", "seed", "analyze", "host", "interval"}
    assert (again.name, again.arguments, again.seed, again.analyze) == ("p", ("1",), 3, True)
    assert (again.host, again.max_cycles) == (host, None)
    with pytest.raises(croft.UsageError, match="no checkpoint"):
        read_checkpoint(__file__)
