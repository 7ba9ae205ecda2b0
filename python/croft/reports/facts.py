"""What a run was, and how it ended, as a page or a notebook begins with it."""

from croft.reports.run_data import RunData


def facts(run: RunData) -> list[tuple[str, str]]:
    """Each with its name."""
    content = run.content
    ended = f"exit status {content['exit_code']}" if content["ending"] == "exited" else content["ending"]
    return [
        ("program", " ".join([content["program"]["name"], *content["arguments"]])),
        ("machine", f"{run.machine['name']}, {content['cores']} cores, {run.machine['clock_mhz']:g} MHz"),
        ("cycles", f"{content['cycles']:,} ({content['seconds'] * 1e6:,.1f} us)"),
        ("instructions", f"{content['instructions']:,}"),
        ("ended with", ended),
    ]
