"""The command ``croft advise``."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.markup import escape

import croft
from croft.advice.advisor import Advice, advise, by_object, is_elsewhere, movable
from croft.advice.forwarding import forwarded
from croft.advice.limits import own_limit
from croft.advice.placement import stalled, try_placements
from croft.advice.sharing import suggestions
from croft.advice.trials import Trial, homes_of, pays, try_parts
from croft.base.console import FoldingTable
from croft.cli.options import Full, MachineName, Settings, chosen_machine, complete_program, err, out, say
from croft.cli.outputs import Outputs
from croft.cli.place import print_placements
from croft.recording.identity import called
from croft.recording.line_use import LineUse
from croft.results.result import Result
from croft.runs.homes import Home, to_toml
from croft.runs.runner import default_machine, executable, program_name
from croft.watching.progress import RunProgress, tell

_ROOM = 1 << 30


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
    cores: Annotated[
        str | None, typer.Option(help="Give the program only so many cores, or a list like 0-7,16-23.")
    ] = None,
    homes: Annotated[
        Path | None, typer.Option(help="Write the homes that are advised to this file, .toml, for `croft run --homes`.")
    ] = None,
    place: Annotated[
        bool, typer.Option("--place", help="Say on which cores its threads should run, instead of where to home data.")
    ] = False,
    runs: Annotated[
        int,
        typer.Option(
            min=1,
            help="So many runs with other homes: all advised ones together, then one by one. Or, with --place, with "
            "other placements.",
        ),
    ] = 8,
    top: Annotated[int, typer.Option(min=1, help="So many objects.")] = 15,
    full: Full = False,
) -> None:
    """Say at which cores a program's data should be homed, and what that saves.

    Runs the program, and again with the homes that are advised. If they make the run longer, each object's are tried
    alone, and those that pay are kept. Cycles of waits are those of all cores, added up. Machines with a
    shared L2 have no homes to choose. There it says what else can be done about lines that cores take from each other.

    With --place it looks for the cores on which the threads should run. It counts how often they hand each other data,
    and how far the cores are apart. It tries the most promising lists by runs, and prints the fastest for --cores.
    """
    if place and homes:
        say("--place looks for cores and not for homes, so there are none for --homes to write; leave one of them out")
        raise typer.Exit(2)
    chip = chosen_machine(machine or default_machine(False), set_)
    executable(program, tell=tell)
    name = program_name(program)

    def run(lines: int | None = _ROOM, **more: Any) -> Result:
        with RunProgress(name, chip.clock_mhz, None) as progress:
            result = croft.run(
                program,
                chip,
                arguments=arguments or [],
                lines=lines,
                progress=progress.update,
                tell=tell,
                **{"cores": cores, **more},
            )
        if result.ending != "exited" or result.exit_code:
            err.print(
                result.text[-2000:] + result.errors.decode(errors="replace")[-2000:], highlight=False, markup=False
            )
            say(
                f"{name} ended with status {result.exit_status}: {result.message or 'advice is for runs that end well'}"
            )
            raise typer.Exit(result.exit_status)
        return result

    with Outputs() as outputs:
        outputs.promise(homes)
        before = run()
        used = _lines(before)
        if not before.has_symbols:
            say(f"{name} has no symbols: its memory is of addresses")
        out.print(escape(own_limit(before)), highlight=False, soft_wrap=True)
        if place:
            print_placements(try_placements(before, lambda cores: _measures(run(lines=None, cores=cores)), runs))
            return
        if chip.protocol == "ddc":
            kept = _advise_homes(before, run, runs, Shown(top, full))
            if kept:
                outputs.write(homes, lambda file: file.write_text(to_toml(kept), encoding="utf-8"))
            elif homes:
                say(f"no homes are kept, so {homes} is not written")
        elif homes:
            say(f"{chip.name} has a shared L2, so its lines have no homes to choose: {homes} is not written")
        found = suggestions(used)
        for one in found[:top]:
            out.print(escape(f"{one.text(full)} ({one.cycles:,} cycles)"), highlight=False, soft_wrap=True)
        hints = forwarded(used, chip)
        for hint in hints[:top]:
            out.print(escape(f"{hint.text(full)} ({hint.saves:,.0f} of all)"), highlight=False, soft_wrap=True)
        if not found and not hints and chip.protocol != "ddc":
            out.print("cores do not get into each other's way in any line", highlight=False)


class Shown(NamedTuple):
    """How much is printed."""

    top: int
    full: bool


def _measures(result: Result) -> tuple[int, int]:
    return stalled(result), result.cycles


def _lines(result: Result) -> LineUse:
    assert result.lines is not None  # asked for
    return result.lines


def _advise_homes(before: Result, run: Callable[..., Result], runs: int, shown: Shown) -> list[Home]:
    """Prints which homes pay, and returns them."""
    parts = by_object(advise(_lines(before), before.machine))
    if not parts:
        out.print("no data would be read sooner at another home", highlight=False)
        return []
    together = run(homes=homes_of(parts))
    if pays(before.cycles, together.cycles):
        _print_parts(before, together, [Trial(part, is_kept=True) for part in parts], shown)
        _print_run(before.cycles, together.cycles, "these homes")
        return homes_of(parts)
    out.print(
        f"withdrawn: with all homes that are advised, the run takes {together.cycles:,} cycles instead of "
        f"{before.cycles:,} ({_change(before.cycles, together.cycles)})",
        highlight=False,
        soft_wrap=True,
    )
    tried = runs - 1 if len(parts) > 1 else 0
    if tried:
        count = min(tried, len(parts))
        out.print(f"trying {count} of {len(parts)} objects one by one, in {count} runs (--runs)", highlight=False)
    trials = try_parts(parts, lambda homes: run(lines=None, homes=homes).cycles, before.cycles, tried)
    _print_parts(before, together, trials, shown)
    kept = [trial for trial in trials if trial.is_kept]
    if not kept:
        out.print("withdrawn: no homes that were tried make the run shorter", highlight=False)
        return []
    _print_run(before.cycles, min(trial.cycles or before.cycles for trial in kept), "the homes that are kept")
    return homes_of([trial.advices for trial in kept])


def _print_run(before: int, after: int, homes: str) -> None:
    out.print(
        f"the run {before:,} cycles before, {after:,} with {homes} ({_change(before, after)})",
        highlight=False,
        soft_wrap=True,
    )


def _change(before: int, after: int) -> str:
    return f"{abs(after - before) / before:.1%} {'longer' if after > before else 'shorter'}"


def _print_parts(before: Result, together: Result, trials: list[Trial], shown: Shown) -> None:
    used, used_then = _lines(before), _lines(together)
    table = FoldingTable("data, and the home advised", header_style="bold")
    table.add_numbers("lines", "waits", "saves, expected", "measured")
    one_by_one = not all(trial.is_kept for trial in trials)
    if one_by_one:
        table.add_numbers("the run then")
    expected, stayed, away = 0.0, list[tuple[int, int]](), 0
    for number, trial in enumerate(trials):
        ranges = [each for advice in trial.advices for each in advice.ranges]
        saves = sum(advice.saves for advice in trial.advices)
        was, measured = movable(used, ranges), "elsewhere"
        if is_elsewhere(used, used_then, ranges):
            away += 1
        else:
            measured = f"{was - movable(used_then, ranges):,}"
            expected += saves
            stayed += ranges
        if number < shown.top:
            lines = sum(advice.bytes for advice in trial.advices) // 64
            name = escape(called(trial.advices[0].what.identity, shown.full))
            row = [f"{name}: {_cores(trial.advices)}", f"{lines:,}", f"{was:,}", f"{saves:,.0f}", measured]
            tried = [trial.verdict] if trial.cycles is None else [f"{trial.cycles:,}", trial.verdict]
            table.add_row(*row, *(["\n".join(tried)] if one_by_one else []))
    out.print(table, highlight=False)
    if len(trials) > shown.top:
        err.print(f"and {len(trials) - shown.top:,} more (--top)", highlight=False)
    if away:
        say(
            f"elsewhere: the second run had other data at these addresses, or used it otherwise ({away} left out below)"
        )
    was, now = movable(used, stayed), movable(used_then, stayed)
    out.print(
        f"all of it together: {expected:,.0f} of {was:,} cycles of waits expected to be saved, {was - now:,} measured; "
        f"the run {together.cycles:,} cycles",
        highlight=False,
        soft_wrap=True,
    )


def _cores(advices: list[Advice]) -> str:
    cores = ", ".join(f"{advice.core}" for advice in advices[:3])
    more = f" and {len(advices) - 3} more" if len(advices) > 3 else ""
    return f"core{'s' if len(advices) > 1 else ''} {cores}{more}"
