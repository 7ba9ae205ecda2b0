"""What is shown of the experiments' fidelity: a table for a page of documentation, and a figure."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from croft.base.errors import UsageError
from croft.experiments.fidelity import KINDS, WITHIN, Count, Fidelity

BEGIN = "<!-- written by `croft experiment --summary --write`: begin -->"
END = "<!-- written by `croft experiment --summary --write`: end -->"
PICTURE = Path("images", "fidelity.png")
"""Of a page, from its folder."""

_SHADES = ("#1a7f37", "#6fbf73", "#c5e1a5", "#f3c26b", "#c0392b")
_CLASSES = (*(f"within {100 * distance:.0f}%" for distance in WITHIN), "within a factor of 2", "beyond")


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.0f}%)" if whole else "-"


def _row(name: str, count: Count) -> str:
    parts = [_share(part, count.numbers) for part in (*count.within, count.beyond)]
    statements = f"{count.hold} of {count.statements}" if count.statements else "-"
    return f"| {name} | {count.numbers} | {' | '.join(parts)} | {statements} | {count.unscored or '-'} |"


def markdown(fidelity: Fidelity) -> str:
    """Tables, predicted cells first, and which experiments are not in them."""
    titles = [*(f"within {100 * distance:.0f}%" for distance in WITHIN), "beyond a factor of 2"]
    lines = []
    for kind in reversed(KINDS):
        lines += [
            f"| {kind} | numbers | {' | '.join(titles)} | statements and bounds that hold | not scored |",
            f"|{' --- |' * (len(titles) + 4)}",
            *(_row(f"[{name}](experiments.md#{name})", count) for name, count in fidelity.counts[kind].items()),
            *(_row(f"**{name}**", count) for name, count in fidelity.sums(kind)),
            "",
        ]
    if fidelity.missing:
        lines += [f"Not run: {', '.join(fidelity.missing)}.", ""]
    return "\n".join(lines)


def draw(fidelity: Fidelity) -> Figure:
    """A bar for each experiment that predicts numbers, and for the first sum of each kind."""
    bars = [(name, count) for name, count in fidelity.counts["predicted"].items() if count.numbers]
    bars += [(f"{name} {kind}", count) for kind in reversed(KINDS) for name, count in fidelity.sums(kind)[:1]]
    figure = Figure(figsize=(9, 1.2 + 0.3 * len(bars)), layout="constrained")
    axes = figure.subplots()
    for place, (_, count) in enumerate(bars):
        left = 0.0
        for part, shade in zip(parts(count), _SHADES, strict=True):
            width = 100 * part / count.numbers if count.numbers else 0.0
            axes.barh(place, width, left=left, color=shade)
            left += width
    axes.set_yticks(range(len(bars)), [f"{name} ({count.numbers})" for name, count in bars])
    axes.invert_yaxis()
    axes.set(xlim=(0, 100), xlabel="% of published numbers", title="How near to what was published")
    handles: list[Any] = [axes.barh(0, 0, color=shade) for shade in _SHADES]
    figure.legend(handles, _CLASSES, loc="outside lower center", ncols=len(_CLASSES), fontsize="small")
    return figure


def parts(count: Count) -> tuple[int, ...]:
    """The numbers in classes of which each has one: nearer and nearer than a distance, and then beyond."""
    upto = (0, *count.within, count.numbers - count.beyond, count.numbers)
    return tuple(above - below for below, above in pairwise(upto))


def rewrite(page: Path, fidelity: Fidelity) -> None:
    """Puts the tables and the figure between the two lines of ``page`` that are for them. Raises UsageError."""
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{page}: it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    for mark in (BEGIN, END):
        if text.count(mark) != 1:
            raise UsageError(
                f"{page}: it needs one line {mark} for the tables to be written at, and has {text.count(mark)}"
            )
    before, _, rest = text.partition(BEGIN)
    _, mark, behind = rest.partition(END)
    if not mark:
        raise UsageError(f"{page}: the line {END} stands before the other")
    picture = f"![How near the experiments come to what was published]({PICTURE.as_posix()})"
    try:
        page.write_text(f"{before}{BEGIN}\n\n{markdown(fidelity)}\n{picture}\n\n{END}{behind}", encoding="utf-8")
        (page.parent / PICTURE).parent.mkdir(exist_ok=True)
        draw(fidelity).savefig(page.parent / PICTURE, dpi=110)
    except OSError as error:
        raise UsageError(f"{page}: {error.strerror}") from error
