"""Samples of more than 8 bits, all of whose bits count."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from rosegen.sources.pictures.model import Pixels, Wide
from rosegen.sources.pictures.pillow import opened

HDR = "is of a wide range (HDR): save it as sRGB with 8 or 16 bits a channel"


def eight_bits(samples: Wide, most: int) -> Pixels:
    """Samples of 0 to ``most`` to the nearest of 0 to 255; the samples are overwritten."""
    samples *= 255
    samples += most // 2
    samples //= most
    return samples.astype(np.uint8)


def sixteen_bits(data: bytes, kind: str) -> Wide:
    """All bits of the samples of a PNG or TIFF of more than 8: (height, width[, bands])."""
    high = opened(data, kind)
    if high.mode.startswith("I"):
        return np.asarray(high).astype(np.uint32)
    # Pillow keeps the first or the second byte of each colour, by what it takes for the order of
    # bytes: of two readings, one keeps the high bytes and one the low ones.
    low = opened(data, kind)
    high.tile = [_reordered(tile, "BLN", "BLN") for tile in high.tile]
    low.tile = [_reordered(tile, "BLN", f"LB{_OTHER_ORDER}") for tile in low.tile]
    samples = np.asarray(high).astype(np.uint32)
    samples *= 256
    samples += np.asarray(low)
    return samples


_OTHER_ORDER = "B" if sys.byteorder == "little" else "L"


def _reordered(tile: Any, orders: str, others: str) -> Any:
    """A tile of an image whose raw mode, such as RGB;16B, takes another order of bytes."""
    codec, box, offset, arguments = tile
    raw, *more = arguments if isinstance(arguments, tuple) else (arguments,)
    name, _, order = raw.partition(";16")
    if not order:
        raise ValueError(f"samples of a kind that cannot be read whole ({raw})")
    # Colours multiplied by their alpha are divided later, when they are whole.
    raw = f"{name.replace('RGBa', 'RGBA')};16{others[orders.index(order)]}"
    return codec, box, offset, (raw, *more) if isinstance(arguments, tuple) else raw
