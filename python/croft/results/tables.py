"""Results as text: one line for how a run went, tables for where its cycles and messages went, and where it stuck."""

from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from croft.base.console import FoldingTable
from croft.base.durations import duration
from croft.recording.analysis import Analysis
from croft.results.result import Result, Statistic

LASTING = 10_000
"""Cycles beyond which an old value is not one that an invalidation is on its way to."""
READERS_INVALIDATE = ("denovo", "denovo_line", "gpu_wt", "gpu_wb", "gpu_wb_fetch")
"""Protocols under which a core's copies stay as they are until it acquires (paper 002, section II.A)."""


def headline(result: Result, more_seconds: float = 0.0) -> str:
    """How the run ended, how long it took there and here.

    ``more_seconds`` of this host went to what is no simulation: reading the program's tables, writing files.
    """
    ended = {
        "exited": f"exit status {result.exit_code}",
        "deadlock": "deadlock",
        "cycle_limit": "stopped by --max-cycles",
        "time_limit": "stopped by --max-seconds",
        "interrupted": "interrupted",
        "fault": "fault",
    }[result.ending]
    speed = result.instructions / max(result.host_seconds, 1e-9) / 1e6
    return (
        f"{result.machine.name}: {ended} after {result.cycles:,} cycles ({duration(result.seconds)}), "
        f"{result.instructions:,} instructions; {result.host_seconds:.1f} s here, {speed:.0f} million instructions/s"
        + (f", and {more_seconds:.1f} s for what else was asked for" if more_seconds >= 0.1 else "")
    )


def unsimulated_sentence(result: Result) -> str:
    """What of the program's system calls was answered with ENOSYS."""

    def times(count: int) -> str:
        return "once" if count == 1 else "twice" if count == 2 else f"{count:,} times"

    calls = ", ".join(f"{name} {times(count)}" for name, count in result.unsimulated.items())
    return f"croft: not simulated, answered ENOSYS: {calls}"


def fast_forward_sentence(result: Result) -> str:
    """What came before the first region, and how warm it began; empty for a run that was exact from its beginning."""
    before = result.fast_forwarded
    if before is None:
        return ""
    if not before.has_come:
        return f"{result.program} has begun no region to fast-forward to: nothing of its time is exact"
    return (
        f"fast-forwarded over {before.instructions:,} instructions to the first region, at cycle {before.begins:,}; "
        f"caches began with the {before.lines:,} lines used last, predictors cold"
    )


@dataclass(frozen=True)
class Total:
    """A statistic over all indices of its part; ``busiest`` is the index that has most."""

    name: str
    unit: str
    total: int
    least: int
    mean: float
    most: int
    busiest: int


def totals(result: Result) -> dict[str, list[Total]]:
    """The totals of each part, in the order in which the statistics come."""
    groups: dict[tuple[str, str, str], list[Statistic]] = {}
    for each in result.statistics:
        groups.setdefault((each.part, each.name, each.unit), []).append(each)
    parts: dict[str, list[Total]] = {}
    for (part, name, unit), group in groups.items():
        values = [each.value for each in group]
        most = max(group, key=lambda each: each.value)  # the first of several
        total = Total(name, unit, sum(values), min(values), sum(values) / len(values), most.value, most.index)
        parts.setdefault(part, []).append(total)
    return parts


def statistics_tables(result: Result) -> list[FoldingTable]:
    """One table for each part of the machine that did anything."""
    tables = []
    for part, rows in totals(result).items():
        if not any(each.total for each in rows):
            continue
        count = len({each.index for each in result.statistics if each.part == part})
        table = FoldingTable(title=f"{part} ({count})" if count > 1 else part, title_justify="left")
        table.add_column("")
        table.add_column("total", justify="right")
        if count > 1:
            for heading in ("least", "mean", "most", "most at"):
                table.add_column(heading, justify="right")
        table.add_column("unit")
        for row in rows:
            spread = [f"{row.least:,}", f"{row.mean:,.1f}", f"{row.most:,}", str(row.busiest)] if count > 1 else []
            table.add_row(row.name, f"{row.total:,}", *spread, row.unit)
        tables.append(table)
    return tables


def analysis_table(analysis: Analysis) -> FoldingTable:
    """Work, span and what follows from them."""
    table = FoldingTable(title="tasks", title_justify="left")
    for heading, justify in (("", "left"), ("", "right"), ("unit", "left")):
        table.add_column(heading, justify=justify)
    table.add_row("work", f"{analysis.work:,}", "instructions")
    table.add_row("span", f"{analysis.span:,}", "instructions")
    table.add_row("parallelism", f"{analysis.parallelism:,.1f}", "work / span")
    table.add_row("tasks", f"{analysis.tasks:,}", "")
    table.add_row("instructions per task", f"{analysis.instructions_per_task:,.1f}", "instructions")
    table.add_row("strands", f"{analysis.strands:,}", "")
    table.add_row("instructions per strand", f"{analysis.instructions_per_strand:,.1f}", "instructions")
    return table


def coherence_summary(result: Result) -> list[str]:
    """What a check for coherence found, in numbers; and of the loads that raced the one that lasted longest."""
    sentences = [f"coherence: {result.coherence_count} stale loads, lost writes and lost stores"]
    longest = result.longest_racing
    if longest is None:
        return sentences
    age = longest.time - longest.writer_time
    sentences.append(
        f"{result.racing_count:,} more loads raced with a write and returned the value before it, up to {age:,} cycles "
        f"behind it: {longest}"
    )
    if age > LASTING and any(kind.protocol in READERS_INVALIDATE for kind in result.machine.kinds):
        sentences.append(
            "on this machine nobody tells a core that its copy is old: who waits for a value needs an atomic "
            "operation, or an acquire between two looks"
        )
    return sentences


def threads_table(result: Result) -> FoldingTable:
    """Each thread that was alive at the end: where it was and what it waited for."""
    table = FoldingTable(title=escape(result.message), title_justify="left")
    for heading in ("thread", "core", "does", "in", "function", "at"):
        table.add_column(heading)
    for thread in result.threads:
        place, innermost = thread.place, thread.calls[0]
        does = f"{thread.state} {thread.address:#x}" if thread.address else thread.state
        at = f"{_short(place.file)}:{place.line}" if place.file else f"pc {thread.pc:#x}"
        row = (str(thread.thread), str(thread.core), does, innermost.function, place.function, at)
        table.add_row(*map(escape, row))
    return table


def _short(file: str) -> str:
    """A file's path from the current directory, if it lies below it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
