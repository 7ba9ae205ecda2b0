"""What ``croft advise --place`` prints: on which cores a program's threads should run."""

from collections.abc import Sequence

from croft.advice.placement import Tried, fastest
from croft.base.console import FoldingTable
from croft.base.core_lists import listed
from croft.cli.options import out

_LONGEST = 60
"""Characters of a list of cores in the table; the one to use is printed whole."""


def print_placements(tried: Sequence[Tried]) -> None:
    """The table, and in a sentence which to use and what it saves."""
    table = FoldingTable("placement", "cores", header_style="bold")
    table.add_numbers("stalled, expected", "measured", "the run")
    for each in tried:
        cores = listed(each.placement)
        cores = cores if len(cores) <= _LONGEST else f"{cores[: _LONGEST - 3]}..."
        measured = ["not tried", ""] if each.time is None else [f"{each.stalled:,}", f"{each.time:,}"]
        table.add_row(each.name, cores, f"{max(each.expected, 0):,.0f}", *measured)
    out.print(table, highlight=False)
    out.print(_sentence(tried[0], fastest(tried)), highlight=False, soft_wrap=True)


def _sentence(start: Tried, best: Tried) -> str:
    assert start.time is not None and best.time is not None
    if best is start:
        return "no placement that was tried makes the run shorter"
    saved = f"{best.time:,} cycles instead of {start.time:,} ({1 - best.time / start.time:.1%} shorter)"
    return f"the run takes {saved} with --cores {listed(best.placement)}"
