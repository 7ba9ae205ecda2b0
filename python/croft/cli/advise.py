"""The command ``croft advise``."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import croft
from croft.advice.advisor import Advice, advise, by_object, is_elsewhere, movable
from croft.advice.sharing import suggestions
from croft.base.console import FoldingTable
from croft.cli.options import MachineName, Settings, chosen_machine, complete_program, err, out, say
from croft.cli.outputs import Outputs
from croft.recording.line_use import LineUse
from croft.results.result import Result
from croft.runs.homes import to_toml
from croft.runs.runner import default_machine, executable, program_name
from croft.watching.progress import RunProgress, tell

_ROOM = 1 << 30
_Used = tuple[Result, LineUse]
"""A run, and the memory that it used."""


def advise_homes(
    program: Annotated[
        str,
        typer.Argument(
            help="A static RISC-V executable, a C++ or C file, or one of croft's programs.",
            autocompletion=complete_program,
        ),
    ],
    arguments: Annotated[list[str] | None, typer.Argument(help="The program's arguments, after --.")] = None,
    machine: MachineName = None,
    set_: Settings = None,
    cores: Annotated[int | None, typer.Option(help="Give the program only so many cores.")] = None,
    homes: Annotated[
        Path | None, typer.Option(help="Write the homes that are advised to this file, .toml, for `croft run --homes`.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="So many objects.")] = 15,
) -> None:
    """Say at which cores a program's data should be homed, and what that saves.

    Runs the program, and once more with the homes that are advised: what was expected stands beside what was measured.
    Cycles are those that cores waited, added up. On machines with a shared L2, which have no homes to choose, it says
    what else can be done about lines that cores take from each other.
    """
    chip = chosen_machine(machine or default_machine(False), set_)
    executable(program, tell=tell)
    name = program_name(program)

    def run(**more: Any) -> _Used:
        with RunProgress(name, chip.clock_mhz, None) as progress:
            result = croft.run(
                program,
                chip,
                arguments=arguments or [],
                cores=cores,
                lines=_ROOM,
                progress=progress.update,
                tell=tell,
                **more,
            )
        if result.ending != "exited" or result.exit_code or result.lines is None:
            err.print(
                result.text[-2000:] + result.errors.decode(errors="replace")[-2000:], highlight=False, markup=False
            )
            say(
                f"{name} ended with status {result.exit_status}: {result.message or 'advice is for runs that end well'}"
            )
            raise typer.Exit(result.exit_status)
        return result, result.lines

    with Outputs() as outputs:
        outputs.promise(homes)
        before, used = run()
        if not before.has_symbols:
            say(f"{name} has no symbols: its memory is of addresses")
        if chip.protocol == "ddc":
            advised = advise(used, chip)
            chosen = [home for advice in advised for home in advice.homes()]
            if chosen:
                _print((before, used), run(homes=chosen), advised, top)
            else:
                out.print("no data would be read sooner at another home", highlight=False)
            outputs.write(homes, lambda file: file.write_text(to_toml(chosen), encoding="utf-8"))
        elif homes:
            say(f"{chip.name} has a shared L2, so its lines have no homes to choose: {homes} is not written")
        found = suggestions(used)
        for one in found[:top]:
            out.print(escape(f"{one} ({one.cycles:,} cycles)"), highlight=False, soft_wrap=True)
        if not found and chip.protocol != "ddc":
            out.print("cores do not get into each other's way in any line", highlight=False)


def _print(earlier: _Used, later: _Used, advised: list[Advice], top: int) -> None:
    (before, used), (after, used_then) = earlier, later
    table = FoldingTable("data", "home", header_style="bold")
    for heading in ("lines", "waits", "saves, expected", "measured"):
        table.add_column(heading, justify="right")
    objects = by_object(advised)
    expected, stayed, away = 0.0, list[tuple[int, int]](), 0
    for number, advices in enumerate(objects):
        ranges = [each for advice in advices for each in advice.ranges]
        saves = sum(advice.saves for advice in advices)
        was, measured = movable(used, ranges), "elsewhere"
        if is_elsewhere(used, used_then, ranges):
            away += 1
        else:
            measured = f"{was - movable(used_then, ranges):,}"
            expected += saves
            stayed += ranges
        if number < top:
            cores = ", ".join(f"core {advice.core}" for advice in advices[:3])
            more = f" and {len(advices) - 3} more" if len(advices) > 3 else ""
            lines = sum(advice.bytes for advice in advices) // 64
            name = escape(advices[0].what.identity.name)
            table.add_row(name, cores + more, f"{lines:,}", f"{was:,}", f"{saves:,.0f}", measured)
    out.print(table, highlight=False)
    if len(objects) > top:
        err.print(f"and {len(objects) - top:,} more (--top)", highlight=False)
    if away:
        say(
            f"elsewhere: the second run had other data at these addresses, or used it otherwise ({away} left out below)"
        )
    was, now = movable(used, stayed), movable(used_then, stayed)
    out.print(
        f"all of it: {expected:,.0f} of {was:,} cycles of waits expected to be saved, "
        f"{was - now:,} measured; the run {before.cycles:,} cycles before, {after.cycles:,} with these homes",
        highlight=False,
        soft_wrap=True,
    )
