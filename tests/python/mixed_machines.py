"""Machines put together from parts of others, for tests."""

from pathlib import Path

import croft
from croft.machines.file import machine_from, machine_values

DESCRIBED = {path.stem: path for path in sorted((Path(__file__).parents[1] / "machines").glob("*.toml"))}
"""Machines that a file alone describes, by their names."""


def runs_alike(program: Path, chip: croft.Machine, arguments: list[str], cores: int) -> list[croft.Result]:
    """The program as it is, with cores that do not run ahead, checked, and perturbed.

    Nothing is read that is stale. How far cores run ahead changes no count, and nor does the check.
    """
    runs = [
        croft.run(program, chip, arguments=arguments, cores=cores, **options)
        for options in ({}, {"run_ahead": 0}, {"check": "coherence"}, {"perturb": 1})
    ]
    assert sum(run.coherence_count for run in runs) == 0
    for same in runs[1:3]:
        assert (same.cycles, same.frame.equals(runs[0].frame)) == (runs[0].cycles, True)
    return runs


def tilepro64_out_of_order() -> croft.Machine:
    """A TILEPro64 whose cores are big.TINY's big ones."""
    values = machine_values("tilepro64")
    values["core"]["issue_width"] = 1
    values["l1d"]["line"] = 64
    del values["dtlb"], values["itlb"]
    values["out_of_order"] = machine_values("o3x1")["big"]["out_of_order"]
    return machine_from(values | {"name": "tilepro64-out-of-order"})
