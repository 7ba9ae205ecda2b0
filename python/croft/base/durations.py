"""Spans of time, as people read them."""


def duration(seconds: float) -> str:
    """A time span in the unit that suits it."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def duration_to_wait(seconds: float) -> str:
    """A time to wait, roughly."""
    if seconds < 90:
        return duration(max(round(seconds), 1))
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
