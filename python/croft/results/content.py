"""A result as its JSON says it (``croft run --json``)."""

import base64
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from croft.base.digest import digest_of
from croft.recording.profile_content import profile_content

if TYPE_CHECKING:
    from croft.results.result import Result


def content(result: "Result") -> dict[str, Any]:
    """All of it, and of what was recorded what ``Result.to_json`` says."""
    content = {
        "program": {"name": result.program, "sha256": digest_of(result.loaded_program())},
        "arguments": list(result.arguments),
        "machine": result.machine.model_dump(),
        "cores": result.cores,
        "seed": result.seed,
        "ending": result.ending,
        "exit_code": result.exit_code,
        "message": result.message,
        "cycles": result.cycles,
        "seconds": result.seconds,
        "instructions": result.instructions,
        "window": result.window,
        "threads": [
            {
                "thread": thread.thread,
                "core": thread.core,
                "state": thread.state,
                "address": thread.address,
                "pc": thread.pc,
                "function": thread.place.function,
            }
            for thread in result.threads
        ],
        "statistics": [each._asdict() for each in result.statistics],
        "output": _text(result.output),
        "errors": _text(result.errors),
    }
    if result.unsimulated:
        content["unsimulated"] = result.unsimulated
    if result.core_order:
        content["core_order"] = list(result.core_order)
    if result.check == "races":
        content["races"] = {
            "count": result.race_count,
            "findings": [asdict(finding) for finding in result.races],
            "library": [asdict(finding) for finding in result.library_races],
        }
    if result.check == "coherence":
        content["coherence"] = {
            "count": result.coherence_count,
            "findings": [asdict(finding) for finding in result.coherence],
            "racing": result.racing_count,
            "longest_racing": result.longest_racing and asdict(result.longest_racing),
        }
    if result.fast_forwarded:
        content["fast_forwarded"] = result.fast_forwarded._asdict()
    if result.host_results:
        content["host_results"] = [{"cycle": cycle, "bytes": answer.hex()} for cycle, answer in result.host_results]
    if result.analysis:
        content["analysis"] = asdict(result.analysis)
    if result.has_intervals:
        content["intervals"] = result.intervals.to_dict(orient="records")
    if result.has_regions:
        content["regions"] = result.regions.to_dict(orient="records")
    if result.profile is not None:
        content["profile"] = profile_content(result.profile, result.has_symbols)
    if result.lines is not None:
        content["lines"] = result.lines.to_dict()
    return content


def _text(output: bytes) -> str | dict[str, str]:
    """What a program printed, for JSON: text if it is UTF-8, else its bytes in base64."""
    try:
        return output.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(output).decode()}
