"""Machines put together from parts of others, for tests."""

from pathlib import Path

import croft
from croft.machines.file import machine_from, machine_values

DESCRIBED = {path.stem: path for path in sorted((Path(__file__).parents[1] / "machines").glob("*.toml"))}
"""Machines that a file alone describes, by their names."""


def tilepro64_out_of_order() -> croft.Machine:
    """A TILEPro64 whose cores are big.TINY's big ones."""
    values = machine_values("tilepro64")
    values["core"]["issue_width"] = 1
    values["l1d"]["line"] = 64
    del values["dtlb"], values["itlb"]
    values["out_of_order"] = machine_values("o3x1")["big"]["out_of_order"]
    return machine_from(values | {"name": "tilepro64-out-of-order"})
