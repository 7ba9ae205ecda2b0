"""Litmus tests on every kind of machine: nothing is seen that RISC-V's memory model does not allow.

But for machines whose readers invalidate (DeNovo, GPU-WT, GPU-WB): there a plain load that only a dependency orders may
show an old value (docs/instructions.md), and nothing else.
"""

from functools import cache

import pytest

from litmus_runs import (
    COHERENT,
    CORES,
    OUT_OF_ORDER,
    READERS_INVALIDATE,
    STORES_IN_ORDER,
    built,
    seen,
    with_small_caches,
)
from litmus_table import ALLOWED, TESTS, named
from rvwmo import LOADS_BY_DEPENDENCY, allowed


@pytest.fixture(scope="session")
def program(pytestconfig):
    return built(pytestconfig.cache.mkdir("litmus"))


@cache
def _allowed(name, without):
    return allowed(named(name), without)


def forbidden(outcomes, without=()):
    """What has been seen that is not allowed."""
    return {
        (name, outcome): times
        for name, counts in outcomes.items()
        for outcome, times in counts.items()
        if outcome not in _allowed(name, without)
    }


def weak(outcomes):
    """The tests of which what they ask for has been seen."""
    return {name for name, counts in outcomes.items() if any(map(named(name).is_weak, counts))}


def check(name, outcomes, samples):
    assert outcomes.keys() == {test.name for test in TESTS}
    assert {sum(counts.values()) for counts in outcomes.values()} == {samples}
    assert forbidden(outcomes, LOADS_BY_DEPENDENCY if name in READERS_INVALIDATE else ()) == {}
    # That so many different ones were met shows that the threads do meet, also where nothing delays any.
    assert sum(map(len, outcomes.values())) > 2.5 * len(TESTS)


VARIANTS = ("plain", "perturbed", "small and perturbed")


def variant(program, name, which, rounds, seed=1):
    machine = with_small_caches(name) if "small" in which else name
    return seen(program, machine, rounds, seed=seed, perturb=seed if "perturbed" in which else None)


@pytest.mark.slow_cases(r"-(plain|small)", "one variant stands for the others")
@pytest.mark.parametrize("which", VARIANTS)
@pytest.mark.parametrize("name", CORES)
def test_nothing_is_seen_that_is_not_allowed(name, which, program):
    check(name, variant(program, name, which, 4), 32)


@pytest.mark.slow("the litmus tests again, with eight times as many samples")
@pytest.mark.parametrize("which", VARIANTS)
@pytest.mark.parametrize("name", [name for name in CORES if name not in STORES_IN_ORDER])
def test_nor_in_many_samples(name, which, program):
    check(name, variant(program, name, which, 32, seed=2), 256)


BY_DEPENDENCY = ("MP+fence.w.w+addr", "PPOAA", "WRC+addrs", "ISA2+fence.w.w+data+addr", "IRIW+addrs")
MENDED = (
    "MP+fence.w.w+addr-fence.r.r",
    "MP+fence.w.w+lr.aq-addr",
    "IRIW+fence.r.rs",
    "IRIW+lr.aqs",
    "ISA2+fence.w.w+data+fence.r.r",
    "WRC+data+fence.r.r",
)
"""The same with a fence or an acquire in place of the dependency, or beside it."""
TINY = (20, 34, 41, 63)


@pytest.mark.parametrize("name", READERS_INVALIDATE)
def test_a_dependency_does_not_order_loads_where_readers_invalidate_but_a_fence_or_an_acquire_does(name, program):
    rounds = (
        256 if name == "big-tiny-64-gwb" else 64
    )  # there a store that no fence follows seldom becomes visible in time
    assert weak(seen(program, name, rounds, cores=TINY, only=BY_DEPENDENCY + MENDED)) == set(BY_DEPENDENCY)


@pytest.mark.parametrize("name", COHERENT)
def test_a_dependency_orders_loads_on_coherent_machines(name, program):
    assert weak(seen(program, name, 16, only=BY_DEPENDENCY + MENDED, perturb=1)) == set()


@pytest.mark.parametrize("name", READERS_INVALIDATE)
def test_a_fence_orders_loads_behind_stores_where_readers_invalidate(name, program):
    outcomes = seen(program, name, 16, cores=TINY, only=("SB", "SB+fence.w.rs", "R+fence.w.w+fence.w.r"))
    assert weak(outcomes) == {"SB"}


LOADS_ONLY = ("MP+fence.w.w+po", "MP+fence.w.w+ctrl", "WRC+addr+po")
"""Allowed because nothing orders two loads of a reader."""


@pytest.mark.parametrize("name", OUT_OF_ORDER)
def test_a_readers_missing_fence_shows_when_perturbed_and_never_else(name, program):
    assert all(ALLOWED[test] for test in LOADS_ONLY)
    assert not weak(seen(program, name, 64, only=LOADS_ONLY))
    perturbed = seen(program, name, 64, only=LOADS_ONLY, perturb=1)
    assert weak(perturbed) >= {"MP+fence.w.w+po", "MP+fence.w.w+ctrl"}


BY_STORES = ("MP+po+fence.r.r", "MP+po+addr", "S+po+fence.r.w", "2+2W", "2+2W+fence.w.w+po")
"""Allowed because nothing orders the stores of a writer."""


@pytest.mark.parametrize("which", ["perturbed", "small and perturbed"])
def test_total_store_order_orders_stores_and_lets_loads_pass_them(which, program):
    def weak_on(name):
        machine = with_small_caches(name) if "small" in which else name
        return weak(seen(program, machine, 64, only=(*BY_STORES, "SB"), perturb=1))

    assert len(weak_on("o3x8") & set(BY_STORES)) >= 3
    for name in STORES_IN_ORDER:
        assert (name, weak_on(name)) == (name, {"SB"})


@pytest.mark.parametrize(("window", "run_ahead"), [(None, None), (1, None), (None, 0)])
def test_a_perturbed_run_is_the_same_again_however_the_host_runs_it(window, run_ahead, program):
    by_seed = {}
    for name, seed in (("o3x4", 3), ("o3x4", 5), ("o3x4", 6), ("big-tiny-64-mesi", 6)):
        by_seed[seed] = seen(program, name, 8, only=LOADS_ONLY, perturb=seed)
        again = seen(program, name, 8, only=LOADS_ONLY, perturb=seed, window=window, run_ahead=run_ahead)
        assert (name, seed, again) == (name, seed, by_seed[seed])
    assert by_seed[3] != by_seed[5]


def test_an_sc_elsewhere_in_the_reserved_line_may_succeed_and_nowhere_else(program):
    """Every fourth round has all places in one line: the first three have not."""
    test = named("LRSC+elsewhere")
    succeeded = test.observed.index("0:b")

    def ever(rounds):
        return any(not outcome[succeeded] for outcome in seen(program, "o3x4", rounds, only=(test.name,))[test.name])

    assert not ever(3)
    assert ever(4)
