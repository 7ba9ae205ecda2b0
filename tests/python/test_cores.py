"""Which cores a program gets, and by which numbers it knows them: `croft run --cores`."""

import json

import pytest

import croft
from commands import call
from croft.base.errors import UsageError
from croft.runs.cores import on_machine
from croft.runs.spec import RunSpec

MACHINE = "tilepro64"


def active(result):
    return {each.index for each in result.statistics if (each.part, each.name) == ("core", "active") and each.value}


def test_a_program_sees_its_own_numbers_and_the_machine_the_lists(simulated):
    program = simulated("core_numbers")
    first = croft.run(program, MACHINE, cores=4, arguments=["4"], lines=1 << 30)
    listed = croft.run(program, MACHINE, cores="40,9-10,3", arguments=["4"], lines=1 << 30)
    order = (40, 9, 10, 3)
    inherited = (4, 1, 1, 1)  # threads may be where the first one may, which is on core 0 by then
    seen = [f"core {n}: getcpu {n}, register {n}, of {inherited[n]} cores, now of this one: 1" for n in range(4)]
    seen.insert(3, "it is sent 5, and reads 1")
    assert (first.text.splitlines(), listed.text) == (seen, first.text)
    assert (first.cores, first.core_order) == (4, ())
    assert (listed.cores, listed.core_order) == (4, order)
    assert active(first) == set(range(4))
    assert active(listed) == set(order)
    for result, (sender, home, receiver, _) in ((first, range(4)), (listed, order)):
        page = next(each for each in result.lines.objects if each.identity.name == "(anonymous namespace)::page")
        assert page.home == f"core {home}"
        words = {(each.name, each.index): each.value for each in result.statistics if each.part == "user_port"}
        assert (words["messages", sender], words["words_received", receiver]) == (1, 1)


def test_a_list_of_the_first_cores_is_their_number(simulated):
    program = simulated("threads")
    said = [croft.run(program, MACHINE, cores=cores, arguments=["3"]) for cores in (4, "4", "0-3", [0, 1, 2, 3])]
    assert all(each == said[0] for each in said[1:])


@pytest.mark.parametrize("runtime", ["direct_stealing", "interrupt_stealing"])
def test_interrupts_reach_the_core_that_the_program_means(runtime):
    arguments = ["--size", "6", "--grain", "2", "--runtime", runtime]
    order = (63, 5, 0, 17, 30)
    result = croft.run("cilk5/queens", "big-tiny-64-gwb", cores=order, arguments=arguments)
    assert result.exit_code == 0
    assert active(result) == set(order)
    handled = {each.index for each in result.statistics if (each.part, each.name) == ("uli", "handled") and each.value}
    assert handled <= set(order)
    assert handled


def test_a_checkpoint_keeps_the_order(simulated, tmp_path):
    run = {"cores": [9, 2, 30, 1], "arguments": ["3"]}
    whole = croft.run(simulated("threads"), MACHINE, **run)
    file = tmp_path / "half.checkpoint"
    half = croft.run(simulated("threads"), MACHINE, max_cycles=whole.cycles // 2, checkpoint=file, **run)
    assert half.checkpoint
    assert croft.restore(file) == whole


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("0-3,2", "--cores 0-3,2: it should be a list that names core 2 once"),
        ("7-3", "--cores 7-3: it should be a number of cores, or a list of cores, 0-3,8 for instance"),
        ("1,,2", "--cores 1,,2: it should be a number of cores, or a list of cores, 0-3,8 for instance"),
        ("", "--cores : it should be a number of cores, or a list of cores, 0-3,8 for instance"),
        ("0", "tilepro64 has 1 to 64 cores to run on, not 0"),
        ("65", "tilepro64 has 1 to 64 cores to run on, not 65"),
        ("3,64", "tilepro64 has the cores 0 to 63 to run on, not 64"),
    ],
)
def test_what_is_no_list_of_the_machines_cores_is_said_in_a_sentence(said, why, simulated):
    done = call("run", simulated("threads"), "--cores", said)
    assert (done.returncode, done.stdout) == (2, "")
    assert " ".join(done.stderr.split()) == f"croft: {why}"


@pytest.mark.parametrize("given", [2.5, True, [], [1, 2.0], [-1], {}])
def test_what_is_no_number_of_cores_is_refused(given):
    with pytest.raises(UsageError, match="it should be a whole number, or a list of cores"):
        RunSpec.of({"cores": given})


def test_a_list_may_go_backwards_and_name_one_core():
    chip = croft.machine(MACHINE)
    assert on_machine("5-5", chip) == (1, (5,))
    assert on_machine([2, 1, 0], chip) == (3, (2, 1, 0))
    assert on_machine("0-63", chip) == on_machine(None, chip) == (64, ())


def test_a_result_says_its_list(simulated):
    result = croft.run(simulated("threads"), MACHINE, cores="8-11", arguments=["3"])
    content = json.loads(result.to_json())
    assert (content["cores"], content["core_order"]) == (4, [8, 9, 10, 11])
