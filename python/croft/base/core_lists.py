"""Lists of cores as Linux writes them: ``0-3,8``."""

from collections.abc import Iterable

from croft.base.errors import UsageError

AN_EXAMPLE = "a list of cores, 0-3,8 for instance"


def numbers(text: str, said: str) -> list[int]:
    """The numbers of such a list, in its order. Raises UsageError, which calls it ``said``; also for 3-1."""
    found: list[int] = []
    for span in text.strip().split(","):
        first, _, last = span.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal() and int(first) <= int(last or first) < 1 << 16):
            raise UsageError(f"{said} {text}: it must be {AN_EXAMPLE}")
        found += range(int(first), int(last or first) + 1)
    return found


def listed(cores: Iterable[int]) -> str:
    """Such a list of these cores, in their order."""
    spans: list[list[int]] = []
    for core in cores:
        if spans and core == spans[-1][1] + 1:
            spans[-1][1] = core
        else:
            spans.append([core, core])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
