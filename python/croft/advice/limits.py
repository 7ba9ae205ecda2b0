"""What holds a run up as a whole, and whether other homes can help there."""

from croft.advice.advisor import MOVABLE
from croft.reports.findings.bottleneck import bottlenecks
from croft.reports.findings.finding import percent
from croft.reports.findings.time_spent import time_spent
from croft.reports.run_data import RunData
from croft.results.content import content
from croft.results.result import Result

HOPELESS = 0.05
"""Of its cycles that the core that limits waits for homes: if less, the run cannot become much shorter by them."""


def own_limit(result: Result) -> str:
    """The core that the others wait for, and how much of its time homes decide on; else where the time went."""
    run = RunData(content(result))
    found = next(bottlenecks(run), None) or next(time_spent(run))
    if found.core is None or result.machine.protocol != "ddc":
        return found.sentence
    causes = run.causes[found.core]
    share = sum(causes[cause] for cause in MOVABLE) / max(sum(causes.values()), 1)
    verdict = "homes cannot help" if share < HOPELESS else "other homes can save a part of that"
    return f"{found.sentence} It waits for {percent(share)} of its cycles for lines at their homes: {verdict}."
