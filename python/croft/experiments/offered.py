"""What croft's programs can be asked for."""

import re
from functools import cache

from croft.runs.runner import run


@cache
def offered(program: str, option: str) -> tuple[str, ...]:
    """The words that an option of a program takes, by its own help; none if it has no such option."""
    text = run(program, arguments=["--help"]).text
    found = re.search(rf"^  {re.escape(option)} (\S+)", text, re.MULTILINE)
    return tuple(found[1].split("|")) if found else ()
