"""Cues: a region of the grid marked in the image, as an outline box or a translucent mask."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from rosegen.geometry import Box

Pixels = npt.NDArray[np.uint8]
Color = tuple[int, int, int]


def read_color(text: str) -> Color:
    """``#e02020`` as red, green and blue."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


class CueType(str, Enum):
    """How a region is marked."""

    NONE = "NONE"
    OUTLINE_BOX = "OUTLINE_BOX"
    MASK = "MASK"


@dataclass(frozen=True)
class CueStyle:
    """How cues look: colours as 8-bit sRGB with the names a prompt calls them by.

    ``outline_half_width`` is the stroke's reach on either side of a border line, as a share of the
    cell; ``mask_alpha`` is the mask's weight, 0 (invisible) to 255 (opaque).
    """

    outline_color: Color
    outline_name: str
    outline_half_width: float
    mask_color: Color
    mask_name: str
    mask_alpha: int

    @classmethod
    def read(cls, cues: Mapping[str, Any]) -> CueStyle:
        """From the ``cues`` of a subset's settings."""
        return cls(
            outline_color=read_color(cues["outline_color"]),
            outline_name=cues["outline_name"],
            outline_half_width=cues["outline_half_width"],
            mask_color=read_color(cues["mask_color"]),
            mask_name=cues["mask_name"],
            mask_alpha=cues["mask_alpha"],
        )

    def color_name(self, kind: CueType) -> str:
        """What a prompt calls the cue's colour."""
        return self.outline_name if kind is CueType.OUTLINE_BOX else self.mask_name

    def half_width(self, cell_size: int) -> int:
        """Reach of the stroke on either side of a border line, in pixels, at least 2."""
        return max(2, math.floor(cell_size * self.outline_half_width))


def masked(pixels: Pixels, style: CueStyle) -> Pixels:
    """``pixels`` under the mask, in exact integer arithmetic."""
    alpha = style.mask_alpha
    color = np.array(style.mask_color, np.uint32)
    blend = pixels.astype(np.uint32) * (255 - alpha) + color * alpha + 127
    return (blend // 255).astype(np.uint8)


def draw_outline(band: Pixels, top: int, box: Box, cell_size: int, style: CueStyle) -> None:
    """Draw the part of the outline that falls into a band of pixel rows, in place.

    Args:
        band: uint8 (height, width, 3), rows ``top`` and below of the image.
        top: the image row of the band's first row.
        box: the region.
        cell_size: pixels.
        style: the cue's colours and width.
    """
    half = style.half_width(cell_size)
    height, width, _ = band.shape
    y1, y2 = (box.r1 - 1) * cell_size - top, box.r2 * cell_size - top
    x1, x2 = (box.c1 - 1) * cell_size, box.c2 * cell_size

    def paint(ya: int, yb: int, xa: int, xb: int) -> None:
        ya, yb = max(ya, 0), min(yb, height)
        if ya < yb:
            band[ya:yb, max(xa, 0) : min(xb, width)] = style.outline_color

    for y in (y1, y2):
        paint(y - half, y + half, x1 - half, x2 + half)
    for x in (x1, x2):
        paint(y1 - half, y2 + half, x - half, x + half)
