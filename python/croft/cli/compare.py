"""The command ``croft compare``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from croft.base.console import FoldingTable
from croft.cli.options import out
from croft.results.comparison import LEAST_CHANGE, differences, settings
from croft.results.files import read_result


def compare(
    file: Annotated[Path, typer.Argument(help="What `croft run --json` has written.")],
    before: Annotated[Path, typer.Argument(help="The same of an earlier run.")],
    threshold: Annotated[
        float, typer.Option(min=0, help="Name statistics that have changed by so much of what they were.")
    ] = LEAST_CHANGE,
    top: Annotated[int, typer.Option(min=1, help="At most so many.")] = 40,
) -> None:
    """Print what differs between two runs: what they were asked for, how they ended, the statistics that matter."""
    now, earlier = read_result(file), read_result(before)
    for sentence in settings(now, earlier):
        out.print(escape(sentence), highlight=False, soft_wrap=True)
    for key in ("ending", "exit_code", "message", "output"):
        if now[key] != earlier[key]:
            what = f"{now[key]}, before {earlier[key]}" if key != "output" else "what they printed differs"
            out.print(escape(f"{key}: {what}"), highlight=False, soft_wrap=True)
    for key in ("cycles", "instructions"):
        change = (now[key] - earlier[key]) / max(earlier[key], 1)
        out.print(f"{key}: {now[key]:,}, before {earlier[key]:,} ({change:+.1%})", highlight=False)
    found, count = differences(now, earlier, threshold)
    if not found:
        out.print(f"none of {count} statistics that matter has changed by {threshold:.0%}", highlight=False)
        return
    table = FoldingTable("part", "statistic", header_style="bold")
    for heading in ("now", "before", "change"):
        table.add_column(heading, justify="right")
    table.add_column("unit")
    for one in found[:top]:
        change = f"{one.change:+.1%}" if one.before else "new"
        table.add_row(one.part, one.name, f"{one.now:,}", f"{one.before:,}", change, one.unit)
    out.print(table, highlight=False)
    more = f", and {len(found) - top} more (--top)" if len(found) > top else ""
    out.print(f"{min(len(found), top)} of {count} statistics{more}", highlight=False)
