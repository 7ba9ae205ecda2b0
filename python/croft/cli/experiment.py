"""The command ``croft experiment``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

import croft
from croft.base.console import FoldingTable
from croft.base.errors import UsageError
from croft.base.extras import FOR_EXPERIMENTS, require
from croft.cli.options import Fresh, Jobs, OnCluster, Settings, StoreAddress, complete_experiment, out, said
from croft.cli.summary import summarise
from croft.machines.keys import settings
from croft.watching.progress import tell

if TYPE_CHECKING:
    import pandas as pd


def experiment(
    name: Annotated[
        str | None, typer.Argument(help="Which one; without it, they are listed.", autocompletion=complete_experiment)
    ] = None,
    folder: Annotated[Path | None, typer.Option("--out", help="Write tables (CSV) and figure (SVG, PNG) here.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only a few runs.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit status 1 if a cell misses its tolerance.")] = False,
    jobs: Jobs = None,
    on: OnCluster = None,
    store: StoreAddress = None,
    fresh: Fresh = False,
    set_: Settings = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Run none: count how near all come, by their tables in the --out folder.")
    ] = False,
    page: Annotated[
        Path | None, typer.Option("--write", help="Of --summary: a page to put the counts into, between its two marks.")
    ] = None,
) -> None:
    """Repeat a table or figure of a paper: measured beside published."""
    require("croft experiment", *FOR_EXPERIMENTS)
    if summary:
        if name or quick or strict or fresh or set_:
            raise UsageError("croft experiment --summary runs nothing: it takes --out and --write only")
        summarise(folder, page)
        return
    if page:
        raise UsageError("croft experiment --write is for what --summary counts")
    if name is None:
        from croft.experiments.conduct import EXPERIMENTS

        table = FoldingTable("experiment", "what", "from", box=None, header_style="bold")
        for each in EXPERIMENTS.values():
            table.add_row(each.name, each.title, each.source)
        out.print(table, highlight=False)
        return
    from croft.experiments.names import check_name

    check_name(name)
    found = croft.experiment(
        name,
        quick=quick,
        jobs=jobs,
        on=on,
        store=store,
        fresh=fresh,
        keys=settings(set_ or []),
        said=said(set_),
        tell=tell,
    )
    shown = found.summary()
    if not shown.empty:
        out.print(frame_table(shown), highlight=False)
    if more := len(found.cells) - len(shown):
        out.print(f"{more} more cells are ok; the CSV (--out) has them all", highlight=False)
    for file in found.write(folder) if folder else []:
        out.print(f"wrote {file}", highlight=False, markup=False, soft_wrap=True)
    if set_:
        out.print(f"with {said(set_)}: not the machine of the paper", highlight=False, markup=False, soft_wrap=True)
    out.print(found.verdict, highlight=False, soft_wrap=True)
    if strict and not found.passed:
        raise typer.Exit(1)


def frame_table(frame: "pd.DataFrame") -> FoldingTable:
    """A data frame as a table for the terminal."""
    table = FoldingTable(*map(str, frame.columns), header_style="bold")
    for row in frame.itertuples(index=False):
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else escape(str(value)) for value in row))
    return table
