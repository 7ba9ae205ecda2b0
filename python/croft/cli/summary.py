"""``croft experiment --summary``: how near the experiments come to what was published, all together."""

from pathlib import Path

from croft.base.console import FoldingTable
from croft.base.errors import UsageError
from croft.cli.options import out


def summarise(folder: Path | None, page: Path | None) -> None:
    """Counts the cells of the tables in ``folder``, prints the counts, writes them and a figure there, and the same
    into ``page``. Raises UsageError.
    """
    from croft.experiments.conduct import EXPERIMENTS, save_figure
    from croft.experiments.fidelity import WITHIN, Fidelity, read_cells
    from croft.experiments.fidelity_page import draw, rewrite

    if folder is None:
        raise UsageError(
            "croft experiment --summary needs --out FOLDER, to which experiments have written their tables"
        )
    fidelity = Fidelity.of(read_cells(folder, list(EXPERIMENTS)), list(EXPERIMENTS))
    columns = [*(f"{100 * distance:.0f}%" for distance in WITHIN), "beyond 2", "statements", "hold", "not scored"]
    table = FoldingTable("kind", "experiment", "numbers", *columns, box=None, header_style="bold")
    for row in fidelity.table.itertuples(index=False):
        table.add_row(*map(str, row))
    out.print(table, highlight=False)
    if fidelity.missing:
        out.print(f"not run: {', '.join(fidelity.missing)}", highlight=False, markup=False)
    try:
        fidelity.table.to_csv(folder / "summary.csv", index=False)
        files = [folder / "summary.csv", *save_figure(draw(fidelity), folder / "summary")]
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}") from error
    if page:
        rewrite(page, fidelity)
        files.append(page)
    for file in files:
        out.print(f"wrote {file}", highlight=False, markup=False, soft_wrap=True)
