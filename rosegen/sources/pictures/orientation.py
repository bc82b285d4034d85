"""Which way is up: what EXIF says, and turning a picture by it."""

from __future__ import annotations

from PIL import Image

from rosegen.sources.pictures.model import Pixels


def exif_orientation(exif: bytes) -> int:
    """The orientation that EXIF data give; 1 where they are broken or give none."""
    found = Image.Exif()
    try:
        found.load(exif)
        return valid_orientation(found.get(0x0112))
    except Exception:  # of any kind; a picture is none the worse for broken EXIF
        return 1


def valid_orientation(value: object) -> int:
    """The value itself when it is one of 1 to 8, else 1, which is upright."""
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def turned(orientation: int) -> str:
    """The note on a picture that was turned."""
    return f"turned by EXIF (orientation {orientation})"


def upright(rgba: Pixels, orientation: int) -> Pixels:
    """Turn a picture by its orientation: where its first row and column are (EXIF 2.3, 4.6.4)."""
    if orientation >= 5:  # the first row is a side
        rgba = rgba.transpose(1, 0, 2)
    if orientation in (3, 4, 7, 8):
        rgba = rgba[::-1]
    if orientation in (2, 3, 6, 7):
        rgba = rgba[:, ::-1]
    return rgba
