"""Tell a grid's cells apart by their pixels alone, by exact comparison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rosegen.verify.grid import Spot
from rosegen.verify.png import Pixels

_MOST_KINDS = 12
"""Kinds of cell told apart before an image is given up; a sound one has two, or four if masked."""


@dataclass(frozen=True)
class Kind:
    """Cells whose pixels are the same."""

    spots: tuple[Spot, ...]
    """Where they are, by row, then column."""
    tile: Pixels
    """Their pixels, uint8 (cell, cell, 3)."""


def cell_at(image: Pixels, spot: Spot, cell_size: int) -> Pixels:
    """A view of one cell."""
    top, left = (spot[0] - 1) * cell_size, (spot[1] - 1) * cell_size
    return image[top : top + cell_size, left : left + cell_size]


def _unlike_first(image: Pixels, cell_size: int) -> npt.NDArray[np.bool_]:
    """Which cells differ from the first one: bool (rows, cols)."""
    rows, cols = image.shape[0] // cell_size, image.shape[1] // cell_size
    strip = np.tile(image[:cell_size, :cell_size], (1, cols, 1)).reshape(cell_size, cols, -1)
    unlike = np.empty((rows, cols), np.bool_)
    # A strip at a time: it stays in the cache.
    for row in range(rows):
        band = image[row * cell_size : (row + 1) * cell_size].reshape(strip.shape)
        unlike[row] = (band != strip).any(axis=0).any(axis=1)
    return unlike


def kinds(image: Pixels, cell_size: int) -> list[Kind]:
    """Sort an image's cells into kinds, the largest kind first.

    Args:
        image: uint8 (rows * cell_size, cols * cell_size, 3).
        cell_size: pixels.

    Returns:
        The kinds; the last of twelve holds whatever else there is, alike or not.
    """
    unlike = _unlike_first(image, cell_size)
    rows, cols = unlike.shape
    spots = [(row + 1, col + 1) for row in range(rows) for col in range(cols)]
    left = [spot for spot in spots if unlike[spot[0] - 1, spot[1] - 1]]
    same = [spot for spot in spots if not unlike[spot[0] - 1, spot[1] - 1]]
    found = [Kind(tuple(same), cell_at(image, same[0], cell_size))]
    while left:
        tile = cell_at(image, left[0], cell_size)
        last = len(found) == _MOST_KINDS - 1
        same = [
            spot for spot in left if last or np.array_equal(cell_at(image, spot, cell_size), tile)
        ]
        taken = set(same)
        left = [spot for spot in left if spot not in taken]
        found.append(Kind(tuple(same), tile))
    return sorted(found, key=lambda kind: -len(kind.spots))


def lay_out(
    majority: Pixels, exception: Pixels, targets: tuple[Spot, ...], rows: int, cols: int
) -> Pixels:
    """The grid that two tiles make: uint8 (rows * cell, cols * cell, 3)."""
    image = np.tile(majority, (rows, cols, 1))
    for spot in targets:
        cell_at(image, spot, majority.shape[0])[...] = exception
    return image
