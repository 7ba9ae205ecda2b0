"""Machines with other values: from the command line, from Python, and in files based on others; and where values are
from."""

import copy
import pickle
from pathlib import Path

import pytest

import croft
from commands import call
from croft.base.errors import MachineError, UsageError
from croft.cli.options import chosen_machine
from croft.machines.file import flat_description, machine_values
from croft.machines.keys import BY_CALLER, flattened, settings, source_of

ROOT = Path(__file__).resolve().parents[2]


def test_keys_of_a_machine_in_python():
    chip = croft.machine("tilepro64", network={"hop": 3}, clock_mhz=1000)
    assert (chip.network.hop, chip.network.rows, chip.clock_mhz) == (3, 8, 1000)
    assert chip == croft.machine("tilepro64", **{"network.hop": 3, "clock_mhz": 1000})
    assert chip == croft.machine(croft.machine("tilepro64"), network={"hop": 3}, clock_mhz=1000)
    assert croft.machine("tilepro64", name="mine").name == "mine"
    assert croft.machine("io1", **{"tiny.core.cost": 2}).tiny.core.cost.float_sqrt == 2
    assert croft.machine("big-tiny-64-mesi", tiny=False, cores=4).tiny is None
    mixed = croft.machine("tilepro64", l1d=croft.machine("tilepro64").l1d)  # a part of another machine
    assert mixed == croft.machine("tilepro64")
    for copied in (pickle.loads(pickle.dumps(chip)), copy.deepcopy(chip)):
        assert (copied, copied.sources) == (chip, chip.sources)


def test_a_run_takes_the_machine_with_its_keys(simulated, tmp_path):
    program = simulated("threads")
    chip = croft.machine("tilepro64", network={"hop": 3})
    cycles = croft.run(program, chip, arguments=["3"]).cycles
    assert cycles != croft.run(program, "tilepro64", arguments=["3"]).cycles
    answer = call("run", program, "--set", "network.hop=3", "--", 3)
    assert f"{cycles:,} cycles" in answer.stderr
    (tmp_path / "slow.toml").write_text(chip.to_toml(), encoding="utf-8")
    assert croft.run(program, tmp_path / "slow.toml", arguments=["3"]).cycles == cycles


def test_the_mapping_of_dram_follows_from_its_standard_unless_it_is_said(simulated, tmp_path):
    ddr4 = croft.machine("tilepro64", **{"memory.dram.standard": "DDR4-2400"})
    assert ddr4.memory.dram.mapping is None
    cycles = {}
    for mapping in (None, "groups", "rows"):
        chip = ddr4 if mapping is None else croft.machine(ddr4, **{"memory.dram.mapping": mapping})
        (tmp_path / "ddr4.toml").write_text(chip.to_toml(), encoding="utf-8")
        assert croft.machine(tmp_path / "ddr4.toml") == chip
        cycles[mapping] = croft.run(simulated("threads"), chip, arguments=["9"]).cycles
    assert cycles[None] == cycles["groups"] != cycles["rows"]


def test_levels_are_written_one_below_the_other_each_key_with_its_source(tmp_path):
    path = tmp_path / "levels.toml"
    levels = """
[[level]]
name = "l2"       # a document
shared_by = 1
size = 8192
ways = 4
service = 6       # calibrated: a figure
[[level]]
name = "l3"
shared_by = "all" # drawn
size = 65536
ways = 8
service = 10
"""
    path.write_text('based_on = "tiny-64-mesi"\nname = "levels"\nshared = false\n' + levels, encoding="utf-8")
    chip = croft.machine(path)
    assert (chip.sources["level.0.service"], chip.sources["level.1.shared_by"]) == ("calibrated: a figure", "drawn")
    again = tmp_path / "again.toml"
    again.write_text(chip.to_toml(), encoding="utf-8")
    assert again.read_text(encoding="utf-8").count("[[level]]\n") == 2
    assert croft.machine(again) == chip
    for key, _ in flattened({"level": chip.model_dump()["level"]}):
        assert croft.machine(again).sources[key] == chip.sources[key]
    assert 'level.1.shared_by = "all"' in flat_description(chip).splitlines()
    assert "None" not in flat_description(chip) + chip.to_toml()
    one = chip.with_keys({"level": [chip.model_dump()["level"][1]]})
    assert one.sources["level.0.name"] == BY_CALLER and "level.1.name" not in one.sources


WRONG = [
    ({"network.hop": 0}, "`network.hop` = 0: it should be an integer from 1 to 2,000"),
    ({"network": {"hop": "3"}}, "`network.hop` = '3': it should be an integer from 1 to 2,000"),
    ({"network.hopp": 3}, "unknown key `network.hopp`; did you mean `hop`?"),
    ({"memory.dram.mapping": "lines"}, "`memory.dram.mapping` = 'lines': it should be 'rows' or 'groups'"),
    ({"network": 3}, "`network` = 3: it should be a table"),
    ({"cores": 65}, "`cores` (65) are more than the machine has tiles (64)"),
]


@pytest.mark.parametrize(("keys", "sentence"), WRONG, ids=[sentence for _, sentence in WRONG])
def test_a_wrong_key_is_told_in_one_sentence(keys, sentence):
    chip = croft.machine("tilepro64")
    for make in (lambda: croft.machine("tilepro64", **keys), lambda: chip.model_copy(update=keys)):
        with pytest.raises(MachineError) as error:
            make()
        ((key, value),) = flattened(keys)
        value = f'"{value}"' if isinstance(value, str) else value
        assert str(error.value) == f"tilepro64 with {key} = {value}: {sentence}"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["network.hop=0"], "tilepro64 with --set network.hop=0: `network.hop` = 0: it should be an integer from 1"),
        (
            ["cores=3", "network.hop=x"],
            "tilepro64 with --set cores=3 --set network.hop=x: `network.hop` = 'x': it should be an integer from 1",
        ),
        (["network.hop="], "--set network.hop=: '' is no value of TOML (Invalid value)"),
        (["network.hop"], "--set network.hop: it must be KEY=VALUE, network.hop=3 for instance"),
        (["=3"], "--set =3: it must be KEY=VALUE, network.hop=3 for instance"),
        (["cores=3\nname=4"], "--set cores=3\nname=4: it must be one value"),
        (["x=" + "[" * 9999 + "]" * 9999], "--set x=[["),
        (
            ["network.columns=2", "home.fixed_tile=-1"],
            "tilepro64 with --set network.columns=2 --set home.fixed_tile=-1: `home.fixed_tile` = -1: it should be",
        ),
    ],
)
def test_a_wrong_setting_is_one_sentence(given, sentence):
    with pytest.raises(croft.CroftError) as error:
        chosen_machine("tilepro64", given)
    assert str(error.value).startswith(sentence)


def test_the_command_says_it_and_ends_with_status_2():
    answer = call("machines", "tilepro64", "--set", "cores=3", "--set", "network.hop=0")
    said = "`network.hop` = 0: it should be an integer from 1 to 2,000"
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == f"croft: tilepro64 with --set cores=3 --set network.hop=0: {said}\n"


def test_a_setting_is_for_one_machine():
    assert call("machines", "--set", "cores=3").stderr == "croft: --set is for one machine: name it\n"
    with pytest.raises(
        UsageError, match=r"bigtiny_speedup has no single machine whose keys could be set \(big\.TINY\)"
    ):
        croft.experiment("bigtiny_speedup", keys={"cores": 3})
    with pytest.raises(MachineError, match=r"tilepro64 with network\.hop = 0: `network\.hop` = 0: it should be"):
        croft.experiment("pingpong", quick=True, keys={"network.hop": 0})


def test_the_last_setting_of_a_key_counts():
    assert settings(["a.b=1", 'c="x=y"', "a.b=2"]) == {"c": "x=y", "a.b": 2}
    with pytest.raises(UsageError, match="--where x: it must be KEY=VALUE"):
        settings(["x"], option="--where")


@pytest.mark.parametrize("name", croft.machine_names())
def test_a_machine_written_as_a_file_is_the_same_when_read(name, tmp_path):
    chip = croft.machine(name, **{"network.hop": 7})
    file = tmp_path / "written.toml"
    file.write_text(chip.to_toml(), encoding="utf-8")
    again = croft.machine(file)
    assert again == chip
    assert "based_on" not in machine_values(file)
    for key, _ in flattened(chip.model_dump()):
        assert source_of(key, again.sources) == source_of(key, chip.sources) is not None
    assert again.sources["network.hop"] == "set by the caller"
    assert again.to_toml() == chip.to_toml()


def test_levels_are_written_and_read_with_the_sources_of_their_keys(tmp_path):
    file, again = tmp_path / "first.toml", tmp_path / "again.toml"
    ring = (ROOT / "tests" / "machines" / "ring.toml").read_text(encoding="utf-8")
    file.write_text(ring.replace("service = 10", "service = 10  # measured"), encoding="utf-8")
    chip = croft.machine(file)
    assert chip.sources["level.1.service"] == "measured"
    assert source_of("level.1.size", chip.sources) == "said in first.toml"
    again.write_text(chip.to_toml(), encoding="utf-8")
    assert "[[level]]\n" in again.read_text(encoding="utf-8")
    assert croft.machine(again) == chip
    assert croft.machine(again).sources["level.1.service"] == "measured"
    assert "service = 10                                # measured\n" in call("machines", again, "--toml").stdout
    shown = call("machines", again).stdout
    assert "level.1.service" in shown
    assert "measured" in shown
    other = chip.with_keys({"level": [{**level.model_dump(), "service": 3} for level in chip.level]})
    assert source_of("level.1.service", other.sources) == "set by the caller"


def test_the_command_writes_that_file(tmp_path):
    answer = call("machines", "io1", "--set", "tiny.core.cost.alu=4", "--toml")
    assert answer.stdout == croft.machine("io1", **{"tiny.core.cost.alu": 4}).to_toml()
    assert "alu = 4                                     # set by the caller\n" in answer.stdout
    assert "multiply = 1                                # table II: single-cycle execution\n" in answer.stdout
    assert call("machines", "io1", "--toml", "--flat").returncode == 2


def test_a_file_may_change_one_of_the_costs_that_its_base_says_by_one_number(tmp_path):
    base, file = tmp_path / "base.toml", tmp_path / "mine.toml"
    base.write_text('based_on = "io1"\nname = "base"\n[tiny.core]\ncost = 1 # all alike\n')
    file.write_text('based_on = "base.toml"\n[tiny.core.cost]\nalu = 3\n')
    assert croft.machine(file) == croft.machine(base, **{"tiny.core.cost.alu": 3})
    assert source_of("tiny.core.cost.load", croft.machine(file).sources) == "all alike"


INJECT = "evidence, 11: derived; external link 1, router 1"


def test_a_file_is_the_source_of_what_it_says_over_its_base(tmp_path):
    base, file = tmp_path / "base.toml", tmp_path / "mine.toml"
    base.write_text(
        'based_on = "io1"\nname = "base" # "quoted" # twice\nnetwork.rows = 7 # dotted\n'
        "[ tiny ]\ncore.fence_least=2#short\n[tiny.l1d]\nhit = 2\n"
    )
    file.write_text(
        'based_on = "base.toml"\nname = "mine"\n[network]\nrows = 8\nhop = 3 # fast\n[tiny.core]\ncost = 3\n'
    )
    found = croft.machine(base).sources
    assert (found["name"], found["network.rows"]) == ('"quoted" # twice', "dotted")
    assert (found["tiny.core.fence_least"], found["tiny.l1d.hit"]) == ("short", "said in base.toml")
    found = croft.machine(file).sources
    assert (found["name"], found["network.rows"], found["network.hop"]) == ("said in mine.toml",) * 2 + ("fast",)
    assert (found["tiny.l1d.hit"], found["network.inject"]) == ("said in base.toml", INJECT)
    assert source_of("tiny.core.cost.alu", found) == "said in mine.toml"
    lines = {line.split("│")[1].strip(): line for line in call("machines", file).stdout.splitlines() if "│" in line}
    assert "said in mine.toml" in lines["network.rows"]
    assert "table II" not in lines["network.rows"]
