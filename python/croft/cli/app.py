"""The ``croft`` command."""

import importlib.metadata
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import croft
from croft.base import folders
from croft.base.console import FoldingTable, discard
from croft.base.errors import CacheWarning, CroftError, UsageError
from croft.base.extras import FOR_EXPERIMENTS, require
from croft.cli.advise import advise_homes
from croft.cli.compare import compare
from croft.cli.lines import lines
from croft.cli.options import (
    Fresh,
    Jobs,
    OnCluster,
    Settings,
    StoreAddress,
    chosen_machine,
    complete_experiment,
    complete_machine,
    complete_program,
    out,
    said,
    say,
)
from croft.cli.profile import profile
from croft.cli.report import report as write_report
from croft.cli.run import EXIT_STATUSES, run
from croft.cli.summary import summarise
from croft.cli.sweeps import runs, sweep
from croft.machines.file import flat_description, machine_path
from croft.machines.keys import settings
from croft.machines.table import machine_table
from croft.watching.progress import tell

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


@app.callback()
def croft_command(
    asked: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the versions, and end.")
    ] = False,
) -> None:
    """Build parallel programs, run them on simulated many-core machines, and put measured beside published."""


@app.command()
def build(
    sources: Annotated[
        list[str],
        typer.Argument(help="C++ or C files, or the name of one of croft's programs.", autocompletion=complete_program),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the program.")],
    native: Annotated[bool, typer.Option("--native", help="For this host, by $CXX or c++, $CC or cc.")] = False,
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            "-m",
            help="For this simulated machine (all run the same programs).",
            autocompletion=complete_machine,
        ),
    ] = None,
    optimise: Annotated[str, typer.Option("-O", help="Optimisation level.")] = "3",
    define: Annotated[list[str] | None, typer.Option("-D", help="Define a macro: NAME or NAME=VALUE.")] = None,
    include: Annotated[list[Path] | None, typer.Option("-I", help="Search headers in this folder.")] = None,
    flag: Annotated[list[str] | None, typer.Option("--flag", help="Hand this to the compiler: --flag=-Wall.")] = None,
    compiler: Annotated[str | None, typer.Option("--compiler", help="With --native: use this compiler.")] = None,
) -> None:
    """Build a C++ or C program, for simulated machines or (--native) for this host."""
    croft.build(
        sources,
        native=native,
        machine=machine,
        output=output,
        optimise=optimise,
        defines=define or [],
        includes=include or [],
        flags=flag or [],
        compiler=compiler,
        tell=tell,
    )


app.command(epilog=EXIT_STATUSES)(run)


@app.command()
def machines(
    name: Annotated[
        str | None,
        typer.Argument(help="Show this one: its keys, their values and sources.", autocompletion=complete_machine),
    ] = None,
    set_: Settings = None,
    flat: Annotated[
        bool, typer.Option("--flat", help="As key = value lines, for a native program with croft::coprocessor.")
    ] = False,
    toml: Annotated[bool, typer.Option("--toml", help="As a machine file that says all of it, with sources.")] = False,
) -> None:
    """List the machines, or show one."""
    for asked, option in ((flat, "--flat"), (toml, "--toml"), (set_, "--set")):
        if asked and name is None:
            raise UsageError(f"{option} is for one machine: name it")
    if flat and toml:
        raise UsageError("--flat and --toml are two forms: ask for one")
    if name is None:
        table = FoldingTable("machine", "cores", "mesh", "clock", box=None, header_style="bold")
        for each in croft.machine_names():
            one = croft.machine(each)
            mesh = f"{one.network.columns} x {one.network.rows}"
            table.add_row(each, str(one.cores), mesh, f"{one.clock_mhz:g} MHz")
        out.print(table)
        return
    described = chosen_machine(name, set_)
    if flat or toml:
        typer.echo(described.to_toml() if toml else flat_description(described), nl=False)
        return
    out.print(machine_table(described, str(machine_path(name))), highlight=False)


@app.command()
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
    from croft.experiments.conduct import EXPERIMENTS

    if summary:
        if name or quick or strict or fresh or set_:
            raise UsageError("croft experiment --summary runs nothing: it takes --out and --write only")
        summarise(folder, page)
        return
    if page:
        raise UsageError("croft experiment --write is for what --summary counts")
    if name is None:
        table = FoldingTable("experiment", "what", "from", box=None, header_style="bold")
        for each in EXPERIMENTS.values():
            table.add_row(each.name, each.title, each.source)
        out.print(table, highlight=False)
        return
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


app.command()(sweep)
app.command()(profile)
app.command()(lines)
app.command("advise")(advise_homes)
app.command("report")(write_report)
app.command()(compare)
app.add_typer(runs, name="runs")


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("--out", help="Where its pictures and tables go.")] = Path("out"),
) -> None:
    """Filter a photograph on this host and on a simulated TILEPro64, then measure a farm there."""
    require("croft demo", *FOR_EXPERIMENTS, "ziglang")
    from croft.cli.demo import demonstrate

    demonstrate(folder)


@app.command()
def picture(
    source: Annotated[Path, typer.Argument(help="A PNG, JPEG, PGM, PPM, ... file.")],
    target: Annotated[Path, typer.Argument(help="The file to write; its suffix decides the format.")],
    grey: Annotated[bool, typer.Option("--grey", help="Without colours, as .pgm always is.")] = False,
) -> None:
    """Convert a picture, to hand it to a program (.pgm, .ppm) or to look at it (.png)."""
    require("croft picture", "PIL")
    from croft.programs.pictures import convert

    convert(source, target, grey)


@app.command()
def config(
    cmake_dir: Annotated[bool, typer.Option("--cmake-dir", help="The folder of croftConfig.cmake.")] = False,
    include_dir: Annotated[bool, typer.Option("--include-dir", help="The folder of the headers.")] = False,
    machines_dir: Annotated[bool, typer.Option("--machines-dir", help="The folder of the machine files.")] = False,
    programs_dir: Annotated[bool, typer.Option("--programs-dir", help="The folder of the programs' sources.")] = False,
) -> None:
    """Print where croft's files are, for other build systems."""
    chosen = {
        "cmake-dir": (cmake_dir, folders.cmake_folder),
        "include-dir": (include_dir, folders.include_folder),
        "machines-dir": (machines_dir, folders.machines_folder),
        "programs-dir": (programs_dir, folders.programs_folder),
    }
    asked = [folder for wanted, folder in chosen.values() if wanted]
    for folder in asked:
        print(folder())
    if not asked:
        for key, (_, folder) in chosen.items():
            print(f"{key}: {folder()}")


@app.command()
def version() -> None:
    """Print croft's version and that of the compiler for simulated machines."""
    try:
        compiler = f"ziglang {importlib.metadata.version('ziglang')}"
    except importlib.metadata.PackageNotFoundError:
        compiler = "without a compiler for simulated machines (croft[build])"
    print(f"croft {importlib.metadata.version('croft')}, {compiler}")


def frame_table(frame) -> FoldingTable:
    """A data frame as a table for the terminal."""
    table = FoldingTable(*map(str, frame.columns), header_style="bold")
    for row in frame.itertuples(index=False):
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else escape(str(value)) for value in row))
    return table


def main() -> None:
    """Runs the command; an error of croft is one sentence and its exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # whoever called has closed it
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    show = warnings.showwarning
    warnings.showwarning = lambda message, category, *where: (
        say(message) if category is CacheWarning else show(message, category, *where)
    )
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # what cannot be written is said by us, not by Python when it ends
    except CroftError as error:
        say(error)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        discard(sys.stdout)
        sys.exit(141)
    except OSError as error:  # of a file that nobody thought of, or of standard output
        discard(sys.stdout)
        where = f"{error.filename}: " if error.filename else ""
        say(f"{where}{error.strerror or error}")
        sys.exit(2)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = f"a fault of croft itself, {type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}"
        how = "please report it, with the command (CROFT_TRACEBACK=1 shows all of it)"
        say(f"{said}; {how}")
        if os.environ.get("CROFT_TRACEBACK"):
            traceback.print_exc()
        sys.exit(70)
