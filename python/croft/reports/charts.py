"""The page's charts of cores and causes, as Vega-Lite specifications; a chart's rows come beside it, as lists."""

from dataclasses import dataclass
from typing import Any

from croft.recording.profile import CAUSES
from croft.reports.colours import CAUSE_COLOURS
from croft.reports.over_time import OverTime
from croft.reports.run_data import RunData

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
"""A name, which nothing loads."""


@dataclass(frozen=True)
class Chart:
    """``tables`` has for each name of a data set its fields and its rows; ``text`` says what there is to see."""

    id: str
    text: str
    spec: dict[str, Any]
    tables: dict[str, tuple[list[str], list[list[Any]]]]

    def as_dict(self) -> dict[str, Any]:
        """For the page's script."""
        tables = {name: {"fields": fields, "rows": rows} for name, (fields, rows) in self.tables.items()}
        return {"id": self.id, "spec": self.spec, "tables": tables}


def _spec(text: str, height: int, **more: Any) -> dict[str, Any]:
    return {"$schema": SCHEMA, "description": text, "width": "container", "height": height, **more}


def _cause_colour(present: list[str]) -> dict[str, Any]:
    scale = {"domain": present, "range": [CAUSE_COLOURS[cause] for cause in present]}
    legend = {"title": None, "orient": "bottom", "columns": {"expr": "max(floor(width / 140), 2)"}}
    return {"field": "cause", "type": "nominal", "scale": scale, "sort": present, "legend": legend}


def _present(run: RunData) -> list[str]:
    return [cause for cause in CAUSES if run.total_causes[cause]]


_BY_ORDER = {"field": "order", "type": "quantitative"}


def causes_by_core(run: RunData, id: str) -> Chart | None:
    """A bar for each core that had a thread, divided by what its time went to."""
    present = _present(run)
    if not present:
        return None
    rows = [
        [core, cause, present.index(cause), causes[cause], round(causes[cause] / max(run.active[core], 1), 4)]
        for core, causes in run.causes.items()
        for cause in present
        if causes[cause]
    ]
    text = f"Time by cause of each of {len(run.active)} cores: {run.title}"
    axis = {"title": "cycles", "format": "~s"}
    spec = _spec(
        text,
        260,
        data={"name": "causes"},
        mark={"type": "bar"},
        encoding={
            "x": {
                "field": "core",
                "type": "ordinal",
                "title": "core",
                "axis": {"labelOverlap": True, "labelAngle": 0, "ticks": False},
            },
            "y": {"field": "cycles", "type": "quantitative", "axis": axis},
            "color": _cause_colour(present),
            "order": _BY_ORDER,
            "tooltip": [
                {"field": "core"},
                {"field": "cause"},
                {"field": "cycles", "format": ",", "type": "quantitative"},
                {"field": "share", "format": ".1%", "type": "quantitative", "title": "of its time"},
            ],
        },
    )
    return Chart(id, text, spec, {"causes": (["core", "cause", "order", "cycles", "share"], rows)})


def causes_over_time(run: RunData, over_time: OverTime, id: str) -> Chart | None:
    """How many cores issued, or waited for what, in the course of the run."""
    present = _present(run)
    if len(over_time.steps) < 2 or not present:
        return None
    rows = [
        [row["begin"], row["end"], row["cause"], present.index(row["cause"]), round(row["cores"], 3)]
        for row in over_time.by_cause(tuple(present))
    ]
    text = f"Cores by what they did, over time: {run.title}"
    spec = _spec(
        text,
        220,
        data={"name": "steps"},
        mark={"type": "bar", "binSpacing": 0},
        encoding={
            "x": {"field": "begin", "type": "quantitative", "bin": {"binned": True}, "axis": {"format": "~s"}}
            | {"title": "time, cycles"},
            "x2": {"field": "end"},
            "y": {"field": "cores", "type": "quantitative", "title": "cores"},
            "color": _cause_colour(present),
            "order": _BY_ORDER,
            "tooltip": [
                {"field": "begin", "format": ",", "type": "quantitative", "title": "from cycle"},
                {"field": "end", "format": ",", "type": "quantitative", "title": "to"},
                {"field": "cause"},
                {"field": "cores", "format": ".1f", "type": "quantitative"},
            ],
        },
    )
    return Chart(id, text, spec, {"steps": (["begin", "end", "cause", "order", "cores"], rows)})


def who_waits_for_whom(run: RunData, id: str) -> Chart | None:
    """For each pair of cores how long one waited for lines that the other was the last to write."""
    rows = [
        [core, writer, cycles, round(cycles / run.active[core], 5)]
        for writer, waits in run.waits_for.items()
        for core, cycles in waits.items()
        if cycles and run.active.get(core)
    ]
    if not rows:
        return None
    text = f"Who waits for whom: {run.title}"
    axis = {"labelOverlap": True, "ticks": False, "labelAngle": 0}
    spec = _spec(
        text,
        min(max(8 * len(run.active), 160), 420),
        data={"name": "waits"},
        mark={"type": "rect"},
        encoding={
            "x": {"field": "writer", "type": "ordinal", "title": "core that wrote last", "axis": axis},
            "y": {"field": "core", "type": "ordinal", "title": "core that waits", "axis": axis},
            "color": {
                "field": "share",
                "type": "quantitative",
                "scale": {"range": "ramp", "domainMin": 0},
                "legend": {"title": "of its time", "format": "~%", "orient": "bottom"},
            },
            "tooltip": [
                {"field": "core", "title": "core"},
                {"field": "writer", "title": "waits for"},
                {"field": "cycles", "format": ",", "type": "quantitative"},
                {"field": "share", "format": ".1%", "type": "quantitative", "title": "of its time"},
            ],
        },
    )
    return Chart(id, text, spec, {"waits": (["core", "writer", "cycles", "share"], rows)})
