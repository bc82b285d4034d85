"""Icons: the largest size, cut out as it is meant."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core_maker import noise
from tests.sources.pictures.picture_maker import reading, saved


@pytest.mark.parametrize("inner", ["png", "bmp"])
def test_of_an_icon_the_largest_size_is_taken(tmp_path: Path, inner: str) -> None:
    pixels = noise(7, 48, 48, 4)
    image = Image.fromarray(pixels)
    data = saved(image, "ICO", sizes=[(16, 16), (48, 48), (32, 32)], bitmap_format=inner)
    found = reading(tmp_path, data)
    assert np.array_equal(found.rgba, pixels)
    assert found.notes == ("largest of 3 sizes (48 x 48)",)


@pytest.mark.parametrize("depth", [24, 32])
def test_an_icon_without_alpha_is_cut_out_by_its_mask(tmp_path: Path, depth: int) -> None:
    pixels, height, width = noise(7, 5, 8, 3), 5, 8
    header = struct.pack("<IiiHHIIiiII", 40, width, 2 * height, 1, depth, 0, 0, 0, 0, 0, 0)
    spare = np.zeros((height, width, depth // 8 - 3), np.uint8)
    colours = np.dstack([pixels[::-1, :, ::-1], spare]).tobytes()
    mask = b"".join(bytes((1 << row, 0, 0, 0)) for row in range(height))  # rows from below
    content = header + colours + mask
    entry = struct.pack("<BBBBHHII", width, height, 0, 0, 1, depth, len(content), 22)
    found = reading(tmp_path, struct.pack("<HHH", 0, 1, 1) + entry + content)
    assert np.array_equal(found.rgba[..., :3], pixels)
    expected = np.full((height, width), 255, np.uint8)
    for row in range(height):
        expected[height - 1 - row, 7 - row] = 0
    assert np.array_equal(found.rgba[..., 3], expected)
