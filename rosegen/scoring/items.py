"""What an item asks for, read from a row of metadata: grid, region and target cells."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any, NamedTuple

from rosegen.scoring.names import TEMPLATE_ALIASES

Cell = tuple[int, int]  # row and column from 1; a plain tuple is made five times as fast

_LABEL = re.compile(r"\s*R\s*(\d+)\s*,\s*C\s*(\d+)\s*", re.IGNORECASE)
_LABEL_ANYWHERE = re.compile(r"R\s*(\d+)\s*,\s*C\s*(\d+)", re.IGNORECASE)
_MOST = 1 << 53  # what a double holds exactly
_NONE: frozenset[Cell] = frozenset()
_BOUNDS = {
    "ROW_RANGE": ("r1", "r2"),
    "COL_RANGE": ("c1", "c2"),
    "RECTANGLE": ("r1", "r2", "c1", "c2"),
    "VISUAL_REGION": ("r1", "r2", "c1", "c2"),
}


class Area(NamedTuple):
    """The cells a task asks about: a box, or all of a grid but a box."""

    rows: int
    cols: int
    box: tuple[int, int, int, int]  # r1, r2, c1, c2, inclusive
    excluded: bool = False

    def holds(self, cell: Cell) -> bool:
        """Whether a cell of the grid is asked about."""
        r1, r2, c1, c2 = self.box
        return (r1 <= cell[0] <= r2 and c1 <= cell[1] <= c2) is not self.excluded

    @property
    def size(self) -> int:
        """Number of cells; a box that leaves the grid is counted as it is written."""
        r1, r2, c1, c2 = self.box
        if self.excluded:
            r1, r2, c1, c2 = max(r1, 1), min(r2, self.rows), max(c1, 1), min(c2, self.cols)
        size = max(0, r2 - r1 + 1) * max(0, c2 - c1 + 1)
        return max(0, self.rows) * max(0, self.cols) - size if self.excluded else size


def area_of(kind: str, params: Any, rows: int, cols: int) -> Area:
    """The area of a row's ``region_type`` and ``region_params``; null keys count as absent.

    Raises:
        ValueError: an unknown type, or a bound that is missing or no number.
    """
    if isinstance(params, str) and params.strip():
        params = json.loads(params)
    params = params or {}
    if not isinstance(params, Mapping):
        raise ValueError(f"region_params {params!r} is no record")
    if kind == "GLOBAL":
        return Area(rows, cols, (1, rows, 1, cols))
    if kind == "EXCLUSION":
        inner = area_of(str(params.get("exclude_type")), params.get("exclude_params"), rows, cols)
        r1, r2, c1, c2 = inner.box
        if inner.excluded:  # all but all but a box
            return Area(rows, cols, (max(r1, 1), min(r2, rows), max(c1, 1), min(c2, cols)))
        return Area(rows, cols, inner.box, excluded=True)
    if kind not in _BOUNDS:
        raise ValueError(f"region_type {kind!r} is not known")
    bounds = {"r1": 1, "r2": rows, "c1": 1, "c2": cols}
    for key in _BOUNDS[kind]:
        bounds[key] = _whole(params.get(key), f"region_params.{key}")
    return Area(rows, cols, (bounds["r1"], bounds["r2"], bounds["c1"], bounds["c2"]))


class Gold(NamedTuple):
    """The right answer of one item, and what it is judged by."""

    mode: str
    template: str
    region_type: str
    rows: int
    cols: int
    area: Area
    wanted: int  # how many cells
    clicks: Set[Cell]
    targets: Set[Cell]  # all exceptions of the scene
    region_targets: Set[Cell]


def gold_of(row: Mapping[str, Any]) -> Gold:
    """Read one row of metadata.

    Raises:
        ValueError: a field that scoring needs is missing or malformed.
    """
    rows, cols = _whole(row.get("rows"), "rows"), _whole(row.get("cols"), "cols")
    wanted = _whole(row.get("ground_truth_count") or 0, "ground_truth_count")
    if abs(wanted) > _MOST:
        raise ValueError("ground_truth_count is more than any grid holds")
    region_type = str(row.get("region_type"))
    template = str(row.get("task_template"))
    clicks = row.get("ground_truth_clicks")
    return Gold(
        mode=str(row.get("task_mode")),
        template=TEMPLATE_ALIASES.get(template, template),
        region_type=region_type,
        rows=rows,
        cols=cols,
        area=area_of(region_type, row.get("region_params"), rows, cols),
        wanted=wanted,
        clicks=cells_of(clicks),
        targets=cells_of(row.get("all_target_cells") or row.get("target_cells")),
        region_targets=cells_of(row.get("region_target_cells") or clicks),
    )


def cells_of(values: Any) -> frozenset[Cell]:
    """Cells from labels (``R3,C4``), pairs ([3, 4]), or one text with labels in it.

    Raises:
        ValueError: a value is neither.
    """
    if not values:
        return _NONE
    if isinstance(values, str):
        return frozenset((int(row), int(col)) for row, col in _LABEL_ANYWHERE.findall(values))
    if not isinstance(values, list | tuple):
        raise ValueError(f"{values!r} is no list of cells")
    try:
        return frozenset(map(_cell, values))
    except TypeError:  # a list cannot be looked up in the cache
        return frozenset(_cell(tuple(v) if isinstance(v, list) else str(v)) for v in values)


@lru_cache(maxsize=65536)
def _cell(value: Any) -> Cell:
    if isinstance(value, tuple) and len(value) == 2:
        return _whole(value[0], "a row"), _whole(value[1], "a column")
    match = _LABEL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{value!r} is no cell such as R3,C4")
    return int(match[1]), int(match[2])


def _whole(value: Any, name: str) -> int:
    if type(value) is int:
        return value
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} is {value!r}, not a whole number") from None
