"""The records that the whole of rosegen speaks of: pair, scene and item. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rosegen.geometry import Box, Cell, Region, RegionType

T1, T2, T3, T4, T5 = TEMPLATES = (
    "T1_COUNT_GLOBAL",
    "T2_COUNT_LOCAL_NUMERIC",
    "T3_CLICK_LOCAL_NUMERIC",
    "T4_CLICK_VISUAL_REGION",
    "T5_CLICK_COUNT_EXCLUSION",
)
T1B, T2B = BRIDGE_TEMPLATES = ("T1B_CLICK_GLOBAL", "T2B_COUNT_LOCAL_MATCHED")
# The task whose region a bridge task asks about again.
ORIGINS: Mapping[str, str] = {T1B: T1, T2B: T3}
DEV, TEST = SPLITS = ("dev", "test")
REGION_CASES = ("zero", "partial", "all")


@dataclass(frozen=True)
class Tile:
    """Where a picture of one cell comes from, and all that is needed to draw it again."""

    name: str  # path-like: "twemoji/1f513", "NotoSansSC-Regular/凤"
    pack: str
    license: str  # SPDX expression of the art
    recipe: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Pair:
    """A majority tile and an exception tile, with their measured difference at the cell size.

    ``measures`` holds SSIM, perceptual-hash distance, share of changed pixels and largest local
    colour difference; ``fields`` the columns that only this kind of source fills.
    """

    key: str  # names the pair whichever tile is the majority
    majority: Tile
    exception: Tile
    measures: Mapping[str, float]
    similarity: float
    similarity_level: str
    fields: Mapping[str, Any]
    majority_sha256: str
    exception_sha256: str


@dataclass(frozen=True)
class Context:
    """The region a task speaks of. ``excluded`` when the task means everything outside the box."""

    region: Region
    case: str
    excluded: bool = False

    def holds(self, cell: Cell) -> bool:
        """Whether the task asks about this cell."""
        return self.region.box.holds(cell) is not self.excluded

    def size(self, rows: int, cols: int) -> int:
        """Cells the task asks about."""
        return rows * cols - self.region.box.size if self.excluded else self.region.box.size


@dataclass(frozen=True)
class Grid:
    """Rows, columns and the side of a cell in pixels."""

    profile: str
    rows: int
    cols: int
    cell_size: int


@dataclass(frozen=True)
class Scene:
    """A grid with a few exceptions, and the contexts its five tasks speak of."""

    subset: str
    number: int  # from 1
    grid: Grid
    exceptions: tuple[Cell, ...]  # in draw order
    pair: Pair
    contexts: Mapping[str, Context]  # template to context, all five
    cue: str  # OUTLINE_BOX or MASK
    split: str  # dev or test


def case_of(inside: int, total: int) -> str:
    """The region case: no exception in it, some, or all of them."""
    if inside == 0:
        return "zero"
    return "all" if inside == total else "partial"


def whole_grid(grid: Grid) -> Context:
    """The context of T1."""
    box = Box(1, grid.rows, 1, grid.cols)
    return Context(Region(RegionType.GLOBAL, box), "all")
