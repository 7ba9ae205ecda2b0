"""The thirteen kernels of paper 002, table III, on 256 cores, by every run-time, under the check of coherence.

Run by `make test-coherence`, not by `make test`: some minutes.
"""

import pytest

import croft
from croft.experiments.big_tiny import PROGRAMS
from croft.results.fields import find

pytestmark = pytest.mark.many_cores

INPUTS = {
    "cilk5-cs": ["--size", "40000", "--grain", "100"],
    "cilk5-lu": ["--size", "128", "--block", "4"],
    "cilk5-mm": ["--size", "64", "--grain", "8"],
    "cilk5-mt": ["--size", "300", "--grain", "8"],
    "cilk5-nq": ["--size", "7", "--grain", "2"],
}
GRAPH = ["--graph", "/graphs/some.graph", "--grain", "4"]
"""Of the others."""
ON = [
    *[("big-tiny-256-mesi", name) for name in ("shared_deques", "direct_stealing", "interrupt_stealing")],
    *[("big-tiny-256-gwb", name) for name in ("shared_deques_flushed", "direct_stealing", "interrupt_stealing")],
]


@pytest.fixture(scope="module")
def folder(make_graph, tmp_path_factory):
    made = tmp_path_factory.mktemp("graphs")
    assert make_graph("--rmat", 2000, "--edges", 20000, "--weights", made / "some.graph").returncode == 0
    return made


@pytest.mark.parametrize("kernel", PROGRAMS)
@pytest.mark.parametrize(("machine", "runtime"), ON)
def test_every_kernel_is_right_on_256_cores_and_no_load_is_stale(kernel, machine, runtime, folder):
    result = croft.run(
        PROGRAMS[kernel],
        machine,
        arguments=[*INPUTS.get(kernel, GRAPH), "--runtime", runtime, "--verify", "full"],
        directories=[f"{folder}::/graphs"],
        check="coherence",
        max_cycles=2_000_000_000,
    )
    found = "; ".join(map(str, result.coherence[:3]))
    assert (result.ending, result.exit_status, result.errors, found) == ("exited", 0, b"", "")
    assert result.text.endswith(" ok\n")
    numbers = find(result.text, kernel)
    assert numbers["workers"] == 256
    assert numbers["steals"] > 0
