"""What the dashboard of ``croft run --live`` says of a run: the difference of two samples, in rates and shares."""

from collections.abc import Sequence
from dataclasses import dataclass

from croft.machines.floor_plan import FloorPlan
from croft.machines.model import Machine
from croft.watching.sample import Sample

Place = tuple[int, int]
"""A router's column, counted on through all chips, and row."""


@dataclass(frozen=True)
class LinkUse:
    """A link between two routers, in one direction."""

    mesh: str
    begin: Place
    end: Place
    share: float
    """Of the time, it was busy: 0 to 1."""


@dataclass(frozen=True)
class Setting:
    """What of a run stays the same."""

    program: str
    machine: str
    plan: FloorPlan
    clock_mhz: float
    max_cycles: int | None = None
    """At which it is ended."""

    @classmethod
    def of(cls, program: str, machine: Machine, max_cycles: int | None = None) -> "Setting":
        """That of a program on a machine."""
        return cls(program, machine.title, FloorPlan(machine), machine.clock_mhz, max_cycles)


@dataclass(frozen=True)
class View:
    """Rates and shares are of the time between two samples; of the whole run when it has ended."""

    setting: Setting
    cycles: int
    """Simulated, which every core has reached."""
    host_seconds: float
    """Since the run began here."""
    activities: Sequence[str]
    """What each tile's core does at that moment."""
    instructions_per_cycle: float
    instructions_per_second: float
    """Of this host."""
    cycles_per_second: float
    """Likewise."""
    spent: Sequence[tuple[str, float]]
    """Where the cycles of all threads went, as shares, the largest first."""
    links: Sequence[LinkUse]
    """Those that were used at all, the busiest first; only so many of them."""
    recent: Sequence[float] = ()
    """Instructions a cycle, moment by moment."""
    has_ended: bool = False

    @property
    def seconds(self) -> float:
        """Simulated."""
        return self.cycles / (self.setting.clock_mhz * 1e6)

    @property
    def seconds_left(self) -> float | None:
        """Of this host, until the run is ended, if it goes on like that."""
        if not self.setting.max_cycles or not self.cycles_per_second or self.has_ended:
            return None
        return max(0, self.setting.max_cycles - self.cycles) / self.cycles_per_second


MOST_LINKS = 64


def view(
    setting: Setting,
    before: Sample | None,
    after: Sample,
    recent: Sequence[float] = (),
    *,
    has_ended: bool = False,
) -> View:
    """Of the time between two samples; ``before``: None for the run's beginning."""
    took = after.host_seconds - (before.host_seconds if before else 0.0)
    cycles = after.cycles - (before.cycles if before else 0)
    # A core that was ahead may have been taken back.
    instructions = max(0, after.total_instructions - (before.total_instructions if before else 0))
    a_cycle = instructions / cycles if cycles else 0.0
    # What is known of a wait only in the end may be taken back: such a share is none.
    grown = {cause: max(0, now - (before.spent[cause] if before else 0)) for cause, now in after.spent.items()}
    whole = sum(grown.values())
    spent = sorted(((cause, each / whole) for cause, each in grown.items() if each), key=lambda pair: -pair[1])
    return View(
        setting,
        after.cycles,
        after.host_seconds,
        after.activities,
        a_cycle,
        instructions / took if took else 0.0,
        cycles / took if took else 0.0,
        spent,
        _busiest(setting, before, after, cycles),
        tuple(recent) if has_ended else (*recent, a_cycle),
        has_ended,
    )


def _busiest(setting: Setting, before: Sample | None, after: Sample, cycles: int) -> list[LinkUse]:
    if not cycles:
        return []
    used = []
    for mesh, links in after.links.items():
        earlier = before.links[mesh] if before else bytes(len(links))
        used += [
            (now - then, mesh, link) for link, (now, then) in enumerate(zip(links, earlier, strict=True)) if now > then
        ]
    used.sort(key=lambda each: (-each[0], each[1:]))
    return [_use(setting, mesh, link, busy / cycles) for busy, mesh, link in used[:MOST_LINKS]]


def _use(setting: Setting, mesh: str, link: int, share: float) -> LinkUse:
    begin, end = map(setting.plan.place, setting.plan.links[link])
    # A message's flits count when it is sent, some of them before their time.
    return LinkUse(mesh, begin, end, min(share, 1.0))
