"""The command ``croft profile``."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape

from croft.base.console import FoldingTable
from croft.cli.options import err, out
from croft.recording.profile import CAUSES, Cost, Profile, difference
from croft.recording.profile_files import read_profile
from croft.symbols.symbols import Place

LEAST_SHARE = 0.05
"""Of a place's cycles, for a cause to be named."""


def profile(
    file: Annotated[Path, typer.Argument(help="What `croft run --profile` has written.")],
    before: Annotated[Path | None, typer.Argument(help="Another one: print what is different from it.")] = None,
    by: Annotated[Literal["function", "line"], typer.Option(help="What to add up: function or line.")] = "function",
    top: Annotated[int, typer.Option(min=1, help="So many of them.")] = 20,
    core: Annotated[list[int] | None, typer.Option(help="Only of this core (may be repeated).")] = None,
) -> None:
    """Print where a run's cycles went: which functions or lines, and what each of them waited for.

    A cycle belongs to the core that spent it: 64 cores that wait for 10 cycles are 640 cycles.
    """
    profiled = _only(read_profile(file), core)
    if before is None:
        _print(profiled, by, top)
    else:
        _print_difference(profiled, _only(read_profile(before), core), by, top)


def _only(profile: Profile, cores: list[int] | None) -> Profile:
    if not cores:
        return profile
    return Profile([sample for sample in profile.samples if sample.core in cores], profile.title)


def _costs(profile: Profile, by: str) -> list[Cost]:
    return profile.functions() if by == "function" else profile.lines()


def _print(profile: Profile, by: str, top: int) -> None:
    costs, cycles = _costs(profile, by), profile.cycles
    cores = len(profile.by_core())
    out.print(escape(f"{profile.title}: {cycles:,} cycles of {cores} cores".removeprefix(": ")), highlight=False)
    table = FoldingTable(header_style="bold")
    for heading in ("cycles", "share", "with calls"):
        table.add_column(heading, justify="right")
    table.add_column("of them")
    table.add_column(by)
    for cost in costs[:top]:
        shares = f"{cost.cycles / max(cycles, 1):.1%}", f"{cost.total / max(cycles, 1):.1%}"
        table.add_row(f"{cost.cycles:,}", *shares, _reasons(cost), escape(_short(cost.place)))
    out.print(table, highlight=False)
    if len(costs) > top:
        err.print(f"and {len(costs) - top:,} more (--top)", highlight=False)


def _short(place: Place) -> str:
    """The place with the last two parts of its file's path."""
    return str(Place(place.function, "/".join(place.file.split("/")[-2:]), place.line))


def _reasons(cost: Cost) -> str:
    """What a place's cycles went to, the largest part first."""
    parts = sorted(CAUSES, key=lambda cause: -cost.causes[cause])
    named = [cause for cause in parts if cost.causes[cause] > LEAST_SHARE * cost.cycles]
    return ", ".join(f"{cause} {cost.causes[cause] / cost.cycles:.0%}" for cause in named)


def _print_difference(later: Profile, earlier: Profile, by: str, top: int) -> None:
    change = later.cycles - earlier.cycles
    out.print(
        f"{later.cycles:,} cycles instead of {earlier.cycles:,}: {change:+,} ({change / max(earlier.cycles, 1):+.1%})",
        highlight=False,
    )
    table = FoldingTable(header_style="bold")
    for heading in ("change", "cycles", "before"):
        table.add_column(heading, justify="right")
    table.add_column("of the change")
    table.add_column(by)
    for one, other in difference(_costs(later, by), _costs(earlier, by))[:top]:
        if one.cycles == other.cycles:
            break
        row = f"{one.cycles - other.cycles:+,}", f"{one.cycles:,}", f"{other.cycles:,}"
        table.add_row(*row, _changes(one, other), escape(_short(one.place)))
    out.print(table, highlight=False)


def _changes(one: Cost, other: Cost) -> str:
    """Which causes have changed, the largest change first."""
    changes = {cause: one.causes[cause] - other.causes[cause] for cause in CAUSES}
    largest = max(map(abs, changes.values()))
    named = sorted((cause for cause in CAUSES if changes[cause]), key=lambda cause: -abs(changes[cause]))
    return ", ".join(f"{cause} {changes[cause]:+,}" for cause in named if abs(changes[cause]) > LEAST_SHARE * largest)
