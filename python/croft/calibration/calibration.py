"""Measures this host, fits a machine to some of that, and compares the rest."""

import itertools
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from croft.calibration.compared import Compared, compare
from croft.calibration.described import described
from croft.calibration.fit import WAY, Fitted, fit, free_keys
from croft.calibration.host import Host
from croft.calibration.measured import Figure, check_noise, measure, noisy
from croft.calibration.predicted import Pattern
from croft.calibration.rows import Effort, Pair, Printed, Row, Sizes, calls, rows_of
from croft.calibration.sharing import as_measured
from croft.calibration.simulated import simulate, with_value
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
    """What was measured of a host; ``pairs`` are those of its cores that were, by what they share.

    ``patterns`` were measured in the same rounds. A virtual machine's cores may be moved meanwhile.
    """

    host: Host
    pairs: dict[str, list[Pair]]
    figures: dict[Row, Figure]
    patterns: dict[Pattern, Figure] = field(default_factory=dict)

    @property
    def clock_ghz(self) -> float:
        """Of the cores, by additions that wait for each other: one takes a cycle."""
        return 1 / next(figure.ns for row, figure in self.figures.items() if row.what == "add")

    def cycles(self) -> dict[Row, float]:
        """Of each row; of one that several pairs have, the median over them."""
        found = {row: figure.ns * self.clock_ghz for row, figure in self.figures.items()}
        for some in self.pairs.values():
            first, *others = [row for row in found if row.pair in some and row.is_read("other", "L1")]
            found[first] = statistics.median(found[row] for row in (first, *others))
        return found

    def way(self) -> int:
        """Cycles of a message between a core and the first cache that it shares with another one.

        Half of what a hit there takes beyond one in the cache before it, there and back: an assumption. 0 where no
        cores share any.
        """
        level = min(self.host.common_level(*some[0]) for some in self.pairs.values())
        if level == len(self.host.levels):
            return 0
        cycles = {row.level: found for row, found in self.cycles().items() if row.is_read("own", row.level)}
        return max(round((cycles[f"L{level + 2}"] - cycles[f"L{level + 1}"]) / 4), 0)


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


def pairs_of(host: Host, most: int) -> dict[str, list[Pair]]:
    """Pairs of cores, by what they share, the nearest first: all, or as many as ``most`` in all, spread evenly."""
    found = _by_level(host, itertools.combinations(range(len(host.cores)), 2))
    share = max(most // len(found), 1)
    return {name: some[:: -(-len(some) // share)] for name, some in found.items()}


def _by_level(host: Host, pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    names = [*(level.name for level in host.levels), FILTER]
    found: dict[int, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(host.common_level(*pair), []).append(pair)
    return {names[level]: some for level, some in sorted(found.items())}


def measure_host(
    host: Host, *, quick: bool, tell: Tell, patterns: Sequence[Pattern] = (), accept_noise: bool = False
) -> Measurement:
    """Measures it; ``quick``: less often, and between fewer cores.

    Raises BuildError, CroftError; UsageError if the cores are moved meanwhile, unless ``accept_noise``.
    """
    pairs = pairs_of(host, FEW_PAIRS if quick else MOST_PAIRS)
    rows = rows_of(len(host.levels), pairs, len(host.cores))
    caches = [level.cache.size for level in host.levels]
    sizes = Sizes.of(host.l1d.size, caches, len(host.cores))
    wanted = calls(rows, sizes, LITTLE if quick else EFFORT, host.cores)
    both: list[Printed[Any]] = [*wanted, *patterns]
    taken = next(row for row in rows if row.is_read("other", "L1"))
    (probe,) = calls([taken], sizes, LITTLE, host.cores)
    found_all = measure(host, both, FEW_ROUNDS if quick else ROUNDS, tell, None if accept_noise else probe)
    figures = {row: figure for row, figure in found_all.items() if isinstance(row, Row)}
    near = next(iter(pairs.values()))[0]
    found = as_measured(host, near, {row: figure.ns for row, figure in figures.items()})
    of_patterns = {each: figure for each, figure in found_all.items() if isinstance(each, Pattern)}
    return Measurement(found, _by_level(found, itertools.chain(*pairs.values())), figures, of_patterns)


def calibrate(measured: Measurement, name: str, *, accept_noise: bool = False, how: How | None = None) -> Calibration:
    """The machine called ``name`` that comes nearest to what was measured.

    Raises UsageError if the figures that keys are fitted to are too noisy, unless ``accept_noise``; CroftError if a run
    fails.
    """
    how = how or How()
    made = described(measured.host, name, round(1000 * measured.clock_ghz))
    chip = with_value(made.machine(), (WAY,), measured.way())
    free = free_keys(measured.host, measured.pairs, list(measured.figures))
    fitted_rows = [each.row for each in free]
    wanted = {row: measured.figures[row] for row in fitted_rows}
    if not accept_noise:
        check_noise(wanted)
    quiet = How(how.jobs, how.on, how.store, how.fresh)
    fences = [row for row in measured.figures if row.what == "fence" and row not in fitted_rows]
    targets = _targets(measured, simulate(chip, fences, quiet) if fences else {})
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
    """What simulated rows have to come to: writes with the simulated ``fence``, if none is fitted to the host's."""
    found = measured.cycles()
    longer = sum(found[row] - cycles for row, cycles in fence.items())
    return {row: cycles - longer if row.access == "write" else cycles for row, cycles in found.items()}


def _first(pairs: Mapping[str, Sequence[Pair]]) -> list[Pair]:
    return [some[0] for some in pairs.values()]
