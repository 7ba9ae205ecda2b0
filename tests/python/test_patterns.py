"""The library's patterns on the simulated TILEPro64: on few cores, where roles share threads, and on many."""

import pytest

import croft

pytestmark = pytest.mark.slow("every pattern in one program, on several machines; a farm over channels stays")

# With links of every sort among them.
LINKS = ("pipeline", "ordered", "rows", "feedback", "prefix", "graph")
OTHERS = ("farm", "nested", "reduce", "stencil", "divide_and_conquer", "accelerator", "exception")
PATTERNS = LINKS + OTHERS


def run(simulated, *arguments, **options):
    return croft.run(simulated("patterns"), arguments=list(arguments), max_cycles=300_000_000, **options)


@pytest.mark.parametrize("cores", [2, 8, 58])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_makes_what_it_should_and_no_load_is_stale(pattern, cores, simulated):
    result = run(simulated, pattern, cores=cores, check="coherence")
    assert (result.ending, result.text, result.errors) == ("exited", "ok\n", b"")
    assert result.exit_status == 0


@pytest.mark.parametrize("kind", ["ra-hf", "ra-home", "ra-udn"])
@pytest.mark.parametrize("pattern", LINKS)
def test_over_other_kinds_of_channel(pattern, kind, simulated):
    result = run(simulated, pattern, kind, cores=8, check="coherence")
    assert (result.text, result.exit_status) == ("ok\n", 0)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_delays_of_messages_do_not_matter(pattern, simulated):
    assert run(simulated, pattern, cores=8, perturb=1).text == "ok\n"


@pytest.mark.parametrize(
    ("node", "cores"), [(n, c) for n in ("map", "graph_in_farm") for c in (2, 8, 58)] + [("collectors", 8)]
)
def test_maps_graphs_and_collectors_within_patterns(node, cores, simulated):
    result = croft.run(simulated("nodes"), arguments=[node], cores=cores, max_cycles=300_000_000, check="coherence")
    assert (result.ending, result.text, result.errors) == ("exited", "ok\n", b"")


@pytest.mark.parametrize("cores", [2, 8, 58])
@pytest.mark.parametrize("form", ["any", "keyed", "numbered", "in_farm"])
def test_all_to_all(form, cores, simulated):
    result = croft.run(
        simulated("all_to_all"), arguments=[form], cores=cores, max_cycles=300_000_000, check="coherence"
    )
    assert (result.ending, result.text, result.errors) == ("exited", "ok\n", b"")


def test_threads_beyond_the_cores_are_an_error_and_not_a_hang(simulated):
    result = run(simulated, "too_many_threads", cores=8)
    assert result.message.startswith("more threads run at a time than the program has cores (8):")


def test_a_run_is_deterministic(simulated):
    assert run(simulated, "nested", cores=16).cycles == run(simulated, "nested", cores=16).cycles
