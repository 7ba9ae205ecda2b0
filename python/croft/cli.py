"""The ``croft`` command."""

import importlib.metadata
import os
import sys
import traceback
import warnings
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import croft
from croft import places
from croft.builder import shipped_programs
from croft.checkpoint import read_checkpoint
from croft.console import FoldingTable, console_on, discard
from croft.errors import CacheWarning, CroftError, UsageError
from croft.extras import FOR_EXPERIMENTS, require
from croft.machine_file import flat_description, machine_path
from croft.machine_keys import settings
from croft.machine_table import machine_table
from croft.outputs import Outputs
from croft.progress import RunProgress, tell
from croft.report import analysis_table, coherence_summary, headline, statistics_tables, threads_table
from croft.run_commands import Fresh, Jobs, OnCluster, StoreAddress, runs, sweep
from croft.runner import default_machine, executable, program_name

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
MOST_32, MOST_64 = 2**32 - 1, 2**64 - 1
out = console_on()
err = console_on(errors=True)


def _machines(incomplete: str) -> list[str]:
    return _that_begin_with(incomplete, croft.machine_names(), "*.toml")


def _programs(incomplete: str) -> list[str]:
    return _that_begin_with(incomplete, shipped_programs(), "*")


def _experiments(incomplete: str) -> list[str]:
    from croft.experiments.conduct import EXPERIMENTS

    return _that_begin_with(incomplete, EXPERIMENTS)


def _that_begin_with(incomplete: str, known: Iterable[str], files: str | None = None) -> list[str]:
    """What a shell may complete a word to: of the known names, and of the files there."""
    found = []
    if files:
        folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
        found = [f"{path}/" if path.is_dir() else str(path) for path in sorted(folder.glob("*"))]
        found = [path for path in found if path.endswith("/") or Path(path).match(files)]
    return [word for word in (*known, *found) if word.startswith(incomplete)]


MachineName = Annotated[
    str | None,
    typer.Option(
        "--machine",
        "-m",
        help="One that `croft machines` lists, or a machine file (tilepro64; io1 to --analyze).",
        autocompletion=_machines,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Give a key of the machine another value: network.hop=3 (may be repeated)."
    ),
]


def _said(set_: list[str] | None) -> str:
    return " ".join(f"--set {text}" for text in set_ or [])


def _machine(name: str, set_: list[str] | None) -> croft.Machine:
    """The machine that a command's options name."""
    chosen = croft.machine(name)
    return chosen.with_keys(settings(set_), _said(set_)) if set_ else chosen


def _print_version(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


@app.callback()
def croft_command(
    asked: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the versions, and end.")
    ] = False,
) -> None:
    """Build parallel programs, run them on simulated many-core machines, and put measured beside published."""


@app.command()
def build(
    sources: Annotated[
        list[str],
        typer.Argument(help="C++ or C files, or the name of one of croft's programs.", autocompletion=_programs),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the program.")],
    native: Annotated[bool, typer.Option("--native", help="For this host, by $CXX or c++, $CC or cc.")] = False,
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            "-m",
            help="For this simulated machine (all run the same programs).",
            autocompletion=_machines,
        ),
    ] = None,
    optimise: Annotated[str, typer.Option("-O", help="Optimisation level.")] = "3",
    define: Annotated[list[str] | None, typer.Option("-D", help="Define a macro: NAME or NAME=VALUE.")] = None,
    include: Annotated[list[Path] | None, typer.Option("-I", help="Search headers in this folder.")] = None,
    flag: Annotated[list[str] | None, typer.Option("--flag", help="Hand this to the compiler: --flag=-Wall.")] = None,
    compiler: Annotated[str | None, typer.Option("--compiler", help="With --native: use this compiler.")] = None,
) -> None:
    """Build a C++ or C program, for simulated machines or (--native) for this host."""
    croft.build(
        sources,
        native=native,
        machine=machine,
        output=output,
        optimise=optimise,
        defines=define or [],
        includes=include or [],
        flags=flag or [],
        compiler=compiler,
        tell=tell,
    )


@app.command(
    epilog="Exit status: the program's own; or 2 wrong usage or input, 121 deadlock, 122 stopped by --max-cycles, "
    "123 fault (illegal instruction, wild access, unknown system call, too many threads), 124 for what --check "
    "has found, 125 stopped by --max-seconds, 130 interrupted by Ctrl-C."
)
def run(
    context: typer.Context,
    program: Annotated[
        str | None,
        typer.Argument(
            help="A static RISC-V executable, a C++ or C file, or one of croft's programs.", autocompletion=_programs
        ),
    ] = None,
    arguments: Annotated[list[str] | None, typer.Argument(help="The program's arguments, after --.")] = None,
    machine: MachineName = None,
    set_: Settings = None,
    cores: Annotated[int | None, typer.Option(help="Give the program only so many cores.")] = None,
    directory: Annotated[
        list[str] | None,
        typer.Option(
            "--dir",
            help="Let the program see this directory: HOST or HOST::GUEST; with :ro behind it, it can only read there.",
        ),
    ] = None,
    env: Annotated[list[str] | None, typer.Option("--env", help="Set a variable it sees: NAME=VALUE.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=MOST_64, help="Of what getrandom returns.")] = 1,
    max_cycles: Annotated[
        int | None, typer.Option(min=1, max=MOST_64, help="Stop after so many simulated cycles.")
    ] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds of this host.")] = None,
    max_output: Annotated[
        int | None,
        typer.Option(min=0, max=MOST_64 >> 1, help="Pass on so many bytes of each stream, without the middle."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(help="Memory that the program may write to: 500M, 4G, ... (default: half of this host's)."),
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_32, help="Cycles between two exchanges of messages: changes the speed only."),
    ] = None,
    run_ahead: Annotated[
        int | None,
        typer.Option(min=0, max=MOST_32, help="Cycles that a core runs ahead on trust: changes the speed only."),
    ] = None,
    perturb: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_64, help="Delay messages at random, by this seed: for tests of programs."),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            help="coherence: report stale loads and lost writes; races: report data races of the program. Exit status "
            "124 if there are any."
        ),
    ] = None,
    analyze: Annotated[
        bool, typer.Option("--analyze", help="Measure work, span and parallelism of its tasks, on one core.")
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Write the run's state to this file, at the latest when it is stopped: --restore goes on."),
    ] = None,
    every: Annotated[
        str | None, typer.Option(help="Write a checkpoint every 30s, 10m or 2h of this host, or every 50Mcycles.")
    ] = None,
    restore: Annotated[
        Path | None, typer.Option(help="Go on with the run of this checkpoint, instead of a program's.")
    ] = None,
    interval: Annotated[
        int | None, typer.Option(min=1, max=MOST_64, help="Keep the statistics of every so many cycles, too.")
    ] = None,
    regions: Annotated[bool, typer.Option("--regions", help="Keep those of each occurrence of a region, too.")] = False,
    statistics: Annotated[bool, typer.Option("--stats", help="Print statistics of every part.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write the result to this file as JSON.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the statistics to this file as CSV.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write the statistics to this file as Parquet.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what the program prints.")] = False,
) -> None:
    """Run a program on a simulated machine. Ctrl-C ends a run with the statistics so far."""
    if parquet:
        require("--parquet", "pandas", "pyarrow")
    if restore is None:
        if program is None:
            raise UsageError("croft run needs a program, or --restore with a checkpoint")
        chip = _machine(machine or default_machine(analyze), set_)
        path = executable(program, analyze=analyze, tell=tell)
        name, clock_mhz = program_name(program), chip.clock_mhz
        start = partial(
            croft.run,
            path,
            chip,
            name=name,
            arguments=arguments or [],
            cores=cores,
            directories=directory or [],
            environment=dict(_pair(text) for text in env or []),
            seed=seed,
            max_output=max_output,
            memory=_bytes("--memory", memory),
            window=window,
            run_ahead=run_ahead,
            perturb=perturb,
            check=check,
            analyze=analyze,
            interval=interval,
            regions=regions,
        )
    else:
        _refuse_with_restore(context)
        header, _ = read_checkpoint(restore)
        name, clock_mhz = header["name"], header["machine"]["clock_mhz"]
        analyze, check = header["analyze"], "coherence" if header["options"]["check_coherence"] else None
        interval, regions = header["options"]["interval"], header["options"]["each_region"]
        start = partial(croft.restore, restore)
    over_time = [table for table, wanted in (("intervals", interval), ("regions", regions)) if wanted]
    if over_time and (csv or parquet):
        require("--interval and --regions with a file", "pandas")
    with Outputs() as outputs:
        for file in (json, csv, parquet):
            outputs.promise(file)
        for file in filter(None, (csv, parquet)):
            for table in over_time:
                outputs.promise(_beside(file, table))
        with RunProgress(name, clock_mhz, max_cycles) as progress:
            result = start(
                max_cycles=max_cycles,
                max_seconds=max_seconds,
                checkpoint=checkpoint,
                every=every,
                standard_input=None if sys.stdin is None or sys.stdin.isatty() else sys.stdin.fileno(),
                output=progress.write,
                progress=progress.update,
                tell=tell,
            )
        outputs.write(json, lambda file: file.write_text(result.to_json(), encoding="utf-8"))
        outputs.write(csv, lambda file: file.write_text(result.to_csv(), encoding="utf-8"))
        outputs.write(parquet, lambda file: result.frame.to_parquet(file, index=False))
        for table in over_time:
            frame = getattr(result, table)
            outputs.write(_beside(csv, table), partial(frame.to_csv, index=False))
            outputs.write(_beside(parquet, table), partial(frame.to_parquet, index=False))
    if result.ending != "exited":
        err.print(threads_table(result) if result.threads else result.message, highlight=False, markup=False)
    for finding in result.coherence:
        err.print(str(finding), highlight=False, markup=False, soft_wrap=True)
    for race in result.races:
        err.print(str(race), highlight=False, markup=False, soft_wrap=True)
    if check == "coherence":
        for sentence in coherence_summary(result):
            err.print(sentence, highlight=False, markup=False, soft_wrap=True)
    if check == "races":
        pairs = f" of {len(result.races)} pairs of places" if result.race_count else ""
        err.print(f"races: {result.race_count:,}{pairs}", highlight=False, markup=False)
    if result.analysis and result.analysis.runs:
        err.print(analysis_table(result.analysis), highlight=False)
    elif result.analysis:
        err.print("nothing was analysed: no task_scheduler::run() by the default run-time", highlight=False)
    elif analyze:
        err.print("nothing was analysed: the program ended before it could tell", highlight=False)
    if statistics:
        for table in statistics_tables(result):
            err.print(table, highlight=False)
    if not quiet:
        err.print(headline(result), highlight=False, markup=False, soft_wrap=True)
    if result.checkpoint is not None and result.ending in ("cycle_limit", "time_limit", "interrupted") and not quiet:
        goes_on = f"croft run --restore {checkpoint} goes on at cycle {result.checkpoint:,}"
        err.print(goes_on, highlight=False, markup=False, soft_wrap=True)
    failed = [*progress.failed.values(), *outputs.failed]
    for sentence in failed:
        _say(sentence)
    raise typer.Exit(result.exit_status or (UsageError.exit_status if failed else 0))


@app.command()
def machines(
    name: Annotated[
        str | None, typer.Argument(help="Show this one: its keys, their values and sources.", autocompletion=_machines)
    ] = None,
    set_: Settings = None,
    flat: Annotated[
        bool, typer.Option("--flat", help="As key = value lines, for a native program with croft::coprocessor.")
    ] = False,
    toml: Annotated[bool, typer.Option("--toml", help="As a machine file that says all of it, with sources.")] = False,
) -> None:
    """List the machines, or show one."""
    for asked, option in ((flat, "--flat"), (toml, "--toml"), (set_, "--set")):
        if asked and name is None:
            raise UsageError(f"{option} is for one machine: name it")
    if flat and toml:
        raise UsageError("--flat and --toml are two forms: ask for one")
    if name is None:
        table = FoldingTable("machine", "cores", "mesh", "clock", box=None, header_style="bold")
        for each in croft.machine_names():
            one = croft.machine(each)
            mesh = f"{one.network.columns} x {one.network.rows}"
            table.add_row(each, str(one.cores), mesh, f"{one.clock_mhz:g} MHz")
        out.print(table)
        return
    described = _machine(name, set_)
    if flat or toml:
        typer.echo(described.to_toml() if toml else flat_description(described), nl=False)
        return
    out.print(machine_table(described, str(machine_path(name))), highlight=False)


@app.command()
def experiment(
    name: Annotated[
        str | None, typer.Argument(help="Which one; without it, they are listed.", autocompletion=_experiments)
    ] = None,
    folder: Annotated[Path | None, typer.Option("--out", help="Write tables (CSV) and figure (SVG, PNG) here.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only a few runs.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit status 1 if a cell misses its tolerance.")] = False,
    jobs: Jobs = None,
    on: OnCluster = None,
    store: StoreAddress = None,
    fresh: Fresh = False,
    set_: Settings = None,
) -> None:
    """Repeat a table or figure of a paper: measured beside published."""
    require("croft experiment", *FOR_EXPERIMENTS)
    from croft.experiments.conduct import EXPERIMENTS

    if name is None:
        table = FoldingTable("experiment", "what", "from", box=None, header_style="bold")
        for each in EXPERIMENTS.values():
            table.add_row(each.name, each.title, each.source)
        out.print(table, highlight=False)
        return
    report = croft.experiment(
        name,
        quick=quick,
        jobs=jobs,
        on=on,
        store=store,
        fresh=fresh,
        keys=settings(set_ or []),
        said=_said(set_),
        tell=tell,
    )
    summary = report.summary()
    if not summary.empty:
        out.print(frame_table(summary), highlight=False)
    if more := len(report.cells) - len(summary):
        out.print(f"{more} more cells are ok; the CSV (--out) has them all", highlight=False)
    for file in report.write(folder) if folder else []:
        out.print(f"wrote {file}", highlight=False, markup=False, soft_wrap=True)
    if set_:
        out.print(f"with {_said(set_)}: not the machine of the paper", highlight=False, markup=False, soft_wrap=True)
    out.print(report.verdict, highlight=False, soft_wrap=True)
    if strict and not report.passed:
        raise typer.Exit(1)


app.command()(sweep)
app.add_typer(runs, name="runs")


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("--out", help="Where its pictures and tables go.")] = Path("out"),
) -> None:
    """Filter a photograph on this host and on a simulated TILEPro64, then measure a farm there."""
    require("croft demo", *FOR_EXPERIMENTS, "ziglang")
    from croft.demo import demonstrate

    demonstrate(folder)


@app.command()
def picture(
    source: Annotated[Path, typer.Argument(help="A PNG, JPEG, PGM, PPM, ... file.")],
    target: Annotated[Path, typer.Argument(help="The file to write; its suffix decides the format.")],
    grey: Annotated[bool, typer.Option("--grey", help="Without colours, as .pgm always is.")] = False,
) -> None:
    """Convert a picture, to hand it to a program (.pgm, .ppm) or to look at it (.png)."""
    require("croft picture", "PIL")
    from croft.pictures import convert

    convert(source, target, grey)


@app.command()
def config(
    cmake_dir: Annotated[bool, typer.Option("--cmake-dir", help="The folder of croftConfig.cmake.")] = False,
    include_dir: Annotated[bool, typer.Option("--include-dir", help="The folder of the headers.")] = False,
    machines_dir: Annotated[bool, typer.Option("--machines-dir", help="The folder of the machine files.")] = False,
    programs_dir: Annotated[bool, typer.Option("--programs-dir", help="The folder of the programs' sources.")] = False,
) -> None:
    """Print where croft's files are, for other build systems."""
    chosen = {
        "cmake-dir": (cmake_dir, places.cmake_folder),
        "include-dir": (include_dir, places.include_folder),
        "machines-dir": (machines_dir, places.machines_folder),
        "programs-dir": (programs_dir, places.programs_folder),
    }
    asked = [place for wanted, place in chosen.values() if wanted]
    for place in asked:
        print(place())
    if not asked:
        for key, (_, place) in chosen.items():
            print(f"{key}: {place()}")


@app.command()
def version() -> None:
    """Print croft's version and that of the compiler for simulated machines."""
    try:
        compiler = f"ziglang {importlib.metadata.version('ziglang')}"
    except importlib.metadata.PackageNotFoundError:
        compiler = "without a compiler for simulated machines (croft[build])"
    print(f"croft {importlib.metadata.version('croft')}, {compiler}")


def frame_table(frame) -> FoldingTable:
    """A data frame as a table for the terminal."""
    table = FoldingTable(*map(str, frame.columns), header_style="bold")
    for row in frame.itertuples(index=False):
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else escape(str(value)) for value in row))
    return table


_ANEW = {"restore", "checkpoint", "every", "max_cycles", "max_seconds", "statistics", "json", "csv", "parquet", "quiet"}
"""What a run that goes on may be given: the rest is its checkpoint's."""


def _refuse_with_restore(context: typer.Context) -> None:
    for option in context.command.params:
        source = context.get_parameter_source(option.name)
        if option.name not in _ANEW and source is not None and source.name == "COMMANDLINE":
            what = f"the {option.name}" if option.param_type_name == "argument" else option.opts[0]
            raise UsageError(f"--restore goes on with the run of a checkpoint, which says {what}: leave that out")


def _beside(file: Path | None, table: str) -> Path | None:
    """Where a table over time goes: stats.intervals.csv for stats.csv."""
    return file and file.with_name(f"{file.stem}.{table}{file.suffix}")


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise UsageError(f"--env {text}: it must be NAME=VALUE")
    return name, value


def _bytes(option: str, text: str | None) -> int | None:
    """A number of bytes, maybe with the suffix K, M, G or T."""
    if text is None:
        return None
    number, suffix = (text[:-1], text[-1].upper()) if text and text[-1].isalpha() else (text, "")
    if suffix not in ("", *"KMGT") or not number.isascii() or not number.isdigit() or not int(number):
        raise UsageError(f"{option} {text}: it should be a number of bytes, or one with K, M, G or T behind it")
    return int(number) << 10 * ("KMGT".index(suffix) + 1 if suffix else 0)


def _say(sentence: object) -> None:
    """What went wrong, on standard error."""
    err.print(f"croft: {sentence}", highlight=False, markup=False, soft_wrap=True)


def main() -> None:
    """Runs the command; an error of croft is one sentence and its exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # whoever called has closed it
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    show = warnings.showwarning
    warnings.showwarning = lambda message, category, *where: (
        _say(message) if category is CacheWarning else show(message, category, *where)
    )
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # what cannot be written is said by us, not by Python when it ends
    except CroftError as error:
        _say(error)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        _say("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        discard(sys.stdout)
        sys.exit(141)
    except OSError as error:  # of a file that nobody thought of, or of standard output
        discard(sys.stdout)
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{error.strerror or error}")
        sys.exit(2)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = f"a fault of croft itself, {type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}"
        how = "please report it, with the command (CROFT_TRACEBACK=1 shows all of it)"
        _say(f"{said}; {how}")
        if os.environ.get("CROFT_TRACEBACK"):
            traceback.print_exc()
        sys.exit(70)


if __name__ == "__main__":
    main()
