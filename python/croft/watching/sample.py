"""What a machine is doing at a moment of a run: what ``croft.run(..., sample=)`` is told."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from croft import _simulator

MESHES = ("coherence", "memory", "user")


@dataclass(frozen=True)
class Sample:
    """Taken between two steps of the simulator. It changes nothing of the run.

    Cores have clocks of their own. All have come to ``cycles``; one that computes may be ahead, by the cycles of
    ``run_ahead`` or, where it alone computes, by up to 200,000.
    """

    host_seconds: float
    """Since the run, or what of it goes on here, began on this host."""
    cycles: int
    """Of the program's clock."""
    activities: tuple[str, ...]
    """Of each tile's core, one of ``croft._simulator.ACTIVITIES``."""
    instructions: "array[int]"
    """Of each tile's core, since the run began."""
    spent: Mapping[str, int]
    """Cycles of all threads since the run began, by what they went to: the names of the cores' statistics."""
    links: Mapping[str, "array[int]"]
    """Of each mesh and each link between routers (by its number in FloorPlan.links), the cycles for which it was busy
    since the run began. A message counts when it is sent."""

    @classmethod
    def of(
        cls,
        host_seconds: float,
        cycles: int,
        activities: bytes,
        instructions: bytes,
        spent: list[int],
        links: list[bytes],
    ) -> "Sample":
        """As the simulator tells it."""
        return cls(
            host_seconds,
            cycles,
            tuple(_simulator.ACTIVITIES[each] for each in activities),
            array("Q", instructions),
            dict(zip(_simulator.PROFILE_CAUSES, spent, strict=True)),
            {mesh: array("Q", each) for mesh, each in zip(MESHES, links, strict=True)},
        )

    @cached_property
    def total_instructions(self) -> int:
        """Of all cores."""
        return sum(self.instructions)
