"""Paper 002, section VI: how the energy of big and tiny cores compares, by an estimate of an energy for each event."""

import math
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.big_tiny import (
    KERNELS,
    TITLES,
    TOGETHER,
    BigTinyExperiment,
    by_kernel,
    geometric_mean,
)
from croft.experiments.experiment import Cell
from croft.experiments.kernel_runs import Outcome
from croft.experiments.published import claim
from croft.experiments.stacked_bars import shares, stacks_figure

SIMILAR = "energy efficiency of HCC-DTS-gwb against full MESI"


@dataclass(frozen=True)
class Event:
    """What an event costs, in pJ, and where the number is from."""

    picojoules: float
    source: str


SRAM = 50.0
"""256 bits out of 8 KiB, in pJ, at 28 nm."""


def sram(bits: int, kibibytes: int) -> float:
    """Such an access to another memory: wires get longer with the root of its area."""
    return SRAM * bits / 256 * math.sqrt(kibibytes / 8)


BY_AREA = (
    "Keckler et al., GPUs and the future of parallel computing, IEEE Micro 31(5), 2011: 256 bits of 8 KiB; others by "
    "the root of the capacity"
)
EVENTS = {
    "tiny core": Event(
        25.0,
        "an instruction of an in-order RV64 core with its L1s, at its best 40 Gop/s/W: Zaruba and Benini, The cost of "
        "application-class processing, IEEE TVLSI 27(11), 2019",
    ),
    "big core": Event(
        3.5 * 25.0,
        "3.5 times a tiny core's: Cortex-A15 against A7, Greenhalgh, Big.LITTLE processing, ARM, 2011 (Dhrystone)",
    ),
    "tiny L1 line": Event(sram(512, 4), BY_AREA),
    "big L1 line": Event(sram(512, 64), BY_AREA),
    "L2 line": Event(sram(512, 512), BY_AREA),
    "L2 words": Event(sram(256, 512), BY_AREA),
    "network": Event(
        128 * 0.596 / (8 / 3),
        "a flit of 16 bytes over a link: 531 mW for 892 Gb/s in a mesh of 4 x 4, whose paths have 8/3 hops on average: "
        "Park et al., Approaching the theoretical limits of a mesh NoC, DAC 2012",
    ),
    "memory": Event(16_000.0, "a line: Keckler et al., IEEE Micro 31(5), 2011"),
}
"""All constants of the estimate. They are of 22 to 45 nm and not scaled to each other; static energy is left out."""


class Energy(BigTinyExperiment):
    """Events of the measured region times an energy for each. An estimate, to compare configurations with each other.

    Instructions of cores that look for work count like any others.
    """

    name = "energy"
    title = "Energy, estimated"
    source = "paper 002, sections VI.C and VI.E"
    tolerances = {"similar": 0.20}  # noqa: RUF012 - how far from the same "similar" is

    def counts(self, outcome: Outcome) -> dict[str, float]:
        """Microjoules of each kind of event, and of all."""
        found = {f"energy.{event}": count * EVENTS[event].picojoules / 1e6 for event, count in events(outcome).items()}
        return found | {"energy": sum(found.values())}

    def compare(self, measured: pd.DataFrame) -> list[Cell]:
        energy = by_kernel(measured, "energy").reindex(index=KERNELS, columns=list(TOGETHER)).astype(float)
        over = {name: geometric_mean(energy[name] / energy["bigtiny_mesi"]) for name in TOGETHER}
        found = []
        for name in TOGETHER[1:]:
            scored = name == "dts_gwb"
            note = "an estimate" if scored else "the paper gives no number"
            label = (
                f"{TITLES[name]}: energy over MESI's, {claim(SIMILAR)}"
                if scored
                else f"{TITLES[name]}: energy over MESI's"
            )
            found.append(Cell(label, "", 1.0, over[name], "predicted", self.tolerances["similar"], scored, note))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        table = shares(measured, "energy", tuple(EVENTS), "bigtiny_mesi")
        return stacks_figure(table, self.title, "over the energy with MESI")


def events(outcome: Outcome) -> dict[str, float]:
    """How many there were of each kind."""
    big = outcome.machine.big.count if outcome.machine.big else 0

    def lines(first: int, last: int | None) -> int:
        names = ("load_misses", "store_misses", "write_backs", "release_flushed", "flush_flushed")
        return sum(outcome.total("l1d", name, first, last) for name in names)

    return {
        "tiny core": outcome.total("core", "instructions", big),
        # What is undone behind a misprediction was worked for too.
        "big core": outcome.total("core", "instructions", 0, big) + outcome.total("window", "squashed", 0, big),
        "tiny L1 line": lines(big, None),
        "big L1 line": lines(0, big),
        "L2 line": sum(outcome.total("bank", name) for name in ("reads", "owns", "write_backs")),
        "L2 words": sum(outcome.total("bank", name) for name in ("writes", "atomics")),
        "network": sum(outcome.total(f"{mesh}_mesh", "busy") for mesh in ("coherence", "memory", "user")),
        "memory": outcome.total("memory", "reads") + outcome.total("memory", "writes"),
    }
