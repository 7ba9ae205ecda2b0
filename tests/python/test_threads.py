"""Unmodified programs with std::thread and its kin print on the simulated machine what they print on this host."""

import re

import pytest

import croft
from program_sources import line_of

THREADED = ("threads", "mutex", "condition_variable", "atomic", "async")


@pytest.mark.slow("builds for this host what the same file runs simulated")
@pytest.mark.parametrize("cores", [2, 8, 64])
@pytest.mark.parametrize("program", THREADED)
def test_it_prints_what_it_prints_natively(program, cores, simulated, native):
    count = str(cores - 1)
    result = croft.run(simulated(program), "tilepro64", cores=cores, arguments=[count])
    assert (result.ending, result.exit_code, result.message) == ("exited", 0, "")
    assert result.text == native(program, count)
    assert result.errors == b""


def test_misaligned_accesses_just_work(simulated, native):
    assert croft.run(simulated("misaligned")).text == native("misaligned")


def test_time_goes_by_while_a_thread_sleeps(simulated, native):
    result = croft.run(simulated("sleep"), cores=2)
    assert result.ending == "exited"
    assert result.text == native("sleep")
    assert "too short" not in result.text
    times = croft.run(simulated("sleep"), cores=2, arguments=["times"])
    asked_and_took = {"sleep_for": 3000, "sleep_until": 2000, "future, not set": 2000, "semaphore, taken": 2000}
    for name, asked in asked_and_took.items():
        took = int(re.search(rf"^{name}: .*, (\d+)$", times.text, re.MULTILINE)[1])
        assert asked <= took < asked + 1000, name
    # What the program saw by its clocks is no more than what the machine took.
    assert sum(map(int, re.findall(r", (\d+)$", times.text, re.MULTILINE))) * 1e-6 < times.seconds


def test_one_thread_more_than_cores_is_a_clear_error(simulated):
    # All threads of "atomic" meet, so all have to be there at once: the argument and the first.
    for cores in (8, 64):
        result = croft.run(simulated("atomic"), cores=cores, arguments=[str(cores)], max_cycles=1_000_000_000)
        assert (result.ending, result.exit_status) == ("fault", 123)
        assert result.message.startswith(f"more threads run at a time than the program has cores ({cores}):")
        assert result.cycles < 10_000_000
        assert len(result.threads) == cores + 1  # the one that has no core among them
        assert result.threads[0].place.function == "main"
        assert result.threads[0].place.line == line_of("atomic.cpp", "started.arrive_and_wait")


def test_cores_beyond_the_machine_are_refused(simulated):
    with pytest.raises(croft.UsageError, match="tilepro64 has 1 to 64 cores to run on, not 65"):
        croft.run(simulated("threads"), cores=65)
