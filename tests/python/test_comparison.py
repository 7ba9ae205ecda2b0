"""`croft run --json` by the ending of its file, and `croft compare`."""

import json

import pytest

import croft
from commands import call
from croft.base.errors import UsageError
from croft.results.comparison import differences, settings
from croft.results.files import encode, read_result


@pytest.fixture(scope="module")
def near_and_far(simulated):
    program = simulated("threads")
    return [
        json.loads(croft.run(program, croft.machine("tilepro64", network={"hop": hop}), arguments=["4"]).to_json())
        for hop in (2, 6)
    ]


@pytest.mark.parametrize("ending", [".json", ".json.gz", ".json.zst"])
def test_a_result_is_compressed_by_its_ending(ending, simulated, tmp_path):
    file = tmp_path / f"run{ending}"
    told = call("run", "-q", simulated("threads"), "--json", file, "--", 4)
    assert told.returncode == 0, told.stderr
    plain = croft.run(simulated("threads"), name=read_result(file)["program"]["name"], arguments=["4"]).to_json()
    assert read_result(file) == json.loads(plain)
    assert file.read_bytes() == encode(plain, file)
    if ending != ".json":
        assert file.stat().st_size < len(plain) / 10


def test_statistics_that_matter_are_named(near_and_far):
    near, far = near_and_far
    found, count = differences(far, near)
    assert count > 100
    assert 0 < len(found) < 40
    named = {(one.part, one.name) for one in found}
    assert ("core", "stall_home") in named
    assert not any(name == "capacity" for _, name in named)
    for one in found:
        assert abs(one.change) >= 0.05
        total = sum(each["value"] for each in far["statistics"] if (each["part"], each["name"]) == (one.part, one.name))
        assert one.now == total
    assert differences(far, near, 1e9)[0] == [one for one in found if one.change == float("inf")]


def test_a_run_differs_from_itself_in_nothing(near_and_far):
    near, _ = near_and_far
    assert differences(near, near)[0] == []
    assert settings(near, near) == []


def test_what_was_asked_for_differently_is_said(near_and_far):
    near, far = near_and_far
    assert settings(far, near) == ["machine.network.hop: 6, before 2"]


def test_the_command_says_all_of_it(simulated, tmp_path):
    files = [tmp_path / "two.json.zst", tmp_path / "three.json.gz"]
    for file, threads in zip(files, (2, 3), strict=True):
        assert call("run", "-q", simulated("threads"), "--json", file, "--", threads).returncode == 0
    told = call("compare", files[1], files[0])
    assert told.returncode == 0, told.stderr
    assert "arguments: 3, before 2\n" in told.stdout
    assert "instructions: " in told.stdout
    assert "│ core " in told.stdout
    assert "none of " in call("compare", files[0], files[0]).stdout


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"statistics": 1}', b"\x28\xb5\x2f\xfd"])
@pytest.mark.parametrize("ending", [".json", ".json.gz", ".json.zst"])
def test_what_is_no_result_is_said_in_one_sentence(content, ending, tmp_path):
    file = tmp_path / f"other{ending}"
    with pytest.raises(UsageError, match="No such file"):
        read_result(file)
    file.write_bytes(content)
    with pytest.raises(
        UsageError,
        match=r"other\.json.*: that is no result of a run( \(it has no statistics\))?; croft run PROGRAM --json",
    ):
        read_result(file)
