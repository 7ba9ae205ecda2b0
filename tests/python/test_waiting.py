"""Programs whose threads wait for files do on every machine what they do natively, and calls that only ask are told."""

import json
import subprocess

import pytest

import croft
from commands import CROFT

MACHINES = ("tilepro64", "tiny-64-gwb", "o3x4")


@pytest.fixture
def waiting(simulated):
    program = simulated("waiting")
    return lambda machine="tilepro64", **options: croft.run(
        program, machine, cores=4, arguments=["3"], max_cycles=200_000_000, **options
    )


@pytest.mark.parametrize("machine", MACHINES)
def test_it_prints_what_it_prints_natively(machine, waiting, native):
    result = waiting(machine)
    assert (result.ending, result.exit_code, result.message, result.errors) == ("exited", 0, "", b"")
    assert result.text == native("waiting", "3")
    assert result.unsimulated == {}


@pytest.mark.slow("three more runs")
@pytest.mark.parametrize("machine", MACHINES)
def test_two_runs_agree_however_far_cores_run_ahead(machine, waiting):
    assert waiting(machine) == waiting(machine, run_ahead=0)


def test_a_run_goes_on_in_the_midst_of_every_wait(simulated, waiting, tmp_path):
    whole, file = waiting(), tmp_path / "file"
    for part in range(1, 12):
        stopped = croft.run(
            simulated("waiting"),
            "tilepro64",
            cores=4,
            arguments=["3"],
            max_cycles=whole.cycles * part // 12,
            checkpoint=file,
        )
        assert stopped.ending == "cycle_limit"
        assert croft.restore(file) == whole


DEADLOCK = """
#include <unistd.h>
int main(void) { int ends[2]; char c; pipe(ends); return (int)read(ends[0], &c, 1); }
"""


def test_a_deadlock_says_what_is_waited_for(tmp_path):
    source = tmp_path / "deadlock.c"
    source.write_text(DEADLOCK)
    result = croft.run(source, "io1")
    assert result.ending == "deadlock"
    assert [thread.state for thread in result.threads] == ["waits for a pipe"]


ASKS = """
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    for (int i = 0; i < 3; ++i) syscall(SYS_perf_event_open, 0, 0, -1, -1, 0);
    syscall(SYS_io_uring_setup, 4, 0);
    return 7;
}
"""


def test_what_is_not_simulated_is_told_at_the_end(tmp_path):
    source = tmp_path / "asks.c"
    source.write_text(ASKS)
    result = croft.run(source, "io1")
    assert (result.ending, result.exit_code) == ("exited", 7)
    assert result.unsimulated == {"perf_event_open": 3, "io_uring_setup": 1}
    assert json.loads(result.to_json())["unsimulated"] == result.unsimulated
    said = subprocess.run([*CROFT, "run", source, "-m", "io1"], capture_output=True, text=True, check=False)
    assert said.returncode == 7
    sentence = "croft: not simulated, answered ENOSYS: perf_event_open 3 times, io_uring_setup once"
    assert sentence in said.stderr.splitlines()
    strict = croft.run(source, "io1", strict_system_calls=True)
    assert (strict.ending, strict.message) == ("fault", "system call perf_event_open (241) is not simulated")


STACK = """
#include <sys/resource.h>
__attribute__((noinline)) static long deep(int n) {
    volatile char room[1024];
    room[n & 1023] = 1;
    return n == 0 ? 0 : deep(n - 1) + room[n & 1023];
}
int main(void) {
    struct rlimit limit = {64 << 20, RLIM_INFINITY};
    return setrlimit(RLIMIT_STACK, &limit) == 0 && deep(20000) == 20000 ? 0 : 1;
}
"""


def test_a_stack_grows_to_the_limit_that_was_set(tmp_path):
    source = tmp_path / "stack.c"
    source.write_text(STACK)
    result = croft.run(source, "io1")
    assert (result.ending, result.exit_code, result.message) == ("exited", 0, "")
