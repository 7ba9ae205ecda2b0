"""Machine files: the shipped ones, and one sentence for everything that can be wrong with one."""

import copy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import croft
from commands import call
from croft import _simulator
from croft.base.errors import MachineError
from croft.machines.file import machine_from, machine_path, machine_values
from croft.machines.keys import flattened
from croft.machines.reference import reference

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name", croft.machine_names())
def test_every_key_of_a_shipped_machine_has_a_source(name):
    found = croft.machine(name).sources
    assert {key for key, _ in flattened(machine_values(name))} <= set(found)
    assert not [key for key, source in found.items() if source.startswith("said in ")]
    assert len(machine_path(name).read_text(encoding="utf-8").splitlines()) < 150


def test_the_tilepro64_is_the_papers():
    chip = croft.machine("tilepro64")
    assert (chip.clock_mhz, chip.cores, chip.network.columns, chip.network.rows) == (866, 64, 8, 8)
    assert (chip.l1d.size, chip.l2.size, chip.l2.line, chip.memory.stripe) == (8192, 65536, 64, 8192)
    assert (chip.l1d.hit, chip.l2.hit, len(chip.positions["memory.controllers"])) == (2, 8, 4)
    assert chip.core.issue_width == 3


WRONG = [
    ({"l1d.sise": 3}, "unknown key `l1d.sise`; did you mean `size`?"),
    ({"core.cost.fload": 3}, "unknown key `core.cost.fload`; did you mean `load`?"),
    ({"l1d.size": None}, "key `l1d.size` is missing"),
    ({"kernel": None}, "key `kernel` is missing"),
    ({"l1d.size": "8k"}, "`l1d.size` = '8k': it should be an integer from 64 to 4,194,304"),
    ({"l1d.size": 8192.5}, "`l1d.size` = 8192.5: it should be an integer from 64 to 4,194,304"),
    ({"l1d.size": True}, "`l1d.size` = true: it should be an integer from 64 to 4,194,304"),
    ({"l1d.size": 1 << 80}, f"`l1d.size` = {1 << 80}: it should be an integer from 64 to 4,194,304"),
    ({"l1d": 3}, "`l1d` = 3: it should be a table"),
    ({"core.cost": 0}, "`core.cost` = 0: it should be an integer from 1 to 2,000"),
    ({"core.cost.alu": 0}, "`core.cost.alu` = 0: it should be an integer from 1 to 2,000"),
    ({"core.issue_width": 4}, "`core.issue_width` = 4: it should be an integer from 1 to 3"),
    ({"clock_mhz": 0}, "`clock_mhz` = 0: it should be a number above 0 to 100,000"),
    ({"clock_mhz": float("nan")}, "`clock_mhz` = nan: it should be a number above 0 to 100,000"),
    ({"name": "a b"}, "`name` = 'a b': it should be a text of letters, digits, '.', '_' and '-'"),
    (
        {"protocol": "mosi"},
        "`protocol` = 'mosi': it should be 'ddc', 'mesi', 'denovo', 'gpu_wt', 'gpu_wb', 'denovo_line', 'gpu_wb_fetch'",
    ),
    ({"home.policy": "hash"}, "`home.policy` = 'hash': it should be 'hashed', 'round_robin' or 'fixed'"),
    ({"l1d.line": 24}, "`l1d.line` must be a power of two, but is 24"),
    ({"l1d.size": 8200}, "`l1d.size` (8200) must be a multiple of line x ways (16 x 2)"),
    ({"l1d.size": 8000}, "`l1d.size` (8000) makes 250 sets, which is not a power of two"),
    ({"l1d.line": 32}, "`l1d.line` must be 16 or 64, but is 32"),
    ({"l1d.size": 131072}, "`l1d.size` (131072) must not be larger than l2.size (65536)"),
    ({"l2.line": 32}, "`l2.line` must be 64, but is 32: the simulator has no other L2 lines yet"),
    ({"l2.hit": 1}, "`l2.hit` (1) must not be less than l1d.hit (2)"),
    ({"core.outstanding_stores": 2}, "`core.outstanding_stores` must be at least 3, but is 2: a store makes up to"),
    ({"l2.replacement": "fifo"}, "`l2.replacement` = 'fifo': it should be 'lru', 'plru', 'random' or 'rrip'"),
    (
        {"l2.replacement": "plru", "l2.ways": 6, "l2.size": 98304},
        "`l2.replacement` (plru) needs ways that are a power of two, not 6",
    ),
    ({"l2": None}, "`l2` is missing, which 'ddc' needs"),
    ({"home": None}, "`home` is missing, which protocol 'ddc' needs"),
    ({"uli": {"inject": 1, "eject": 1}}, "`interrupt` is missing, which `uli` needs"),
    ({"l1i": None}, "`itlb` needs l1i: without, every instruction is there at once"),
    ({"memory.latency": 20}, "`memory.latency` (20) is less than the 22 cycles that DDR2-800 takes to read"),
    ({"network.columns": 64, "network.rows": 64}, "`network.columns` x rows (64 x 64) make more than 1024 tiles"),
    ({"memory.stripe": 3000}, "`memory.stripe` must be a multiple of 64, but is 3000"),
    ({"host_link.slot": 5000}, "`host_link.slot` must be a multiple of 4096, but is 5000"),
    ({"cores": 65}, "`cores` (65) are more than the machine has tiles (64)"),
    ({"cores": 0}, "`cores` = 0: it should be an integer from 1 to 1,024"),
    ({"home.policy": "fixed", "home.fixed_tile": 64}, "`home.fixed_tile` (64) is outside the 8 x 8 mesh"),
    (
        {"memory.controllers": [{"column": 8, "row": 0}]},
        "`memory.controllers[0]` (column 8, row 0) is outside the 8 x 8 mesh",
    ),
    ({"memory.controllers": []}, "`memory.controllers` = []: it should be a list of 1 to 64 tables"),
    (
        {"memory.controllers": [{"colum": 2, "row": 0, "column": 1}]},
        "unknown key `memory.controllers[0].colum`; did you mean `column`?",
    ),
]


@pytest.mark.parametrize(("changes", "sentence"), WRONG, ids=[sentence for _, sentence in WRONG])
def test_a_wrong_machine_is_told_in_one_sentence(changes, sentence):
    values = copy.deepcopy(croft.machine("tilepro64").model_dump())
    for key, value in changes.items():
        *parents, last = key.split(".")
        table = values
        for parent in parents:
            table = table[parent]
        if value is None:
            del table[last]
        else:
            table[last] = value
    with pytest.raises(MachineError) as error:
        machine_from(values, "mine.toml")
    assert str(error.value).startswith(f"machine file mine.toml: {sentence}")
    assert "\n" not in str(error.value)


def test_every_mistake_has_its_own_sentence():
    values = croft.machine("tilepro64").model_dump()
    values["l1d"]["sise"] = values["l1d"].pop("size")
    with pytest.raises(MachineError) as error:
        machine_from(values, "mine.toml")
    assert str(error.value).splitlines() == [
        "machine file mine.toml: key `l1d.size` is missing",
        "machine file mine.toml: unknown key `l1d.sise`; did you mean `size`?",
    ]


def test_names_and_paths(tmp_path):
    with pytest.raises(MachineError, match=r"no machine is called 'tilepro'; did you mean 'tilepro64'\?"):
        croft.machine("tilepro")
    with pytest.raises(MachineError, match=r"machine file .*nowhere\.toml: no such file"):
        croft.machine(tmp_path / "nowhere.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    with pytest.raises(MachineError, match=r"machine file .*broken\.toml: Invalid value"):
        croft.machine(broken)
    copied = tmp_path / "copied.toml"
    copied.write_bytes(machine_path("tilepro64").read_bytes())
    assert croft.machine(copied) == croft.machine("tilepro64")


def powers_of_two(least, most):
    return st.integers(least.bit_length() - 1, most.bit_length() - 1).map(lambda exponent: 1 << exponent)


@st.composite
def machines(draw):
    """Machines that the lab accepts, of every size."""
    values = croft.machine("tilepro64").model_dump()
    columns, rows = draw(st.integers(1, 32)), draw(st.integers(1, 32))
    values["network"].update(
        columns=columns,
        rows=rows,
        hop=draw(st.integers(1, 5)),
        inject=draw(st.integers(0, 9)),
        eject=draw(st.integers(0, 9)),
        flit=draw(st.sampled_from([1, 4, 8, 16, 64, 100])),
        header_flits=draw(st.integers(1, 4)),
    )
    values["cores"] = draw(st.integers(1, columns * rows))
    l1_line, l1_ways, l1_sets = draw(st.sampled_from([16, 64])), draw(st.integers(1, 8)), draw(powers_of_two(8, 64))
    values["l1d"].update(line=l1_line, ways=l1_ways, size=l1_line * l1_ways * l1_sets)
    l2_ways = draw(st.integers(l1_ways, 16))
    values["l2"].update(ways=l2_ways, size=64 * l2_ways * draw(powers_of_two(l1_sets, 1024)))
    values["memory"].update(
        stripe=draw(powers_of_two(64, 1 << 20)),
        controllers=[{"column": draw(st.integers(0, columns - 1)), "row": draw(st.integers(0, rows - 1))}],
    )
    values["home"].update(policy=draw(st.sampled_from(["hashed", "fixed"])), fixed_tile=draw(st.integers(0, 1023)))
    if values["home"]["policy"] == "fixed":
        values["home"]["fixed_tile"] %= columns * rows
    values["core"]["issue_width"] = draw(st.integers(1, 3))
    values["core"]["outstanding_stores"] = draw(st.integers(3, 64))
    values["core"]["cost"] = {key: draw(st.integers(1, 2000)) for key in values["core"]["cost"]}
    return machine_from(values)


@settings(max_examples=50, deadline=None)
@given(machines())
def test_the_simulator_builds_what_the_lab_accepts(machine):
    # A program that is none is refused only after the machine was built.
    with pytest.raises(_simulator.BadProgram):
        _simulator.simulate(b"no program", machine.model_dump(), {}, None, None)


def test_which_line_leaves_changes_cycles_and_lru_is_the_default(simulated):
    program = simulated("threads")
    small = croft.machine("tilepro64", **{"l2.size": 8192, "l1d.size": 2048})

    def cycles(machine):
        return croft.run(program, machine, arguments=["9"]).cycles

    by_policy = {each: cycles(croft.machine(small, **{"l2.replacement": each})) for each in ("lru", "random", "rrip")}
    assert by_policy["lru"] == cycles(small)
    assert len(set(by_policy.values())) == 3
    assert by_policy["random"] == cycles(croft.machine(small, **{"l2.replacement": "random"}))


def test_the_reference_page_is_up_to_date():
    assert (DOCS / "machine-file.md").read_text(encoding="utf-8") == reference()


def test_files_may_not_lie_too_deep_in_each_other(tmp_path):
    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 100_000 + "]" * 100_000)
    with pytest.raises(MachineError, match=r"deep\.toml: its tables lie too deep in each other"):
        croft.machine(deep)
    shown = call("machines", deep)
    assert (shown.returncode, "its tables lie too deep" in shown.stderr) == (2, True)
    for number in range(40):
        base = f"{number + 1}.toml" if number < 39 else "tilepro64"
        (tmp_path / f"{number}.toml").write_text(f'based_on = "{base}"\n')
    with pytest.raises(MachineError, match=r"0\.toml: more than 30 files are based on each other"):
        croft.machine(tmp_path / "0.toml")
    assert croft.machine(tmp_path / "20.toml") == croft.machine("tilepro64")
