"""Whether two tiles can be told apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosegen.errors import RosegenError
from rosegen.replay.assets.tiles import WHITE, AssetTile, Color
from rosegen.sources.similarity import (
    changed_pixel_share,
    lab,
    max_local_color_difference,
)

# The least that rosegen's own release asks of a pair, in its least different subset.
LEAST_CHANGED = 0.004  # of the cell's pixels
LEAST_COLOR = 18.0  # CIE 1976, between the means of a tenth of the cell
# The most it allows pixel art, so that an exception has to be looked for.
MOST_CHANGED = 0.15
MOST_CAST = 10.0  # CIE 1976, between the means of the two cells


class Looks(NamedTuple):
    """How two tiles compare.

    ``apart``: somebody who looks closely sees that they differ. ``alike``: they have to be looked
    at to be told apart.
    """

    apart: bool
    alike: bool


def same(a: AssetTile, b: AssetTile, cell_size: int, background: Color = WHITE) -> bool:
    """Whether two tiles are the same picture at a cell size, on a background.

    Raises:
        RosegenError: one cannot be drawn.
    """
    return np.array_equal(a.draw(cell_size, background), b.draw(cell_size, background))


def look_at(a: AssetTile, b: AssetTile, cell_size: int, background: Color = WHITE) -> Looks:
    """How two tiles compare; neither apart nor alike when one cannot be drawn.

    Args:
        a: a tile.
        b: another.
        cell_size: pixels, 8 or more.
        background: RGB, behind them.
    """
    try:
        one, other = a.draw(cell_size, background), b.draw(cell_size, background)
    except RosegenError:
        return Looks(False, False)
    changed = changed_pixel_share(one, other)
    if changed < LEAST_CHANGED:
        return Looks(False, True)
    difference = lab(one) - lab(other)
    cast = float(np.linalg.norm(difference.mean(axis=(0, 1))))
    return Looks(
        apart=max_local_color_difference(difference) >= LEAST_COLOR,
        alike=changed <= MOST_CHANGED and cast <= MOST_CAST,
    )
