"""The task library on the simulated TILEPro64: every run-time that needs no interrupts between cores; and its page."""

import pytest

import croft

# paper_flushed flushes although nothing asks for it here.
# "default" is interrupt_stealing, whose thieves ask by memory here.
RUNTIMES = ("default", "paper_shared", "paper_flushed", "shared_deques", "direct_stealing")


def run(simulated, *arguments, **options):
    return croft.run(simulated("tasks"), arguments=list(arguments), max_cycles=300_000_000, **options)


@pytest.mark.slow_cases(r"^(?!default-16)", "the default run-time stands for the others, and some cores for most")
@pytest.mark.parametrize("cores", [2, 16, 58])
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_tasks_make_what_they_should_and_no_load_is_stale(runtime, cores, simulated):
    result = run(simulated, runtime, cores=cores, check="coherence")
    assert (result.ending, result.text, result.errors) == ("exited", "ok\n", b"")
    assert result.exit_status == 0


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_delays_of_messages_do_not_matter(runtime, simulated):
    assert run(simulated, runtime, cores=8, perturb=1).text == "ok\n"


def test_a_run_is_deterministic(simulated):
    assert run(simulated, "paper_shared", cores=16).cycles == run(simulated, "paper_shared", cores=16).cycles


def test_stealing_by_interrupts_is_an_error_where_cores_have_none(simulated):
    result = run(simulated, "paper_direct", cores=2)
    assert result.exit_status != 0
    assert b"no core of this machine can interrupt another" in result.errors


@pytest.mark.parametrize("l1", ["mesi", "dnv", "gwt", "gwb"])
def test_the_default_works_alone(l1, simulated):
    result = run(simulated, "default", machine=f"big-tiny-64-{l1}", cores=1, check="coherence")
    assert (result.ending, result.text, result.coherence_count) == ("exited", "ok\n", 0)


@pytest.mark.parametrize("machine", ["big-tiny-64-mesi", "big-tiny-64-gwb"])
def test_most_who_look_for_work_in_vain_interrupt_nobody(machine, simulated):
    result = run(simulated, "default", machine=machine, cores=16)
    assert 0 < result.total("uli", "handled") < result.total("uli", "nacks")


# By policy of the run-time: figures 3a, 3b and 3c of paper 002 on machines whose L1s need what each of them does.
@pytest.mark.slow("each under every protocol")
@pytest.mark.parametrize(
    ("runtime", "machine"),
    [
        ("paper_shared", "big-tiny-64-mesi"),
        *[("paper_flushed", f"big-tiny-64-{l1}") for l1 in ("mesi", "dnv", "gwt", "gwb")],
        *[("paper_direct", f"big-tiny-64-{l1}") for l1 in ("mesi", "dnv", "gwt", "gwb")],
        *[("default", f"big-tiny-64-{l1}") for l1 in ("mesi", "dnv", "gwt", "gwb")],
    ],
)
@pytest.mark.parametrize("cores", [4, 64])
def test_the_papers_run_times_and_the_default_on_big_tiny(runtime, machine, cores, simulated):
    result = run(simulated, runtime, machine=machine, cores=cores, check="coherence")
    assert (result.ending, result.text, result.errors) == ("exited", "ok\n", b"")
    assert result.coherence_count == 0
