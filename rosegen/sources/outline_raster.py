"""Ink coverage of outlines: exact areas, in integers, so that no machine rounds another way.

Each edge adds, to every pixel it crosses, the signed area between itself and the pixel's right
side; a running sum along the row turns that into coverage. It is how FreeType's and Anti-Grain's
smooth rasterisers work, and gives their results to within a level or two. Where contours of one
direction overlap, the ink is not counted twice (the nonzero rule).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

ONE = 256  # steps a pixel is divided into

_FLATNESS = 64  # a chord is no further than 1/64 pixel from its curve
_MOST_CHORDS = 64  # of a curve, however absurd
_BLOCK = 2048  # edges looked at together, so that a hairball does not fill the memory


@dataclass
class Outline:
    """Closed contours, collected through the methods of a fontTools pen.

    Every edge is kept with both its ends: ``lines`` as rows of 4 numbers (x, y, x, y), ``quads``
    of 6 and ``cubics`` of 8, y upwards, in the units of whoever draws into it.
    """

    lines: list[tuple[float, ...]] = field(default_factory=list)
    quads: list[tuple[float, ...]] = field(default_factory=list)
    cubics: list[tuple[float, ...]] = field(default_factory=list)
    _start: tuple[float, float] = (0, 0)
    _at: tuple[float, float] = (0, 0)

    def moveTo(self, point: tuple[float, float]) -> None:  # noqa: N802 (a pen's method)
        """Start a contour."""
        self.closePath()
        self._start = self._at = point

    def lineTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        """Add a straight edge."""
        if point != self._at:
            self.lines.append((*self._at, *point))
        self._at = point

    def qCurveTo(self, control: tuple[float, float], point: tuple[float, float]) -> None:  # noqa: N802
        """Add a quadratic Bézier curve."""
        self.quads.append((*self._at, *control, *point))
        self._at = point

    def curveTo(  # noqa: N802
        self, first: tuple[float, float], second: tuple[float, float], point: tuple[float, float]
    ) -> None:
        """Add a cubic Bézier curve."""
        self.cubics.append((*self._at, *first, *second, *point))
        self._at = point

    def closePath(self) -> None:  # noqa: N802
        """End a contour."""
        self.lineTo(self._start)


def edges(lines: Ints, quads: Ints, cubics: Ints) -> Ints:
    """Straight edges (n, 4) along lines (n, 4) and curves (n, 6) and (n, 8).

    All are whole numbers, in 1/``ONE`` pixel.
    """
    curved = [_chords(curves) for curves in (quads, cubics) if len(curves)]
    return np.concatenate([lines, *curved])


def coverage(edges: Ints, height: int, width: int) -> Pixels:
    """How much of each pixel the ink covers: uint8 (height, width), 255 is all of it.

    Args:
        edges: (n, 4) as x, y, x, y in 1/``ONE`` pixel, y downwards, of closed contours.
        height: rows; ink above and below is left out.
        width: columns; ink to the left and right is left out.
    """
    return np.asarray(coverages([edges], height, width)[0], np.uint8)


def coverages(shapes: Sequence[Ints], height: int, width: int) -> Pixels:
    """``coverage`` of each of n shapes: uint8 (n, height, width). Many at once cost less each."""
    areas = np.zeros((len(shapes), height, width), np.int64)
    owners = np.repeat(np.arange(len(shapes)), [len(edges) for edges in shapes])
    edges = np.concatenate(shapes) if len(shapes) else np.zeros((0, 4), np.int64)
    for start in range(0, len(edges), _BLOCK):
        owner = owners[start : start + _BLOCK]
        first, last = owner[0], owner[-1] + 1
        # The shapes of a block are looked at as one tall picture, each within its own rows.
        part = _areas(edges[start : start + _BLOCK], owner - first, last - first, height, width)
        areas[first:last] += part
    # In place: fresh memory for each step would cost more than the step.
    np.cumsum(areas, axis=2, out=areas)
    np.abs(areas, out=areas)
    np.minimum(areas, 2 * ONE * ONE, out=areas)
    areas *= 255
    areas += ONE * ONE
    areas //= 2 * ONE * ONE
    return areas.astype(np.uint8)


def _areas(edges: Ints, owner: Ints, count: int, height: int, width: int) -> Ints:
    """What each edge adds to each pixel, before the running sum, in 1/(2 * ``ONE`` squared).

    Args:
        edges: as ``coverage`` takes them.
        owner: (n,), which of the shapes each belongs to.
        count: how many shapes there are.
        height: rows of a shape.
        width: columns.

    Returns:
        (count, height, width).
    """
    x0, y0, x1, y1 = edges.T
    down = y1 > y0
    direction = np.where(down, 1, -1)
    top, bottom = np.minimum(y0, y1), np.maximum(y0, y1)
    x_top, x_bottom = np.where(down, x0, x1), np.where(down, x1, x0)

    # Cut the edges where they pass from one row of pixels to the next.
    first, last = np.maximum(top // ONE, 0), np.minimum((bottom - 1) // ONE, height - 1)
    edge, row = _spread(first, np.where(bottom > top, last - first + 1, 0))
    y_a = np.maximum(top[edge], row * ONE)
    y_b = np.minimum(bottom[edge], (row + 1) * ONE)
    line = (top[edge], x_top[edge], bottom[edge], x_bottom[edge])
    x_a, x_b = _along(y_a, *line), _along(y_b, *line)

    # Then where they pass from column to column. What lies left or right of the picture is one
    # more column there, however wide.
    left, right = np.minimum(x_a, x_b), np.maximum(x_a, x_b)
    first = np.clip(left // ONE, -1, width)
    last = np.clip((right - 1) // ONE, first, width)
    piece, column = _spread(first, last - first + 1)
    x_from = np.where(column < 0, left[piece], np.maximum(left[piece], column * ONE))
    x_to = np.where(column >= width, right[piece], np.minimum(right[piece], (column + 1) * ONE))
    falls = x_b >= x_a
    y_left, y_right = np.where(falls, y_a, y_b)[piece], np.where(falls, y_b, y_a)[piece]
    slope = (left[piece], y_left, right[piece], y_right)
    upright = left[piece] == right[piece]
    y_from = np.where(upright, y_left, _along(x_from, *slope))
    y_to = np.where(upright, y_right, _along(x_to, *slope))

    # Twice the area, so that the mean of two ends stays whole. What lies left of the picture fills
    # its first column; two columns more than there are take up what lies right of it.
    rise = np.abs(y_to - y_from) * direction[edge][piece]
    ahead = np.where(column < 0, 0, x_from + x_to - 2 * ONE * column) * rise
    cell = (owner[edge] * height + row)[piece] * (width + 2) + np.maximum(column, 0)
    size = count * height * (width + 2)
    sums = _sums(cell, 2 * ONE * rise - ahead, size) + _sums(cell + 1, ahead, size)
    return sums.reshape(count, height, width + 2)[:, :, :width]


def _chords(curves: Ints) -> Ints:
    """Chords of Bézier curves of one degree, (n, 2 * (degree + 1)) to (n * chords, 4).

    How many a curve needs is Wang's formula (Goldman, "Pyramid Algorithms", 2003, 5.6.3); all get
    as many as the one that needs most.
    """
    points = curves.reshape(len(curves), -1, 2)
    degree = points.shape[1] - 1
    bend = int(np.abs(np.diff(points, 2, axis=1)).sum(axis=2).max())
    needed = math.isqrt(degree * (degree - 1) * bend * _FLATNESS // (8 * ONE)) + 1
    chords = min(needed, _MOST_CHORDS)
    whole = chords**degree
    at = (2 * (_bernstein(degree, chords) @ points) + whole) // (2 * whole)
    return np.asarray(np.concatenate([at[:, :-1], at[:, 1:]], axis=2).reshape(-1, 4), np.int64)


@lru_cache(maxsize=256)
def _bernstein(degree: int, chords: int) -> Ints:
    """Weights of a curve's points, times ``chords**degree``, at each end of its chords.

    Returns:
        (chords + 1, degree + 1).
    """
    step = np.arange(chords + 1)
    weights = [
        math.comb(degree, k) * step**k * (chords - step) ** (degree - k) for k in range(degree + 1)
    ]
    return np.asarray(np.stack(weights, axis=1), np.int64)


def _spread(first: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """``counts[i]`` numbers from ``first[i]`` up, for every i: which i, and the numbers."""
    counts = np.maximum(counts, 0)
    which = np.repeat(np.arange(len(counts)), counts)
    starts = np.cumsum(counts) - counts
    return which, np.arange(len(which)) - starts[which] + first[which]


def _along(at: Ints, start: Ints, value: Ints, end: Ints, end_value: Ints) -> Ints:
    """The value at a place of a line, to the nearest whole; the ends are met exactly."""
    length = np.maximum(end - start, 1)
    rise = (2 * (at - start) * (end_value - value) + length) // (2 * length)
    return np.asarray(value + rise, np.int64)


def _sums(cell: Ints, values: Ints, size: int) -> Ints:
    """Sums of the values per pixel, (size,)."""
    # The weights are whole and far below 2**53, so that their order does not matter.
    return np.asarray(np.bincount(cell, values.astype(np.float64), minlength=size), np.int64)
