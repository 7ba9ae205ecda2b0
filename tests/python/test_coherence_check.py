"""``--check coherence``: what it reports, what it leaves alone, and that it changes nothing."""

import json

import pytest

import croft
from croft.base.errors import UsageError
from croft.results.tables import coherence_summary


def checked(program, *arguments, **options):
    return croft.run(program, arguments=list(arguments), check="coherence", **options)


def test_a_correct_program_on_incoherent_pages_is_clean(simulated):
    result = checked(simulated("incoherent"), "flush")
    assert (result.text, result.coherence_count, result.exit_status) == ("0 then 42\n", 0, 0)


@pytest.mark.parametrize("what", ["keep", "unwritten"])
def test_a_stale_load_is_reported_with_both_places(what, simulated):
    result = checked(simulated("incoherent"), what)
    assert result.text == "0 then 0\n"
    assert result.exit_status == 124
    (found,) = result.coherence
    assert (found.kind, found.got, found.latest, found.writer) == ("stale load", 0, 42, 0)
    assert "incoherent.cpp:" in found.place
    assert "main" in found.writer_place
    assert str(found).startswith("stale load: core 1 at cycle ")


def test_a_stale_load_that_the_program_has_announced_is_none(simulated):
    result = checked(simulated("incoherent"), "racing")
    assert (result.text, result.coherence_count, result.exit_status) == ("0 then 0\n", 0, 0)


@pytest.mark.parametrize(("what", "reports"), [("exchange", 0), ("add", 0), ("use", 1), ("later", 1)])
def test_a_load_that_an_atomic_operation_repeats_is_a_guess(what, reports, simulated):
    result = checked(simulated("guess"), what, machine="tiny-64-gwb", cores=2)
    assert (result.text, result.exit_status) == ("42\n" if what == "use" else "43\n", 124 if reports else 0)
    assert [(found.kind, found.got, found.latest) for found in result.coherence] == [("stale load", 0, 42)] * reports


def test_a_lost_write_is_reported(simulated):
    result = checked(simulated("incoherent"), "lose")
    assert [(found.kind, found.core, found.latest) for found in result.coherence] == [("lost write", 0, 42)]


@pytest.mark.parametrize(
    ("name", "arguments"), [("mutex", ["15"]), ("coherence_stress", ["8", "10", "1"]), ("condition_variable", ["7"])]
)
def test_programs_on_coherent_pages_are_clean_and_take_the_same_cycles(name, arguments, simulated):
    plain = croft.run(simulated(name), arguments=arguments, cores=16)
    result = checked(simulated(name), *arguments, cores=16)
    assert result.coherence_count == 0
    assert (result.text, result.cycles) == (plain.text, plain.cycles)
    assert result.frame.equals(plain.frame)


def test_delays_change_cycles_and_not_what_a_correct_program_prints(simulated):
    plain = croft.run(simulated("mutex"), arguments=["7"], cores=8)
    late = [checked(simulated("mutex"), "7", cores=8, perturb=seed) for seed in (1, 1, 2)]
    assert {run.text for run in late} == {plain.text}
    assert late[0] == late[1]
    assert len({plain.cycles, late[0].cycles, late[2].cycles}) == 3
    assert [run.coherence_count for run in late] == [0, 0, 0]


SPIN = """
#include <atomic>
#include <thread>
std::atomic<int> flag;
int main() {
    std::thread other([] {
        for (int i = 0; i < 30000; ++i)
            if (flag.load(std::memory_order_relaxed)) break;  // looks
    });
    for (int i = 0; i < 60000; ++i) asm volatile("");
    flag.store(1);
    other.join();
}
"""


@pytest.mark.parametrize(("machine", "lasts"), [("tiny-64-gwb", True), ("tiny-64-mesi", False)])
def test_a_spin_that_never_sees_the_write_is_told(machine, lasts, tmp_path):
    source = tmp_path / "spin.cpp"
    source.write_text(SPIN)
    result = croft.run(source, machine, check="coherence")
    assert (result.exit_status, result.coherence_count) == (0, 0)
    summary = coherence_summary(result)
    assert (result.racing_count > 1000) == lasts
    if lasts:
        load = result.longest_racing
        assert (load.got, load.latest) == (0, 1)
        assert load.place.endswith("spin.cpp:8)")
        assert load.time - load.writer_time > 10_000
        assert "needs an atomic operation, or an acquire" in summary[-1]
    assert json.loads(result.to_json())["coherence"]["racing"] == result.racing_count


def test_there_is_no_other_check(simulated):
    with pytest.raises(UsageError, match="check is 'spelling': it should be 'coherence' or 'races'"):
        croft.run(simulated("mutex"), check="spelling")
