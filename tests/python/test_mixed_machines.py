"""Machines that are put together from parts of others, each in its machine file alone."""

import pytest

import croft
from croft.machines.file import machine_from, machine_values
from mixed_machines import runs_alike

INTERRUPTS = """\
based_on = "tilepro64"
name = "tilepro64-interrupts"
interrupt = 5
[uli]
inject = 1
eject = 1
"""
MESSAGES = """\
based_on = "big-tiny-64-{l1}"
name = "big-tiny-64-{l1}-messages"
[user_network]
inject = 2
eject = 3
words = 128
buffer = 16
interrupt = 10
"""
OUT_OF_ORDER = """\
based_on = "tilepro64"
name = "tilepro64-out-of-order"
dtlb = false
itlb = false
[core]
issue_width = 1
[l1d]
line = 64
[out_of_order]
width = 4
fetch_width = 4
issue_width = 4
reorder_buffer = 128
entry_reuse = 1
issue_queue = 0
load_store_queue = 16
load_queue = 16
store_queue = 16
load_reuse = 1
store_delay = 0
l1_accesses = 0
registers = 128
register_reuse = 1
mispredict = 10
redirect = 2
squash = 0
same_line = "joins"
local_histories = 2048
local_history_bits = 11
global_counters = 8192
branch_targets = 4096
return_addresses = 16
indirect_sets = 0
indirect_ways = 2
indirect_path = 3
units = { alu = 4, branch = 2, memory = 2, multiply = 1, floating = 2, float_multiply = 2 }
"""
PRIVATE_L2 = """\
based_on = "big-tiny-64-{l1}"
name = "big-tiny-64-{l1}-private-l2"
[tiny.l2]
size = 16384
line = 64
ways = 4
hit = 6
store = 2
"""
L1S = ("mesi", "dnv", "gwt", "gwb")
STEALING = ("default", "paper_direct")  # by interrupts
CHANNELS = ("udn", "ra-udn")  # over the user network


@pytest.fixture
def machine(tmp_path):
    def made(text):
        path = tmp_path / "mixed.toml"
        path.write_text(text)
        return croft.machine(path)

    return made


@pytest.mark.slow_cases(r"paper_", "other run-times on those tiles")
@pytest.mark.parametrize("runtime", STEALING)
def test_thieves_interrupt_their_victims_on_the_tilepro64(runtime, machine, simulated):
    chip = machine(INTERRUPTS)
    for options in ({"check": "coherence"}, {"perturb": 1}, {"perturb": 2}):
        result = croft.run(simulated("tasks"), chip, arguments=[runtime], cores=16, **options)
        assert (result.text, result.errors, result.coherence_count) == ("ok\n", b"", 0)
        assert result.total("uli", "handled") > 0


@pytest.mark.slow("channels on big.TINY, which mostly compiles")
@pytest.mark.parametrize("l1", L1S)
@pytest.mark.parametrize("channel", CHANNELS)
def test_messages_of_programs_arrive_on_big_tiny(channel, l1, machine, simulated):
    chip = machine(MESSAGES.format(l1=l1))
    tiled = croft.run(simulated("channels"), arguments=[channel, "2"], cores=6)
    for options in ({"check": "coherence"}, {"perturb": 1}):
        result = croft.run(simulated("channels"), chip, arguments=[channel, "2"], cores=6, **options)
        assert (result.text, result.coherence_count) == (tiled.text, 0)
        assert result.total("user_port", "messages") > 0


@pytest.mark.slow("large programs on machines of three kinds; the others stand for them")
@pytest.mark.parametrize(
    ("program", "arguments", "cores"),
    [
        ("mutex", ["7"], 8),
        ("coherence_stress", ["16", "20", "2"], 16),
        ("tasks", ["default"], 16),
        ("task_data", ["hashed"], 8),
        ("channels", ["udn", "3"], 6),
        ("channels", ["ra-hf-drop", "1"], 6),
        ("channels", ["forwarded-split", "16"], 6),
    ],
)
def test_out_of_order_cores_keep_coherent_by_the_directories_of_tiles(program, arguments, cores, machine, simulated):
    chip = machine(OUT_OF_ORDER)
    runs = runs_alike(simulated(program), chip, arguments, cores)
    tiled = croft.run(simulated(program), arguments=arguments, cores=cores)
    assert runs[0].cycles < tiled.cycles
    assert {run.text for run in runs} == {tiled.text}


@pytest.mark.slow_cases(r"-(gwt|dnv|mesi)$|arguments[34]-", "private L2s of the other protocols, or long")
@pytest.mark.parametrize("l1", ["gwb", "gwt", "dnv", "mesi"])
@pytest.mark.parametrize(
    ("program", "arguments", "cores"),
    [
        ("mutex", ["7"], 8),
        ("coherence_stress", ["16", "20", "2"], 16),
        ("tasks", ["default"], 8),
        ("tasks", ["paper_direct"], 8),
        ("task_data", ["hashed"], 8),
    ],
)
def test_private_l2s_stand_between_l1s_and_the_banks(program, arguments, cores, l1, machine, simulated):
    chip = machine(PRIVATE_L2.format(l1=l1))
    runs = runs_alike(simulated(program), chip, arguments, cores)
    without = [
        croft.run(simulated(program), f"big-tiny-64-{l1}", arguments=arguments, cores=cores, **options)
        for options in ({}, {"perturb": 1})
    ]
    assert {run.text for run in [*runs, *without]} == {runs[0].text}
    assert runs[0].total("l2", "hits") > 0
    if l1 in ("dnv", "mesi"):  # these L1s own lines, and ask for few of them twice
        return
    assert runs[0].total("l2", "hits") > runs[0].total("l2", "misses") / 2 > 0
    # How long idle workers look for work depends on who steals what first, so one schedule alone says little.
    reads = [sum(run.total("bank", "reads") for run in some) for some in ([runs[0], runs[3]], without)]
    assert reads[0] < reads[1]


@pytest.mark.parametrize("text", [INTERRUPTS, *(MESSAGES.format(l1=l1) for l1 in L1S)], ids=("interrupts", *L1S))
def test_episodes_without_races_see_every_last_write(text, machine, simulated):
    chip = machine(text)
    for options in ({"check": "coherence"}, {"perturb": 1}, {"perturb": 2}):
        result = croft.run(simulated("coherence_stress"), chip, arguments=["16", "20", "3"], cores=16, **options)
        assert (result.exit_code, result.errors, result.coherence_count) == (0, b"", 0)


def two_kinds_of_tiles():
    """A TILEPro64 of which eight tiles have cores with windows; each tile's L2 is home to its share of the lines."""
    values = machine_values("tilepro64")
    translation = {key: values.pop(key) for key in ("dtlb", "itlb")}
    kind = {key: values.pop(key) for key in ("protocol", "core", "l1d", "l1i", "l2")}
    tiny = kind | translation | {"count": 56}
    window = {"core": tiny["core"] | {"issue_width": 1}, "l1d": tiny["l1d"] | {"line": 64}}
    big = kind | window | {"count": 8, "out_of_order": machine_values("o3x1")["big"]["out_of_order"]}
    return machine_from(values | {"name": "two-kinds", "big": big, "tiny": tiny})


@pytest.mark.slow("large programs; random episodes stand for them")
@pytest.mark.parametrize("program", ["mutex 7", "coherence_stress 16 20 2", "tasks default", "channels ra-hf-drop 1"])
def test_tiles_may_be_of_two_kinds(program, simulated):
    chip = two_kinds_of_tiles()
    assert [kind.count for kind in chip.kinds] == [8, 56]
    name, *arguments = program.split()
    cores = 6 if name == "channels" else 16
    runs = runs_alike(simulated(name), chip, arguments, cores)
    assert {run.text for run in runs} == {croft.run(simulated(name), arguments=arguments, cores=cores).text}
    assert runs[0].total("window", "branches") > 0


def test_cores_that_share_an_l2_may_be_described_at_the_top(simulated):
    values = machine_values("tiny-64-gwb")
    tiny = values.pop("tiny")
    del tiny["count"]
    described = machine_from(values | tiny)
    assert described.kinds == [described]
    runs = [croft.run(simulated("tasks"), chip, arguments=["default"], cores=16) for chip in (described, "tiny-64-gwb")]
    assert runs[0].cycles == runs[1].cycles
    assert runs[0].frame.equals(runs[1].frame)


def test_the_standard_librarys_threads_run_on_all(machine, simulated):
    tiled = croft.run(simulated("threads"), cores=8, arguments=["8"])
    for text in (INTERRUPTS, MESSAGES.format(l1="gwb"), OUT_OF_ORDER):
        assert croft.run(simulated("threads"), machine(text), cores=8, arguments=["8"]).text == tiled.text


def test_an_interrupt_between_cores_needs_its_cycles(machine):
    with pytest.raises(croft.base.errors.MachineError, match="`interrupt` is missing, which `uli` needs"):
        machine(INTERRUPTS.replace("interrupt = 5\n", ""))


def test_an_out_of_order_core_needs_lines_of_64_bytes(machine):
    with pytest.raises(croft.base.errors.MachineError, match=r"`l1d\.line` must be 64 for an out-of-order core"):
        machine(OUT_OF_ORDER.replace("line = 64\n", "line = 16\n"))
