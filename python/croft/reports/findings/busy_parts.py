"""Parts of the machine that have as much to do as they can: homes, banks, controllers, links."""

from collections.abc import Iterator

from croft.reports.findings.finding import Evidence, Finding, percent
from croft.reports.run_data import RunData

LEAST_BUSY = 0.7
"""Of the time: from there on what comes at random waits longer than it is served (M/D/1: rho / (2 - 2 rho))."""
PARTS = {
    "home": ("the home at tile {}", "busy"),
    "bank": ("bank {} of the L2", "busy"),
    "memory": ("memory controller {}", "busy"),
}
MESHES = {"coherence_busy": "coherence", "memory_busy": "memory", "user_busy": "user"}


def busy_parts(run: RunData) -> Iterator[Finding]:
    """For each kind of part, the one that is busiest, and how many more are too busy."""
    candidates = [(part, name, text) for part, (text, name) in PARTS.items()]
    for part, name, text in candidates:
        yield from _busiest(run, part, name, {index: text.format(index) for index in run.part(part, name)})
    for name, mesh in MESHES.items():
        links = {index: link_name(run, index, mesh) for index in run.part("link", name)}
        yield from _busiest(run, "link", name, links)


def link_name(run: RunData, index: int, mesh: str) -> str:
    """A link by its number in the statistics."""
    begin, end = run.plan.links[index]
    return f"the link from router {begin} to router {end} ({mesh} mesh)"


def _busiest(run: RunData, part: str, name: str, names: dict[int, str]) -> Iterator[Finding]:
    busy = run.part(part, name)
    too_busy = sorted((index for index in busy if busy[index] >= LEAST_BUSY * run.cycles), key=lambda i: (-busy[i], i))
    if not too_busy or not run.cycles:
        return
    first = too_busy[0]
    share = min(busy[first] / run.cycles, 1.0)
    more = f", and {len(too_busy) - 1} more such for at least {percent(LEAST_BUSY)}" if len(too_busy) > 1 else ""
    evidence = [Evidence(f"{names[first]} was busy", busy[first], "cycles"), Evidence("of the run", share, "share")]
    if waited := run.part(part, "waited").get(first):
        evidence.append(Evidence("requests waited for it, added up", waited, "cycles"))
    sentence = f"{names[first][0].upper()}{names[first][1:]} was busy for {percent(share)} of the run{more}."
    yield Finding("busy_part", "limits", sentence, tuple(evidence), busy[first])
