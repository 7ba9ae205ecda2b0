"""What a core's thread is for, by the names of the functions that it was in."""

import re

ROLES = ("emitter", "worker", "collector", "producer", "consumer", "source", "sink", "scheduler", "master", "server")
"""Words that name a role where they are part of a function's or a class's name."""
LEAST_SHARE = 0.5
"""Of a core's cycles that the functions with the word must have, calls included: the thread does little else."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def role_of(entry: str, functions: list[tuple[str, int]]) -> str | None:
    """The role of a thread: its entry function, and (function, cycles with calls) of those that cost most.

    The innermost function that still has most of the cycles is the one that says most, so the cheapest one is asked
    first. A name that has the words of two roles says nothing.
    """
    most = max((cycles for _, cycles in functions), default=0)
    asked = [name for name, cycles in reversed(functions) if cycles >= LEAST_SHARE * most]
    for name in (*asked, entry):
        words = {word.lower().removesuffix("s") for word in _WORD.findall(_without_arguments(name))}
        found = [role for role in ROLES if role in words]
        if len(found) == 1:
            return found[0]
    return None


def _without_arguments(name: str) -> str:
    """A name without its template's arguments, which name what others do."""
    depth, kept = 0, []
    for letter in name.replace("operator<", "operator").replace("->", ""):
        depth += letter == "<"
        if depth == 0:
            kept.append(letter)
        depth -= letter == ">" and depth > 0
    return "".join(kept)
