"""The two compilers: the pinned one for simulated machines, the host's own for native programs."""

import importlib.metadata
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from croft.base.digest import digest_of
from croft.base.errors import BuildError
from croft.base.extras import require
from croft.base.folders import cache_folder
from croft.programs.march import mcpu

# -ffp-contract=off: without it a compiler may fuse a multiplication and an addition on one machine and not on the
# other, and a program's floating-point output would depend on where it runs.
_COMMON = ("-ffp-contract=off",)
# What says where in the source an instruction is, and nothing of variables: no debugger looks into a simulated machine,
# and files are half as large.
_LINES = "-g1"
_TARGET = "riscv64-linux-musl"

OPTIMISE = "3"
"""The level of optimisation unless another one is asked for; the C++ library is built for each that is used."""

Language = Literal["c++", "c"]
# C with what GNU adds, as compilers take it by default: without, <time.h> and <unistd.h> hide what POSIX adds.
_C_STANDARD = "-std=gnu17"
_DRIVERS: dict[Language, str] = {"c++": "c++", "c": "cc"}
_VARIABLES: dict[Language, str] = {"c++": "CXX", "c": "CC"}


def _simulated_flags(language: Language, march: str | None) -> tuple[str, ...]:
    return ("-target", _TARGET, "-static", _LINES, "-std=c++23" if language == "c++" else _C_STANDARD, mcpu(march))


def _native_flags(language: Language) -> tuple[str, ...]:
    return ("-g", "-std=c++2b" if language == "c++" else _C_STANDARD, "-pthread")


@dataclass(frozen=True)
class Toolchain:
    """A compiler with the flags that every program in its language gets.

    ``identity`` changes whenever its output may. ``folder`` is where it has to be run; None: anywhere.
    """

    language: Language
    command: tuple[str, ...]
    flags: tuple[str, ...]
    identity: str
    folder: Path | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables to run it with."""
        own = {"ZIG_GLOBAL_CACHE_DIR": str(self.folder / "zig")} if self.folder else {}
        return {**os.environ, **own}

    @property
    def first_use(self) -> bool:
        """Whether this compiler still has to build its own C++ library, which takes minutes and happens once."""
        return self._mark is not None and not self._mark.exists()

    def used(self) -> None:
        """Notes that the compiler's own C++ library is built now."""
        if mark := self._mark:
            mark.touch()

    @property
    def _mark(self) -> Path | None:
        """What says that its library is built; None if it has none of its own."""
        if self.folder is None or self.language == "c":
            return None
        if _TARGET not in self.flags:
            return self.folder / "native"
        (processor,) = (flag for flag in self.flags if flag.startswith("-mcpu="))  # it has a library for each
        return self.folder / ("riscv64" + ("" if processor == mcpu(None) else f"-{digest_of(processor.encode())[:8]}"))


def _ziglang(language: Language, flags: tuple[str, ...]) -> Toolchain:
    require("building a program", "ziglang")
    version = importlib.metadata.version("ziglang")
    command = (sys.executable, "-m", "ziglang", _DRIVERS[language])
    # It keeps the C++ library that it builds, but builds it anew when it runs from another folder, or in a folder above
    # its own, where it uses relative paths. So each installation has a cache, and a folder to run in, of its own.
    installation = digest_of(sys.prefix.encode())[:8]
    folder = cache_folder() / f"ziglang-{version}-{installation}"
    folder.mkdir(parents=True, exist_ok=True)
    return Toolchain(language, command, (*flags, *_COMMON), f"ziglang {version}", folder)


def simulated(language: Language = "c++", march: str | None = None) -> Toolchain:
    """The compiler for simulated machines. Its version is pinned, so every host gets the same instructions.

    Raises UsageError if ``march`` names what they do not have (:func:`croft.programs.march.mcpu`).
    """
    return _ziglang(language, _simulated_flags(language, march))


def build_library(tools: Toolchain) -> None:
    """Has a compiler build its own C++ library, unless it has. Raises BuildError if it fails."""
    if not tools.first_use:
        return
    with tempfile.TemporaryDirectory(prefix="croft-") as folder:
        source = Path(folder, "empty.cpp")
        source.write_text("int main() {}\n", encoding="utf-8")
        command = [*tools.command, *tools.flags, f"-O{OPTIMISE}", str(source), "-o", str(Path(folder, "empty"))]
        finished = subprocess.run(command, cwd=tools.folder, env=tools.environment, capture_output=True, text=True)
    if finished.returncode:
        raise BuildError(f"the compiler could not build its C++ library:\n{finished.stderr.strip()}")
    tools.used()


def native(compiler: str | None = None, language: Language = "c++") -> Toolchain:
    """The compiler for this host: ``compiler``, else ``$CXX``, else ``c++`` (for C ``$CC``, ``cc``), else ziglang's.

    Raises BuildError if the one asked for does not run.
    """
    asked = compiler or os.environ.get(_VARIABLES[language])
    command = tuple(shlex.split(asked or _DRIVERS[language]))
    flags = _native_flags(language)
    if not asked and shutil.which(command[0]) is None:
        return _ziglang(language, flags)
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"the native compiler {shlex.join(command)!r} does not run: {error}") from None
    return Toolchain(language, command, (*flags, *_COMMON), f"{' '.join(command)}: {answer.stdout}")


if __name__ == "__main__":  # `make` has this done while the simulator compiles
    build_library(simulated())
