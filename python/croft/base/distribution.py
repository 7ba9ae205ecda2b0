"""What pip calls croft: ``croft`` on PyPI is another project. The import and the command are ``croft``."""

import importlib.metadata
from functools import cache

NAME = "croft-manycore"


@cache
def version() -> str:
    """The version that is installed."""
    return importlib.metadata.version(NAME)
