"""The task library on the simulated TILEPro64: every run-time that needs no interrupts between cores."""

import pytest

import croft

# What each needs of the machine: paper_flushed flushes although nothing here asks for it.
RUNTIMES = ("default", "paper_shared", "paper_flushed", "shared_deques", "direct_stealing")


def run(simulated, *arguments, **options):
    return croft.run(simulated("tasks"), arguments=list(arguments), max_cycles=300_000_000, **options)


@pytest.mark.parametrize("cores", [1, 8, 58])
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_tasks_make_what_they_should_and_no_load_is_stale(runtime, cores, simulated):
    result = run(simulated, runtime, cores=cores, check="coherence")
    assert (result.ending, result.text, result.errors) == ("exited", "ok\n", b"")
    assert result.exit_status == 0


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_delays_of_messages_do_not_matter(runtime, seed, simulated):
    assert run(simulated, runtime, cores=8, perturb=seed).text == "ok\n"


def test_a_run_is_deterministic(simulated):
    assert run(simulated, "paper_shared", cores=16).cycles == run(simulated, "paper_shared", cores=16).cycles


def test_stealing_by_interrupts_is_an_error_where_cores_have_none(simulated):
    result = run(simulated, "paper_direct", cores=2)
    assert result.exit_status != 0
    assert b"no core of this machine can interrupt another" in result.errors
