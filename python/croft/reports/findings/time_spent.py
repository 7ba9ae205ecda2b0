"""Where the time of all cores went, in a sentence."""

from collections.abc import Iterator

from croft.recording.profile import ISSUE
from croft.reports.findings.finding import Evidence, Finding, percent
from croft.reports.run_data import RunData

CAUSES_IN_WORDS = {
    "issue": "executing instructions",
    "stall_l2": "waiting for their own L2",
    "stall_home": "waiting for lines from their homes",
    "stall_memory": "waiting for memory",
    "stall_atomic": "waiting for atomic operations",
    "stall_fence": "waiting at fences",
    "stall_store_buffer": "waiting for room in the store buffer",
    "wait_line": "asleep until a line changed",
    "wait_network": "waiting for messages or for the user network",
    "interrupt": "on the way into handlers of interrupts",
    "wait_kernel": "in system calls, waits for other threads among them",
    "stall_fetch": "waiting for instructions",
    "stall_translation": "handling misses of their TLBs",
}
"""What docs/statistics.md says of each cause, for sentences."""
LEAST_SHARE = 0.05
"""Of the time, for a cause to be named."""
MOST_NAMED = 4


def time_spent(run: RunData) -> Iterator[Finding]:
    """Always one: how many cores had a thread, for how long, and what for."""
    total = run.total_causes.total()
    if not total:
        yield Finding("time", "note", "No core had a thread in what the statistics are of.")
        return
    ranked = sorted(run.total_causes.items(), key=lambda item: (-item[1], item[0]))
    named = [(cause, cycles) for cause, cycles in ranked if cycles >= LEAST_SHARE * total][:MOST_NAMED]
    parts = [f"{percent(cycles / total)} {CAUSES_IN_WORDS.get(cause, cause)}" for cause, cycles in named]
    cores = len(run.active)
    filled = sum(run.active.values()) / (cores * run.cycles) if run.cycles else 0
    who = f"{cores} of {run.content['cores']} cores had threads" if cores > 1 else "One core had a thread"
    spent = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
    yield Finding(
        "time",
        "note",
        f"{who}, for {percent(min(filled, 1))} of the run on average. Of their time they spent {spent}.",
        tuple(Evidence(CAUSES_IN_WORDS.get(cause, cause), cycles, "cycles") for cause, cycles in ranked if cycles),
    )
    waited = total - run.total_causes[ISSUE]
    if not run.lines and waited >= total / 2:
        yield Finding(
            "unknown_waits",
            "note",
            f"Cores waited for {percent(waited / total)} of their time; for whom, and for which data, only a run with "
            "--lines tells.",
        )
