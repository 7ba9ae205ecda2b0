"""A core that holds the others up: they wait for what it writes, and it does not wait itself."""

from collections.abc import Iterator

from croft.reports.findings.finding import Evidence, Finding, percent
from croft.reports.run_data import RunData

LEAST_OF_A_WAITER = 0.1
"""Of a core's active time, for it to count as one that waits: less is what any hand-over takes."""
LEAST_OF_ALL = 0.25
"""Of the active time of all other cores that they must wait for one: twice as fast, it would gain the run an eighth."""
MOST_OF_ITS_OWN = 0.5
"""Of its own active time that a bottleneck may wait for others: beyond that it is held up itself."""
LEAST_LEAD = 2.0
"""How much more it must be waited for than the next one: several alike share the work, and none of them is at fault."""
LEAST_ALIKE = 0.5
"""Of its active time, that another core must have had for it to be of the same stage."""


def bottlenecks(run: RunData) -> Iterator[Finding]:
    """At most one: the core that the others wait for most."""
    ranked = sorted(run.waits_for.items(), key=lambda item: (-item[1].total(), item[0]))
    if not ranked:
        return
    core, waits = ranked[0]
    runner_up = ranked[1][1].total() if len(ranked) > 1 else 0
    others = sum(cycles for other, cycles in run.active.items() if other != core)
    own = run.waits_of[core] / max(run.active.get(core, 0), 1)
    waiters = [each for each in waits if waits[each] >= LEAST_OF_A_WAITER * run.active.get(each, 0) > 0]
    if waits.total() < LEAST_OF_ALL * others or waits.total() < LEAST_LEAD * runner_up or own > MOST_OF_ITS_OWN:
        return
    if not waiters:
        return
    waited, active = sum(waits[each] for each in waiters), sum(run.active[each] for each in waiters)
    several = len(waiters) > 1
    who = f"{run.called_all(sorted(waiters))} {'wait' if several else 'waits'}"
    share = f"for {percent(waited / active)} of {'their' if several else 'its'} time"
    evidence = (
        Evidence(f"waited for core {core}, by the cores named", waited, "cycles"),
        Evidence("of their active time", waited / active, "share"),
        Evidence("of the active time of all other cores", waits.total() / others, "share"),
        Evidence(f"core {core} itself waited for others", own, "share"),
    )
    if alike := _alike(run, core, set(waiters)):
        stage = run.called_all(sorted([core, *alike]))
        sentence = f"{_capital(stage)} have the most to do: {who} for them {share}. More of them would help."
        yield Finding("stage", "note", sentence, evidence, waited)
        return
    sentence = f"{_capital(run.called(core))} limits: {who} for it {share}."
    advice = " It has to do less for each of them, or there have to be several of it."
    yield Finding("bottleneck", "limits", sentence + advice, evidence, waited, core)


def _alike(run: RunData, core: int, waiters: set[int]) -> list[int]:
    """Others that do not wait, either, as long as it does not: then what limits is a stage, not a core."""
    return [
        other
        for other, cycles in run.active.items()
        if other != core
        and other not in waiters
        and cycles >= LEAST_ALIKE * run.active[core]
        and run.waits_of[other] <= LEAST_OF_A_WAITER * cycles
        and run.do_alike(core, other)
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
