"""Decode what Pillow reads rightly: GIF, WebP, BMP and, once it is looked over, JPEG."""

from __future__ import annotations

import numpy as np
from PIL import Image

from rosegen.sources.pictures.model import Decoded, Pixels
from rosegen.sources.pictures.orientation import exif_orientation
from rosegen.sources.pictures.pillow import (
    check_palette,
    first_of,
    first_page,
    opened,
    parted,
    profile_of,
)


def decode_raster(data: bytes, kind: str, max_side: int) -> Decoded:
    """The first frame, by the name that Pillow has for its kind.

    Raises:
        Refusal: it is too large.
        Exception: of any kind, when it is damaged.
    """
    image = first_page(data, kind, max_side)
    # Counted on another opening, for Pillow keeps the palette of the last frame it looked at.
    notes = first_of(int(getattr(opened(data, kind), "n_frames", 1)), "frames")
    open_box = image.tile[0][1] if kind == "GIF" else None
    colour, alpha = parted(image)
    check_palette(image.crop(open_box) if open_box else image)
    if open_box is not None:
        alpha = _within(open_box, colour, alpha)
    orientation = exif_orientation(image.info.get("exif", b""))
    return Decoded(colour, alpha, profile_of(image), orientation, notes)


def _within(
    box: tuple[int, int, int, int], colour: Image.Image, alpha: Pixels | None
) -> Pixels | None:
    """Alpha of a frame that may be smaller than its picture: what it leaves open is clear."""
    left, top, right, bottom = box
    if (right - left, bottom - top) == colour.size:
        return alpha
    clear = np.zeros(colour.size[::-1], np.uint8)
    clear[top:bottom, left:right] = 255 if alpha is None else alpha[top:bottom, left:right]
    return clear
