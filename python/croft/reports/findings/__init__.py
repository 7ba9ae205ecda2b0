"""What there is to say of a run, found in its numbers: a file for each kind of finding."""

from croft.reports.findings.bottleneck import bottlenecks
from croft.reports.findings.busy_parts import busy_parts
from croft.reports.findings.ended import ended_badly, nameless
from croft.reports.findings.false_sharing import false_sharing
from croft.reports.findings.finding import Evidence, Finding
from croft.reports.findings.time_spent import time_spent
from croft.reports.findings.writers_home import homes_at_the_writer
from croft.reports.run_data import RunData

__all__ = ["Evidence", "Finding", "findings"]

_KINDS = (ended_badly, bottlenecks, busy_parts, false_sharing, homes_at_the_writer, time_spent, nameless)
_ORDER = ("broken", "limits", "costs", "note")


def findings(run: RunData) -> list[Finding]:
    """All of them, the gravest first."""
    found = [finding for kind in _KINDS for finding in kind(run)]
    return sorted(found, key=lambda each: (_ORDER.index(each.severity), -each.cycles))


def limits_nothing(found: list[Finding]) -> bool:
    """Whether none of these takes a run's time."""
    return all(each.severity in ("broken", "note") for each in found)
