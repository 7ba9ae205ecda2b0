"""What there is to say of a run, found in its numbers: a file for each kind of finding."""

from croft.run_report.findings.bottleneck import bottlenecks
from croft.run_report.findings.busy_parts import busy_parts
from croft.run_report.findings.ended import ended_badly, nameless
from croft.run_report.findings.false_sharing import false_sharing
from croft.run_report.findings.finding import Evidence, Finding
from croft.run_report.findings.time_spent import time_spent
from croft.run_report.findings.writers_home import homes_at_the_writer
from croft.run_report.run_data import RunData

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
