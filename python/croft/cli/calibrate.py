"""The command ``croft calibrate``."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from croft.base.console import FoldingTable
from croft.base.errors import UsageError
from croft.base.extras import require
from croft.cli.options import Fresh, Jobs, StoreAddress, err, out, say
from croft.cli.outputs import Outputs
from croft.watching.progress import tell

if TYPE_CHECKING:
    from croft.calibration.calibration import Calibration, Measurement
    from croft.calibration.compared import Compared


def calibrate(
    output: Annotated[Path, typer.Option("--output", "-o", help="The machine file to write.")] = Path("this-host.toml"),
    cores: Annotated[
        str | None, typer.Option(help="Measure and describe only these of the host's processors: 0-3,8.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Measure less often, and between fewer cores.")] = False,
    accept_noise: Annotated[
        bool, typer.Option("--accept-noise", help="Fit keys even to figures that disagree between rounds.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the machine file if it is there.")] = False,
    figure: Annotated[
        Path | None, typer.Option(help="Draw measured against simulated in this file, .svg or .png.")
    ] = None,
    table: Annotated[Path | None, typer.Option(help="Write all rows to this file, .csv.")] = None,
    predict: Annotated[
        bool, typer.Option("--predict", help="Measure and simulate channels, a farm and forks, too.")
    ] = False,
    jobs: Jobs = None,
    store: StoreAddress = None,
    fresh: Fresh = False,
) -> None:
    """Measure this host, and write a machine file that comes near it.

    Reads, synchronous writes, atomics and streams are measured here, on Linux. About a third of the rows are fitted:
    the same programs run on a simulated machine whose keys are changed until it takes as long. The others are predicted
    by the file, and compared with what was measured.
    """
    from croft.base.core_lists import numbers
    from croft.calibration.calibration import calibrate as fitted_to
    from croft.calibration.calibration import measure_host
    from croft.calibration.compared import summary
    from croft.calibration.host import this_host
    from croft.calibration.predicted import PATTERNS
    from croft.calibration.predicted import predict as predicted
    from croft.sweeps.many_runs import How

    require("croft calibrate", "ziglang", *(["matplotlib", "numpy"] if figure else []))
    if output.suffix != ".toml":
        raise UsageError(f"{output}: a machine file ends in .toml")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", output.stem):
        raise UsageError(f"{output}: the machine is called {output.stem!r}, which is no name of a machine")
    if output.exists() and not force:
        raise UsageError(f"{output} is there already; name another file, or replace it with --force")
    if figure and figure.suffix not in (".svg", ".png"):
        raise UsageError(f"--figure {figure}: it ends in .svg or .png")
    host = this_host(None if cores is None else numbers(cores, "--cores"))
    with Outputs() as outputs:
        for file in (output, figure, table):
            outputs.promise(file)
        patterns = PATTERNS if predict else ()
        measured = measure_host(host, quick=quick, tell=tell, patterns=patterns, accept_noise=accept_noise)
        _print_pairs(measured)
        how = How(jobs=jobs, store=store, fresh=fresh, tell=tell)
        made = fitted_to(measured, output.stem, accept_noise=accept_noise, how=how)
        _print(made)
        outputs.write(output, lambda file: file.write_text(made.to_toml(_head(measured, quick)), encoding="utf-8"))
        outputs.write(table, lambda file: file.write_text(_csv(made), encoding="utf-8"))
        outputs.write(figure, lambda file: _draw(made, file))
        if predict:  # the file is there already, whatever comes of that
            rows = predicted(measured.patterns, measured.clock_ghz, made.machine, how)
            _print_rows(rows)
            out.print(*summary(rows), highlight=False, markup=False, soft_wrap=True)
        for sentence in outputs.failed:
            say(sentence)
        if outputs.failed:
            raise typer.Exit(2)
    out.print(
        f"wrote {output}; `croft run -m {output} PROGRAM` takes it", highlight=False, markup=False, soft_wrap=True
    )


def _head(measured: "Measurement", quick: bool) -> list[str]:
    count = len(measured.host.cores)
    how = "croft calibrate --quick" if quick else "croft calibrate"
    return [f"{count} cores of {measured.host.processor}, measured and fitted by `{how}`."]


def _print_pairs(measured: "Measurement") -> None:
    for across, pairs in measured.pairs.items():
        found = sorted(
            figure.ns for row, figure in measured.figures.items() if row.pair in pairs and row.is_read("other", "L1")
        )
        between = f"{len(found)} pairs of cores" if len(found) > 1 else "a pair of cores"
        err.print(
            f"a line that another core has modified, {between} that share {across}: "
            f"{found[0]:.1f} to {found[-1]:.1f} ns",
            highlight=False,
            soft_wrap=True,
        )


def _print(made: "Calibration") -> None:
    from croft.calibration.compared import summary

    _print_rows(made.compared)
    keys = FoldingTable("key", header_style="bold")
    keys.add_numbers("value")
    keys.add_column("fitted to")
    for each in made.fitted:
        bound = f" ({each.at_bound})" if each.at_bound else ""
        keys.add_row(escape("\n".join(each.free.keys)), str(each.value), escape(f"{each.free.row.name}{bound}"))
    out.print(keys, highlight=False)
    for sentence in (*made.notes, *summary(made.compared)):
        out.print(sentence, highlight=False, markup=False, soft_wrap=True)
    if made.noise:
        out.print(f"noisy: {', '.join(row.name for row in made.noise)}", highlight=False, markup=False, soft_wrap=True)


def _print_rows(compared: "list[Compared]") -> None:
    rows = FoldingTable("row", "kind", header_style="bold")
    rows.add_numbers("measured ns", "spread", "measured cycles", "simulated cycles", "simulated / measured")
    for row in compared:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        figures = (f"{row.ns:.2f}", f"{row.spread:.0%}", f"{row.cycles:.1f}", f"{row.simulated:.1f}", ratio)
        rows.add_row(escape(row.name), row.kind, *figures)
    out.print(rows, highlight=False)


def _csv(made: "Calibration") -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["row", "kind", "measured_ns", "spread", "measured_cycles", "simulated_cycles", "ratio"])
    for row in made.compared:
        writer.writerow([row.name, row.kind, row.ns, row.spread, row.cycles, row.simulated, row.ratio])
    return text.getvalue()


def _draw(made: "Calibration", file: Path) -> None:
    import matplotlib as mpl

    from croft.calibration.compared import draw

    with mpl.rc_context({"svg.hashsalt": "croft"}):
        metadata = {"Date": None} if file.suffix == ".svg" else None
        draw(made.compared, made.machine.name).savefig(file, dpi=150, metadata=metadata)
