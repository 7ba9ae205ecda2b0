"""How much of a host's memory simulations side by side may take."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from croft.machines.model import Machine

BASE = 64 << 20
"""Bytes of a run on a small machine, the interpreter's share included."""
PER_CORE = 256 << 10
"""Bytes that a core of the machine takes, with its private caches."""
DATA = 64 << 20
"""Bytes that a program is taken to use if nobody says more."""


def memory_of(machine: Machine) -> int:
    """About how many bytes of the host's memory a run on that machine takes."""
    return BASE + DATA + PER_CORE * machine.tiles


class MemoryBudget:
    """So many bytes, of which each run takes its part while it lasts. One that needs more than all runs alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = most
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, memory: int) -> Iterator[None]:
        """Takes that many bytes within the block, as soon as they are there."""
        part = min(memory, self._most)
        with self._changed:
            self._changed.wait_for(lambda: self._left >= part)
            self._left -= part
        try:
            yield
        finally:
            with self._changed:
                self._left += part
                self._changed.notify_all()
