"""A machine as a table for the terminal: every key, its value, and where the value is from."""

from collections.abc import Iterator
from typing import Any

from rich.markup import escape

from croft.base.console import FoldingTable
from croft.machines.keys import are_tables, flattened, source_of
from croft.machines.model import Machine


def machine_table(machine: Machine, title: str) -> FoldingTable:
    """The table, with ``title`` above it. Where a rule places something, the positions that follow are shown, too."""
    table = FoldingTable("key", "value", "source", title=escape(title), title_justify="left", header_style="bold")
    positions = machine.positions
    for key, value in _rows(machine.model_dump()):
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        if key in positions:
            listed = ", ".join(f"({column}, {row})" for column, row in positions[key])
            shown = f"{value}: {listed}" if isinstance(value, str) else listed
        table.add_row(key, escape(shown), escape(source_of(key, machine.sources) or ""))
    return table


def _rows(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """All keys, those of a level by its number: ``level.0.service``."""
    for key, value in flattened(values):
        if are_tables(value):
            for number, each in enumerate(value):
                yield from flattened(each, f"{key}.{number}.")
        else:
            yield key, value
