"""The pixel hash: of what a reader decodes, however the image was put together."""

from __future__ import annotations

import hashlib
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rosegen.geometry import Box, Cell
from rosegen.render.cue import CueType
from rosegen.render.grid import cued_image, plain_image
from rosegen.render.hashing import pixel_sha256
from rosegen.render.png import BandEncoder
from tests.core_maker import LAW, noise, small_subset


def by_pillow(png: bytes) -> str:
    with Image.open(io.BytesIO(png)) as image:
        head = f"{image.width}x{image.height} RGB8\n".encode()
        return hashlib.sha256(head + image.convert("RGB").tobytes()).hexdigest()


@LAW
@given(st.integers(1, 5), st.integers(1, 5), st.integers(5, 12), st.integers(0, 999))
def test_it_is_that_of_the_decoded_file(rows: int, cols: int, cell: int, seed: int) -> None:
    tiles = noise(seed, cell, cell, 3), noise(seed + 1, cell, cell, 3)
    plain = plain_image(rows, cols, *tiles, [Cell(rows, cols)])
    style = small_subset().cue_style
    cued = cued_image(plain, cell, Box(1, rows, 1, 1), CueType.OUTLINE_BOX, style)
    encoder = BandEncoder()
    for image in (plain, cued):
        assert image.sha256() == by_pillow(image.png(encoder))


def test_it_depends_on_the_shape_and_not_on_the_layout_in_memory() -> None:
    pixels = noise(0, 8, 6, 3)
    assert pixel_sha256([pixels]) == pixel_sha256([pixels[:3], pixels[3:]])
    assert pixel_sha256([pixels]) == pixel_sha256([np.asfortranarray(pixels)])
    assert pixel_sha256([pixels]) != pixel_sha256([pixels.reshape(6, 8, 3)])
