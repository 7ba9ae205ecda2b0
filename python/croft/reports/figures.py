"""Charts as pictures, for where nothing draws them: a notebook is looked at anywhere, and without a network."""

import base64
import html
from typing import Any

import vl_convert

from croft.reports.charts import Chart, causes_by_core, causes_over_time
from croft.reports.mesh_panels import mesh_panels
from croft.reports.over_time import OverTime
from croft.reports.run_data import RunData

WIDTH = 680
"""Of a chart without its axis, in pixels."""
_INK, _RULE = "#1d2127", "#d9dde2"
_TEXT = {"labelColor": _INK, "titleColor": _INK, "titleFontWeight": "normal"}
_CONFIG: dict[str, Any] = {
    "aria": False,  # what each mark says of itself would be most of the picture; all of it has a text
    "background": "white",  # whatever a notebook's colours are
    "font": "sans-serif",
    "view": {"stroke": None, "fill": "#f4f6f8"},
    "title": {"color": _INK, "fontWeight": "normal", "anchor": "start", "fontSize": 11},
    "axis": _TEXT | {"gridColor": _RULE, "domainColor": _RULE, "tickColor": _RULE},
    "legend": _TEXT,
    "range": {"ramp": ["#dbe9f5", "#4292c6", "#0b3c66"]},
}
"""As page.js has it where a page is light."""


def figures(run: RunData) -> list[str]:
    """As HTML: time by cause of each core, the same over time, the mesh; those of which something was recorded."""
    charts = (
        causes_by_core(run, "causes"),
        causes_over_time(run, OverTime(run), "steps"),
        mesh_panels(run, "mesh"),
    )
    return [_figure(chart) for chart in charts if chart]


def _figure(chart: Chart) -> str:
    """A picture in an element of its own: what is named in one does not meet another's in the same document."""
    picture = base64.b64encode(svg(chart).encode()).decode()
    text = html.escape(chart.text)
    return (
        f'<figure style="margin: 0 0 1rem"><figcaption>{text}</figcaption>'
        f'<img style="max-width: 100%" alt="{text}" src="data:image/svg+xml;base64,{picture}"></figure>'
    )


def svg(chart: Chart) -> str:
    """The chart as a picture."""
    datasets = {
        name: [dict(zip(fields, row, strict=True)) for row in rows] for name, (fields, rows) in chart.tables.items()
    }
    spec = chart.spec | {"datasets": datasets}
    if spec.get("width") == "container":
        spec["width"] = WIDTH
    return vl_convert.vegalite_to_svg(spec, config=_CONFIG, allowed_base_urls=[])
