"""Data homed at the core that writes them, while another one reads them and waits for each."""

from collections.abc import Iterator
from typing import Any

from croft.reports.findings.finding import Evidence, Finding, percent
from croft.reports.findings.memory_names import object_name, uses_by_core
from croft.reports.run_data import RunData

MAIN_WRITER = 0.5
"""Of a line's writes that its writer must do: in a queue, its reader gives slots back."""
MAIN_READER = 0.8
"""Of the reads of others that come next, its reader's."""
LEAST_SHARE = 0.05
"""Of the reader's active time that it waits for these lines: less is not worth a change of the program."""
LEAST_HANDED_OVER = 32
"""How often the reader must have been the next: what is handed over once lies well anywhere."""


def homes_at_the_writer(run: RunData) -> Iterator[Finding]:
    """For each object, writer and reader, what it costs that the lines have their home at the writer."""
    if not run.lines or "home" not in run.machine:
        return
    groups: dict[tuple[Any, int, int], list[dict[str, Any]]] = {}
    for line in run.lines["lines"]:
        if pair := _handed_over(line):
            groups.setdefault((line["object"], *pair), []).append(line)
    for (key, writer, reader), lines in groups.items():
        active = run.active.get(reader, 0)
        waits = sum(uses_by_core(line)[reader]["waits"] for line in lines)
        from_home = run.causes.get(reader, {}).get("stall_home", 0)
        times = sum(uses_by_core(line)[reader]["next"] for line in lines)
        if min(waits, from_home) < LEAST_SHARE * active or not active or times < LEAST_HANDED_OVER:
            continue
        yield Finding(
            "home_at_writer",
            "costs",
            f"{object_name(run, key)} is homed at its writer, {run.called(writer)}: {run.called(reader)}, which reads "
            f"it next, waits for it for {percent(waits / active)} of its time. Home it at core {reader}: then its "
            "reads stay at their own tile.",
            (
                Evidence(f"waited for it by core {reader}", waits, "cycles"),
                Evidence("of that core's active time", waits / active, "share"),
                Evidence("all that this core waited for homes", from_home, "cycles"),
                Evidence("handed over", times, "times"),
                Evidence("such lines", len(lines), "lines"),
            ),
            waits,
        )


def _handed_over(line: dict[str, Any]) -> tuple[int, int] | None:
    """The line's writer and its reader, if it has one of each and its home is the writer."""
    writes = {use["core"]: use["writes"] for use in line["uses"]}
    following = {use["core"]: use["next"] for use in line["uses"]}
    writer = max(writes, key=lambda core: writes[core])
    others = {core: times for core, times in following.items() if core != writer}
    reader = max(others, key=lambda core: others[core], default=writer)
    is_main = writes[writer] >= MAIN_WRITER * sum(writes.values())
    if line["home"] != writer or not is_main or not others.get(reader):
        return None
    return (writer, reader) if others[reader] >= MAIN_READER * sum(others.values()) else None
