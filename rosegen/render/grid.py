"""Tiles into a grid: the plain image of a scene and the image with its cue.

An image is kept as *bands*, one a grid row, because rows that look alike are drawn, deflated and
stored once.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rosegen.geometry import Box, Cell
from rosegen.render.cue import CueStyle, CueType, draw_outline, masked
from rosegen.render.hashing import pixel_sha256
from rosegen.render.png import BandEncoder

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Banded:
    """An image as its bands from the top; ``order`` may name a band more than once."""

    order: tuple[Hashable, ...]
    bands: dict[Hashable, Pixels]

    def array(self) -> Pixels:
        """The whole image, uint8 (height, width, 3)."""
        return np.concatenate([self.bands[key] for key in self.order])

    def sha256(self) -> str:
        """The pixel hash."""
        return pixel_sha256(self.bands[key] for key in self.order)

    @property
    def parts(self) -> list[Pixels]:
        """The bands from the top, those that stand in several places again and again."""
        return [self.bands[key] for key in self.order]

    def png(self, encoder: BandEncoder) -> bytes:
        """The image as a PNG file."""
        return encoder.encode(self.order, self.bands)


@dataclass(frozen=True)
class GridLines:
    """A line around every cell, inside it: colour, and pixels on each of the four sides.

    It is part of the tile, so that cells of one kind stay equal wherever they stand, and where two
    cells meet the line is twice as wide.
    """

    color: tuple[int, int, int]
    width: int

    def around(self, tile: Pixels) -> Pixels:
        """The tile, uint8 (cell, cell, 3), with its lines."""
        lined = np.empty_like(tile)
        lined[:] = self.color
        inside = slice(self.width, -self.width)
        lined[inside, inside] = tile[inside, inside]
        return lined


def lined(tile: Pixels, lines: GridLines | None) -> Pixels:
    """The tile with its grid lines, if there are any."""
    return tile if lines is None else lines.around(tile)


def plain_image(
    rows: int, cols: int, majority: Pixels, exception: Pixels, exceptions: Collection[Cell]
) -> Banded:
    """The grid with ``exception`` in the cells of ``exceptions`` and ``majority`` elsewhere.

    Args:
        rows: grid rows.
        cols: grid columns.
        majority: uint8 (cell, cell, 3).
        exception: uint8 (cell, cell, 3).
        exceptions: the cells.
    """
    order: list[Hashable] = []
    bands: dict[Hashable, Pixels] = {}
    for row in range(1, rows + 1):
        columns = tuple(sorted(cell.col for cell in exceptions if cell.row == row))
        if columns not in bands:
            tiles = [exception if col in columns else majority for col in range(1, cols + 1)]
            bands[columns] = np.concatenate(tiles, axis=1)
        order.append(columns)
    return Banded(tuple(order), bands)


def cued_image(plain: Banded, cell_size: int, box: Box, kind: CueType, style: CueStyle) -> Banded:
    """The plain image with the region ``box`` marked; bands the cue leaves alone are shared."""
    half = style.half_width(cell_size)
    order: list[Hashable] = []
    bands: dict[Hashable, Pixels] = {}
    for row, key in enumerate(plain.order, start=1):
        place = _place(row, box, kind)
        if place is None:
            order.append(key)
            bands[key] = plain.bands[key]
            continue
        cued: Hashable = (kind.value, box, half, place, key)
        if cued not in bands:
            band = plain.bands[key].copy()
            if kind is CueType.MASK:
                left, right = (box.c1 - 1) * cell_size, box.c2 * cell_size
                band[:, left:right] = masked(band[:, left:right], style)
            else:
                draw_outline(band, (row - 1) * cell_size, box, cell_size, style)
            bands[cued] = band
        order.append(cued)
    return Banded(tuple(order), bands)


def _place(row: int, box: Box, kind: CueType) -> Hashable:
    """What the cue does to a grid row; None when nothing. Rows of equal place are marked alike."""
    inside = box.r1 <= row <= box.r2
    if kind is CueType.MASK:
        return "inside" if inside else None
    edges = (row == box.r1, row == box.r2, row == box.r1 - 1, row == box.r2 + 1)
    return (inside, *edges) if inside or any(edges) else None
