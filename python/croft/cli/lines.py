"""The command ``croft lines``."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from croft.base.console import FoldingTable
from croft.base.errors import UsageError
from croft.cli.options import err, out
from croft.recording.channel_use import Channel
from croft.recording.identity import Identity, called
from croft.results.files import read_json

LEAST_SHARE = 0.05
"""Of the waits for an object, for a cause or a core to be named."""
_MOST_CORES = 4


def lines(
    file: Annotated[Path, typer.Argument(help="What `croft run --lines`, or --json with it, has written.")],
    by: Annotated[Literal["object", "line"], typer.Option(help="What to add up: object or line.")] = "object",
    top: Annotated[int, typer.Option(min=1, help="So many of them.")] = 20,
) -> None:
    """Print for which memory the cores of a run waited, who writes it, and who reads it next; and who sent messages.

    An object is a variable, or what a place of the program allocates. Cycles are those of all cores, added up.
    """
    recorded, cycles = _read(file)
    rows = recorded["objects" if by == "object" else "lines"]
    totals = recorded["totals"]
    out.print(
        f"{totals['shared_lines']:,} lines that several cores used, {totals['private_lines']:,} others; "
        f"{totals['reads']:,} reads, {totals['writes']:,} writes, {totals['invalidations']:,} invalidations",
        highlight=False,
    )
    if totals["left_out"]:
        out.print(f"{totals['left_out']:,} accesses found no room in the record (--lines-limit)", highlight=False)
    table = FoldingTable(header_style="bold")
    for heading in ("cycles waited", "invalidations"):
        table.add_column(heading, justify="right")
    for heading in ("of them", "written by", "read next by", "home", by):
        table.add_column(heading)
    for row in rows[:top]:
        table.add_row(
            f"{sum(row['waits'].values()):,}",
            f"{row['invalidations']:,}",
            _reasons(row["waits"]),
            _cores(row["uses"], "writes"),
            _cores(row["uses"], "next"),
            str(row["home"] if row["home"] is not None else ""),
            escape(_name(row, recorded["objects"])),
        )
    out.print(table, highlight=False)
    if len(rows) > top:
        err.print(f"and {len(rows) - top:,} more (--top)", highlight=False)
    _print_channels([Channel.of_dict(row) for row in recorded.get("channels", [])], cycles, top)


def _print_channels(channels: list[Channel], cycles: int, top: int) -> None:
    if not channels:
        return
    out.print("messages from core to core", highlight=False)
    table = FoldingTable(header_style="bold")
    for heading in ("messages", "from", "to", "mean fill", "most at once", "cycles each"):
        table.add_column(heading, justify="right")
    table.add_column("channel")
    for each in channels[:top]:
        table.add_row(
            f"{each.messages:,}",
            str(each.sender),
            str(each.receiver),
            f"{each.fill(cycles):.2f}",
            "" if each.most is None else f"{each.most:,}",
            f"{each.latency:,.0f}",
            escape(called(each.identity)),
        )
    out.print(table, highlight=False)
    if len(channels) > top:
        err.print(f"and {len(channels) - top:,} more channels (--top)", highlight=False)


def _read(file: Path) -> tuple[dict[str, Any], int]:
    """What was recorded, and the cycles of the run."""
    content = read_json(file, "--lines")
    recorded = content.get("lines")
    if not isinstance(recorded, dict) or not {"objects", "lines", "totals"} <= recorded.keys():
        raise UsageError(f"{file}: no lines are recorded there; croft run --lines does that")
    return recorded, content["cycles"]


def _name(row: dict[str, Any], objects: list[dict[str, Any]]) -> str:
    false = " [falsely shared]" if row["false_sharing"] else ""
    if "name" in row:
        return called(Identity(row["kind"], row["name"], row["where"])) + false
    inside = "" if row["object"] is None else f" ({objects[row['object']]['name']}, +{row['offset']})"
    return f"{row['address']:#x}{inside}{false}"


def _reasons(waits: dict[str, int]) -> str:
    total = sum(waits.values())
    parts = sorted(waits.items(), key=lambda part: -part[1])
    return ", ".join(f"{cause} {cycles / total:.0%}" for cause, cycles in parts if cycles > LEAST_SHARE * total)


def _cores(uses: list[dict[str, Any]], what: str) -> str:
    """The cores that did most of it."""
    total = sum(use[what] for use in uses)
    most = sorted((use for use in uses if use[what] > LEAST_SHARE * total), key=lambda use: -use[what])
    named = ", ".join(f"{use['core']}" for use in most[:_MOST_CORES])
    rest = sum(1 for use in uses if use[what]) - len(most[:_MOST_CORES])
    return named + (f" and {rest} more" if rest > 0 and named else f"{rest} cores" if rest > 0 else "")
