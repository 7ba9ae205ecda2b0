"""All kernels and patterns on machines with levels of caches: the Xeons, the SG2042, and 1,024 cores.

The whole takes some minutes, and `make test-coherence` runs it; of that, a few stay for `make test-all`.
"""

import itertools

import pytest

import croft
from croft.experiments.big_tiny import PROGRAMS
from test_patterns import PATTERNS

MACHINES = {
    "xeon-e5-2650": 8,
    "xeon-e5-2650x2": 16,
    "xeon-e5-2650-hfwd": 8,
    "sg2042": 64,
    # Of 1,023: to start so many takes a minute of the host's (docs/decisions/many-cores.md).
    "manycore-1024": 256,
}
"""With the workers that kernels get."""
INPUTS = {
    "cilk5-cs": ["--size", "8000", "--grain", "100"],
    "cilk5-lu": ["--size", "64", "--block", "4"],
    "cilk5-mm": ["--size", "48", "--grain", "8"],
    "cilk5-mt": ["--size", "150", "--grain", "8"],
    "cilk5-nq": ["--size", "7", "--grain", "2"],
}
GRAPH = ["--graph", "/graphs/some.graph", "--grain", "4"]
"""Of the others."""


def everywhere(name, values):
    """Each of them on each machine."""
    return pytest.mark.parametrize(("machine", name), list(itertools.product(MACHINES, values)))


@pytest.fixture(scope="module")
def folder(make_graph, tmp_path_factory):
    made = tmp_path_factory.mktemp("graphs")
    assert make_graph("--rmat", 1000, "--edges", 8000, "--weights", made / "some.graph").returncode == 0
    return made


def right(program, machine, *arguments, **options):
    """Runs it under the check of coherence; the result, of which everything is as it should be."""
    result = croft.run(
        program, machine, arguments=list(arguments), check="coherence", max_cycles=200_000_000, **options
    )
    found = "; ".join(map(str, result.coherence[:3]))
    assert (result.ending, result.exit_status, result.errors, found) == ("exited", 0, b"", ""), result.message
    assert result.text.rstrip().endswith("ok")
    return result


def right_kernel(kernel, machine, workers, folder):
    by = ["--runtime", "direct_stealing" if machine == "manycore-1024" else "default"]
    arguments = [*INPUTS.get(kernel, GRAPH), *by, "--workers", str(workers), "--verify", "full"]
    result = right(PROGRAMS[kernel], machine, *arguments, directories=[f"{folder}::/graphs"])
    assert f"workers={workers} " in result.text


@pytest.mark.slow("a run of some programs on each; the whole is for `make test-coherence`")
@pytest.mark.parametrize("kernel", ["cilk5-mt", "ligra-bfs"])
@pytest.mark.parametrize(("machine", "workers"), [("xeon-e5-2650x2", 16), ("sg2042", 16), ("manycore-1024", 32)])
def test_some_kernels(kernel, machine, workers, folder):
    right_kernel(kernel, machine, workers, folder)


@pytest.mark.slow("the same")
@pytest.mark.parametrize("pattern", ["rows", "nested", "stencil"])
@pytest.mark.parametrize(("machine", "cores"), [("xeon-e5-2650x2", 16), ("sg2042", 16), ("manycore-1024", 40)])
def test_some_patterns(pattern, machine, cores, simulated):
    right(simulated("patterns"), machine, pattern, cores=cores)


@pytest.mark.many_cores
@everywhere("kernel", PROGRAMS)
def test_every_kernel(kernel, machine, folder):
    right_kernel(kernel, machine, MACHINES[machine], folder)


@pytest.mark.many_cores
@everywhere("pattern", PATTERNS)
def test_every_pattern_on_all_cores(pattern, machine, simulated):
    right(simulated("patterns"), machine, pattern)


@pytest.mark.many_cores
@everywhere("node", ["map", "graph_in_farm", "collectors"])
def test_every_node_on_all_cores(node, machine, simulated):
    right(simulated("nodes"), machine, node)


@pytest.mark.many_cores
@everywhere("form", ["any", "keyed", "numbered", "in_farm"])
def test_every_all_to_all_on_all_cores(form, machine, simulated):
    right(simulated("all_to_all"), machine, form)
