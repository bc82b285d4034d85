"""The verifier's own reading of cells, regions and answers.

It is written from the dataset's description, not from what builds a release, so that one mistake
cannot stand in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Spot = tuple[int, int]
"""Row and column of a cell, both from 1."""
Bounds = tuple[int, int, int, int]
"""First and last row, first and last column; all inclusive, from 1."""

_ROWS, _COLS = ("r1", "r2"), ("c1", "c2")
_BOUNDED = {
    "GLOBAL": (),
    "ROW_RANGE": _ROWS,
    "COL_RANGE": _COLS,
    "RECTANGLE": _ROWS + _COLS,
    "VISUAL_REGION": _ROWS + _COLS,
    "EXCLUSION": (),
}


@dataclass(frozen=True)
class Area:
    """The cells an item asks about: those of a box, or all those outside it."""

    kind: str
    """The type by which the box is named."""
    box: Bounds
    outside: bool = False

    def holds(self, spot: Spot) -> bool:
        """Whether a cell belongs to the area."""
        r1, r2, c1, c2 = self.box
        return (r1 <= spot[0] <= r2 and c1 <= spot[1] <= c2) is not self.outside

    def size(self, rows: int, cols: int) -> int:
        """How many cells of the grid belong to the area."""
        r1, r2, c1, c2 = self.box
        inside = (r2 - r1 + 1) * (c2 - c1 + 1)
        return rows * cols - inside if self.outside else inside

    @property
    def phrase(self) -> str:
        """The box as ROSE's own prompts name it."""
        r1, r2, c1, c2 = self.box
        if self.kind == "GLOBAL":
            return "in the whole grid"
        if self.kind == "ROW_RANGE":
            return f"in rows {r1} to {r2}" if r1 != r2 else f"in row {r1}"
        if self.kind == "COL_RANGE":
            return f"in columns {c1} to {c2}" if c1 != c2 else f"in column {c1}"
        return f"from row {r1} column {c1} to row {r2} column {c2}"

    @property
    def shown(self) -> str:
        """The area in words, for a fault's detail."""
        return f"all but {self.phrase}" if self.outside else self.phrase

    @property
    def bounds(self) -> dict[str, int | None]:
        """The four bounds as a row has them, null where this type has no such bound."""
        values = dict(zip(_ROWS + _COLS, self.box, strict=True))
        return {key: values[key] if key in _BOUNDED[self.kind] else None for key in values}


def _area(kind: str, bounds: Mapping[str, object], rows: int, cols: int, outside: bool) -> Area:
    wanted = _BOUNDED[kind]
    for key in _ROWS + _COLS:
        if (bounds[key] is not None) != (key in wanted):
            has = "lacks" if key in wanted else "must not have"
            raise ValueError(f"{kind} {has} {key}")
    whole = {"r1": 1, "r2": rows, "c1": 1, "c2": cols}
    r1, r2, c1, c2 = (
        value if isinstance(value := bounds[key], int) else whole[key] for key in _ROWS + _COLS
    )
    if not (1 <= r1 <= r2 <= rows and 1 <= c1 <= c2 <= cols):
        raise ValueError(f"{kind} {bounds_text((r1, r2, c1, c2))} is not on a {rows} x {cols} grid")
    return Area(kind, (r1, r2, c1, c2), outside)


def bounds_text(box: Bounds) -> str:
    """Bounds for a fault's detail."""
    return "rows {}-{}, columns {}-{}".format(*box)


def area_of(region_type: str, params: Mapping[str, Any], rows: int, cols: int) -> Area:
    """The area of a row's ``region_type`` and ``region_params``.

    Raises:
        ValueError: when they do not go together or do not fit the grid.
    """
    outer = _area(region_type, params, rows, cols, outside=False)
    exclude_type, exclude_params = params["exclude_type"], params["exclude_params"]
    if region_type != "EXCLUSION":
        if exclude_type is not None or any(exclude_params.values()):
            raise ValueError(f"{region_type} must not exclude a region")
        return outer
    if exclude_type is None:
        raise ValueError("EXCLUSION does not say what it excludes")
    return _area(exclude_type, exclude_params, rows, cols, outside=True)


def label(spot: Spot) -> str:
    """``R4,C6``."""
    return f"R{spot[0]},C{spot[1]}"


def labels(spots: Iterable[Spot]) -> list[str]:
    """Labels sorted by row, then column."""
    return [label(spot) for spot in sorted(spots)]


def formal_answer(mode: str, spots: Iterable[Spot]) -> str:
    """The right answer of a task mode, COUNT, CLICK or CLICK_COUNT, for the cells asked for."""
    names = labels(spots)
    if mode == "COUNT":
        return f"COUNT({len(names)})"
    last = "DONE" if mode == "CLICK" else f"SUBMIT({len(names)})"
    return "; ".join([f"CLICK({name})" for name in names] + [last])
