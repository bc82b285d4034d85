"""Which way is up."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from tests.core_maker import noise
from tests.sources.pictures.picture_maker import Pixels, chunk, opaque, png, reading, saved


@lru_cache(maxsize=1)
def quarters() -> Pixels:
    """Upright: four flat quarters, wider than high."""
    pixels = np.zeros((32, 48, 3), np.uint8)
    for number, colour in enumerate([(250, 0, 0), (0, 250, 0), (0, 0, 250), (250, 250, 0)]):
        top, left = 16 * (number // 2), 24 * (number % 2)
        pixels[top : top + 16, left : left + 24] = colour
    return pixels


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_stands_upright_whatever_way_it_was_held(
    tmp_path: Path, kind: str, orientation: int
) -> None:
    upright = quarters()
    across = upright.transpose(1, 0, 2)
    stored = {
        1: upright,
        2: upright[:, ::-1],
        3: upright[::-1, ::-1],
        4: upright[::-1],
        5: across,
        6: np.rot90(upright, 1),
        7: across[::-1, ::-1],
        8: np.rot90(upright, -1),
    }[orientation]
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = Image.fromarray(np.ascontiguousarray(stored))
    data = saved(image, kind, exif=exif, quality=95, subsampling=0, lossless=True)
    found = reading(tmp_path, data)
    assert found.rgba.shape == (32, 48, 4)
    assert np.abs(found.rgba.astype(int) - opaque(upright)).max() <= 12
    turned = () if orientation == 1 else (f"turned by EXIF (orientation {orientation})",)
    assert found.notes == turned
    with Image.open(io.BytesIO(data)) as other:
        other.load()
        assert np.array_equal(found.rgba[..., :3], np.asarray(ImageOps.exif_transpose(other)))


@pytest.mark.parametrize("exif", [b"", b"Exif\0\0", b"Exif\0\0II*\0\xff\xff\xff\xff", b"x" * 40])
def test_broken_exif_is_passed_over(tmp_path: Path, exif: bytes) -> None:
    pixels = noise(1, 5, 5, 3)
    found = reading(tmp_path, png(pixels, 8, 2, extra=chunk(b"eXIf", exif)))
    assert np.array_equal(found.rgba, opaque(pixels))
    assert found.notes == ()
