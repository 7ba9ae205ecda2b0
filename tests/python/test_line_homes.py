"""Lines that are given another home than the program and the machine say: `croft run --homes`."""

import pytest

import croft
from commands import call
from croft.base.errors import UsageError
from croft.runs.homes import Home, read_homes, to_toml
from program_sources import PROGRAMS

PROGRAM = PROGRAMS / "shared_lines.cpp"
PONG = "(anonymous namespace)::pong"  # the second thread writes it, on core 2, and the first one reads it, on core 1


def run(*homes, **options):
    return croft.run(PROGRAM, "tilepro64", lines=1 << 30, homes=homes, **options)


def named(result, name, kind="variable"):
    return next(each for each in result.lines.objects if (each.identity.kind, each.identity.name) == (kind, name))


def test_a_variable_is_homed_at_its_reader():
    before, after = run(), run(Home(1, variable=PONG))
    assert before.output == after.output
    assert (named(before, PONG).home, named(after, PONG).home) == ("hashed", "core 1")
    assert named(after, PONG).waits["stall_home"] < named(before, PONG).waits["stall_home"] / 10
    assert after.cycles < before.cycles


def test_homes_hold_whatever_the_program_asks_for():
    """A line of a channel that the program homes at its receiver."""
    arguments = ["--count", "20", "--channel", "ra-home"]
    plain = croft.run("pingpong", "tilepro64", arguments=arguments, lines=1 << 30)
    line = next(line for line in plain.lines.lines if not line.is_spread)
    assert line.home != 9
    homes = [Home(9, address=line.address, bytes=1)]
    moved = croft.run("pingpong", "tilepro64", arguments=arguments, lines=1 << 30, homes=homes)
    assert next(each for each in moved.lines.lines if each.address == line.address).home == 9
    assert moved.exit_code == 0
    assert moved.cycles != plain.cycles


def test_what_is_allocated_is_found_by_a_run():
    before = run()
    table = next(each for each in before.lines.objects if each.identity.kind == "allocation" and each.bytes == 4096)
    after = run(Home(2, allocated=table.identity.name))
    assert named(after, table.identity.name, "allocation").home == "core 2"


def test_a_range_is_of_whole_lines():
    before = run()
    start = named(before, PONG).address
    assert run(Home(1, address=start + 60, bytes=1)).cycles == run(Home(1, variable=PONG)).cycles


def test_coherence_holds_on_moved_lines():
    checked = croft.run(PROGRAM, "tilepro64", check="coherence", homes=[Home(1, variable=PONG)])
    assert checked.coherence_count == 0


def test_a_file_is_what_was_written(tmp_path):
    homes = [Home(1, variable='a "b\\c'), Home(2, allocated="f() (x.cpp:3)"), Home(3, address=0x40, bytes=64)]
    file = tmp_path / "homes.toml"
    file.write_text(to_toml(homes))
    assert read_homes(file) == homes


@pytest.mark.slow("starts Python a dozen times")
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has tables"),
        ("[home]\ncore = 1", "has tables"),
        ("[[home]]\ncore = 1", "home 1: it needs a core"),
        ('[[home]]\nvariable = "x"', "home 1: it needs a core"),
        ('[[home]]\ncore = -1\nvariable = "x"', "core should be a number"),
        ('[[home]]\ncore = 1\nvariable = "x"\naddress = 1\nbytes = 1', "one of address"),
        ("[[home]]\ncore = 1\naddress = 1", "one of address"),
        ("[[home]]\ncore = 1\naddress = 1\nbytes = 1\ncolour = 1", "it may have core"),
        ('[[home]]\ncore = 64\nvariable = "table"', "tilepro64 has 64"),
        ('[[home]]\ncore = 1\nvariable = "nothing"', "there is no nothing"),
        ('[[home]]\ncore = 1\nallocated = "nowhere"', "there is no what is allocated in nowhere"),
        ("[[home]]\ncore = 1\naddress = 4096\nbytes = 9\n[[home]]\ncore = 2\naddress = 4100\nbytes = 4", "two homes"),
        ("[[home]", "homes.toml"),
    ],
)
def test_what_cannot_be_is_one_sentence(text, sentence, tmp_path):
    file = tmp_path / "homes.toml"
    file.write_text(text)
    refused = call("run", PROGRAM, "-m", "tilepro64", "--homes", file)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert sentence in refused.stderr


def test_a_shared_l2_has_no_homes_to_choose():
    with pytest.raises(UsageError, match="shared L2"):
        croft.run(PROGRAM, "o3x4", homes=[Home(1, variable=PONG)])
