"""The command ``croft build``."""

from pathlib import Path
from typing import Annotated

import typer

import croft
from croft.cli.options import complete_machine, complete_program
from croft.watching.progress import tell


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
    march: Annotated[
        str | None,
        typer.Option("--march", help="Instructions that the program may use: rv64gc_zba_zbb, or a profile: rva22u64."),
    ] = None,
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
        march=march,
        tell=tell,
    )
