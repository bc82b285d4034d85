"""Every mode of every lossless format."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core_maker import noise
from tests.sources.pictures.picture_maker import grey, opaque, reading, refusal, saved


@pytest.mark.parametrize("shape", [(1, 1), (1, 900), (900, 1)])
@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "GIF", "WEBP"])
def test_the_smallest_and_the_thinnest(tmp_path: Path, shape: tuple[int, int], kind: str) -> None:
    plane = noise(3, *shape, 3)[..., 0]
    found = reading(tmp_path, saved(Image.fromarray(plane), kind, lossless=True))
    assert np.array_equal(found.rgba, opaque(grey(plane)))


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF", "BMP"])
@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "1", "P"])
def test_every_mode_of_every_lossless_format(tmp_path: Path, kind: str, mode: str) -> None:
    if kind == "BMP" and mode in ("LA", "RGBA"):
        pytest.skip("Pillow writes none")
    pixels = noise(5, 9, 14, 4)
    image = Image.fromarray(pixels)
    image = image.convert("RGB").quantize(30) if mode == "P" else image.convert(mode)
    found = reading(tmp_path, saved(image, kind, lossless=True, exact=True))
    expected = np.asarray(image.convert("RGBA"))
    assert np.array_equal(found.rgba, expected)
    assert found.notes == ()


def test_alpha_of_a_bitmap_counts_where_it_is_declared(tmp_path: Path) -> None:
    pixels = noise(2, 4, 5, 4)
    rows = np.ascontiguousarray(pixels[::-1, :, [2, 1, 0, 3]]).tobytes()
    for declared in (True, False):
        masks = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF000000 * declared)
        header = struct.pack("<IiiHHIIiiII", 108, 5, 4, 1, 32, 3, len(rows), 0, 0, 0, 0) + masks
        head = b"BM" + struct.pack("<IHHI", 14 + 108 + len(rows), 0, 0, 14 + 108)
        found = reading(tmp_path, head + header.ljust(108, b"\0") + rows).rgba
        assert np.array_equal(found, pixels if declared else opaque(pixels[..., :3]))


def test_a_pixel_past_the_palette_of_a_bitmap_or_a_gif_is_refused(tmp_path: Path) -> None:
    plane = np.array([[0, 1, 2, 3]], np.uint8)
    image = Image.fromarray(plane).convert("P")
    image.putpalette([9, 8, 7, 200, 0, 0, 0, 0, 200, 5, 200, 5])
    for kind in ("BMP", "GIF"):
        whole = saved(image, kind)
        assert reading(tmp_path, whole).rgba[0, 3].tolist() == [5, 200, 5, 255]
    bitmap = bytearray(saved(image, "BMP"))
    assert struct.unpack_from("<I", bitmap, 46) == (4,)  # colours
    struct.pack_into("<I", bitmap, 46, 3)
    told = "it has pixels past the 3 colours of its palette"
    assert told in refusal(tmp_path, bytes(bitmap))
    gif = bytearray(saved(image, "GIF"))
    assert gif[10] & 7 == 1  # four colours; of two the last six bytes of the table go
    gif[10] &= ~7
    assert "past the 2 colours" in refusal(tmp_path, bytes(gif[:19] + gif[25:]))
