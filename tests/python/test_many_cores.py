"""The thirteen kernels of paper 002, table III, on 256 cores, by every run-time, under the check of coherence.

Run by `make test-coherence`, not by `make test`: some minutes.
"""

import pytest

import croft
from croft.fields import find

pytestmark = pytest.mark.many_cores

CILK5 = {
    "cilk5/sort": ("cilk5-cs", ["--size", "40000", "--grain", "100"]),
    "cilk5/lu": ("cilk5-lu", ["--size", "96", "--block", "4"]),
    "cilk5/matmul": ("cilk5-mm", ["--size", "64", "--grain", "8"]),
    "cilk5/transpose": ("cilk5-mt", ["--size", "300", "--grain", "8"]),
    "cilk5/queens": ("cilk5-nq", ["--size", "7", "--grain", "2"]),
}
GRAPH = {
    "graph/bc": "ligra-bc",
    "graph/bellman_ford": "ligra-bf",
    "graph/bfs": "ligra-bfs",
    "graph/bfs_bitvector": "ligra-bfsbv",
    "graph/components": "ligra-cc",
    "graph/mis": "ligra-mis",
    "graph/radii": "ligra-radii",
    "graph/triangles": "ligra-tc",
}
ON = [
    *[("big-tiny-256-mesi", name) for name in ("shared_deques", "direct_stealing", "interrupt_stealing")],
    *[("big-tiny-256-gwb", name) for name in ("shared_deques_flushed", "direct_stealing", "interrupt_stealing")],
]


def checked(kernel, machine, runtime, arguments, name, **options):
    line = [*arguments, "--runtime", runtime, "--verify", "full"]
    result = croft.run(kernel, machine, arguments=line, check="coherence", max_cycles=2_000_000_000, **options)
    found = "; ".join(map(str, result.coherence[:3]))
    assert (result.ending, result.exit_status, result.errors, found) == ("exited", 0, b"", "")
    assert result.text.endswith(" ok\n")
    numbers = find(result.text, name)
    assert numbers["workers"] == 256
    assert numbers["steals"] > 0


@pytest.mark.parametrize("kernel", CILK5)
@pytest.mark.parametrize(("machine", "runtime"), ON)
def test_cilk5_on_256_cores(kernel, machine, runtime):
    name, arguments = CILK5[kernel]
    checked(kernel, machine, runtime, arguments, name)


@pytest.fixture(scope="module")
def folder(make_graph, tmp_path_factory):
    made = tmp_path_factory.mktemp("graphs")
    assert make_graph("--rmat", 2000, "--edges", 20000, "--weights", made / "some.graph").returncode == 0
    return made


@pytest.mark.parametrize("kernel", GRAPH)
@pytest.mark.parametrize(("machine", "runtime"), ON)
def test_graph_kernels_on_256_cores(kernel, machine, runtime, folder):
    arguments = ["--graph", "/graphs/some.graph", "--grain", "4"]
    checked(kernel, machine, runtime, arguments, GRAPH[kernel], directories=[f"{folder}::/graphs"])
