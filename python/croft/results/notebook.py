"""A result as Jupyter shows it: what there is to say of the run, and where its time went, as figures."""

import dataclasses
import html
import json
from typing import TYPE_CHECKING

from croft.base.errors import UsageError
from croft.base.extras import is_installed, require
from croft.reports.facts import facts
from croft.reports.findings import findings
from croft.reports.findings.finding import percent
from croft.reports.findings.time_spent import CAUSES_IN_WORDS
from croft.reports.run_data import RunData

if TYPE_CHECKING:
    from croft.results.result import Result

TAGS = {"broken": "ended early", "limits": "limits the run", "costs": "costs time", "note": ""}
_LEFT = 'style="text-align: left"'


def html_of(result: "Result") -> str:
    """One element that needs no other file. Without the extra ``report`` it has a table instead of figures."""
    # What is over time is made by pandas.
    needed = ("vl_convert", "pandas") if result.has_intervals else ("vl_convert",)
    known = result if is_installed("pandas") else dataclasses.replace(result, _intervals=None, _regions=None)
    run = RunData(json.loads(known.to_json()))
    parts = [_facts(run), _findings(run), *_figures(run, needed), _not_recorded(result)]
    return f'<div class="croft-result" style="max-width: 60rem">{"".join(parts)}</div>'


def _facts(run: RunData) -> str:
    names = "".join(f"<th {_LEFT}>{name}</th>" for name, _ in facts(run))
    values = "".join(f"<td {_LEFT}>{html.escape(value)}</td>" for _, value in facts(run))
    return f"<table><tr>{names}</tr><tr>{values}</tr></table>"


def _findings(run: RunData) -> str:
    items = []
    for finding in findings(run):
        tag = f"<strong>{TAGS[finding.severity]}:</strong> " if TAGS[finding.severity] else ""
        items.append(f"<li>{tag}{html.escape(finding.sentence)}</li>")
    return f"<ul>{''.join(items)}</ul>"


def _figures(run: RunData, needed: tuple[str, ...]) -> list[str]:
    try:
        require("a figure", *needed)
    except UsageError as missing:
        return [_causes(run), f"<p><small>{html.escape(str(missing))}</small></p>"]
    from croft.reports.figures import figures

    return figures(run)


def _causes(run: RunData) -> str:
    """What the figures would show, of all cores together."""
    total = max(run.total_causes.total(), 1)
    rows = "".join(
        f"<tr><td>{cause}</td><td>{cycles:,}</td><td>{percent(cycles / total)}</td>"
        f"<td {_LEFT}>{CAUSES_IN_WORDS[cause]}</td></tr>"
        for cause, cycles in run.total_causes.most_common()
        if cycles
    )
    return f"<table><tr><th>time by cause</th><th>cycles of all cores</th><th></th><th></th></tr>{rows}</table>"


def _not_recorded(result: "Result") -> str:
    """What else could be known of the run, as it is asked for from Python."""
    options = (
        ("how it went over time", "interval=10_000", result.has_intervals),
        ("links", "links=True", any(each.part == "link" for each in result.statistics)),
        ("who waits for whom and for which data", "lines=1 << 30", result.lines is not None),
        ("functions and lines", "profile=True", result.profile is not None),
    )
    missing = [(what, option) for what, option, recorded in options if not recorded]
    if not missing:
        return ""
    said = ", ".join(f"{what} (<code>{html.escape(option)}</code>)" for what, option in missing)
    return f"<p><small>Not recorded: {said}.</small></p>"
