"""Where croft's tables and sentences go, and how tables fit there."""

import contextlib
import os
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table

_WIDEST = 10_000


def console_on(*, errors: bool = False) -> Console:
    """A console on standard output, or with ``errors`` on standard error.

    On a terminal a table fits it, or $COLUMNS if that is set; in a file or a pipe, too. These have no width of their
    own: without $COLUMNS a table there is as wide as its contents.
    """
    console = Console(stderr=errors)
    columns = os.environ.get("COLUMNS", "")
    if not console.is_terminal and not (columns.isdecimal() and int(columns)):
        console.width = _WIDEST
    return console


def discard(stream: TextIO) -> None:
    """Lets what is still to be written to ``stream``, which failed, go nowhere: Python would try again at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class FoldingTable(Table):
    """A table that folds what is too long for its column: cut short, two rows could look alike."""

    def add_numbers(self, *headings: str) -> None:
        """Columns of numbers, which are never folded; if one needs more than its numbers, that is its longest word."""
        for heading in headings:
            self.add_column("\n".join(heading.split(" ")), justify="right", no_wrap=True)

    def add_column(self, *heading: Any, **options: Any) -> None:
        """As rich's."""
        super().add_column(*heading, **{"overflow": "fold"} | options)
