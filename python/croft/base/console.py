"""Where croft's tables and sentences go, and how tables fit there."""

import contextlib
import os
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table

_WIDEST = 10_000


def console_on(*, errors: bool = False) -> Console:
    """A console on standard output, or with ``errors`` on standard error.

    On a terminal a table fits it. In a file or a pipe, which have no width, it is as wide as its contents.
    """
    console = Console(stderr=errors)
    if not console.is_terminal:
        console.width = _WIDEST
    return console


def discard(stream: TextIO) -> None:
    """Lets what is still to be written to ``stream``, which failed, go nowhere: Python would try again at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class FoldingTable(Table):
    """A table that folds what is too long for its column: cut short, two rows could look alike."""

    def add_column(self, *heading: Any, **options: Any) -> None:
        """As rich's."""
        super().add_column(*heading, **{"overflow": "fold"} | options)
