"""The mesh of a whole run as one still picture: beside each other all that was busy, where the page has a choice."""

from typing import Any

from croft.reports.charts import SCHEMA, Chart
from croft.reports.findings.finding import percent
from croft.reports.mesh import busy_links, busy_tiles, of_all
from croft.reports.run_data import RunData

COLUMNS = 3
"""Of panels."""
WIDTH = 210
"""Of a panel, in pixels."""


def mesh_panels(run: RunData, id: str) -> Chart | None:
    """A panel for each kind of part, whose darkest is the busiest of its kind. None if nothing was busy at all."""

    def share(part: str, name: str, _: int) -> dict[int, float]:
        return of_all(run, part, name)

    tiles, links = busy_tiles(run, share, 0), busy_links(run, share, 0)
    panels = [_panel(run, "tiles", what, rows) for what, rows in _by(tiles, 3).items()]
    panels += [_panel(run, "links", what, rows) for what, rows in _by(links, 4).items()]
    if not panels:
        return None
    text = f"The {run.plan.title}, darkest where a part of its kind was busiest: {run.title}"
    spec = {
        "$schema": SCHEMA,
        "description": text,
        "columns": COLUMNS,
        "spacing": 16,
        "concat": panels,
        "resolve": {"scale": {"color": "independent"}},
    }
    tables = {
        "tiles": (["step", "x", "y", "what", "index", "share"], tiles),
        "links": (["step", "x", "y", "x2", "what", "y2", "index", "share"], links),
    }
    return Chart(id, text, spec, tables)


def _by(rows: list[list[Any]], column: int) -> dict[str, list[list[Any]]]:
    kinds: dict[str, list[list[Any]]] = {}
    for row in rows:
        kinds.setdefault(row[column], []).append(row)
    return kinds


def _panel(run: RunData, table: str, what: str, rows: list[list[Any]]) -> dict[str, Any]:
    most = max(row[-1] for row in rows)
    wide = {"type": "quantitative", "axis": None}
    across = wide | {"scale": {"domain": [-0.6, run.plan.columns - 0.4], "nice": False}}
    down = wide | {"scale": {"domain": [-0.6, run.plan.rows - 0.4], "nice": False, "reverse": True}}
    encoding: dict[str, Any] = {
        "x": {"field": "x", **across},
        "y": {"field": "y", **down},
        "color": {
            "field": "share",
            "type": "quantitative",
            "scale": {"range": "ramp", "domain": [0, most]},
            "legend": None,
        },
    }
    pitch = WIDTH / (run.plan.columns + 0.2)
    mark: dict[str, Any] = {"type": "square", "size": round((0.62 * pitch) ** 2, 1), "opacity": 1}
    if table == "links":
        mark = {"type": "rule", "strokeWidth": round(max(0.12 * pitch, 1.5), 1)}
        encoding |= {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    return {
        "title": f"{what}, up to {percent(most)}",
        "width": WIDTH,
        "height": round(pitch * (run.plan.rows + 0.2)),
        "data": {"name": table},
        "transform": [{"filter": f"datum.what === '{what}'"}],
        "mark": mark,
        "encoding": encoding,
    }
