"""How near the experiments come to what was published, all together: how many cells are how far off."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from croft.base.errors import UsageError
from croft.experiments.experiment import Cell, Kind

KINDS: tuple[Kind, ...] = get_args(Kind)
WITHIN = (0.05, 0.10, 0.20)
"""Relative distances of measured from published, of which the shares are given."""
BEYOND = 2.0
"""A cell is beyond a factor of so much if its ratio is above it, or below one over it."""

OF_A_MODEL = ("contention",)
"""Experiments whose numbers are points of a paper's model, as many as one likes: there is a sum without them."""

COLUMNS = ("cell", "unit", "published", "measured", "kind", "tolerance", "rule", "scored", "note")
"""Of an experiment's table, those that are read; the others follow from them."""


def is_number(cell: Cell) -> bool:
    """Whether a published number stands beside ours; else it is a statement, or a bound, which holds or not."""
    return cell.unit != "true" and cell.rule == "equal"


def is_within(cell: Cell, distance: float) -> bool:
    # A part in 1e9 more, so that what is printed as the distance itself is within it.
    return abs(cell.ratio - 1) <= distance + 1e-9


def is_beyond(cell: Cell) -> bool:
    """So is a cell without a measured number."""
    return not 1 / BEYOND - 1e-9 <= cell.ratio <= BEYOND + 1e-9


@dataclass(frozen=True)
class Count:
    """Of some cells: how many numbers there are, within each of WITHIN, and beyond BEYOND; how many statements and
    bounds, and which of them hold; and how many cells are not scored, whatever they are, which count nowhere else.
    """

    numbers: int = 0
    within: tuple[int, ...] = (0,) * len(WITHIN)
    beyond: int = 0
    statements: int = 0
    hold: int = 0
    unscored: int = 0

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> "Count":
        scored = [cell for cell in cells if cell.scored]
        numbers = [cell for cell in scored if is_number(cell)]
        statements = [cell for cell in scored if not is_number(cell)]
        return cls(
            len(numbers),
            tuple(sum(is_within(cell, distance) for cell in numbers) for distance in WITHIN),
            sum(map(is_beyond, numbers)),
            len(statements),
            sum(cell.ok for cell in statements),
            len(cells) - len(scored),
        )

    def __add__(self, other: "Count") -> "Count":
        within = tuple(one + two for one, two in zip(self.within, other.within, strict=True))
        rest = {
            each.name: getattr(self, each.name) + getattr(other, each.name)
            for each in fields(self)
            if each.name != "within"
        }
        return Count(**rest, within=within)

    def __bool__(self) -> bool:
        return self != Count()


@dataclass(frozen=True)
class Fidelity:
    """The counts by kind of cell and by experiment, in the order of experiments; and which were not run."""

    counts: Mapping[Kind, Mapping[str, Count]]
    missing: Sequence[str] = field(default_factory=tuple)

    @classmethod
    def of(cls, cells: Mapping[str, Sequence[Cell]], names: Sequence[str]) -> "Fidelity":
        counts: dict[Kind, dict[str, Count]] = {}
        for kind in KINDS:
            by_name = {name: Count.of([c for c in cells[name] if c.kind == kind]) for name in names if name in cells}
            counts[kind] = {name: count for name, count in by_name.items() if count}
        return cls(counts, [name for name in names if name not in cells])

    def all(self, kind: Kind, but: Collection[str] = ()) -> Count:
        """Of all experiments together, ``but`` for some."""
        return sum((count for name, count in self.counts[kind].items() if name not in but), Count())

    def sums(self, kind: Kind) -> list[tuple[str, Count]]:
        """Of all together; before that, if it is another, without OF_A_MODEL."""
        but = [name for name in OF_A_MODEL if name in self.counts[kind]]
        some = [(f"all but {' and '.join(but)}", self.all(kind, but))] if but else []
        return [*some, ("all", self.all(kind))]

    @property
    def table(self) -> pd.DataFrame:
        """A row for each kind and experiment, and for each kind's sums."""
        rows = []
        for kind in KINDS:
            for name, count in [*self.counts[kind].items(), *self.sums(kind)]:
                within = {f"within_{100 * d:.0f}": n for d, n in zip(WITHIN, count.within, strict=True)}
                row = {"kind": kind, "experiment": name, "numbers": count.numbers, **within}
                row |= {"beyond_2": count.beyond, "statements": count.statements, "hold": count.hold}
                rows.append(row | {"unscored": count.unscored})
        return pd.DataFrame(rows)


def read_cells(folder: Path, names: Sequence[str]) -> dict[str, list[Cell]]:
    """The cells of each experiment whose table ``NAME.csv`` is in ``folder``. Raises UsageError."""
    found = {name: path for name in names if (path := folder / f"{name}.csv").is_file()}
    if not found:
        raise UsageError(f"{folder}: no experiment has written its table there (croft experiment NAME --out {folder})")
    return {name: _cells(path) for name, path in found.items()}


def _cells(path: Path) -> list[Cell]:
    try:
        table = pd.read_csv(path, dtype={"cell": str, "unit": str, "note": str})
    except (OSError, ValueError) as error:  # which pandas' own errors are
        raise UsageError(f"{path}: it cannot be read as an experiment's table: {str(error).splitlines()[0]}") from error
    if absent := [column for column in COLUMNS if column not in table]:
        raise UsageError(f"{path}: it is no experiment's table: it has no column {absent[0]!r}")
    return [_cell(path, row) for row in table.to_dict("records")]


def _cell(path: Path, row: dict[str, Any]) -> Cell:
    for column, known in (("kind", KINDS), ("rule", ("equal", "at_least")), ("scored", (True, False))):
        if row[column] not in known:
            raise UsageError(f"{path}: of cell {row['cell']!r} {column} is {row[column]!r}, not one of {known}")
    try:
        numbers: dict[str, Any] = {column: float(row[column]) for column in ("published", "measured", "tolerance")}
    except ValueError as error:
        raise UsageError(f"{path}: of cell {row['cell']!r}: {error}") from error
    texts: dict[str, Any] = {column: row[column] for column in ("unit", "kind", "rule")}
    return Cell(name=row["cell"], **texts, **numbers, scored=bool(row["scored"]))
