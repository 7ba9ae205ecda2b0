"""Whether the run ended by itself, and whether its names are known."""

from collections.abc import Iterator

from croft.reports.findings.finding import Evidence, Finding
from croft.reports.run_data import RunData

ENDINGS = {
    "deadlock": "The run came to a deadlock",
    "cycle_limit": "The run was stopped at its limit of cycles",
    "time_limit": "The run was stopped at its limit of time",
    "interrupted": "The run was interrupted",
    "fault": "The run ended with a fault",
}


def ended_badly(run: RunData) -> Iterator[Finding]:
    """That the run did not end by itself, or with another status than 0."""
    content = run.content
    where = Evidence("ended at", content["cycles"], "cycles")
    if content["ending"] != "exited":
        said = ENDINGS.get(content["ending"], f"The run ended ({content['ending']})")
        message = f": {content['message']}" if content["message"] else ""
        sentence = f"{said}{message}. All numbers are of what it did until then."
        yield Finding("ended", "broken", sentence, (where,))
    elif content["exit_code"]:
        yield Finding("ended", "broken", f"The program ended with exit status {content['exit_code']}.", (where,))


def nameless(run: RunData) -> Iterator[Finding]:
    """That the program has no symbols, or its lines no sources here."""
    if not run.profile:
        return
    if not run.profile["symbols"]:
        yield Finding(
            "no_symbols",
            "note",
            "The program has no symbols (it was stripped): functions are addresses, and no line is known. "
            "Build it with debug information, as croft build does.",
        )
    elif not any(line["source"] for line in run.profile["lines"]):
        yield Finding("no_sources", "note", "The files of the program's source were not there when the run was made.")
