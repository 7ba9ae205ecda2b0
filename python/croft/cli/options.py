"""Options that several commands have, what a shell completes their words to, and where commands print."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

import croft
from croft.base.console import console_on
from croft.machines.keys import settings
from croft.programs.builder import shipped_programs

out = console_on()
err = console_on(errors=True)


def complete_machine(incomplete: str) -> list[str]:
    """The machines and machine files that begin so."""
    return _that_begin_with(incomplete, croft.machine_names(), "*.toml")


def complete_program(incomplete: str) -> list[str]:
    """The programs and files that begin so."""
    return _that_begin_with(incomplete, shipped_programs(), "*")


def complete_experiment(incomplete: str) -> list[str]:
    """The experiments that begin so."""
    from croft.experiments.names import NAMES

    return _that_begin_with(incomplete, NAMES)


def _that_begin_with(incomplete: str, known: Iterable[str], files: str | None = None) -> list[str]:
    """What a shell may complete a word to: of the known names, and of the files there."""
    found = []
    if files:
        folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
        found = [f"{path}/" if path.is_dir() else str(path) for path in sorted(folder.glob("*"))]
        found = [path for path in found if path.endswith("/") or Path(path).match(files)]
    return [word for word in (*known, *found) if word.startswith(incomplete)]


MachineName = Annotated[
    str | None,
    typer.Option(
        "--machine",
        "-m",
        help="One that `croft machines` lists, or a machine file (tilepro64; io1 to --analyze).",
        autocompletion=complete_machine,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Give a key of the machine another value: network.hop=3 (may be repeated)."
    ),
]


def said(set_: list[str] | None) -> str:
    """How errors name what --set asked for."""
    return " ".join(f"--set {text}" for text in set_ or [])


def chosen_machine(name: str, set_: list[str] | None) -> croft.Machine:
    """The machine that a command's options name."""
    chosen = croft.machine(name)
    return chosen.with_keys(settings(set_), said(set_)) if set_ else chosen


Full = Annotated[bool, typer.Option("--full", help="Names with their template arguments, and whole paths.")]
OnCluster = Annotated[
    str | None,
    typer.Option(
        "--on",
        help="Where runs are done: dask (worker processes here), a Dask scheduler's address (tcp://HOST:PORT) or its "
        "file (.json); default: threads of this host.",
    ),
]
StoreAddress = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="Where runs are kept: a folder, or any address that fsspec knows, s3://... (default: $CROFT_STORE, else "
        "croft's cache).",
    ),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Runs at a time (default: one a host core).")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Do runs again that are kept from before.")]


def say(sentence: object) -> None:
    """What went wrong, on standard error."""
    err.print(f"croft: {sentence}", highlight=False, markup=False, soft_wrap=True)
