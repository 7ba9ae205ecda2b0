"""Runs croft's programs on this host, for experiments that compare it with a published machine."""

import platform
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from croft.base.errors import CroftError
from croft.programs.builder import build
from croft.results import fields


def run_here(
    program: str, arguments: Sequence[str] = (), tell: Callable[[str], None] = lambda sentence: None
) -> list[dict[str, fields.Value]]:
    """Builds one of croft's programs for this host, runs it, and returns the lines it printed for other programs.

    Raises UsageError, BuildError, or CroftError if it ends with another status than 0.
    """
    finished = subprocess.run([build(program, native=True, tell=tell), *arguments], capture_output=True, text=True)
    if finished.returncode:
        said = finished.stderr.strip() or "it gave no reason"
        raise CroftError(f"{' '.join((program, *arguments))} on this host: status {finished.returncode}: {said}")
    return fields.find_all(finished.stdout, program)


def this_processor() -> str:
    """What this host's processor calls itself."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()
