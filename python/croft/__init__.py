"""croft's lab: build programs, run them on simulated many-core machines, and put measured beside published.

>>> import croft
>>> result = croft.run("pingpong", "tilepro64", arguments=["--hops", "8"])  # doctest: +SKIP
>>> result.cycles, result.frame  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

from croft.base.errors import BuildError, CroftError, MachineError, ProgramError, SimulatorError, UsageError
from croft.base.extras import FOR_EXPERIMENTS, require
from croft.machines.file import machine, machine_names
from croft.machines.model import Machine
from croft.programs.builder import build
from croft.results.result import Result
from croft.results.thread import Thread
from croft.runs.accelerator import Accelerator, AcceleratorError
from croft.runs.host_script import HostScript
from croft.runs.runner import restore, run
from croft.sweeps.points import Point, sweep

if TYPE_CHECKING:
    from croft.experiments.conduct import ExperimentResult, experiment

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


def __getattr__(name: str) -> Any:
    # Experiments draw, and what draws takes a second to import that no other command should pay.
    if name in ("ExperimentResult", "experiment"):
        require("an experiment", *FOR_EXPERIMENTS)
        from croft.experiments import conduct

        return getattr(conduct, name)
    raise AttributeError(f"module 'croft' has no attribute {name!r}")
