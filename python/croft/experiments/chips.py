"""On which cores of one or several chips the threads of a farm and of a map should run."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from croft.advice.distances import distances
from croft.advice.placement import CAUSES, Placement, fastest, try_placements, usual
from croft.base.core_lists import listed
from croft.experiments.experiment import Cell, Experiment, sweep_points, true_cell
from croft.machines.file import machine
from croft.machines.model import Machine
from croft.results.fields import find_all
from croft.runs.runner import run as run_program
from croft.sweeps.many_runs import How
from croft.sweeps.points import Point

LINK = {"column": 7, "row": 4, "latency": 40, "cycles_per_flit": 4}
"""Between TILEPro64s: an assumption, for nobody has linked some so."""
TIME = "service_time_cycles"
ADVISOR = "advisor"
RUNS = 5
"""Of the advisor, with other placements."""
PROGRAMS = {
    "farm_convolution": ("--size", "32", "--count", "300", "--stable", "--channel", "ra"),
    "map_matvec": ("--size", "56", "--count", "300", "--runtime", "ra_home_tree"),
}


class Case(NamedTuple):
    """A program with so many workers on so many chips. Its first thread emits, and its last one collects."""

    program: str
    chip: str
    chips: int
    workers: int

    @property
    def machine(self) -> Machine:
        """The one of so many chips."""
        if self.chip == "xeon-e5-2650":
            return machine(self.chip if self.chips == 1 else "xeon-e5-2650x2")
        one = machine(self.chip)
        network = {"network.chips": self.chips, "network.chip_link": LINK}
        return one if self.chips == 1 else one.with_keys({**network, "cores": one.cores * self.chips})

    @property
    def label(self) -> str:
        """In cells and figures."""
        return f"{self.chips} x {self.chip}"

    def point(self, name: str, placement: Placement) -> Point:
        """One run."""
        labels = {"program": self.program, "chip": self.chip, "chips": self.chips, "workers": self.workers}
        return Point(
            self.program,
            self.arguments,
            {**labels, "placement": name, "cores": listed(placement)},
            machine=self.machine,
            options={"cores": listed(placement)},
            statistics=tuple(f"core.{cause}" for cause in CAUSES),
        )

    @property
    def arguments(self) -> tuple[str, ...]:
        """The program's."""
        return (*PROGRAMS[self.program], "--collector", "passes", "--workers", str(self.workers))


def cases(quick: bool) -> list[Case]:
    """A Xeon's eight cores take eight threads; on a TILEPro64 they are 16."""
    machines = [("xeon-e5-2650", 1, 6), ("xeon-e5-2650", 2, 6), *(("tilepro64", chips, 14) for chips in (1, 2, 4))]
    found = [Case(program, *each) for program in PROGRAMS for each in machines]
    return found[1:2] if quick else found


def placements(case: Case) -> dict[str, Placement]:
    """The usual ones, and two that know which thread does what."""
    chip = case.machine
    named = usual(case.workers + 2, distances(chip))
    if case.chips > 1:
        size = chip.cores // case.chips
        others = [each * size + turn for turn in range(size) for each in range(1, case.chips)]
        named["apart"] = (0, *others[: case.workers], 1)
        named["parts"] = tuple(_parts(case, size))
    return named


def _parts(case: Case, size: int) -> Iterator[int]:
    """As many workers on each chip, behind the emitter on the first one, which has the collector, too."""
    yield 0
    share = -(-case.workers // case.chips)
    for worker in range(case.workers):
        chip, number = divmod(worker, share)
        yield chip * size + number + (chip == 0)
    yield share + 1


class Chips(Experiment):
    """The time for an item by placement: a farm of convolutions, and a map of matrix-vector products.

    Packed: on as few chips as possible. Spread: in turn on each chip. Apart: emitter and collector on the first chip,
    the workers in turn on the others. Parts: as many workers on each chip, beside each other. The advisor is that of
    `croft advise --place`, which here takes the service time for the run's. It tries packed and spread itself. It does
    not know the other two, nor which thread does what, but for what one run recorded.
    """

    name = "chips"
    title = "Threads on cores of several chips"
    source = "our own question"
    machine = "xeon-e5-2650 and tilepro64, alone and linked"
    tolerances = {"predicted": 0.01}  # noqa: RUF012

    def measure(self, quick: bool, how: How) -> pd.DataFrame:
        found = []
        for case in cases(quick):
            points = [case.point(name, placement) for name, placement in placements(case).items()]
            fixed = sweep_points(self.name, points, None, how)
            found += [fixed, self._advised(case, fixed, how)]
        return pd.concat(found, ignore_index=True)

    def _advised(self, case: Case, fixed: pd.DataFrame, how: How) -> pd.DataFrame:
        """The advisor's row, by a run with lines of the packed program."""
        how.tell(f"the advisor on {case.label}, {case.program}")
        before = run_program(
            case.program, case.machine, arguments=case.arguments, cores=case.workers + 2, lines=1 << 30
        )
        time = float(find_all(before.text, before.program)[0][TIME])

        def run(placement: Placement) -> tuple[int, float]:
            (row,) = sweep_points(self.name, [case.point(ADVISOR, placement)], None, how).to_dict("records")
            return sum(row[f"core.{cause}"] for cause in CAUSES), row[TIME]

        best = fastest(try_placements(before, run, RUNS, time))
        return sweep_points(self.name, [case.point(ADVISOR, best.placement)], None, how)

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        # On one chip there is the packed placement alone, which the advisor has tried.
        several = measured[measured["chips"] > 1]
        for (program, chip, chips), rows in several.groupby(["program", "chip", "chips"], sort=False):
            times = rows.set_index("placement")[TIME]
            best = times.drop(ADVISOR).idxmin()
            holds = times[ADVISOR] <= times[best] * (1 + self.tolerances["predicted"])
            name = f"{program} on {chips} x {chip}: the advisor's placement is as fast as the best of all"
            note = f"{times[ADVISOR]:,.0f} cycles an item; {best}, the best of the others, {times[best]:,.0f}"
            found.append(true_cell(name, bool(holds), "predicted", note))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        programs = measured["program"].unique()
        figure = Figure(figsize=(6 * len(programs), 5), layout="constrained")
        names = [*dict.fromkeys(name for name in measured["placement"] if name != ADVISOR), ADVISOR]
        for axes, program in zip(figure.subplots(1, len(programs), squeeze=False)[0], programs, strict=True):
            rows = measured[measured["program"] == program]
            groups = list(rows.groupby(["chip", "chips"], sort=False))
            for number, name in enumerate(names):
                bars = [(at, each[each["placement"] == name][TIME]) for at, (_, each) in enumerate(groups)]
                places = [at + (number - len(names) / 2 + 0.5) * 0.8 / len(names) for at, time in bars if len(time)]
                axes.bar(places, [float(time.iloc[0]) for _, time in bars if len(time)], 0.8 / len(names), label=name)
            axes.set_xticks(
                range(len(groups)), [f"{chips} x {chip}" for (chip, chips), _ in groups], fontsize="small", rotation=15
            )
            axes.set(title=program, ylabel="service time, cycles")
            axes.grid(alpha=0.3, axis="y")
            axes.legend(fontsize="small")
        figure.suptitle(self.title)
        return figure
