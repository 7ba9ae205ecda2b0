"""A change to one place of a source that makes it wrong."""

from typing import NamedTuple


class Mutant(NamedTuple):
    file: str
    breaks: str
    """In words."""
    text: str
    """Is in the file once."""
    replacement: str
    equivalent: str = ""
    """Why no test can find it; empty: one has to."""
