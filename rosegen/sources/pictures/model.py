"""What a picture file holds, and a picture as it should be seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

Pixels = npt.NDArray[np.uint8]
Wide = npt.NDArray[np.uint32]
"""Samples of up to 16 bits, with room to reckon in."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture as it should be seen, in sRGB and upright.

    Attributes:
        rgba: Read-only uint8 (height, width, 4), straight alpha.
        notes: What was done to it beyond reading it, in order, e.g. "first of 12 frames".
    """

    rgba: Pixels
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Decoded:
    """What a file holds.

    Attributes:
        colour: mode L, RGB or CMYK.
        alpha: uint8 (height, width); None when it is opaque.
        profile: of the colours, ICC; empty when it is broken, None when there is none.
        orientation: as EXIF counts, 1 to 8; 1 is upright.
        notes: what was done to it.
    """

    colour: Image.Image
    alpha: Pixels | None = None
    profile: bytes | None = None
    orientation: int = 1
    notes: tuple[str, ...] = ()
