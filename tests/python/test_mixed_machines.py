"""Machines that are put together from parts of others, each in its machine file alone."""

import pytest

import croft

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


@pytest.mark.parametrize("runtime", STEALING)
def test_thieves_interrupt_their_victims_on_the_tilepro64(runtime, machine, simulated):
    chip = machine(INTERRUPTS)
    for options in ({"check": "coherence"}, {"perturb": 1}, {"perturb": 2}):
        result = croft.run(simulated("tasks"), chip, arguments=[runtime], cores=16, **options)
        assert (result.text, result.errors, result.coherence_count) == ("ok\n", b"", 0)
        assert result.total("uli", "handled") > 0


@pytest.mark.parametrize("l1", L1S)
@pytest.mark.parametrize("channel", CHANNELS)
def test_messages_of_programs_arrive_on_big_tiny(channel, l1, machine, simulated):
    chip = machine(MESSAGES.format(l1=l1))
    tiled = croft.run(simulated("channels"), arguments=[channel, "2"], cores=6)
    for options in ({"check": "coherence"}, {"perturb": 1}):
        result = croft.run(simulated("channels"), chip, arguments=[channel, "2"], cores=6, **options)
        assert (result.text, result.coherence_count) == (tiled.text, 0)
        assert result.total("user_port", "messages") > 0


def test_the_standard_librarys_threads_run_on_both(machine, simulated):
    tiled = croft.run(simulated("threads"), cores=8, arguments=["8"])
    for text in (INTERRUPTS, MESSAGES.format(l1="gwb")):
        assert croft.run(simulated("threads"), machine(text), cores=8, arguments=["8"]).text == tiled.text


def test_an_interrupt_between_cores_needs_its_cycles(machine):
    with pytest.raises(croft.errors.MachineError, match="`interrupt` is missing, which `uli` needs"):
        machine(INTERRUPTS.replace("interrupt = 5\n", ""))
