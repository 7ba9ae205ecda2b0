"""The known name that somebody probably meant who wrote another one."""

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that differs from ``word`` in the fewest letters; empty if more than half of them differ."""
    # Here alone: `make demo` builds its first program before the simulator is there.
    from croft import _simulator

    return _simulator.nearest(os.fsencode(word).decode(errors="replace"), list(known))


def did_you_mean(word: str, known: Iterable[str] | Mapping[str, str], otherwise: str) -> str:
    """How a sentence about an unknown ``word`` ends: with the known one that was probably meant, or ``otherwise``.

    A mapping says under which other names things are known.
    """
    meant = nearest(word, known)
    if isinstance(known, Mapping):
        meant = known.get(meant, meant)
    return f"; did you mean {meant!r}?" if meant else otherwise


def file_meant(path: Path, suffixes: Collection[str], otherwise: str) -> str:
    """The same for a ``path`` at which no file is: a file of one of these suffixes beside it was probably meant."""
    beside = {each.stem: os.fspath(each) for each in path.parent.glob("*") if each.suffix in suffixes}
    return did_you_mean(path.stem, beside, otherwise)
