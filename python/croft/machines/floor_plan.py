"""Where a machine's routers, tiles and links are drawn: on a plane of cells, a tile in each."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from croft import _simulator
from croft.machines.model import Machine

Cell = tuple[float, float]
"""Its column and its row; halves are between cells."""
GAP = 1
"""Empty columns between chips, which lie beside each other."""


@dataclass(frozen=True)
class FloorPlan:
    """A router's tiles have a square of cells. With one tile a router, cells are routers, and those of a chip are
    where its columns and rows say, whatever its topology is.
    """

    machine: Machine

    @cached_property
    def routers(self) -> tuple[int, int]:
        """Of a chip: in a row, and in a column."""
        return self.machine.network.columns, self.machine.network.rows

    @property
    def chips(self) -> int:
        """How many there are."""
        return self.machine.network.chips or 1

    @property
    def tiles_per_router(self) -> int:
        """How many each has."""
        return self.machine.network.tiles_per_router or 1

    @property
    def topology(self) -> str:
        """By its name in machine files."""
        return self.machine.network.topology or "mesh"

    @cached_property
    def side(self) -> int:
        """Cells of a router, in a row of it."""
        return math.isqrt(self.tiles_per_router - 1) + 1

    @property
    def columns(self) -> int:
        """Of cells."""
        return self.chips * (self.routers[0] * self.side + GAP) - GAP

    @property
    def rows(self) -> int:
        """Of cells."""
        return self.routers[1] * self.side

    @property
    def title(self) -> str:
        """ "mesh of 8 by 8 tiles"."""
        one = f"{self.topology} of {self.routers[0]} by {self.routers[1]}"
        each = f"{one} routers with {self.tiles_per_router} tiles each" if self.tiles_per_router > 1 else f"{one} tiles"
        return f"{each} on each of {self.chips} chips" if self.chips > 1 else each

    @cached_property
    def links(self) -> Mapping[int, tuple[int, int]]:
        """By a link's number: the routers that it leads from and to."""
        return {link: (begin, end) for link, begin, end in _simulator.machine_links(self.machine.model_dump())}

    def place(self, router: int) -> tuple[int, int]:
        """A router's column, counted on through all chips, and its row."""
        columns, rows = self.routers
        chip, own = divmod(router, columns * rows)
        return chip * columns + own % columns, own // columns

    def cell(self, tile: int) -> tuple[int, int]:
        """Where a tile is."""
        router, own = divmod(tile, self.tiles_per_router)
        column, row = self.corner(self.place(router))
        return column + own % self.side, row + own // self.side

    def centre(self, place: tuple[int, int]) -> Cell:
        """Where a router is, and what is attached to it (Machine.positions)."""
        column, row = self.corner(place)
        half = (self.side - 1) / 2
        return (column + half, row + half) if half else (column, row)

    def corner(self, place: tuple[int, int]) -> tuple[int, int]:
        """The first of a router's cells."""
        column, row = place
        return column * self.side + column // self.routers[0] * GAP, row * self.side

    @cached_property
    def cells(self) -> Mapping[tuple[int, int], int]:
        """The tile of each cell that has one."""
        return {self.cell(tile): tile for tile in range(self.machine.tiles)}
