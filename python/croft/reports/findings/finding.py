"""Something that is to be said of a run."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Severity = Literal["broken", "limits", "costs", "note"]
"""The run did not end by itself; something holds all of it up; something takes a part of its time; good to know."""


class Evidence(NamedTuple):
    """A number that a finding follows from."""

    what: str
    value: float
    unit: str
    """ "cycles", "lines", ...; "share" of 1."""


@dataclass(frozen=True)
class Finding:
    """A sentence or two, and the numbers behind them. ``cycles`` orders findings: what it is about, of all cores.

    ``core`` is the one that it is about, if it is about one.
    """

    kind: str
    severity: Severity
    sentence: str
    evidence: tuple[Evidence, ...] = ()
    cycles: int = 0
    core: int | None = None


def percent(share: float) -> str:
    """A share of 1 for a sentence: "61%", "0.4%"."""
    return f"{share:.0%}" if share >= 0.0095 or share == 0 else f"{share:.1%}"
