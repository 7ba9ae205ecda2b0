"""The command ``croft run``."""

import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import croft
from croft.base.errors import UsageError
from croft.base.extras import require
from croft.cli.ending import tell_ending
from croft.cli.options import MOST_32, MOST_64, MachineName, Settings, chosen_machine, complete_program, say
from croft.cli.outputs import Outputs
from croft.machines.file import machine_from
from croft.recording.profile_files import format_of
from croft.results.files import check_ending, encode
from croft.results.trace_file import encode as encode_trace
from croft.runs.checkpoint import read_checkpoint
from croft.runs.runner import default_machine, executable, program_name
from croft.watching.live import LiveRun, require_terminal
from croft.watching.live_view import Setting
from croft.watching.progress import RunProgress, tell

EXIT_STATUSES = (
    "Exit status: the program's own; or 2 wrong usage or input, 121 deadlock, 122 stopped by --max-cycles, "
    "123 fault (illegal instruction, wild access, unknown system call, too many threads), 124 for what --check "
    "has found, 125 stopped by --max-seconds, 130 interrupted by Ctrl-C."
)
"""Of croft run, for its help."""


def run(
    context: typer.Context,
    program: Annotated[
        str | None,
        typer.Argument(
            help="A static RISC-V executable, a C++ or C file, or one of croft's programs.",
            autocompletion=complete_program,
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
        typer.Option(
            min=1, max=MOST_64, help="Delay messages and loads at random, by this seed: for tests of programs."
        ),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            help="coherence: report stale loads, lost writes and lost stores; races: report data races of the program. "
            "Exit status 124 if there are any."
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
    links: Annotated[
        bool, typer.Option("--links", help="Count how long each link of the meshes was busy, too.")
    ] = False,
    trace: Annotated[
        Path | None,
        typer.Option(help="Write when each core ran and waited to this file, .pftrace, for ui.perfetto.dev."),
    ] = None,
    trace_limit: Annotated[int, typer.Option(min=1, max=1 << 20, help="MiB of the trace at most.")] = 256,
    trace_from: Annotated[int, typer.Option(min=0, max=MOST_64 >> 1, help="The cycle at which it begins.")] = 0,
    trace_to: Annotated[int | None, typer.Option(min=1, max=MOST_64 >> 1, help="The cycle at which it ends.")] = None,
    fast_forward: Annotated[
        bool,
        typer.Option(
            "--fast-forward", help="Carry out functionally what comes before the first region, and warm the caches."
        ),
    ] = False,
    profile: Annotated[
        Path | None,
        typer.Option(
            help="Write where every cycle went to this file: .speedscope.json, .pb.gz (pprof) or .folded; "
            "`croft profile` prints it."
        ),
    ] = None,
    lines: Annotated[
        Path | None,
        typer.Option(
            help="Write who used which memory, and what it cost, to this file: .json, .json.gz, .json.zst; "
            "`croft lines` prints it."
        ),
    ] = None,
    lines_limit: Annotated[int, typer.Option(min=1, max=1 << 20, help="MiB of memory to record that, at most.")] = 1024,
    homes: Annotated[
        Path | None,
        typer.Option(help="Give lines the homes of this file, .toml, whatever the program asks for (`croft advise`)."),
    ] = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="Draw on the terminal, while it runs, what each core does, instructions a cycle, busiest links.",
        ),
    ] = False,
    statistics: Annotated[bool, typer.Option("--stats", help="Print statistics of every part.")] = False,
    json: Annotated[
        Path | None, typer.Option(help="Write the result to this file: .json, .json.gz, .json.zst.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the statistics to this file as CSV.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write the statistics to this file as Parquet.")] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only what the program prints, and what was asked for.")
    ] = False,
) -> None:
    """Run a program on a simulated machine. Ctrl-C ends a run with the statistics so far."""
    if live:
        require_terminal()
    if parquet:
        require("--parquet", "pandas", "pyarrow")
    if trace:
        require("--trace", "perfetto")
        if trace.suffix != ".pftrace":
            raise UsageError(f"{trace}: a trace is a file for Perfetto, and its name ends in .pftrace")
    for file in filter(None, (json, lines)):
        check_ending(file)
    if profile and format_of(profile).ending == ".pb.gz":
        require("--profile with .pb.gz", "google.protobuf")
    if max_seconds is not None and not max_seconds > 0:
        raise UsageError(f"--max-seconds {max_seconds:g}: it should be more than 0")
    if restore is None:
        if program is None:
            raise UsageError("croft run needs a program, or --restore with a checkpoint")
        chip = chosen_machine(machine or default_machine(analyze), set_)
        executable(program, analyze=analyze, tell=tell)  # what has to be built is, before a run seems to begin
        name = program_name(program)
        start = partial(
            croft.run,
            program,
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
            links=links,
            profile=profile is not None,
            trace=trace_limit << 20 if trace else None,
            trace_from=trace_from,
            trace_to=trace_to,
            lines=lines_limit << 20 if lines else None,
            homes=homes or (),
            fast_forward=fast_forward,
        )
    else:
        _refuse_with_restore(context)
        header, _ = read_checkpoint(restore)
        name, chip = header["name"], machine_from(header["machine"])
        analyze, check = header["analyze"], "coherence" if header["options"]["check_coherence"] else None
        interval, regions = header["options"]["interval"], header["options"]["each_region"]
        start = partial(croft.restore, restore)
    over_time = [table for table, wanted in (("intervals", interval), ("regions", regions)) if wanted]
    if over_time and (csv or parquet):
        require("--interval and --regions with a file", "pandas")
    began = time.perf_counter()
    with Outputs() as outputs:
        for promised in (json, csv, parquet, profile, trace, lines):
            outputs.promise(promised)
        for file in filter(None, (csv, parquet)):
            for table in over_time:
                outputs.promise(_beside(file, table))
        told: dict[str, Any]
        shown: LiveRun | RunProgress
        if live:
            shown = dashboard = LiveRun(
                Setting.of(name, chip, max_cycles), restored=restore is not None, transient=quiet
            )
            told = {"sample": dashboard.update}
        else:
            shown = line = RunProgress(name, chip.clock_mhz, max_cycles)
            told = {"progress": line.update}
        with shown:
            result = start(
                max_cycles=max_cycles,
                max_seconds=max_seconds,
                checkpoint=checkpoint,
                every=every,
                standard_input=None if sys.stdin is None or sys.stdin.isatty() else sys.stdin.fileno(),
                output=shown.write,
                tell=tell,
                **told,
            )
        outputs.write(json, lambda file: file.write_bytes(encode(result.to_json(), file)))
        outputs.write(csv, lambda file: file.write_text(result.to_csv(), encoding="utf-8"))
        outputs.write(parquet, lambda file: result.frame.to_parquet(file, index=False))
        if profile and (profiled := result.profile):
            if not result.has_symbols:
                say(f"{name} has no symbols: its profile is of addresses")
            content = format_of(profile).write(profiled)
            outputs.write(profile, lambda file: file.write_bytes(content))
        if trace and result.trace:
            outputs.write(trace, lambda file: file.write_bytes(encode_trace(result)))
            if result.trace.left_out:
                say(
                    f"{trace}: {result.trace.left_out:,} slices from cycle {result.trace.left_out_from:,} on are left "
                    f"out (--trace-limit {trace_limit} MiB; --trace-from and --trace-to look at a part)"
                )
        if lines and result.lines:
            if not result.has_symbols:
                say(f"{name} has no symbols: its lines are of addresses")
            outputs.write(lines, lambda file: file.write_bytes(encode(result.lines_to_json(), file)))
            if result.lines.left_out:
                say(f"{lines}: {result.lines.left_out:,} accesses found no room (--lines-limit {lines_limit} MiB)")
        for table in over_time:
            frame = getattr(result, table)
            outputs.write(_beside(csv, table), partial(frame.to_csv, index=False))
            outputs.write(_beside(parquet, table), partial(frame.to_parquet, index=False))
    tell_ending(
        result,
        check=check,
        was_to_analyze=analyze,
        statistics=statistics,
        quiet=quiet,
        checkpoint_file=checkpoint,
        more_seconds=time.perf_counter() - began - result.host_seconds,
    )
    failed = [*shown.failed.values(), *outputs.failed]
    for sentence in failed:
        say(sentence)
    raise typer.Exit(result.exit_status or (UsageError.exit_status if failed else 0))


_LIMITS = {"checkpoint", "every", "max_cycles", "max_seconds"}
_ANEW = {"restore", *_LIMITS, "statistics", "json", "csv", "parquet", "live", "quiet"}
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
