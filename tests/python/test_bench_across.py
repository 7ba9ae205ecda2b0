"""What `python -m bench across` makes of what it has measured: its tables, and the model beside them."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench import across_peers, across_table, loggp_model, mpi_launch  # noqa: E402

PARAMETERS = loggp_model.Parameters(latency=200, overhead=300, a_byte=0.25, bookkeeping=100)


def test_the_table_has_medians_and_speedups() -> None:
    found = {
        ("nothing", "a loop"): [1.0, 2.0, 1.0],
        ("nothing", "FastFlow, by TCP"): [4.0, 900.0, 2.0],
        ("1 us", "a loop"): [1000.0],
    }
    assert across_table.comparison(found).splitlines() == [
        "| tasks of | nothing | 1 us | 10 us | 100 us | 1 ms |",
        "| --- | --- | --- | --- | --- | --- |",
        "| a loop | 1 | 1,000 |  |  |  |",
        "| FastFlow, by TCP | 4 (0.2) |  |  |  |  |",
    ]


def test_a_title_says_that_cores_are_shared() -> None:
    assert across_table.title("MPICH", 2, 2) == "MPICH, 2 processes; ns a task (speedup over a loop)"
    assert "MPICH, 4 processes: oversubscribed, they share 2 cores;" in across_table.title("MPICH", 4, 2)


def test_what_was_measured_is_beside_the_model() -> None:
    found = {("1 us", across_table.ACROSS): [600.0], ("1 us", "by hand"): [2000.0]}
    table = across_table.beside_model(found, {("1 us", across_table.ACROSS): 500.0})
    assert table.splitlines()[2:] == ["| croft::mpi::across | 1 us | 500 | 600 | +20 % |"]


def test_what_the_messages_of_a_task_take_is_not_its_bookkeeping() -> None:
    found = {"link L": 200, "link o_send": 100, "link o_receive": 200, "link G": 0.25, "link switch": 1, "task": 200}
    measured = loggp_model.Parameters.measured(found)
    assert measured.bookkeeping == pytest.approx(200 - 300 / 25 - 40 * 0.25)  # 25 of 200 ns come in 5 us
    assert measured.busy(25) == pytest.approx(200)


@pytest.mark.parametrize("root_works", [True, False])
def test_large_tasks_take_all_cores(root_works: bool) -> None:
    for processes, cores in [(1, 4), (2, 2), (2, 8), (4, 4)]:
        working = cores if root_works or processes == 1 else cores - cores // processes
        took = loggp_model.nanoseconds(PARAMETERS, 1e9, processes, cores, root_works)
        assert took == pytest.approx(1e9 / working, rel=1e-3)
    assert loggp_model.nanoseconds(PARAMETERS, 1e9, 16, 2, root_works) == pytest.approx(5e8, rel=1e-3)


@pytest.mark.parametrize("cores", [1000, 2])
def test_one_root_gives_no_more_than_it_can(cores: int) -> None:
    least = PARAMETERS.busy(loggp_model.MOST_A_FRAME)
    for root_works in (True, False):
        assert loggp_model.nanoseconds(PARAMETERS, 0, 1000, cores, root_works) >= least


def test_more_processes_than_cores_bring_nothing() -> None:
    own = loggp_model.nanoseconds(PARAMETERS, 1e4, 2, 2)
    assert loggp_model.nanoseconds(PARAMETERS, 1e4, 4, 2) >= own


def test_each_group_has_a_port_of_its_own() -> None:
    groups = across_peers.groups(4, "TCP", 64)
    assert groups["protocol"] == "TCP"
    assert [each["name"] for each in groups["groups"]] == ["G0", "G1", "G2", "G3"]
    assert len({each["endpoint"] for each in groups["groups"]}) == 4


def test_what_fastflow_says_itself_is_passed_over() -> None:
    said = "[G0] Setting\na task takes 1234.5 ns, and the sum is 7\n[G4] Setting termination counter to: 1\n"
    assert across_peers.nanoseconds_said(said) == 1234.5
    with pytest.raises(mpi_launch.FailedError, match="has not said"):
        across_peers.nanoseconds_said("[G4] Setting termination counter to: 1")


def test_why_a_program_failed_is_found_among_what_launchers_say() -> None:
    assert mpi_launch.reason("-----\nRuntimeError: no such library\n-----\nmpiexec has noticed\n---") == (
        "RuntimeError: no such library"
    )
    assert mpi_launch.reason("first\nlast\n----\n") == "last"
    assert mpi_launch.reason("") == ""
