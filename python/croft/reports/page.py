"""The page itself: one file of HTML that asks nobody for anything."""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jinja2
import vl_convert

from croft.recording.identity import Identity, called
from croft.reports.channels import channels
from croft.reports.charts import Chart, causes_by_core, causes_over_time, who_waits_for_whom
from croft.reports.facts import facts
from croft.reports.findings import findings
from croft.reports.findings.finding import percent
from croft.reports.mesh import mesh_over_time
from croft.reports.over_time import OverTime
from croft.reports.run_data import RunData
from croft.symbols.demangle import elided, elided_place

MOST_ROWS = 20
"""Of each table."""
_HERE = Path(__file__).parent
_ENDING = re.compile(r"</script|<!--", re.IGNORECASE)
_LEAST_NAMED = 0.1
"""Of what all cores did with an object, for a core to be named."""


def page(runs: list[RunData]) -> str:
    """The page of one run, or of several beside each other."""
    charts: list[Chart] = []
    sides = [_side(run, number, charts) for number, run in enumerate(runs)]
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"percent": percent, "number": _number, "evidence": _evidence, "short": _short}
    environment.filters["elided"] = elided
    template = environment.from_string((_HERE / "page.html").read_text(encoding="utf-8"))
    return template.render(
        title=" and ".join(dict.fromkeys(run.title for run in runs)),
        sides=sides,
        style=(_HERE / "page.css").read_text(encoding="utf-8"),
        charts=json.dumps([chart.as_dict() for chart in charts], separators=(",", ":")).replace("<", "\\u003c"),
        library=_inside_script(vl_convert.javascript_bundle()),
        script=_inside_script((_HERE / "page.js").read_text(encoding="utf-8")),
    )


def _side(run: RunData, number: int, charts: list[Chart]) -> dict[str, Any]:
    over_time = OverTime(run)

    def chart(one: Chart | None) -> Chart | None:
        if one:
            charts.append(one)
        return one

    return {
        "id": f"run{number}",
        "run": run,
        "facts": facts(run),
        "findings": [asdict(each) for each in findings(run)],
        "by_core": chart(causes_by_core(run, f"causes{number}")),
        "over_time": chart(causes_over_time(run, over_time, f"steps{number}")),
        "mesh": chart(mesh_over_time(run, over_time, f"mesh{number}")),
        "waits": chart(who_waits_for_whom(run, f"waits{number}")),
        "functions": (run.profile or {}).get("functions", [])[:MOST_ROWS],
        "lines_of_source": (run.profile or {}).get("lines", [])[:MOST_ROWS],
        "profile_cycles": max((run.profile or {}).get("cycles", 0), 1),
        "objects": [_memory(each) for each in (run.lines or {}).get("objects", [])[:MOST_ROWS]],
        "lines": [_line(run, each) for each in (run.lines or {}).get("lines", [])[:MOST_ROWS]],
        "channels": channels(run)[:MOST_ROWS],
    }


def _memory(each: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": called(Identity.of_dict(each)),
        "home": each["home"],
        "waits": sum(each["waits"].values()),
        "causes": _causes(each["waits"]),
        "writers": _cores(each["uses"], "writes"),
        "readers": _cores(each["uses"], "next"),
        "invalidations": each["invalidations"],
        "false_sharing": each["false_sharing"],
    }


def _line(run: RunData, line: dict[str, Any]) -> dict[str, Any]:
    each = run.lines["objects"][line["object"]] if run.lines and line["object"] is not None else None
    inside = f"{called(Identity.of_dict(each))} + {line['offset']}" if each else f"{line['address']:#x}"
    name = line.get("channel") or inside
    home = "" if line["home"] is None else f"core {line['home']}"
    return _memory({**line, "kind": "line", "name": name, "where": "", "channel": name, "home": home}) | {
        "written_at": sorted({elided_place(use["write_at"]) for use in line["uses"] if use["write_at"]})[:2],
        "read_at": sorted({elided_place(use["read_at"]) for use in line["uses"] if use["read_at"]})[:2],
    }


def _causes(waits: dict[str, int]) -> str:
    total = sum(waits.values())
    parts = sorted(waits.items(), key=lambda part: -part[1])
    return ", ".join(f"{cause} {percent(cycles / total)}" for cause, cycles in parts[:3] if cycles)


def _cores(uses: Iterable[dict[str, Any]], what: str) -> str:
    """The cores that did most of it: "1, 2 and 3 more"."""
    uses = [use for use in uses if use[what]]
    total = sum(use[what] for use in uses)
    most = sorted((use for use in uses if use[what] >= _LEAST_NAMED * total), key=lambda use: -use[what])[:4]
    named = ", ".join(str(use["core"]) for use in most)
    more = len(uses) - len(most)
    return f"{named} and {more} more" if named and more else named or (f"{more} cores" if more else "")


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _evidence(one: dict[str, Any] | tuple[Any, ...]) -> str:
    what, value, unit = one.values() if isinstance(one, dict) else one
    return f"{what}: {percent(value)}" if unit == "share" else f"{what}: {value:,.0f} {unit}"


def _short(file: str) -> str:
    """The last two parts of a path."""
    return "/".join(file.split("/")[-2:])


def _inside_script(text: str) -> str:
    """Text that does not end the element that it is in."""
    return _ENDING.sub(lambda found: found[0].replace("/", "\\/").replace("!", "\\!"), text)
