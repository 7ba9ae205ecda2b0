"""The demonstration: one program, filtered photographs from two machines, and a farm that scales."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from croft.base.console import FoldingTable, console_on
from croft.base.errors import CroftError
from croft.base.extras import require
from croft.experiments.conduct import ExperimentResult, experiment
from croft.experiments.farm_convolution import speedups
from croft.experiments.published import published
from croft.programs.builder import build
from croft.programs.first_picture import OPTIONS, filter_here
from croft.results.result import Result
from croft.runs.runner import run
from croft.watching.progress import RunProgress, tell

STEP = 100_000
"""Cycles of an interval of the report."""
console = console_on()


def demonstrate(folder: Path) -> None:
    """Runs all of it and leaves pictures and tables in ``folder``. Raises CroftError if the two machines differ."""
    started = time.perf_counter()
    photo, here = filter_here(folder, tell=lambda sentence: console.print(sentence, highlight=False))
    with ThreadPoolExecutor() as pool:  # the other core builds what the first experiment runs
        pool.submit(build, "pingpong")
        program = build("farm_convolution", tell=tell)
    there, filtered = _filter_there(program, photo, folder / "filtered-there.pgm")
    if here.read_bytes() != there.read_bytes():
        raise CroftError(f"{here} and {there} differ: the two machines did not compute the same picture")
    console.print(f"both pictures are the same, byte for byte ({here.stat().st_size:,} bytes)", highlight=False)

    for name, show in (("pingpong", _latencies), ("farm_convolution", _farm)):
        found = experiment(name, quick=True, tell=tell)
        found.write(folder)
        console.print(show(found), highlight=False)
    _write_report(filtered, folder / "report.html")
    files = ", ".join(sorted(path.name for path in folder.glob("*.png")))
    console.print(f"look at {folder}/: report.html, {files} ({time.perf_counter() - started:.0f} s)", highlight=False)


def _filter_there(program: Path, photo: Path, target: Path) -> tuple[Path, Result]:
    folder = photo.parent.absolute()
    arguments = [f"/pictures/{photo.name}", "-o", f"/pictures/{target.name}", *OPTIONS, "--workers", "56"]
    with RunProgress("filtering on the simulated TILEPro64", 866) as progress:
        result = run(
            program,
            "tilepro64",
            arguments=arguments,
            name="farm_convolution",
            directories=[f"{folder}::/pictures"],
            progress=progress.update,
            profile=True,
            lines=1 << 30,
            interval=STEP,
            links=True,
        )
    if result.exit_status:
        said = result.message or result.errors.decode(errors="replace").strip()
        raise CroftError(f"farm_convolution failed on the simulated machine: {said}")
    console.print(
        f"filtered on the simulated TILEPro64 by 56 workers in {result.seconds * 1e3:.1f} ms of its time, recorded "
        f"({result.host_seconds:.1f} s here, {result.instructions / result.host_seconds / 1e6:.0f} M instructions/s)",
        highlight=False,
    )
    return target, result


def _write_report(result: Result, target: Path) -> None:
    """A page about the filtering, for a browser."""
    require("the report of the demonstration", "jinja2", "vl_convert")
    from croft.reports.page import page
    from croft.reports.run_data import RunData

    target.write_text(page([RunData(json.loads(result.to_json()))]), encoding="utf-8")


def _latencies(found: ExperimentResult) -> FoldingTable:
    table = FoldingTable("messages by", "hops", "croft, cycles", "paper, cycles", title="one-way latency of a word")
    paper = published("pingpong").query("interface == 'symmetric'")
    measured = found.measured.query("interface == 'symmetric' and form == 'paper'")
    for support, how in (("udn", "the network"), ("sm_home", "flags homed at their reader")):
        theirs = paper[paper["support"] == support].set_index("hops")["avg_cycles"]
        for row in measured[measured["support"] == support].sort_values("hops").itertuples():
            table.add_row(how, str(row.hops), f"{row.cycles:.0f}", f"{theirs[row.hops]:.0f}")
    hashed = [frame.loc[frame["support"] == "sm_hash"] for frame in (measured, paper)]
    ours, theirs = hashed[0]["cycles"].mean(), hashed[1]["avg_cycles"].mean()
    table.add_row("flags with hashed homes", "any", f"{ours:.0f}", f"{theirs:.0f}")
    return table


def _farm(found: ExperimentResult) -> FoldingTable:
    table = FoldingTable(
        "",
        "service time, us",
        "speedup",
        title="farm of 32 x 32 int convolutions, events over the network",
    )
    paper = published("farm_convolution").query("type == 'int' and size == 32").set_index("runtime")
    rows = found.measured.query("type == 'int' and size == 32 and runtime in ('sequential', 'ra_udn')")
    rows = rows[rows["collector"] == "passes"]
    sequential = rows.loc[rows["workers"] == 0, "service_time_ns"].min() / 1e3
    table.add_row("sequential", f"{sequential:.2f}", "1")
    for row in speedups(rows).itertuples():
        table.add_row(
            f"{row.workers} worker{'s' if row.workers > 1 else ''}",
            f"{row.service_time_ns / 1e3:.2f}",
            f"{row.speedup:.2f}",
        )
    table.add_section()
    for name, runtime in (("paper, sequential", "sequential"), ("paper, best of up to 56 workers", "ra_udn")):
        best = paper.loc[runtime]
        table.add_row(name, f"{best['service_time_us']:.2f}", f"{best['speedup']:g}")
    return table
