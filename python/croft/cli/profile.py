"""The command ``croft profile``."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape

from croft.base.console import FoldingTable
from croft.base.errors import UsageError
from croft.cli.options import Full, err, out
from croft.recording.profile import CAUSES, Cost, Profile, difference
from croft.recording.profile_files import read_profile
from croft.recording.waiting import by_call, by_writer, split
from croft.results.files import read_lines
from croft.symbols.demangle import elided
from croft.symbols.symbols import Place

LEAST_SHARE = 0.05
"""Of a place's cycles, for a cause to be named."""
_MOST_CORES = 4


def profile(
    file: Annotated[Path, typer.Argument(help="What `croft run --profile` has written.")],
    before: Annotated[Path | None, typer.Argument(help="Another one: print what is different from it.")] = None,
    by: Annotated[Literal["function", "line"], typer.Option(help="What to add up: function or line.")] = "function",
    top: Annotated[int, typer.Option(min=1, help="So many of them.")] = 20,
    core: Annotated[list[int] | None, typer.Option(help="Only of this core (may be repeated).")] = None,
    lines: Annotated[
        Path | None, typer.Option(help="What --lines has written of the same run: it says who waited for whom.")
    ] = None,
    full: Full = False,
) -> None:
    """Print where a run's cycles went: which functions or lines, and what each of them waited for.

    The program's own code comes first, then libraries. Waits for other cores and for the kernel are added up apart.
    A cycle belongs to the core that spent it: 64 cores that wait for 10 cycles are 640 cycles.
    """
    if before and lines:
        raise UsageError("--lines says who waited in one run: leave the other profile out, or --lines")
    profiled = _only(read_profile(file), core)
    if before is None:
        _print(profiled, by, top, full)
        if lines:
            _print_writers(lines, set(core or ()))
    else:
        _print_difference(profiled, _only(read_profile(before), core), by, top, full)


def _only(profile: Profile, cores: list[int] | None) -> Profile:
    if not cores:
        return profile
    return Profile([sample for sample in profile.samples if sample.core in cores], profile.title)


def _costs(profile: Profile, by: str) -> list[Cost]:
    return profile.functions() if by == "function" else profile.lines()


def _print(profile: Profile, by: str, top: int, full: bool) -> None:
    done, waited = split(profile)
    cycles = max(profile.cycles, 1)
    totals = {cost.place: cost.total for cost in _costs(profile, by)}
    cores = len(profile.by_core())
    title = f"{profile.title}: {profile.cycles:,} cycles of {cores} cores".removeprefix(": ")
    out.print(
        escape(f"{title}, of which they waited {waited.cycles:,} ({waited.cycles / cycles:.1%})"),
        highlight=False,
        soft_wrap=True,
    )
    table = FoldingTable(header_style="bold")
    table.add_numbers("cycles", "share", "with calls")
    table.add_column("of them")
    table.add_column(by)
    costs = [cost for cost in _costs(done, by) if cost.cycles]
    own, others = ([cost for cost in costs if cost.place.is_own == is_own] for is_own in (True, False))
    for part in (own, others):
        for cost in part[:top]:
            shares = f"{cost.cycles / cycles:.1%}", f"{totals[cost.place] / cycles:.1%}"
            table.add_row(f"{cost.cycles:,}", *shares, _reasons(cost), escape(_short(cost.place, full)))
        table.add_section()
    out.print(table, highlight=False)
    if more := sum(max(len(part) - top, 0) for part in (own, others)):
        err.print(f"and {more:,} more (--top)", highlight=False)
    _print_waited(waited, cycles, top, full)


def _print_waited(waited: Profile, cycles: int, top: int, full: bool) -> None:
    if not waited.cycles:
        return
    table = FoldingTable(header_style="bold")
    table.add_numbers("cycles", "share")
    table.add_column("waited in")
    table.add_column("cores")
    calls = by_call(waited)
    for what, count, cores in calls[:top]:
        assert isinstance(what, Place)
        named = ", ".join(str(core) for core, _ in cores.most_common(_MOST_CORES))
        more = f" and {len(cores) - _MOST_CORES} more" if len(cores) > _MOST_CORES else ""
        table.add_row(f"{count:,}", f"{count / cycles:.1%}", escape(_short(what, full)), named + more)
    out.print(table, highlight=False)
    if len(calls) > top:
        err.print(f"and {len(calls) - top:,} more (--top)", highlight=False)


def _print_writers(file: Path, cores: set[int]) -> None:
    """For whom cores waited, as a record of lines says it: for the core that wrote a line last."""
    recorded, _ = read_lines(file)
    roles = {int(core): role for core, role in recorded.get("roles", {}).items()}
    table = FoldingTable(header_style="bold")
    table.add_numbers("cycles")
    table.add_column("waited")
    table.add_column("for")
    waits = [wait for wait in recorded["waits"] if not cores or wait[0] in cores]
    for waiter, writer, cycles in by_writer(waits, roles):
        table.add_row(f"{cycles:,}", waiter, writer)
    out.print(table, highlight=False)


def _short(place: Place, full: bool) -> str:
    """The place with the last two parts of its file's path, and without template arguments."""
    if full:
        return str(place)
    return str(Place(elided(place.function), "/".join(place.file.split("/")[-2:]), place.line))


def _reasons(cost: Cost) -> str:
    """What a place's cycles went to, the largest part first."""
    parts = sorted(CAUSES, key=lambda cause: -cost.causes[cause])
    named = [cause for cause in parts if cost.causes[cause] > LEAST_SHARE * cost.cycles]
    return ", ".join(f"{cause} {cost.causes[cause] / cost.cycles:.0%}" for cause in named)


def _print_difference(later: Profile, earlier: Profile, by: str, top: int, full: bool) -> None:
    change = later.cycles - earlier.cycles
    out.print(
        f"{later.cycles:,} cycles instead of {earlier.cycles:,}: {change:+,} ({change / max(earlier.cycles, 1):+.1%})",
        highlight=False,
    )
    table = FoldingTable(header_style="bold")
    table.add_numbers("change", "cycles", "before")
    table.add_column("of the change")
    table.add_column(by)
    for one, other in difference(_costs(later, by), _costs(earlier, by))[:top]:
        if one.cycles == other.cycles:
            break
        row = f"{one.cycles - other.cycles:+,}", f"{one.cycles:,}", f"{other.cycles:,}"
        table.add_row(*row, _changes(one, other), escape(_short(one.place, full)))
    out.print(table, highlight=False)


def _changes(one: Cost, other: Cost) -> str:
    """Which causes have changed, the largest change first."""
    changes = {cause: one.causes[cause] - other.causes[cause] for cause in CAUSES}
    largest = max(map(abs, changes.values()))
    named = sorted((cause for cause in CAUSES if changes[cause]), key=lambda cause: -abs(changes[cause]))
    return ", ".join(f"{cause} {changes[cause]:+,}" for cause in named if abs(changes[cause]) > LEAST_SHARE * largest)
