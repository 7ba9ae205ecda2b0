"""croft's lab: build programs, run them on simulated many-core machines, and put measured beside published.

>>> import croft
>>> result = croft.run("pingpong", "tilepro64", arguments=["--hops", "8"])  # doctest: +SKIP
>>> result.cycles, result.frame  # doctest: +SKIP
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from croft.base.errors import BuildError, CroftError, MachineError, ProgramError, SimulatorError, UsageError
    from croft.experiments.conduct import ExperimentResult, experiment
    from croft.machines.file import machine, machine_names
    from croft.machines.model import Machine
    from croft.programs.builder import build
    from croft.results.result import Result
    from croft.results.thread import Thread
    from croft.runs.accelerator import Accelerator, AcceleratorError
    from croft.runs.host_script import HostScript
    from croft.runs.runner import restore, run
    from croft.sweeps.points import Point, sweep

__all__ = [
    "Accelerator",
    "AcceleratorError",
    "BuildError",
    "CroftError",
    "ExperimentResult",
    "HostScript",
    "Machine",
    "MachineError",
    "Point",
    "ProgramError",
    "Result",
    "SimulatorError",
    "Thread",
    "UsageError",
    "build",
    "experiment",
    "machine",
    "machine_names",
    "restore",
    "run",
    "sweep",
]

_HOMES = {
    "base.errors": ("BuildError", "CroftError", "MachineError", "ProgramError", "SimulatorError", "UsageError"),
    "experiments.conduct": ("ExperimentResult", "experiment"),
    "machines.file": ("machine", "machine_names"),
    "machines.model": ("Machine",),
    "programs.builder": ("build",),
    "results.result": ("Result",),
    "results.thread": ("Thread",),
    "runs.accelerator": ("Accelerator", "AcceleratorError"),
    "runs.host_script": ("HostScript",),
    "runs.runner": ("restore", "run"),
    "sweeps.points": ("Point", "sweep"),
}
"""The module of each public name. It is imported when the name is first asked for: the command needs few of them, and
what draws takes a second."""


def __getattr__(name: str) -> Any:
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'croft' has no attribute {name!r}")
    if home == "experiments.conduct":
        from croft.base.extras import FOR_EXPERIMENTS, require

        require("an experiment", *FOR_EXPERIMENTS)
    value = getattr(importlib.import_module(f"croft.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
