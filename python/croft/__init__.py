"""croft's lab: build programs, run them on simulated many-core machines, and put measured beside published.

>>> import croft
>>> result = croft.run("pingpong", "tilepro64", arguments=["--hops", "8"])  # doctest: +SKIP
>>> result.cycles, result.frame  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

from croft.accelerator import Accelerator, AcceleratorError
from croft.builder import build
from croft.errors import BuildError, CroftError, MachineError, ProgramError, SimulatorError, UsageError
from croft.extras import FOR_EXPERIMENTS, require
from croft.host_script import HostScript
from croft.machine_file import machine, machine_names
from croft.machine_model import Machine
from croft.parameter_sweep import Point, sweep
from croft.result import Result, Thread
from croft.runner import restore, run

if TYPE_CHECKING:
    from croft.experiments.conduct import Report, experiment

__all__ = [
    "Accelerator",
    "AcceleratorError",
    "BuildError",
    "CroftError",
    "HostScript",
    "Machine",
    "MachineError",
    "Point",
    "ProgramError",
    "Report",
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
    if name in ("Report", "experiment"):
        require("an experiment", *FOR_EXPERIMENTS)
        from croft.experiments import conduct

        return getattr(conduct, name)
    raise AttributeError(f"module 'croft' has no attribute {name!r}")
