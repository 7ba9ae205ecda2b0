"""A run as a page about it needs it: what ``croft run --json`` wrote, by core and by part."""

from collections import Counter
from functools import cached_property
from typing import Any

from croft.base.errors import UsageError
from croft.machines.file import machine_from
from croft.machines.floor_plan import FloorPlan
from croft.recording.channel_roles import kind_of
from croft.recording.profile import CAUSES, WAITS
from croft.recording.roles import role_of

NEEDED = (
    *("program", "arguments", "machine", "cores", "seed", "ending", "exit_code", "message"),
    *("cycles", "seconds", "instructions", "statistics", "output"),
)
"""Keys that a result of any version has."""


class RunData:
    """One result. ``file`` is what it is called in sentences; raises UsageError if it is none."""

    def __init__(self, content: dict[str, Any], file: str = "") -> None:
        missing = [key for key in NEEDED if key not in content]
        if missing:
            raise UsageError(f"{file}: that is no result of `croft run --json` (it has no {missing[0]})")
        self.content = content
        self.file = file

    @property
    def title(self) -> str:
        """The program and its machine."""
        return f"{self.content['program']['name']} on {self.machine['name']}"

    @cached_property
    def plan(self) -> FloorPlan:
        """Where tiles and links are."""
        return FloorPlan(machine_from(self.machine))

    @cached_property
    def positions(self) -> dict[str, list[tuple[int, int]]]:
        """Where banks and memory controllers are (Machine.positions)."""
        return self.plan.machine.positions

    @property
    def machine(self) -> dict[str, Any]:
        """As a machine file has it."""
        return self.content["machine"]

    @cached_property
    def cycles(self) -> int:
        """Those that the statistics are of: the regions' if the program has any, else the run's."""
        regions = sum(self.part("region", "cycles").values())
        return regions or self.content["cycles"]

    @cached_property
    def _parts(self) -> dict[tuple[str, str], dict[int, int]]:
        parts: dict[tuple[str, str], dict[int, int]] = {}
        for row in self.content["statistics"]:
            parts.setdefault((row["part"], row["name"]), {})[row["index"]] = row["value"]
        return parts

    def part(self, part: str, name: str) -> dict[int, int]:
        """One statistic by the index of its part; nothing if the machine has none such."""
        return self._parts.get((part, name), {})

    @cached_property
    def active(self) -> dict[int, int]:
        """Cycles for which each core had a thread; only of cores that had one."""
        return {core: cycles for core, cycles in self.part("core", "active").items() if cycles}

    @cached_property
    def causes(self) -> dict[int, dict[str, int]]:
        """For each of these cores, where its active cycles went: "issue" and what it waited for."""
        by_cause = {cause: self.part("core", cause) for cause in CAUSES}
        return {core: {cause: by_cause[cause].get(core, 0) for cause in CAUSES} for core in self.active}

    @cached_property
    def total_causes(self) -> Counter[str]:
        """The same of all cores together."""
        total = Counter[str]()
        for causes in self.causes.values():
            total.update(causes)
        return total

    def waiting(self, core: int) -> float:
        """Of a core's active time the share in which it did not issue."""
        causes = self.causes.get(core, {})
        return sum(causes.get(cause, 0) for cause in WAITS) / max(sum(causes.values()), 1)

    @property
    def profile(self) -> dict[str, Any] | None:
        """Functions and lines, of a run with --profile."""
        return self.content.get("profile")

    @property
    def lines(self) -> dict[str, Any] | None:
        """Who used which memory, of a run with --lines."""
        return self.content.get("lines")

    @cached_property
    def waits_for(self) -> dict[int, Counter[int]]:
        """For each core, how many cycles each other core waited for lines that it was the last to write."""
        waits: dict[int, Counter[int]] = {}
        for core, writer, cycles in (self.lines or {}).get("waits", []):
            if core != writer:
                waits.setdefault(writer, Counter())[core] += cycles
        return waits

    @cached_property
    def waits_of(self) -> Counter[int]:
        """How many cycles each core waited for lines that others were the last to write."""
        total = Counter[int]()
        for by_core in self.waits_for.values():
            total.update(by_core)
        return total

    @cached_property
    def roles(self) -> dict[int, str]:
        """What each core's thread is for: its part in a pattern ("emitter", "worker 3"), or what the names of its
        functions tell.
        """
        found = {}
        profile = self.profile or {"cores": (), "names": ()}
        for core in profile["cores"]:
            names = profile["names"]
            functions = [(names[number], cycles) for number, cycles in core["functions"]]
            if role := role_of(names[core["entry"]], functions):
                found[core["core"]] = role
        return found | {int(core): role for core, role in (self.lines or {}).get("roles", {}).items()}

    def do_alike(self, one: int, other: int) -> bool:
        """Whether two cores' costliest functions are the same for the most part; if that is not known, too, unless
        they have different parts in a pattern.
        """
        if one in self.roles and other in self.roles and not kind_of((self.roles[one], self.roles[other])):
            return False
        cores = (self.profile or {}).get("cores", [])
        functions = {each["core"]: {number for number, _ in each["functions"]} for each in cores}
        mine, its = functions.get(one), functions.get(other)
        return not mine or not its or 2 * len(mine & its) >= len(mine | its)

    def called(self, core: int) -> str:
        """A core by its role, if that is known: "the emitter (core 0)", "worker 2 (core 3)", "core 3"."""
        role = self.roles.get(core)
        article = "" if role and role[-1].isdigit() else "the "
        return f"{article}{role} (core {core})" if role else f"core {core}"

    def called_all(self, cores: list[int]) -> str:
        """Several cores: by their one role, by their numbers if they are few, else by how many they are."""
        if len(cores) == 1:
            return self.called(cores[0])
        if role := kind_of(self.roles.get(core, "") for core in cores):
            return f"{len(cores)} {role}s"
        if len(cores) <= 4:
            return f"cores {', '.join(map(str, cores[:-1]))} and {cores[-1]}"
        return f"{len(cores)} cores"
