"""The ``croft`` command."""

import importlib.metadata
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Annotated

import typer

from croft.base import distribution
from croft.base.console import discard
from croft.base.errors import CacheWarning, CroftError
from croft.base.extras import FOR_EXPERIMENTS, require
from croft.cli.advise import advise_homes
from croft.cli.build import build
from croft.cli.calibrate import calibrate
from croft.cli.compare import compare
from croft.cli.config import config
from croft.cli.experiment import experiment
from croft.cli.lines import lines
from croft.cli.machines import machines
from croft.cli.mistakes import sentence
from croft.cli.options import say
from croft.cli.profile import profile
from croft.cli.report import report
from croft.cli.run import EXIT_STATUSES, run
from croft.cli.sweeps import runs, sweep

app = typer.Typer(
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


@app.callback()
def croft_command(
    context: typer.Context,
    asked: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the versions, and end.")
    ] = False,
) -> None:
    """Build parallel programs, run them on simulated many-core machines, and put measured beside published."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


app.command()(build)
app.command(epilog=EXIT_STATUSES)(run)
app.command()(machines)
app.command()(calibrate)
app.command()(experiment)
app.command()(sweep)
app.command()(profile)
app.command()(lines)
app.command("advise")(advise_homes)
app.command()(report)
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


app.command()(config)


@app.command()
def version() -> None:
    """Print croft's version and that of the compiler for simulated machines."""
    try:
        compiler = f"ziglang {importlib.metadata.version('ziglang')}"
    except importlib.metadata.PackageNotFoundError:
        compiler = f"without a compiler for simulated machines (pip install '{distribution.NAME}[build]')"
    print(f"croft {distribution.version()}, {compiler}")


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
            status = app(prog_name="croft", standalone_mode=False)
        finally:
            sys.stdout.flush()  # what cannot be written is said by us, not by Python when it ends
    except CroftError as error:
        say(error)
        sys.exit(error.exit_status)
    except typer.TyperException as error:
        say(sentence(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        discard(sys.stdout)
        sys.exit(141)
    except OSError as error:  # of a file that nobody thought of, or of standard output
        discard(sys.stdout)
        why = error.strerror or error
        say(f"{error.filename}: {why}; name another file" if error.filename else why)
        sys.exit(2)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = f"a fault of croft itself, {type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}"
        how = "please report it, with the command (CROFT_TRACEBACK=1 shows all of it)"
        say(f"{said}; {how}")
        if os.environ.get("CROFT_TRACEBACK"):
            traceback.print_exc()
        sys.exit(70)
    sys.exit(status)
