"""A profile as a result's JSON holds it: the costliest functions and lines with their source, and what cores ran."""

from collections import Counter
from pathlib import Path
from typing import Any

from croft.recording.profile import Cost, Profile
from croft.symbols.symbols import Place

MOST_PLACES = 200
"""Functions, and lines: what comes behind costs next to nothing, and all of a large program's would be megabytes."""
MOST_OF_A_CORE = 12
"""Functions of a core, by what they and their calls cost: enough to tell what its thread is for."""
CONTEXT = 2
"""Lines of source in front of one, and behind it."""
LONGEST_LINE, LARGEST_SOURCE = 200, 8 << 20
"""Characters kept of a line of source, and bytes of the largest file that is read for its lines."""


def profile_content(profile: Profile, has_symbols: bool) -> dict[str, Any]:
    """The first of a profile. Sources are read now, where they are; one that is not there has no lines.

    ``functions`` and ``lines`` have "function", "file", "line", "cycles", "total" (with calls), "instructions" and
    "causes", lines "source" too: {"first": number, "text": [...]} or None. ``cores`` says of each core the outermost
    function of the user's on the stack that most of its cycles were spent on, and the functions that most of its
    cycles, calls included, went to: [number in ``names``, cycles].
    """
    sources: dict[str, list[str]] = {}
    lines = profile.lines()[:MOST_PLACES]
    names: dict[str, int] = {}
    return {
        "cycles": profile.cycles,
        "symbols": has_symbols,
        "functions": [_cost(cost) for cost in profile.functions()[:MOST_PLACES]],
        "lines": [_cost(cost) | {"source": _source(cost.place, sources)} for cost in lines],
        "cores": _cores(profile, names),
        "names": list(names),
    }


def _cost(cost: Cost) -> dict[str, Any]:
    return {
        "function": cost.place.function,
        "file": cost.place.file,
        "line": cost.place.line,
        "cycles": cost.cycles,
        "total": cost.total,
        "instructions": cost.instructions,
        "causes": {cause: cycles for cause, cycles in sorted(cost.causes.items()) if cycles},
    }


def _source(place: Place, read: dict[str, list[str]]) -> dict[str, Any] | None:
    if not place.line:
        return None
    if place.file not in read:
        read[place.file] = _lines_of(Path(place.file))
    first = max(place.line - CONTEXT, 1)
    text = read[place.file][first - 1 : place.line + CONTEXT]
    # A file that is shorter than it was is another one now.
    return {"first": first, "text": text} if len(text) > place.line - first else None


def _lines_of(file: Path) -> list[str]:
    try:
        if not file.is_file() or file.stat().st_size > LARGEST_SOURCE:
            return []
        text = file.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # a name from damaged tables may be none
        return []
    return [line[:LONGEST_LINE] for line in text.splitlines()]


def _cores(profile: Profile, names: dict[str, int]) -> list[dict[str, Any]]:
    # A stack's hash takes long: of each tuple it is asked for once.
    stacks: dict[int, Counter[int]] = {}
    numbers: dict[tuple[Place, ...], int] = {}
    known: dict[int, tuple[int, set[str]]] = {}
    totals: dict[int, Counter[str]] = {}
    for sample in profile.samples:
        if id(sample.stack) not in known:
            functions = {place.function for place in sample.stack if not place.of_toolchain}
            known[id(sample.stack)] = numbers.setdefault(sample.stack, len(numbers)), functions
        which, functions = known[id(sample.stack)]
        stacks.setdefault(sample.core, Counter())[which] += sample.cycles
        total = totals.setdefault(sample.core, Counter())
        for function in functions:
            total[function] += sample.cycles

    def number(name: str) -> int:
        return names.setdefault(name, len(names))

    distinct = list(numbers)
    cores = []
    for core, by_stack in sorted(stacks.items()):
        most = max(by_stack.values())
        costliest = max((distinct[which] for which, cycles in by_stack.items() if cycles == most), key=str)
        entry = next((place for place in costliest if not place.of_toolchain), costliest[0])
        first = sorted(totals[core].items(), key=lambda item: (-item[1], item[0]))[:MOST_OF_A_CORE]
        costliest_functions = [[number(name), cycles] for name, cycles in first]
        cores.append({"core": core, "entry": number(entry.function), "functions": costliest_functions})
    return cores
