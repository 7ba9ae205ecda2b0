"""The two compilers: the pinned one for simulated machines, the host's own for native programs."""

import importlib.metadata
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from croft.errors import BuildError
from croft.places import cache_folder
from croft.program_cache import digest_of

# -ffp-contract=off: without it a compiler may fuse a multiplication and an addition on one machine and not on the
# other, and a program's floating-point output would depend on where it runs.
_C = "-std=c17"
_COMMON = ("-g", "-ffp-contract=off")
C_SUFFIX = ".c"
_SIMULATED = (
    *("-target", "riscv64-linux-musl", "-static"),
    "-mcpu=generic_rv64+m+a+f+d+c+zawrs+zicbom+zicboz+zihintntl",
)
_NATIVE = ("-pthread",)


@dataclass(frozen=True)
class Toolchain:
    """A compiler with the flags that every program gets.

    ``command`` compiles C++ and links, ``c_command`` does so for C; both say the language's version. ``identity``
    changes whenever its output may. ``folder`` is where it has to be run; None: anywhere.
    """

    name: str
    command: tuple[str, ...]
    c_command: tuple[str, ...]
    flags: tuple[str, ...]
    identity: str
    folder: Path | None = None

    def command_for(self, *sources: Path) -> tuple[str, ...]:
        """What compiles these, or links what they were compiled to."""
        return self.c_command if all(source.suffix == C_SUFFIX for source in sources) else self.command

    @property
    def environment(self) -> dict[str, str]:
        """The variables to run it with."""
        own = {"ZIG_GLOBAL_CACHE_DIR": str(self.folder / "zig")} if self.folder else {}
        return {**os.environ, **own}

    @property
    def first_use(self) -> bool:
        """Whether this compiler still has to build its own C++ library, which takes minutes and happens once."""
        return self.folder is not None and not self._mark.exists()

    def used(self) -> None:
        """Notes that the compiler's own C++ library is built now."""
        if self.folder:
            self._mark.touch()

    @property
    def _mark(self) -> Path:
        return self.folder / ("riscv64" if "riscv64-linux-musl" in self.flags else "native")


def _ziglang(flags: tuple[str, ...]) -> Toolchain:
    version = importlib.metadata.version("ziglang")
    zig = (sys.executable, "-m", "ziglang")
    # It keeps the C++ library that it builds, but builds it anew when it runs from another place, or in a folder above
    # its own, where it uses relative paths. So each installation has a cache, and a folder to run in, of its own.
    place = digest_of(sys.prefix.encode())[:8]
    folder = cache_folder() / f"ziglang-{version}-{place}"
    folder.mkdir(parents=True, exist_ok=True)
    c, cxx = (*zig, "cc", _C), (*zig, "c++", "-std=c++23")
    return Toolchain("ziglang", cxx, c, (*flags, *_COMMON), f"ziglang {version}", folder)


def simulated() -> Toolchain:
    """The compiler for simulated machines. Its version is pinned, so every host gets the same instructions."""
    return _ziglang(_SIMULATED)


def native(compiler: str | None = None) -> Toolchain:
    """The compiler for this host: ``compiler``, else ``$CXX``, else ``c++``, else ziglang's.

    For C it is ``$CC``, else ``cc``. Raises BuildError if the one asked for does not run.
    """
    asked = compiler or os.environ.get("CXX")
    command = tuple(shlex.split(asked or "c++"))
    if not asked and shutil.which(command[0]) is None:
        return _ziglang(_NATIVE)
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"the native compiler {asked or 'c++'!r} does not run: {error}") from None
    c = tuple(shlex.split(os.environ.get("CC", "cc")))
    identity = f"{' '.join(command)}, {' '.join(c)}: {answer.stdout}"
    return Toolchain("native", (*command, "-std=c++2b"), (*c, _C), (*_NATIVE, *_COMMON), identity)
