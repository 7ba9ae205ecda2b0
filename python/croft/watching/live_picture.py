"""Draws what ``croft run --live`` shows: lines of text for a view of a run, no wider and no more than they may be."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from croft.base.durations import duration
from croft.watching.live_view import LinkUse, View

ACTIVITIES = {
    "runs": ("R", "black on green", "runs"),
    "load": ("L", "black on red", "load or atomic"),
    "store": ("S", "black on magenta", "store or fence"),
    "fetch": ("I", "black on yellow", "instruction fetch"),
    "line": ("W", "black on cyan", "waits for a line"),
    "network": ("N", "black on blue", "network or DMA"),
    "futex": ("F", "black on white", "futex"),
    "sleep": ("Z", "white on bright_black", "asleep"),
    "host": ("H", "black on bright_yellow", "host"),
    "kernel": ("K", "black on bright_magenta", "system call"),
    "stopped": ("B", "black on bright_red", "ebreak"),
    "finished": (".", "dim", "finished"),
    "unused": ("-", "dim", "no thread yet"),
    "absent": (" ", "dim", "not for programs"),
}
"""Of each activity of a core: its letter, its style, its words. Of equally many the first stands for several cores."""

_LINKS_WIDTH = 36
_LINKS_ROWS = 8
_LEAST_ROWS = 3
_BARS = " ▁▂▃▄▅▆▇█"
_ASCII_BARS = " .:-=+*#@"


def picture(view: View, width: int, height: int, *, ascii_only: bool = False) -> list[Text]:
    """At most ``height`` lines of at most ``width`` columns.

    The lower and the narrower, the less: first the cycles' causes go and the busiest links, then cores are drawn
    several to a letter, at last there are only the first lines.
    """
    lines = [*_heading(view, width), _rates(view, width), _recent(view, width, ascii_only)]
    if height >= 16 and view.spent:
        lines.append(_spent(view, width))
    legend = _legend(view, width)
    if len(lines) + 1 + _LEAST_ROWS + len(legend) > height:
        legend = []
    body = _body(view, width, height - len(lines) - len(legend), ascii_only)
    drawn = [*lines, *body, *legend][:height]
    for line in drawn:
        line.no_wrap = True
        line.truncate(width, overflow="crop")
    return drawn


def _heading(view: View, width: int) -> Iterator[Text]:
    program, machine = view.setting.program, view.setting.machine
    at = f"cycle {view.cycles:,} ({duration(view.seconds)})"
    name = Text.assemble((program, "bold"), " on ", machine)
    gap = width - name.cell_len - len(at)
    if gap >= 2:
        yield Text.assemble(name, " " * gap, at)
    else:
        yield name
        yield Text(at)


def _rates(view: View, width: int) -> Text:
    instructions, cycles = view.instructions_per_second / 1e6, view.cycles_per_second / 1e6
    here = f"{_elapsed(view.host_seconds)} here"
    if view.seconds_left is not None:
        here += f", {_elapsed(view.seconds_left)} left"
    wide = f"{here}   {instructions:.2f} million instructions/s   {cycles:.3f} million cycles/s"
    if view.has_ended:
        wide += "   whole run"
    narrow = f"{here}  {instructions:.1f} M instr/s  {cycles:.3f} M cyc/s"
    return Text(wide if len(wide) <= width else narrow)


def _elapsed(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _recent(view: View, width: int, ascii_only: bool) -> Text:
    words = "instructions a cycle" if width >= 60 else "IPC"
    text = f"{words} {view.instructions_per_cycle:7.3f}  "
    room = max(0, width - len(text))
    return Text.assemble(text, (sparkline(view.recent[-room:] if room else (), ascii_only=ascii_only), "green"))


def sparkline(values: Sequence[float], *, ascii_only: bool = False) -> str:
    """A character for each value, as high as it is beside the highest."""
    bars = _ASCII_BARS if ascii_only else _BARS
    top = max(values, default=0.0)
    return "".join(bars[round(value / top * (len(bars) - 1))] if top > 0 else bars[0] for value in values)


def _spent(view: View, width: int) -> Text:
    line = Text("cores' cycles ")
    for cause, share in view.spent:
        more = f" {cause} {share:.0%}"
        if line.cell_len + len(more) > width or share < 0.005:
            break
        line.append(more)
    return line


def _legend(view: View, width: int) -> list[Text]:
    counts = Counter(view.activities)
    lines = [Text()]
    for activity, (letter, style, words) in ACTIVITIES.items():
        if not counts[activity]:
            continue
        entry = Text.assemble((f" {letter} ", style), f" {counts[activity]} {words}")
        if lines[-1] and lines[-1].cell_len + 2 + entry.cell_len > width:
            lines.append(Text())
        lines[-1].append_text(Text.assemble("  " if lines[-1] else "", entry))
    return lines


def _body(view: View, width: int, height: int, ascii_only: bool) -> list[Text]:
    """The cores, and beside or below them the links that are busiest."""
    if height < 2:
        return []
    columns, rows = view.setting.plan.columns, view.setting.plan.rows
    beside = bool(view.links) and width - columns - 2 >= _LINKS_WIDTH
    below = 0 if beside or not view.links else min(3, max(0, height - 2 - min(rows, _LEAST_ROWS)))
    room = width - _LINKS_WIDTH - 2 if beside else width
    across, grid = _grid(view, room, height - 1 - below - (1 if below else 0))
    each = f", {across[0]} x {across[1]} a letter" if across != (1, 1) else ""
    title = f"cores ({columns} x {rows}){each}"
    heat = "busiest links, whole run" if view.has_ended else "busiest links"
    arrow = "->" if ascii_only else "→"
    if not beside:
        links = [Text(heat, "bold"), *_links(view.links[:below], arrow)] if below else []
        return [Text(title, "bold"), *grid, *links]
    # A title that is too long for its column is told without its end, if that leaves room for the links' own.
    left = max(room if cell_len(title) > max(line.cell_len for line in grid) else 0, grid[0].cell_len)
    head = Text(title, "bold")
    head.truncate(left, overflow="crop", pad=True)
    head.append_text(Text("  " + heat, "bold"))
    lines = []
    links = list(_links(view.links[: min(height - 1, max(len(grid), _LINKS_ROWS))], arrow))
    for index in range(max(len(grid), len(links))):
        line = grid[index].copy() if index < len(grid) else Text()
        line.pad_right(left - line.cell_len)
        if index < len(links):
            line.append("  ").append_text(links[index])
        lines.append(line)
    return [head, *lines]


def _links(links: Sequence[LinkUse], arrow: str) -> Iterator[Text]:
    for each in links:
        style = "red" if each.share >= 0.5 else "yellow" if each.share >= 0.2 else ""
        ends = f"({each.begin[0]},{each.begin[1]}){arrow}({each.end[0]},{each.end[1]})"
        yield Text.assemble((f"{each.share:6.1%}", style), f" {ends} {each.mesh}")


def _grid(view: View, width: int, height: int) -> tuple[tuple[int, int], list[Text]]:
    """How many columns and rows of cores have a letter together, and the lines of letters."""
    plan = view.setting.plan
    columns, rows = plan.columns, plan.rows
    across, down = -(-columns // max(1, width)), -(-rows // max(1, height))
    cell = 2 if across == 1 and 2 * columns <= width else 1
    lines = []
    for top in range(0, rows, down):
        line = Text()
        for left in range(0, columns, across):
            among = (
                view.activities[plan.cells[column, row]]
                for row in range(top, min(top + down, rows))
                for column in range(left, min(left + across, columns))
                if (column, row) in plan.cells
            )
            letter, style, _ = ACTIVITIES[_commonest(among)]
            line.append(letter.ljust(cell), style)
        lines.append(line)
    return (across, down), lines


_ORDER = {activity: -index for index, activity in enumerate(ACTIVITIES)}


def _commonest(activities: Iterator[str]) -> str:
    counts = Counter(activities)
    return max(counts, key=lambda each: (counts[each], _ORDER[each]), default="absent")
