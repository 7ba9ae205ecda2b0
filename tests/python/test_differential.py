"""croft's simulator against QEMU, in the suite; differential.py says what is compared, and runs it for longer."""

from __future__ import annotations

from croft import _simulator as simulator
from differential import expected_instructions, run
from instruction_tables import by_mnemonic

INSTRUCTIONS = 150_000
SEED = 2026


def test_the_tables_in_python_are_those_of_the_simulator():
    assert list(by_mnemonic()) == list(simulator.instruction_names())


def test_random_programs_match_qemu():
    executed, _ = run(INSTRUCTIONS, SEED)
    assert executed.total() >= INSTRUCTIONS
    rare = {name: executed[name] for name in expected_instructions() if executed[name] < 50}
    assert not rare, f"hardly executed: {rare}"
