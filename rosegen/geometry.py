"""Cells, boxes and regions of a grid, and the only place that knows how they are spelled.

Rows are counted from the top and columns from the left, both from 1, as ROSE's prompt says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import NamedTuple

_LABEL = re.compile(r"R([1-9][0-9]*),C([1-9][0-9]*)")


class Cell(NamedTuple):
    """One cell; sorts by row, then column."""

    row: int
    col: int

    @property
    def label(self) -> str:
        """ROSE's spelling, ``R4,C6``."""
        return f"R{self.row},C{self.col}"

    @classmethod
    def parse(cls, label: str) -> Cell:
        """Read ``R4,C6``.

        Raises:
            ValueError: when the text is anything else.
        """
        match = _LABEL.fullmatch(label)
        if match is None:
            raise ValueError(f"{label!r} is not a cell label such as 'R4,C6'")
        return cls(int(match[1]), int(match[2]))


class RegionType(str, Enum):
    """How a region is named to the model."""

    GLOBAL = "GLOBAL"
    ROW_RANGE = "ROW_RANGE"
    COL_RANGE = "COL_RANGE"
    RECTANGLE = "RECTANGLE"
    VISUAL_REGION = "VISUAL_REGION"
    EXCLUSION = "EXCLUSION"


class Box(NamedTuple):
    """An inclusive rectangle of cells."""

    r1: int
    r2: int
    c1: int
    c2: int

    def holds(self, cell: Cell) -> bool:
        """Whether a cell lies in the box."""
        return self.r1 <= cell.row <= self.r2 and self.c1 <= cell.col <= self.c2

    @property
    def height(self) -> int:
        """Rows covered."""
        return self.r2 - self.r1 + 1

    @property
    def width(self) -> int:
        """Columns covered."""
        return self.c2 - self.c1 + 1

    @property
    def size(self) -> int:
        """Cells covered."""
        return self.height * self.width

    def cells(self) -> Iterator[Cell]:
        """Every cell, row by row."""
        for row in range(self.r1, self.r2 + 1):
            for col in range(self.c1, self.c2 + 1):
                yield Cell(row, col)


class Phrases(NamedTuple):
    """How a language spells each kind of region; ``{r1}``, ``{r2}``, ``{c1}``, ``{c2}`` are bounds.

    The defaults are ROSE's own English.
    """

    whole: str = "in the whole grid"
    row: str = "in row {r1}"
    rows: str = "in rows {r1} to {r2}"
    column: str = "in column {c1}"
    columns: str = "in columns {c1} to {c2}"
    rectangle: str = "from row {r1} column {c1} to row {r2} column {c2}"


class Region(NamedTuple):
    """A box of cells and the way it is spelled: a range of rows, of columns, or a rectangle."""

    type: RegionType
    box: Box

    @property
    def phrase(self) -> str:
        """The region as a prompt says it in English: ``in rows 3 to 5``."""
        return self.spelled(Phrases())

    def spelled(self, phrases: Phrases) -> str:
        """The region as a prompt says it in the words of ``phrases``."""
        r1, r2, c1, c2 = self.box
        if self.type is RegionType.GLOBAL:
            chosen = phrases.whole
        elif self.type is RegionType.ROW_RANGE:
            chosen = phrases.row if r1 == r2 else phrases.rows
        elif self.type is RegionType.COL_RANGE:
            chosen = phrases.column if c1 == c2 else phrases.columns
        else:
            chosen = phrases.rectangle
        for name, bound in self.box._asdict().items():
            chosen = chosen.replace(f"{{{name}}}", str(bound))
        return chosen

    @property
    def params(self) -> dict[str, int]:
        """The bounds that ROSE's rows give for this type of region."""
        r1, r2, c1, c2 = self.box
        if self.type is RegionType.GLOBAL:
            return {}
        if self.type is RegionType.ROW_RANGE:
            return {"r1": r1, "r2": r2}
        if self.type is RegionType.COL_RANGE:
            return {"c1": c1, "c2": c2}
        return {"r1": r1, "r2": r2, "c1": c1, "c2": c2}

    @classmethod
    def whole(cls, rows: int, cols: int) -> Region:
        """The whole grid."""
        return cls(RegionType.GLOBAL, Box(1, rows, 1, cols))

    @classmethod
    def from_params(
        cls, kind: RegionType, params: Mapping[str, int | None], rows: int, cols: int
    ) -> Region:
        """Read a row's ``region_params``; a bound that is absent or null is the grid's own.

        Raises:
            ValueError: when the bounds do not lie on a ``rows`` x ``cols`` grid.
        """

        def bound(key: str, default: int) -> int:
            value = params.get(key)
            return default if value is None else value

        box = Box(bound("r1", 1), bound("r2", rows), bound("c1", 1), bound("c2", cols))
        if not (1 <= box.r1 <= box.r2 <= rows and 1 <= box.c1 <= box.c2 <= cols):
            raise ValueError(f"region {tuple(box)} does not lie on a {rows} x {cols} grid")
        return cls(kind, box)


def labels(cells: Iterable[Cell]) -> list[str]:
    """Labels sorted by row, then column, as every label list of a row is."""
    return [cell.label for cell in sorted(cells)]
