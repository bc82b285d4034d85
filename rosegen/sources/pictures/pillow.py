"""What Pillow opens: its colours, its alpha and its profile."""

from __future__ import annotations

import io
import logging

import numpy as np
from PIL import Image, ImageFile

from rosegen.sources.pictures.model import Pixels
from rosegen.sources.pictures.size import check_size

# Pillow's logger would print what no handler takes.
logging.getLogger("PIL").addHandler(logging.NullHandler())


def opened(data: bytes, kind: str) -> ImageFile.ImageFile:
    """A picture of this kind, by the name that Pillow has for it; its pixels are not read yet."""
    return Image.open(io.BytesIO(data), formats=[kind])


def first_page(data: bytes, kind: str, max_side: int) -> ImageFile.ImageFile:
    """The first frame or page; its pixels are not read yet.

    Raises:
        Refusal: it is too large.
    """
    image = opened(data, kind)
    check_size(*image.size, max_side)
    return image


def first_of(count: int, word: str, most: int | None = None) -> tuple[str, ...]:
    """The note on the first of several, of which no more than ``most`` were counted."""
    if most is not None and count > most:
        return (f"first of more than {most} {word}",)
    return (f"first of {count} {word}",) if count > 1 else ()


def parted(image: Image.Image) -> tuple[Image.Image, Pixels | None]:
    """Its colours as mode L, RGB or CMYK, and its alpha."""
    image.load()
    if image.mode == "LA":
        return image.getchannel("L"), np.asarray(image.getchannel("A"))
    if image.mode in ("P", "PA", "RGBA", "RGBa", "La") or "transparency" in image.info:
        solid = image.convert("RGBA")
        return solid.convert("RGB"), np.asarray(solid.getchannel("A"))
    if image.mode in ("L", "RGB", "CMYK"):
        return image, None
    return image.convert("L" if image.mode == "1" else "RGB"), None


def check_palette(image: Image.Image) -> None:
    """Look whether every pixel has a colour; Pillow shows those past the palette as black.

    Raises:
        ValueError: one has none.
    """
    if image.mode == "P":
        entries = len(image.getpalette() or ()) // 3
        counts = image.histogram()
        clear = image.info.get("transparency")
        if any(counts[index] for index in range(entries, len(counts)) if index != clear):
            raise ValueError(f"it has pixels past the {entries} colours of its palette")


def profile_of(image: Image.Image) -> bytes | None:
    """Its ICC profile; empty when it is broken, None when there is none."""
    return image.info["icc_profile"] or b"" if "icc_profile" in image.info else None
