"""The two compilers: the pinned one for simulated machines, the host's own for native programs."""

import importlib.metadata
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from croft.errors import BuildError
from croft.places import cache_folder

# -ffp-contract=off: without it a compiler may fuse a multiplication and an addition on one machine and not on the
# other, and a program's floating-point output would depend on where it runs.
_COMMON = ("-g", "-ffp-contract=off")
_SIMULATED = (
    *("-target", "riscv64-linux-musl", "-static", "-std=c++23"),
    "-mcpu=generic_rv64+m+a+f+d+c+zawrs+zicbom+zicboz+zihintntl",
)
_NATIVE = ("-std=c++2b", "-pthread")


@dataclass(frozen=True)
class Toolchain:
    """A compiler with the flags that every program gets. ``identity`` changes whenever its output may."""

    name: str
    command: tuple[str, ...]
    flags: tuple[str, ...]
    identity: str

    @property
    def first_use(self) -> bool:
        """Whether this compiler still has to build its own C++ library, which takes minutes and happens once."""
        return self.name == "ziglang" and not self._mark().exists()

    def used(self) -> None:
        """Notes that the compiler's own C++ library is built now."""
        if self.name == "ziglang":
            self._mark().parent.mkdir(parents=True, exist_ok=True)
            self._mark().touch()

    def _mark(self) -> Path:
        target = "riscv64" if "riscv64-linux-musl" in self.flags else "native"
        return cache_folder() / f"{self.identity.replace(' ', '-')}-{target}"


def _ziglang(flags: tuple[str, ...]) -> Toolchain:
    version = importlib.metadata.version("ziglang")
    return Toolchain("ziglang", (sys.executable, "-m", "ziglang", "c++"), (*flags, *_COMMON), f"ziglang {version}")


def simulated() -> Toolchain:
    """The compiler for simulated machines. Its version is pinned, so every host gets the same instructions."""
    return _ziglang(_SIMULATED)


@cache
def native(compiler: str | None = None) -> Toolchain:
    """The compiler for this host: ``compiler``, else ``$CXX``, else ``c++``, else ziglang's.

    Raises BuildError if the one asked for does not run.
    """
    asked = compiler or os.environ.get("CXX")
    command = tuple(shlex.split(asked or "c++"))
    if not asked and shutil.which(command[0]) is None:
        return _ziglang(_NATIVE)
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"the native compiler {asked or 'c++'!r} does not run: {error}") from None
    return Toolchain("native", command, (*_NATIVE, *_COMMON), f"{' '.join(command)}: {answer.stdout}")
