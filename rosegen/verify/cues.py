"""Draw a cue, and read one back from pixels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosegen.verify.cells import Kind
from rosegen.verify.grid import Bounds, Spot, bounds_text
from rosegen.verify.png import Pixels

OUTLINE, MASK = "OUTLINE_BOX", "MASK"

LEAST_CONTRAST = 15.0
"""How far from the background a cue's colour must lie, in CIE 1976 units, to be seen for certain.

About 2.3 is just noticeable in patches side by side (Mahy, Van Eycken and Oosterlinck 1994); small
marks need up to 14 (Stone, Szafir and Setlur 2014, for a third of a degree, along b*).
"""


@dataclass(frozen=True)
class Cue:
    """A cue on an image: its type and the box of cells it marks."""

    kind: str
    box: Bounds

    def __str__(self) -> str:
        return f"{self.kind} on {bounds_text(self.box)}"


@dataclass(frozen=True)
class Look:
    """How a subset's cues look, as the export summary says."""

    outline_color: tuple[int, int, int]
    outline_half_width: float
    mask_color: tuple[int, int, int]
    mask_alpha: int

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Look:
        """Read a subset's entry of the summary's ``cues``."""
        outline, mask = record["outline_color"], record["mask_color"]
        return cls(
            (outline[0], outline[1], outline[2]),
            record["outline_half_width"],
            (mask[0], mask[1], mask[2]),
            record["mask_alpha"],
        )

    def half(self, cell_size: int) -> int:
        """Pixels the outline covers on either side of a border line."""
        return max(2, int(cell_size * self.outline_half_width))

    def masked(self, pixels: Pixels) -> Pixels:
        """Pixels, uint8 (height, width, 3), as they look under the mask."""
        height, width, _ = pixels.shape
        tint = np.array(self.mask_color, np.uint16) * np.uint16(self.mask_alpha) + np.uint16(127)
        # 255 * 255 + 127 is the most there can be, which 16 bits hold.
        mixed = pixels.reshape(height, 3 * width).astype(np.uint16)
        mixed *= np.uint16(255 - self.mask_alpha)
        mixed += np.tile(tint, width)
        mixed //= np.uint16(255)
        return mixed.astype(np.uint8).reshape(height, width, 3)

    def contrast(self, kind: str, background: tuple[int, int, int]) -> float:
        """CIE 1976 difference between the background and a cue of this kind on it."""
        seen = self.outline_color
        if kind == MASK:
            red, green, blue = self.masked(np.array([[background]], np.uint8))[0, 0].tolist()
            seen = red, green, blue
        return math.dist(_lab(seen), _lab(background))


def _lab(color: tuple[int, int, int]) -> tuple[float, float, float]:
    """CIE 1976 L*, a* and b* of an sRGB colour (IEC 61966-2-1, D65, CIE 15:2004)."""
    shares = [level / 255 for level in color]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (
        ratio ** (1 / 3) if ratio > (6 / 29) ** 3 else ratio * (29 / 6) ** 2 / 3 + 4 / 29
        for ratio in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def edges(box: Bounds, cell_size: int) -> tuple[int, int, int, int]:
    """Top, bottom, left and right border lines of a box, in pixels."""
    r1, r2, c1, c2 = box
    return (r1 - 1) * cell_size, r2 * cell_size, (c1 - 1) * cell_size, c2 * cell_size


def reach(cue: Cue, cell_size: int, look: Look) -> tuple[int, int, int, int]:
    """First row, last row + 1, first column, last column + 1 a cue may be drawn on.

    The last ones may lie beyond the image.
    """
    top, bottom, left, right = edges(cue.box, cell_size)
    half = look.half(cell_size) if cue.kind == OUTLINE else 0
    return max(top - half, 0), bottom + half, max(left - half, 0), right + half


def draw(
    block: Pixels, cue: Cue, cell_size: int, look: Look, *, top: int = 0, left: int = 0
) -> None:
    """Draw the part of a cue that falls on a block of an image, in place.

    Args:
        block: uint8 (height, width, 3).
        cue: the cue.
        cell_size: pixels.
        look: how cues look.
        top: the image's row at which the block begins.
        left: the image's column at which the block begins.
    """
    y1, y2, x1, x2 = edges(cue.box, cell_size)
    y1, y2, x1, x2 = y1 - top, y2 - top, x1 - left, x2 - left
    if cue.kind == MASK:
        part = block[max(y1, 0) : max(y2, 0), max(x1, 0) : max(x2, 0)]
        part[...] = look.masked(part)
        return
    half = look.half(cell_size)
    ys, xs = (
        slice(max(y1 - half, 0), max(y2 + half, 0)),
        slice(max(x1 - half, 0), max(x2 + half, 0)),
    )
    for y in (y1, y2):
        block[max(y - half, 0) : max(y + half, 0), xs] = look.outline_color
    for x in (x1, x2):
        block[ys, max(x - half, 0) : max(x + half, 0)] = look.outline_color


def changed_extent(base: Pixels, cued: Pixels) -> tuple[int, int, int, int] | None:
    """First row, last row + 1, first column, last column + 1 of what differs; None if nothing."""
    height = base.shape[0]
    flat, other = base.reshape(height, -1), cued.reshape(height, -1)
    ys: list[int] = []
    across = np.zeros(flat.shape[1], np.bool_)
    step = max(1, (1 << 19) // flat.shape[1])
    for top in range(0, height, step):
        unlike = flat[top : top + step] != other[top : top + step]
        rows = np.flatnonzero(unlike.any(axis=1))
        if rows.size:
            ys += [top + int(rows[0]), top + int(rows[-1]) + 1]
            across |= unlike.any(axis=0)
    if not ys:
        return None
    xs = np.flatnonzero(across)
    return ys[0], ys[-1], int(xs[0]) // 3, int(xs[-1]) // 3 + 1


def candidates(extent: tuple[int, int, int, int], cell_size: int, look: Look) -> list[Cue]:
    """The cues that could have changed just this part of an image.

    The outline stands first, as it is quicker to try. A cue's outermost pixels need not differ
    from the plain image's: a mask is widened to whole cells, and an outline's border line is the
    one whose stroke the extent ends in.
    """
    y1, y2, x1, x2 = extent
    half = look.half(cell_size)
    found = []
    for kind, beyond in ((OUTLINE, half), (MASK, 0)):
        r1, c1 = (y1 + beyond) // cell_size + 1, (x1 + beyond) // cell_size + 1
        if kind == MASK:
            r2, c2 = -(-y2 // cell_size), -(-x2 // cell_size)
        else:
            r2, c2 = (y2 - 1 + beyond) // cell_size, (x2 - 1 + beyond) // cell_size
        if r1 <= r2 and c1 <= c2:
            found.append(Cue(kind, (r1, r2, c1, c2)))
    return found


def outline_by_color(cued: Pixels, cell_size: int, look: Look) -> list[Bounds]:
    """Boxes whose border lines are in the outline's colour, found without the plain image.

    A stretch of border line counts when the pixels on both sides of it, as far as the image goes,
    have the colour along the whole of a cell.
    """
    color = np.array(look.outline_color, np.uint8)

    def stretches(axis: int) -> npt.NDArray[np.bool_]:
        """bool (lines + 1, across): which stretches of the lines across an axis have the colour."""
        lines, across = cued.shape[axis] // cell_size, cued.shape[1 - axis] // cell_size
        beside = np.arange(lines + 1)[:, None] * cell_size + np.array([-1, 0])
        near = cued.take(beside.ravel(), axis=axis, mode="clip")
        same = near == color
        hit = same[..., 0] & same[..., 1] & same[..., 2]  # all() is slow over an axis of three
        hit = hit if axis == 0 else hit.T
        found = hit.reshape(lines + 1, 2, across, cell_size).all(axis=3)
        # Beyond the image's own edge there is nothing that could have the colour.
        found[0, 0] = found[-1, 1] = True
        return np.asarray(found.all(axis=1))

    level, upright = stretches(0), stretches(1)
    rows, cols = level.shape[0] - 1, upright.shape[0] - 1
    boxes = []
    for top in range(rows):
        for left in range(cols):
            if not (level[top, left] and upright[left, top]):
                continue
            right = left
            while right < cols and level[top, right]:
                right += 1
            bottom = top
            while bottom < rows and upright[left, bottom]:
                bottom += 1
            if level[bottom, left:right].all() and upright[right, top:bottom].all():
                boxes.append((top + 1, bottom, left + 1, right))
    return boxes


def mask_by_color(found: list[Kind], look: Look) -> tuple[set[Spot], set[Spot]] | None:
    """Cells that are surely masked, and surely not, found without the plain image.

    Args:
        found: the kinds of cell of the cued image.
        look: how cues look.

    Returns:
        The cells that look as others do under the mask, and those others; None when there is no
        such kind.
    """
    masked: set[Spot] = set()
    plain: set[Spot] = set()
    for kind in found:
        under = look.masked(kind.tile)
        for other in found:
            if other is not kind and np.array_equal(other.tile, under):
                masked.update(other.spots)
                plain.update(kind.spots)
    return (masked, plain) if masked else None
