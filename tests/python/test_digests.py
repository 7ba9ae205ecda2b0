"""No cycle and no count of some forty runs has changed unnoticed."""

import pytest

import digests


def test_the_file_has_every_run_and_no_other():
    assert list(digests.kept()) == list(digests.RUNS)


@pytest.mark.slow_cases(
    r"^(coprocessor|task_data|channels|cilk5|graph)|256|flushed|perturb|check=",
    "long, or of their own; one of each kind stays",
)
@pytest.mark.parametrize("name", digests.RUNS)
def test_a_run_is_what_it_was(name):
    before, now = digests.kept()[name], digests.digests(digests.RUNS[name])
    assert now["program"] == before["program"], "the program is another one: if it was meant to be, `make digests`"
    assert now == before, f"the same program runs otherwise: {before['cycles']} cycles before, {now['cycles']} now"
