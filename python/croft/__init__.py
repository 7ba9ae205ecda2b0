"""croft's lab: build programs, run them on simulated many-core machines, and put measured beside published.

>>> import croft
>>> result = croft.run("pingpong", "tilepro64", arguments=["--hops", "8"])  # doctest: +SKIP
>>> result.cycles, result.frame  # doctest: +SKIP
"""

from croft.builder import build
from croft.errors import BuildError, CroftError, MachineError, ProgramError, UsageError
from croft.experiments.conduct import Report, experiment
from croft.machine_file import machine, machine_names
from croft.machine_model import Machine
from croft.result import Result, Thread
from croft.runner import run
from croft.sweep import Point, sweep

__all__ = [
    "BuildError",
    "CroftError",
    "Machine",
    "MachineError",
    "Point",
    "ProgramError",
    "Report",
    "Result",
    "Thread",
    "UsageError",
    "build",
    "experiment",
    "machine",
    "machine_names",
    "run",
    "sweep",
]
