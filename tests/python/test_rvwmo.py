"""The checker of litmus tests (rvwmo.py) on tests whose verdicts are known, and the text that they are written in."""

import pytest

from litmus_table import ALLOWED, TESTS, named
from litmus_threads import Litmus, parse_instruction, parse_thread
from rvwmo import LOADS_BY_DEPENDENCY, allowed


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_the_verdict_is_the_known_one(test):
    assert any(map(test.is_weak, allowed(test))) == ALLOWED[test.name]


@pytest.mark.parametrize("rule", [1, 2, 3, 4, 5, 6, 7, "9 for loads", 9, 10, 11, 12, 13])
def test_each_rule_forbids_something_that_no_other_does(rule):
    """Rule 8, that an sc comes behind its lr, is what atomicity is judged by."""
    forbidden = [test for test in TESTS if not ALLOWED[test.name]]
    assert any(any(map(test.is_weak, allowed(test, {rule}))) for test in forbidden)


def test_without_a_rule_nothing_else_is_forbidden():
    for test in TESTS:
        assert allowed(test) <= allowed(test, LOADS_BY_DEPENDENCY)


def test_all_outcomes_of_the_smallest_tests():
    """Of store buffering all four; of a message three or four, as it is ordered; in the order of ``observed``."""
    assert named("SB").observed == ["0:a", "1:a", "x", "y"]
    assert allowed(named("SB")) == {(a, b, 1, 1) for a in (0, 1) for b in (0, 1)}
    assert allowed(named("MP+fence.w.w+fence.r.r")) == {(0, 0, 1, 1), (0, 1, 1, 1), (1, 1, 1, 1)}
    assert allowed(named("CoAdd")) == {(0, 1, 2), (1, 0, 2)}


def test_an_sc_may_always_fail_and_succeeds_only_behind_its_lr():
    alone = Litmus("alone", ("a=lr x; b=sc x,1",), "0:b=0")
    assert allowed(alone) == {(0, 0, 1), (0, 1, 0)}
    assert allowed(Litmus("bare", ("a=sc x,1",), "0:a=1")) == {(1, 0)}
    twice = Litmus("twice", ("a=lr x; b=sc x,1; c=sc x,2",), "0:c=1")
    assert {outcome[2] for outcome in allowed(twice)} == {1}


def test_a_fence_orders_what_its_letters_say_and_nothing_else():
    def weak(fence):
        test = Litmus("mp", ("x=1; fence rw,rw; y=1", f"a=y; {fence}; b=x"), "1:a=1 1:b=0")
        return any(map(test.is_weak, allowed(test)))

    assert not any(map(weak, ("fence r,r", "fence rw,r", "fence r,rw", "fence rw,rw", "fence.tso")))
    assert all(map(weak, ("fence r,w", "fence w,r", "fence w,w", "fence w,rw", "fence rw,w")))


def test_values_go_through_registers():
    copied = Litmus("copied", ("x=2", "a=x; b=a|1; y=b", "a=y; b=a^a; x=b"), "2:a=3 x=0")
    assert any(map(copied.is_weak, allowed(copied)))
    assert {outcome[-1] for outcome in allowed(copied)} == {1, 3}  # y: of x = 0 and of x = 2


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("x=1", "store", {"place": "x", "value": "1"}),
        ("y@b=a", "store", {"place": "y", "value": "a", "offset": "b"}),
        ("a=x@b", "load", {"into": "a", "place": "x", "offset": "b"}),
        ("a=swap.aq.rl x,1", "swap", {"aq": True, "rl": True}),
        ("a=lr x", "lr", {"aq": False, "rl": False}),
        ("b=a^a", "compute", {"one": "a", "value": "a", "operator": "^"}),
        ("fence r,rw", "fence", {"before": "r", "after": "rw"}),
    ],
)
def test_what_the_text_says(text, kind, what):
    read = parse_instruction(text)
    assert read.kind == kind
    assert {key: getattr(read, key) for key in what} == what


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a=g", "'a=g' is no instruction of a litmus thread"),
        ("a=lr x,1", "'a=lr x,1' is no instruction"),
        ("a=sc x", "'a=sc x' is no instruction"),
        ("fence o,r", "'fence o,r' is no instruction"),
        ("x=a", "'x=a' reads a, which nothing before it writes"),
        ("a=x; a=y", "'a=y' writes a, which has been written"),
    ],
)
def test_what_is_no_thread_is_said(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        parse_thread(text)


def test_a_test_may_only_ask_for_what_it_has():
    with pytest.raises(ValueError, match="asks for 1:b, which it has not"):
        Litmus("odd", ("x=1", "a=x"), "1:a=1 1:b=0")
