"""What pip calls croft: ``croft`` on PyPI is another project. The import and the command are ``croft``."""

import importlib.metadata

NAME = "croft-manycore"


def version() -> str:
    """The version that is installed."""
    return importlib.metadata.version(NAME)
