"""The mesh as a heat map over time: what each tile, each link and each controller was busy with."""

import math
from collections.abc import Callable
from typing import Any

from croft.machines.floor_plan import Cell, FloorPlan
from croft.reports.charts import SCHEMA, Chart
from croft.reports.over_time import OverTime
from croft.reports.run_data import RunData

_MESHES = (("coherence_busy", "coherence mesh"), ("memory_busy", "memory mesh"), ("user_busy", "user mesh"))
_TILES = (
    ("core", "issue", "cores executing"),
    ("home", "busy", "homes busy"),
    ("bank", "busy", "L2 banks busy"),
    ("memory", "busy", "memory controllers busy"),
)
_ELSEWHERE = {"bank": "shared.banks", "memory": "memory.controllers"}
"""Parts that are not numbered as the tiles are: Machine.positions."""
_BESIDE = 0.12
"""How far a link is drawn beside the middle of the way, so that both directions are seen."""
_BEFORE = 0.3
"""How far from a tile it begins and ends."""
Share = Callable[[str, str, int], dict[int, float]]


def mesh_over_time(run: RunData, over_time: OverTime, id: str) -> Chart | None:
    """Shares of each step of time; of all of the run, if it has no intervals. None if nothing was busy at all."""
    steps = over_time.steps
    share: Share = over_time.share if steps else lambda part, name, _: of_all(run, part, name)
    count = max(len(steps), 1)
    tiles = [row for step in range(count) for row in busy_tiles(run, share, step)]
    links = [row for step in range(count) for row in busy_links(run, share, step)]
    if not tiles and not links:
        return None
    shown = sorted({row[3] for row in tiles} | {row[4] for row in links})
    text = f"The {run.plan.title}{' over time' if len(steps) > 1 else ''}: {run.title}"
    tables = {
        "tiles": (["step", "x", "y", "what", "index", "share"], tiles),
        "links": (["step", "x", "y", "x2", "what", "y2", "index", "share"], links),
    }
    return Chart(id, text, _spec(text, run, steps, shown), tables)


def of_all(run: RunData, part: str, name: str) -> dict[int, float]:
    """What a statistic of cycles is of the whole run, as a share of it."""
    cycles = max(run.content["cycles"], 1)
    return {index: min(value / cycles, 1) for index, value in run.part(part, name).items() if value}


def busy_tiles(run: RunData, share: Share, step: int) -> list[list[Any]]:
    """Rows of step, column, row, what is there, its number and its share."""
    return [
        [step, *at, what, index, round(busy, 3)]
        for part, name, what in _TILES
        for index, busy in share(part, name, step).items()
        if busy >= 0.0005 and (at := _place(run, part, index))
    ]


def _place(run: RunData, part: str, index: int) -> Cell | None:
    """Where it is, as column and row; None if the machine does not say so."""
    if part not in _ELSEWHERE:
        return run.plan.cell(index)
    positions = run.positions.get(_ELSEWHERE[part], [])
    return run.plan.centre(positions[index]) if index < len(positions) else None


def busy_links(run: RunData, share: Share, step: int) -> list[list[Any]]:
    """Rows of step, x and y where it begins, x where it ends, its mesh, y where it ends, its number and its share."""
    rows = []
    for name, what in _MESHES:
        for index, busy in share("link", name, step).items():
            if busy < 0.0005:
                continue
            begin, end = _drawn(run.plan, *run.plan.links[index])
            row = [step, *begin, end[0], what, end[1], index, busy]
            rows.append([round(each, 3) if isinstance(each, float) else each for each in row])
    return rows


def _drawn(plan: FloorPlan, begin: int, end: int) -> tuple[Cell, Cell]:
    """The line for a link between two routers, outside of their cells."""
    (x, y), (x2, y2) = plan.centre(plan.place(begin)), plan.centre(plan.place(end))
    long = math.hypot(x2 - x, y2 - y)
    right, down = (x2 - x) / long, (y2 - y) / long
    # To the right of its own direction, as traffic in most countries.
    aside = _BESIDE * -down, _BESIDE * right
    off = _BEFORE + (plan.side - 1) / 2
    return (
        (x + off * right + aside[0], y + off * down + aside[1]),
        (x2 - off * right + aside[0], y2 - off * down + aside[1]),
    )


def _spec(text: str, run: RunData, steps: list[tuple[int, int]], shown: list[str]) -> dict[str, Any]:
    last = max(len(steps) - 1, 0)
    slider = {"input": "range", "min": 0, "max": last, "step": 1, "name": "step of time "}
    params: list[dict[str, Any]] = [
        {"name": "what", "value": shown[0], "bind": {"input": "select", "options": shown, "name": "shown "}},
        {"name": "step", "value": last // 2, **({"bind": slider} if last else {})},
    ]
    here = {"filter": "datum.what === what && datum.step === step"}
    wide = {"type": "quantitative", "axis": None}
    across = wide | {"scale": {"domain": [-0.6, run.plan.columns - 0.4], "nice": False}}
    down = wide | {"scale": {"domain": [-0.6, run.plan.rows - 0.4], "nice": False, "reverse": True}}
    place = {"x": {"field": "x", **across}, "y": {"field": "y", **down}}
    colour = {
        "field": "share",
        "type": "quantitative",
        "scale": {"range": "ramp", "domain": [0, 1]},
        "legend": {"title": "of the time", "format": "~%", "orient": "bottom"},
    }
    tooltip = [
        {"field": "what"},
        {"field": "index", "title": "number"},
        {"field": "share", "format": ".1%", "type": "quantitative", "title": "of the time"},
    ]
    cells = [{"x": x, "y": y} for x, y in sorted(run.plan.cells, key=lambda cell: (cell[1], cell[0]))]
    size = {"expr": f"pow(0.62 * min(width / {run.plan.columns + 0.2}, height / {run.plan.rows + 0.2}), 2)"}
    return {
        "$schema": SCHEMA,
        "description": text,
        "width": "container",
        "height": min(44 * run.plan.rows + 20, 480),
        "params": params,
        "layer": [
            {
                "data": {"values": cells},
                "mark": {"type": "square", "size": size, "opacity": 1, "color": {"expr": "empty"}},
                "encoding": place,
            },
            {
                "data": {"name": "tiles"},
                "transform": [here],
                "mark": {"type": "square", "size": size, "opacity": 1},
                "encoding": {**place, "color": colour, "tooltip": tooltip},
            },
            {
                "data": {"name": "links"},
                "transform": [here],
                "mark": {"type": "rule", "strokeWidth": 6},
                "encoding": {
                    **place,
                    "x2": {"field": "x2"},
                    "y2": {"field": "y2"},
                    "color": colour,
                    "tooltip": tooltip,
                },
            },
        ],
    }
