"""The command ``croft run``."""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from croft.base.errors import UsageError
from croft.base.extras import require
from croft.cli.ending import tell_ending
from croft.cli.options import MachineName, Settings, chosen_machine, complete_program, say
from croft.cli.outputs import Outputs
from croft.cli.run_options import as_typed, given_options, with_run_options
from croft.recording.profile_files import format_of
from croft.results.files import check_ending, encode
from croft.results.result import Result
from croft.results.trace_file import encode as encode_trace
from croft.runs.checkpoint import read_checkpoint
from croft.runs.runner import default_machine, executable, program_name, restore_as, run_as
from croft.runs.simulation import Plan
from croft.runs.spec import Attendance, RunSpec
from croft.watching.live import LiveRun, require_terminal
from croft.watching.live_view import Setting
from croft.watching.progress import RunProgress, tell

EXIT_STATUSES = (
    "The exit status is the program's own, or one of these. 2: wrong usage or input. 121: deadlock. "
    "122: stopped by --max-cycles. 123: a fault (illegal instruction, wild access, stack overflow, too many "
    "threads). 124: --check has found something. 125: stopped by --max-seconds. 130: interrupted by Ctrl-C."
)
"""Of croft run, for its help."""


@with_run_options
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
    restore: Annotated[
        Path | None, typer.Option(help="Go on with the run of this checkpoint, instead of a program's.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(help="Write when each core ran and waited to this file, .pftrace, for ui.perfetto.dev."),
    ] = None,
    trace_limit: Annotated[int, typer.Option(min=1, max=1 << 20, help="MiB of the trace at most.")] = 256,
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
    **options: Any,
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
    given = given_options(options)
    given["standard_input"] = None if sys.stdin is None or sys.stdin.isatty() else sys.stdin.fileno()
    given["tell"] = tell
    attendance: Attendance
    start: Callable[[Any], Result]
    if restore is None:
        if program is None:
            raise UsageError("croft run needs a program, or --restore with a checkpoint")
        given |= {"arguments": arguments or [], "profile": profile is not None}
        given |= {"trace": trace_limit << 20 if trace else None, "lines": lines_limit << 20 if lines else None}
        attendance = spec = RunSpec.of(given, as_typed)
        chip = chosen_machine(machine or default_machine(spec.analyze), set_)
        executable(program, analyze=spec.analyze, tell=tell)  # what has to be built is, before a run seems to begin
        name, start = program_name(program), partial(run_as, program=program, machine=chip)
    else:
        _refuse_with_restore(context)
        attendance = Attendance.of({key: given[key] for key in Attendance.model_fields if key in given}, as_typed)
        plan = Plan.of(read_checkpoint(restore)[0], b"")
        name, chip, spec, start = plan.spec.name or "", plan.machine, plan.spec, partial(restore_as, file=restore)
    over_time = [table for table, wanted in (("intervals", spec.interval), ("regions", spec.regions)) if wanted]
    if over_time and (csv or parquet):
        require("--interval and --regions with a file", "pandas")
    began = time.perf_counter()
    with Outputs() as outputs:
        for promised in (json, csv, parquet, profile, trace, lines):
            outputs.promise(promised)
        for file in filter(None, (csv, parquet)):
            for table in over_time:
                outputs.promise(_beside(file, table))
        shown: LiveRun | RunProgress
        if live:
            setting = Setting.of(name, chip, attendance.max_cycles)
            shown = dashboard = LiveRun(setting, restored=restore is not None, transient=quiet)
            told: dict[str, Any] = {"sample": dashboard.update}
        else:
            shown = line = RunProgress(name, chip.clock_mhz, attendance.max_cycles)
            told = {"progress": line.update}
        with shown:
            result = start(attendance.model_copy(update={"output": shown.write, **told}))
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
        check=spec.check,
        was_to_analyze=spec.analyze,
        statistics=statistics,
        quiet=quiet,
        checkpoint_file=options["checkpoint"],
        more_seconds=time.perf_counter() - began - result.host_seconds,
    )
    failed = [*shown.failed.values(), *outputs.failed]
    for sentence in failed:
        say(sentence)
    raise typer.Exit(result.exit_status or (UsageError.exit_status if failed else 0))


_ANEW = {"restore", *Attendance.model_fields, "statistics", "json", "csv", "parquet", "live", "quiet"}
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
