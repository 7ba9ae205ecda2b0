"""The command ``croft machines``."""

import textwrap
from typing import Annotated

import typer

import croft
from croft.base.console import FoldingTable
from croft.base.errors import UsageError
from croft.cli.options import Settings, chosen_machine, complete_machine, out
from croft.machines.file import flat_description, machine_path
from croft.machines.hierarchy import hierarchy
from croft.machines.table import machine_table


def machines(
    name: Annotated[
        str | None,
        typer.Argument(help="Show its keys, their values and sources.", autocompletion=complete_machine),
    ] = None,
    set_: Settings = None,
    flat: Annotated[
        bool, typer.Option("--flat", help="As key = value lines, for a native program with croft::coprocessor.")
    ] = False,
    toml: Annotated[bool, typer.Option("--toml", help="As a machine file that says all of it, with sources.")] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Say whether it can be built, and what an access meets on its way to memory."),
    ] = False,
) -> None:
    """List the machines, or show one."""
    for asked, option in ((flat, "--flat"), (toml, "--toml"), (set_, "--set")):
        if asked and name is None:
            raise UsageError(f"{option} is for one machine: name it")
    if flat + toml + check > 1:
        raise UsageError("--flat, --toml and --check are three forms; name a single one")
    if check:
        for each in [name] if name else croft.machine_names():
            described = chosen_machine(each, set_)
            typer.echo(f"{described.name}: {described.cores} core{'s' * (described.cores > 1)}")
            typer.echo(textwrap.indent(hierarchy(described), "  "))
        return
    if name is None:
        table = FoldingTable("machine", "cores", "network", "clock", box=None, header_style="bold")
        for each in croft.machine_names():
            one = croft.machine(each)
            network = f"{one.network.topology or 'mesh'}, {one.network.columns} x {one.network.rows}"
            table.add_row(each, str(one.cores), network, f"{one.clock_mhz:g} MHz")
        out.print(table)
        return
    described = chosen_machine(name, set_)
    if flat or toml:
        typer.echo(described.to_toml() if toml else flat_description(described), nl=False)
        return
    out.print(machine_table(described, str(machine_path(name))), highlight=False)
