"""The commands that are about many runs: ``croft sweep``, and ``croft runs`` with those below it."""

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from croft.base.console import FoldingTable
from croft.base.errors import UsageError
from croft.base.extras import require
from croft.cli.options import Fresh, Jobs, OnCluster, StoreAddress, out
from croft.cli.outputs import Outputs
from croft.results import fields
from croft.runs.runner import program_name
from croft.sweeps.columns import matching
from croft.sweeps.kept_runs import simulator_digest
from croft.sweeps.store import Entry, RunStore
from croft.watching.progress import tell

Program = Annotated[str | None, typer.Option(help="Only those of this program.")]
OfMachine = Annotated[str | None, typer.Option("--machine", "-m", help="Only those on this machine.")]

runs = typer.Typer(help="What is kept of earlier runs: list, show, export, prune.", invoke_without_command=True)


def sweep(
    file: Annotated[Path, typer.Argument(help="A TOML file that says what to go through.")],
    folder: Annotated[
        Path | None, typer.Option("--out", help="The dataset's folder (default: the sweep's name, here).")
    ] = None,
    jobs: Jobs = None,
    on: OnCluster = None,
    store: StoreAddress = None,
    fresh: Fresh = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which points there are.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the results into this file: .svg, .png, .pdf.")] = None,
) -> None:
    """Run the points of a sweep. Runs that are kept are not done again. Exit status 1 if any failed."""
    require("croft sweep", "pandas", "pyarrow", *(["matplotlib"] if plot else []))
    from croft.sweeps.file import read_sweep
    from croft.sweeps.many_runs import How
    from croft.sweeps.swept import draw, run_sweep

    described = read_sweep(file)
    if dry_run:
        columns = list(dict.fromkeys(key for point in described.points for key in point.labels))
        table = FoldingTable(*columns, header_style="bold")
        for point in described.points:
            table.add_row(*(escape(str(point.labels.get(column, ""))) for column in columns))
        out.print(table, highlight=False)
        out.print(f"{len(described.points):,} points")
        return
    folder = folder or Path(described.name)
    with Outputs() as outputs:
        outputs.promise(plot)
        swept = run_sweep(described, folder, How(jobs, on, store, fresh, tell))
        if plot and (swept.rows["error"] == "").any():
            figure = draw(described, swept.rows)
            outputs.write(plot, lambda file: figure.savefig(file, dpi=150))
    points = swept.rows["point"].nunique() if len(swept.rows) else 0
    out.print(f"{folder}: {points:,} points, {swept.failed:,} failed", highlight=False, markup=False)
    for sentence in outputs.failed:
        tell(f"croft: {sentence}")
    if swept.failed or outputs.failed:
        raise typer.Exit(1)


@runs.callback()
def list_runs(
    context: typer.Context, program: Program = None, machine: OfMachine = None, store: StoreAddress = None
) -> None:
    """List the kept runs, or do with them what a command says."""
    if context.invoked_subcommand:
        return
    chosen = _chosen(RunStore(store), program, machine)
    table = FoldingTable("run", "program", "machine", "arguments", "cycles", "when", "simulator", header_style="bold")
    for each in sorted(chosen, key=lambda each: each.origin.when):
        origin = each.origin
        when = datetime.fromtimestamp(origin.when).isoformat(" ", "minutes")
        words = (_short(each.key), origin.program, origin.machine, " ".join(origin.arguments))
        table.add_row(*map(escape, words), f"{each.kept.cycles:,}", when, origin.simulator)
    out.print(table, highlight=False)


@runs.command()
def show(
    run: Annotated[str, typer.Argument(help="Which: the beginning of its key.")], store: StoreAddress = None
) -> None:
    """Print one kept run: whose it is, what it printed, its statistics."""
    entry = RunStore(store).entry(run)
    for key, value in _row(entry).items():
        out.print(f"{key}: {value}", highlight=False, markup=False)
    out.print(entry.kept.text, highlight=False, markup=False, end="")
    table = FoldingTable("part", "statistic", "total", header_style="bold")
    for part, names in entry.kept.statistics.items():
        for name in names:
            table.add_row(part, name, f"{entry.kept.total(part, name):,}")
    out.print(table, highlight=False)


@runs.command()
def export(
    file: Annotated[Path, typer.Argument(help="The file to write: .parquet, .csv or .json.")],
    statistic: Annotated[
        list[str] | None,
        typer.Option(help="Write this one too: l1d.load_misses, '*_mesh.flits', core.issue.0 (may be repeated)."),
    ] = None,
    program: Program = None,
    machine: OfMachine = None,
    store: StoreAddress = None,
) -> None:
    """Write the kept runs as a table: whose they are, cycles, what they printed, and the statistics asked for."""
    require("croft runs export", "pandas", *(["pyarrow"] if file.suffix == ".parquet" else []))
    import pandas as pd

    writers: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
        ".parquet": lambda table, file: table.to_parquet(file, index=False),
        ".csv": lambda table, file: table.to_csv(file, index=False),
        ".json": lambda table, file: table.to_json(file, orient="records", indent=1),
    }
    if file.suffix not in writers:
        raise UsageError(f"{file}: its name should end in {', '.join(writers)}")
    with Outputs() as outputs:
        outputs.promise(file)
        chosen = _chosen(RunStore(store), program, machine)
        counted = {column for each in chosen for column in each.kept.columns()} if statistic else set()
        columns = matching(statistic or [], sorted(counted))
        table = pd.DataFrame([_row(each) | {one: each.kept.counted(one) for one in columns} for each in chosen])
        outputs.write(file, lambda there: writers[file.suffix](table, there))
    if outputs.failed:
        raise UsageError(outputs.failed[0])
    out.print(f"{file}: {len(table):,} runs", highlight=False, markup=False)


@runs.command()
def prune(
    older_than: Annotated[str | None, typer.Option(help="Those older than this: 12h, 30d, 8w.")] = None,
    build: Annotated[str | None, typer.Option(help='"other": runs of other builds of the simulator.')] = None,
    program: Program = None,
    machine: OfMachine = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many there are.")] = False,
    store: StoreAddress = None,
) -> None:
    """Drop kept runs: those that all the options given hold for."""
    if not (older_than or build or program or machine):
        raise UsageError(
            "say which runs to drop by --older-than, --build, --program or --machine; see croft runs prune --help"
        )
    if build not in (None, "other"):
        raise UsageError(f"--build {build}: it should be other")
    before = time.time() - _seconds(older_than) if older_than else None
    kept_in = RunStore(store)
    dropped = 0
    for each in list(_chosen(kept_in, program, machine)):
        if before is not None and each.origin.when >= before:
            continue
        if build and each.origin.simulator == simulator_digest()[:12]:
            continue
        dropped += 1
        if not dry_run:
            kept_in.remove(each.key)
    out.print(
        f"{kept_in.address}: {dropped:,} runs {'to drop' if dry_run else 'dropped'}", highlight=False, markup=False
    )


def _chosen(store: RunStore, program: str | None, machine: str | None) -> list[Entry]:
    return [
        each
        for each in store.entries()
        if program in (None, each.origin.program) and machine in (None, each.origin.machine)
    ]


def _row(entry: Entry) -> dict[str, Any]:
    kept, origin = entry.kept, entry.origin
    whose = asdict(origin) | {"arguments": " ".join(origin.arguments)}
    when = datetime.fromtimestamp(origin.when).isoformat(" ", "seconds")
    counted = {"run_cycles": kept.cycles, "run_instructions": kept.instructions, "host_seconds": kept.host_seconds}
    lines = fields.lines_of(kept.text, program_name(origin.program))
    return {"run": _short(entry.key), **whose, "when": when, **counted, **(lines[-1] if lines else {})}


def _short(key: str) -> str:
    return key.partition("-")[2][:12]


def _seconds(text: str) -> float:
    number, unit = text[:-1], text[-1:]
    units = {"h": 3600, "d": 86400, "w": 7 * 86400}
    if unit not in units or not number.isascii() or not number.isdigit():
        raise UsageError(f"--older-than {text}: it should be a number of hours, days or weeks: 12h, 30d, 8w")
    return int(number) * units[unit]
