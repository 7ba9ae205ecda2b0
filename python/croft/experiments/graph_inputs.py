"""The graphs of paper 002, made on this host: a simulated run that reads one loses no time on making it."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from croft.base.digest import digest_of
from croft.base.errors import CroftError
from croft.base.folders import cache_folder
from croft.base.whole_file import whole_file
from croft.programs.builder import build

FOLDER = "/graphs"
"""Where a simulated program sees them: its arguments are then the same on every host."""


@dataclass(frozen=True)
class GraphInput:
    """An input of a kernel by its name in table III or V."""

    kernel: str
    name: str

    @property
    def path(self) -> str:
        """What the simulated program is told to read."""
        return f"{FOLDER}/{self.kernel}-{self.name}"

    def file(self, tell: Callable[[str], None]) -> Path:
        """The file; it is made if it has not been by this make_graph. Raises BuildError, or CroftError."""
        program = build("graph/make_graph", native=True, tell=tell)
        folder = cache_folder() / "graphs" / digest_of(program.read_bytes())[:16]
        file = folder / Path(self.path).name
        if file.is_file():
            return file
        tell(f"making the graph {self.name} of {self.kernel}")
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(file) as partial:
            command = [str(program), "--kernel", self.kernel, "--input", self.name, str(partial)]
            finished = subprocess.run(command, capture_output=True, text=True)
            if finished.returncode:
                raise CroftError(f"make_graph: {finished.stderr.strip() or finished.returncode}")
        for other in folder.parent.iterdir():
            # Those of an earlier make_graph are large.
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
        return file
