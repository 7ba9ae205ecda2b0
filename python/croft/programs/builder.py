"""Builds a program for this host or for a simulated machine, once: the result is kept until a source changes."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from croft.base.errors import BuildError, UsageError
from croft.base.folders import include_folder, many_core_folder, programs_folder
from croft.base.nearest import did_you_mean, file_meant
from croft.base.whole_file import whole_file
from croft.programs import toolchain
from croft.programs.cache import ProgramCache
from croft.programs.flags import with_whole_paths

C_SUFFIX = ".c"
SOURCE_SUFFIXES = (".cpp", ".cc", ".cxx", ".C", C_SUFFIX)
FIRST_USE = "the first build for {target} also compiles the C++ library, once; this takes about two minutes"

StrPath = str | os.PathLike[str]


def find_source(name: StrPath) -> Path:
    """A source file, given by its path or as the name of one of croft's programs. Raises UsageError."""
    path = Path(name)
    if path.is_file():
        return path
    shipped = shipped_programs()
    if os.fspath(name) in shipped:
        return shipped[os.fspath(name)]
    if path.is_dir():
        raise UsageError(f"{os.fspath(name) or repr(name)}: that is a directory; name a source file or a program in it")
    listed = f" (known: {', '.join(shipped)})"
    if path.suffix in SOURCE_SUFFIXES:
        meant = file_meant(path, SOURCE_SUFFIXES, listed)
    else:
        known = {each.rpartition("/")[2]: each for each in shipped} | {each: each for each in shipped}
        meant = did_you_mean(os.fspath(name), known, listed)
    raise UsageError(f"{name}: no such file, and no program of croft is called so{meant}")


def shipped_programs() -> dict[str, Path]:
    """The sources of croft's programs by name: ``pingpong``, and with their folder those of one, ``cilk5/sort``."""
    folder = programs_folder()
    sources = [*folder.glob("*.cpp"), *folder.glob("*/*.cpp")]
    return {source.relative_to(folder).with_suffix("").as_posix(): source for source in sorted(sources)}


def language_of(source: Path) -> toolchain.Language:
    """The language of a source file, by its name."""
    return "c" if source.suffix == C_SUFFIX else "c++"


class Way(NamedTuple):
    """How the sources in one language are compiled."""

    tools: toolchain.Toolchain
    options: list[str]


def build(
    sources: StrPath | Sequence[StrPath],
    *,
    native: bool = False,
    machine: StrPath | None = None,
    output: StrPath | None = None,
    optimise: str = toolchain.OPTIMISE,
    defines: Sequence[str] = (),
    includes: Sequence[StrPath] = (),
    flags: Sequence[str] = (),
    compiler: str | None = None,
    march: str | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Path:
    """Builds ``sources`` and returns the program's path. They are C++, or C (C17, with GNU's extensions) if their
    names end in ``.c``; both may be in one program.

    For simulated machines (the default) the pinned ziglang makes a static RISC-V program that every simulated machine
    runs; ``machine`` is only checked to be there. With ``native`` it is a program for this host, by ``compiler``, else
    ``$CXX``, else ``c++`` (for C ``$CC``, else ``cc``). ``optimise`` is the level after ``-O``; ``defines``,
    ``includes`` and ``flags`` are handed to the compiler. Without ``output`` the program stays in croft's cache.
    ``march`` names the instructions that a program for simulated machines may use, as ``rv64gc_zba_zbb`` or
    ``rva22u64``; without it, they are those of RV64GC. ``tell`` hears what is built, if it was not before, and what
    the compiler warns of.

    Raises UsageError for a missing source, MachineError for an unknown machine, BuildError with what the compiler said.
    """
    if native and machine is not None:
        raise UsageError("a program is built either natively or for a machine; leave one of them out")
    if native and march is not None:
        raise UsageError("--march is for simulated machines; hand -march to the native compiler with --flag")
    if machine is not None:
        # Here alone: it needs the simulator, which still compiles when `make demo` builds its first program.
        from croft.machines.file import machine_path

        machine_path(machine)
    if isinstance(sources, str | os.PathLike):
        sources = [sources]
    paths = [find_source(source).resolve() for source in sources]
    if not paths:
        raise UsageError("there is nothing to build; name a source file")
    if output is not None:
        _check_target(output, paths)
    languages: list[toolchain.Language] = sorted({language_of(path) for path in paths}, reverse=True)
    tools = [toolchain.native(compiler, each) if native else toolchain.simulated(each, march) for each in languages]
    folders = [include_folder(), many_core_folder(), *(Path(folder).resolve() for folder in includes)]
    common = [
        f"-O{optimise}",
        *(f"-D{define}" for define in defines),
        *(f"-I{folder}" for folder in folders),
        # A path in __FILE__ would make the program, and so its cycles, depend on where its source lies.
        *(f"-fmacro-prefix-map={folder}/=" for folder in sorted({*folders, *(path.parent for path in paths)})),
        *with_whole_paths(flags),
    ]
    # C++ comes first: who compiles it links it with its library.
    ways = {each.language: Way(each, [*each.flags, *common]) for each in tools}
    cache = ProgramCache([text for way in ways.values() for text in (way.tools.identity, *way.options)], paths)
    program = cache.find()
    if program is None:
        tell(f"building {', '.join(os.fspath(source) for source in sources)}{' for this host' if native else ''}")
        if any(each.first_use for each in tools):
            tell(FIRST_USE.format(target="this host" if native else "RISC-V"))
        program = _compile(ways, paths, cache, tell)
        for each in tools:
            each.used()
    if output is None:
        return program
    target = Path(output)
    try:
        _copy(program, target)
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from error
    return target


def _check_target(output: StrPath, sources: list[Path]) -> None:
    """Raises UsageError for a file that no program may replace."""
    target = Path(output)
    if not os.fspath(output):
        raise UsageError("the program has to be written somewhere: --output is empty")
    if target.is_dir():
        raise UsageError(f"{target}: that is a directory; name a file in it")
    if target.resolve() in sources:
        raise UsageError(f"{target}: the program would take the place of its own source; name another file")
    if target.exists() and not target.is_file():
        raise UsageError(f"{target}: that is no file that a program could replace; name another one")


def _compile(
    ways: dict[toolchain.Language, Way], paths: list[Path], cache: ProgramCache, tell: Callable[[str], None]
) -> Path:
    with tempfile.TemporaryDirectory(prefix="croft-") as folder:
        objects, reads = [], []
        for number, path in enumerate(paths):
            object_file, dependencies = Path(folder, f"{number}.o"), Path(folder, f"{number}.d")
            objects.append(str(object_file))
            way = ways[language_of(path)]
            # A C++ compiler that was asked for takes C for C++ unless it is told.
            language = ("-x", "c") if way.tools.language == "c" else ()
            read = ["-MMD", "-MF", str(dependencies)]
            _call(way.tools, [*way.options, *read, *language, "-c", str(path), "-o", objects[-1]], tell)
            reads += _dependencies(dependencies)
        program = Path(folder, "program")
        linker = next(iter(ways.values()))
        _call(linker.tools, [*linker.options, *objects, "-o", str(program)], tell)
        return cache.store(program, reads)


def _call(tools: toolchain.Toolchain, arguments: list[str], tell: Callable[[str], None]) -> None:
    finished = subprocess.run(
        [*tools.command, *arguments], cwd=tools.folder, env=tools.environment, capture_output=True, text=True
    )
    said = finished.stderr.strip() or finished.stdout.strip()
    if finished.returncode:
        raise BuildError(f"the compiler failed:\n{said}")
    if said:
        tell(said)


def _dependencies(file: Path) -> list[Path]:
    """The files a compilation read, from the make rule that the compiler wrote."""
    rule = file.read_text(encoding="utf-8").replace("\\\n", " ").partition(": ")[2]
    names = rule.replace("\\ ", "\0").split()
    return [Path(name.replace("\0", " ")) for name in names]


def _copy(program: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(target) as partial:
        partial.write_bytes(program.read_bytes())
        partial.chmod(0o755)
