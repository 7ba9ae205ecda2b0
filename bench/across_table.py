"""The tables of farms across processes, from what rounds of programs found; in Markdown."""

from statistics import median

TASKS = {"nothing": 1.0, "1 us": 1e3, "10 us": 1e4, "100 us": 1e5, "1 ms": 1e6}
"""Nanoseconds, by name: as in bench/mpi/farm.cpp."""

LOOP = "a loop"
ACROSS = "croft::mpi::across"
ONLY_GIVES = "croft::mpi::across, the root only gives"
MODELLED = {ACROSS: True, ONLY_GIVES: False}
"""Whether the root works, if it has a core that no other process takes."""

Rounds = dict[tuple[str, str], list[float]]
"""Nanoseconds a task, one for each round, by task and way."""


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def title(mpi: str, processes: int, cores: int) -> str:
    shared = f": oversubscribed, they share {cores} cores" if processes > cores else ""
    return f"{mpi}, {processes} processes{shared}; ns a task (speedup over a loop)"


def ways_of(found: Rounds) -> list[str]:
    return list(dict.fromkeys(way for _, way in found))


def comparison(found: Rounds) -> str:
    """A row for each way, in the order in which they were found."""
    rows = []
    for way in ways_of(found):
        row = [way]
        for task in TASKS:
            if not found.get((task, way)):
                row.append("")
                continue
            took = median(found[task, way])
            loop = found.get((task, LOOP))
            row.append(f"{took:,.0f}" + (f" ({median(loop) / took:.1f})" if loop and way != LOOP else ""))
        rows.append(row)
    return markdown(["tasks of", *TASKS], rows)


def beside_model(found: Rounds, predicted: dict[tuple[str, str], float]) -> str:
    """What the model says, what was measured, and how far that is from it."""
    rows = []
    for way in MODELLED:
        for task in TASKS:
            if not found.get((task, way)) or (task, way) not in predicted:
                continue
            took, model = median(found[task, way]), predicted[task, way]
            rows.append([way, task, f"{model:,.0f}", f"{took:,.0f}", f"{(took / model - 1) * 100:+.0f} %"])
    return markdown(["", "tasks of", "the model, ns", "measured, ns", "measured is off by"], rows)
