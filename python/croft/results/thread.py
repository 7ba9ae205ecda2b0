"""The threads of a program that were alive when its run ended early."""

from dataclasses import dataclass
from typing import Any

from croft.symbols.backtrace import callers, where
from croft.symbols.symbols import Place, Symbols


@dataclass(frozen=True)
class Thread:
    """Where a thread was when the run ended early.

    ``state`` says what it did ("waits in futex", "runs", ...), ``address`` what it waited for (0: nothing), and
    ``calls`` the calls under way, innermost first, inlined ones included.
    """

    thread: int
    core: int
    state: str
    address: int
    pc: int
    calls: tuple[Place, ...]

    @property
    def place(self) -> Place:
        """The innermost of the calls that is in the user's own code."""
        return where(self.calls)


def thread(stopped: dict[str, Any], symbols: Symbols) -> Thread:
    """What the simulator says of one, with functions and lines."""
    pc = stopped["pc"]
    calls = callers(symbols, pc, stopped["registers"], stopped["stack"])
    return Thread(stopped["thread"], stopped["core"], stopped["state"], stopped["address"], pc, tuple(calls))
