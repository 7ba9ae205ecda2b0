"""What croft is installed with only if asked: the packages that not every use needs, and the extra that brings each."""

import importlib.util

from croft.base import distribution
from croft.base.errors import UsageError

EXTRAS = {
    "distributed": "cluster",
    "ziglang": "build",
    "numpy": "tables",
    "pandas": "tables",
    "pyarrow": "parquet",
    "PIL": "experiments",
    "matplotlib": "experiments",
    "google.protobuf": "record",
    "perfetto": "record",
    "zstandard": "record",
    "jinja2": "report",
    "vl_convert": "report",
}
_NAMES = {"google.protobuf": "protobuf", "vl_convert": "vl-convert-python"}
FOR_EXPERIMENTS = ("numpy", "pandas", "PIL", "matplotlib")


def require(what: str, *modules: str) -> None:
    """Raises UsageError, with what to install, if one of ``modules`` is missing, which ``what`` needs."""
    missing = [module for module in modules if not is_installed(module)]
    if missing:
        extras = ",".join(dict.fromkeys(EXTRAS[module] for module in missing))
        names = " and ".join(_NAMES.get(module, module) for module in missing)
        raise UsageError(f"{what} needs {names}: pip install '{distribution.NAME}[{extras}]'")


def is_installed(module: str) -> bool:
    """Whether it is there to import."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of a part of a package that is missing
        return False
