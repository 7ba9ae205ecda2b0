"""Several cores' own data in one line, which they take from each other."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from croft.reports.findings.finding import Evidence, Finding, percent
from croft.reports.findings.memory_names import bytes_text, object_name
from croft.reports.run_data import RunData

LEAST_SHARE = 0.02
"""Of the active time of the cores that use the lines: less is not worth a change of the program."""
LEAST_INVALIDATIONS = 32
"""Of such lines: what happens a few times, when a program begins or ends, is no habit."""
LEAST_TIMES = 16
"""That a core has come to such a line for nothing that others wrote: who does so less is there by chance."""


def false_sharing(run: RunData) -> Iterator[Finding]:
    """For each object with such lines, what they cost."""
    if not run.lines:
        return
    by_object: dict[Any, list[dict[str, Any]]] = {}
    for line in run.lines["lines"]:
        if line["false_sharing"]:
            key = line["object"] if line["object"] is not None else f"line {line['address']:#x}"
            by_object.setdefault(key, []).append(line)
    for key, lines in by_object.items():
        waits = Counter[int]()
        for line in lines:
            often = [use for use in line["uses"] if use["false_sharing"] >= LEAST_TIMES]
            waits.update({use["core"]: use["waits"] for use in often})
        cores = sorted(core for core in waits if core in run.active)
        active = sum(run.active[core] for core in cores)
        invalidations = sum(line["invalidations"] for line in lines)
        if waits.total() < LEAST_SHARE * active or invalidations < LEAST_INVALIDATIONS or len(cores) < 2:
            continue
        name = object_name(run, key)
        many = f"{len(lines)} of its lines" if len(lines) > 1 else "one line"
        worst = max(lines, key=lambda line: (sum(line["waits"].values()), -line["address"]))
        yield Finding(
            "false_sharing",
            "costs",
            f"{name} is falsely shared: {run.called_all(cores)} use different bytes of {many}{_parts(worst)} and take "
            f"it from each other, which costs them {percent(waits.total() / active)} of their time. Give each core's "
            f"part a line of its own (alignas({run.lines['line_bytes']})).",
            (
                Evidence("waited for these lines", waits.total(), "cycles"),
                Evidence("of the active time of the cores that use them", waits.total() / active, "share"),
                Evidence("invalidations of them", invalidations, "messages"),
                Evidence("such lines", len(lines), "lines"),
            ),
            waits.total(),
        )


def _parts(line: dict[str, Any]) -> str:
    """Which bytes of a line each of two cores writes: `` (core 1 bytes 0 to 7, core 2 bytes 8 to 15)``."""
    writers = [use for use in line["uses"] if use["write_bytes"]]
    if len(writers) != 2:
        return ""
    return " (" + ", ".join(f"core {use['core']} {bytes_text(use['write_bytes'])}" for use in writers) + ")"
