"""The command ``croft report``."""

from pathlib import Path
from typing import Annotated

import typer

from croft.base.errors import UsageError
from croft.base.extras import require
from croft.cli.options import err
from croft.cli.outputs import Outputs
from croft.results.files import read_result


def report(
    file: Annotated[Path, typer.Argument(help="What `croft run --json` has written.")],
    other: Annotated[Path | None, typer.Argument(help="Another run, to be shown beside it.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page: .html.")] = Path("report.html"),
) -> None:
    """Write a page about a run: what limited it, and where its time went.

    The more is recorded, the more it says: croft run --json RUN.json.zst --profile RUN.pb.gz --lines LINES.json
    --interval 10000 --links.
    """
    require("croft report", "jinja2", "vl_convert")
    from croft.reports.page import page
    from croft.reports.run_data import RunData

    if output.suffix not in (".html", ".htm"):
        raise UsageError(f"{output}: a report is a page, and its name ends in .html")
    runs = [RunData(read_result(each), each.name) for each in (file, other) if each]
    with Outputs() as outputs:
        outputs.promise(output)
        text = page(runs)
        outputs.write(output, lambda there: there.write_text(text, encoding="utf-8"))
    if outputs.failed:
        raise UsageError(outputs.failed[0])
    err.print(f"{output}: {len(text.encode()) / 1e6:.1f} MB", highlight=False, markup=False)
