"""Measures this host, fits a machine to some of that, and compares the rest."""

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from croft.calibration.compared import Compared, compare
from croft.calibration.described import described
from croft.calibration.fit import Fitted, fit, free_keys
from croft.calibration.host import Host
from croft.calibration.measured import Figure, check_noise, measure, noisy
from croft.calibration.rows import Effort, Pair, Row, Sizes, calls, rows_of
from croft.calibration.simulated import simulate
from croft.machines.model import Machine
from croft.machines.toml import toml_text
from croft.sweeps.many_runs import How

Tell = Callable[[str], None]
MOST_PAIRS, FEW_PAIRS = 28, 6
ROUNDS, FEW_ROUNDS = 7, 3
EFFORT, LITTLE = Effort(21, 5, 101), Effort(11, 2, 51)
FILTER = "no cache"
"""What two cores share that meet in no cache."""


@dataclass(frozen=True)
class Measurement:
    """What was measured of a host; ``pairs`` are those of its cores that were, by what they share."""

    host: Host
    pairs: dict[str, list[Pair]]
    figures: dict[Row, Figure]

    @property
    def clock_ghz(self) -> float:
        """Of the cores, by additions that wait for each other: one takes a cycle."""
        return 1 / next(figure.ns for row, figure in self.figures.items() if row.what == "add")

    def cycles(self) -> dict[Row, float]:
        """Of each row; of one that several pairs have, the median over them."""
        found = {row: figure.ns * self.clock_ghz for row, figure in self.figures.items()}
        for some in self.pairs.values():
            first, *others = [row for row in found if row.pair in some and is_taken(row)]
            found[first] = statistics.median(found[row] for row in (first, *others))
        return found


@dataclass(frozen=True)
class Calibration:
    """A machine, and how near it comes. ``noise`` are the fitted rows whose figures disagree between the rounds."""

    machine: Machine
    fitted: list[Fitted]
    compared: list[Compared]
    notes: list[str]
    noise: list[Row] = field(default_factory=list)

    def to_toml(self, head: Sequence[str]) -> str:
        """The file, with what it is above it."""
        said = [*head, *self.notes]
        if self.noise:
            said.append(f"Noisy: the rounds disagreed about {', '.join(row.name for row in self.noise)}.")
        said += ["Behind each value is its source: calibrated by a figure, measured, of this host, or assumed."]
        return toml_text(self.machine.model_dump(), self.machine.sources, said)


def is_taken(row: Row) -> bool:
    """Whether it is the read of a line that another core's L1 has modified, which is measured between many pairs."""
    return (row.access, row.place, row.state, row.level) == ("read", "other", "modified", "L1")


def pairs_of(host: Host, most: int) -> dict[str, list[Pair]]:
    """Pairs of cores, by what they share, the nearest first: all, or as many as ``most`` in all, spread evenly."""
    names = [*(level.name for level in host.levels), FILTER]
    found: dict[int, list[Pair]] = {}
    for pair in itertools.combinations(range(len(host.cores)), 2):
        found.setdefault(host.common_level(*pair), []).append(pair)
    share = max(most // len(found), 1)
    return {names[level]: some[:: -(-len(some) // share)] for level, some in sorted(found.items())}


def measure_host(host: Host, *, quick: bool, tell: Tell) -> Measurement:
    """Measures it; ``quick``: less often, and between fewer cores. Raises BuildError, CroftError."""
    pairs = pairs_of(host, FEW_PAIRS if quick else MOST_PAIRS)
    rows = rows_of(len(host.levels), pairs, len(host.cores))
    caches = [level.cache.size for level in host.levels]
    sizes = Sizes.of(host.l1d.size, caches, len(host.cores))
    wanted = calls(rows, sizes, LITTLE if quick else EFFORT, host.cores)
    return Measurement(host, pairs, measure(host, wanted, FEW_ROUNDS if quick else ROUNDS, tell))


def calibrate(measured: Measurement, name: str, *, accept_noise: bool = False, how: How | None = None) -> Calibration:
    """The machine called ``name`` that comes nearest to what was measured.

    Raises UsageError if the figures that keys are fitted to are too noisy, unless ``accept_noise``; CroftError if a run
    fails.
    """
    how = how or How()
    made = described(measured.host, name, round(1000 * measured.clock_ghz))
    chip = made.machine()
    free = free_keys(measured.host, measured.pairs, list(measured.figures), len(chip.level))
    fitted_rows = [each.row for each in free]
    wanted = {row: measured.figures[row] for row in fitted_rows}
    if not accept_noise:
        check_noise(wanted)
    quiet = How(how.jobs, how.on, how.store, how.fresh)
    targets = _targets(measured, simulate(chip, [row for row in measured.figures if row.what == "fence"], quiet))
    chip, fitted = fit(chip, free, targets, lambda one, rows: simulate(one, rows, quiet), how.tell)
    shown = {row: figure for row, figure in measured.figures.items() if row.pair in _first(measured.pairs)}
    simulated = simulate(chip, shown, how)
    compared = compare(shown, simulated, fitted_rows, measured.clock_ghz)
    sources = dict(made.sources)
    for each in fitted:
        figure = measured.figures[each.free.row]
        bound = f"; {each.at_bound}" if each.at_bound else ""
        source = f"calibrated on this host: {each.free.row.name} {figure.ns:.1f} ns{bound}"
        sources |= dict.fromkeys(each.free.keys, source)
    for number, level in enumerate(chip.level):
        for key in level.model_dump():
            sources.setdefault(f"level.{number}.{key}", "assumed: nothing here tells it")
    chip = Machine.model_validate(chip.model_dump(), f"machine {name}", sources)
    return Calibration(chip, fitted, compared, made.notes, noisy(wanted))


def _targets(measured: Measurement, fence: Mapping[Row, float]) -> dict[Row, float]:
    """What simulated rows have to come to: writes with the simulated fence in place of the host's."""
    found = measured.cycles()
    longer = sum(found[row] - cycles for row, cycles in fence.items())
    return {row: cycles - longer if row.access == "write" else cycles for row, cycles in found.items()}


def _first(pairs: Mapping[str, Sequence[Pair]]) -> list[Pair]:
    return [some[0] for some in pairs.values()]
