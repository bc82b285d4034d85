"""The PNG writer: what Pillow, OpenCV and zlib read is what was written."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Hashable
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from zlib_ng import zlib_ng

from rosegen.geometry import Cell
from rosegen.render.grid import plain_image
from rosegen.render.png import BandEncoder, Palette
from tests.core_maker import LAW, noise

Pixels = npt.NDArray[np.uint8]


def read(data: bytes) -> Pixels:
    with Image.open(io.BytesIO(data)) as image:
        assert (image.format, image.mode) == ("PNG", "RGB")
        image.load()
        return np.asarray(image)


@st.composite
def tilings(draw: st.DrawFn) -> tuple[list[int], dict[Hashable, Pixels]]:
    """Bands of one width and of any heights, some of them used again."""
    width = draw(st.integers(1, 40))
    heights = draw(st.lists(st.integers(1, 9), min_size=1, max_size=5))
    flat = draw(st.booleans())
    seed = draw(st.integers(0, 10**6))
    bands: dict[Hashable, Pixels] = {
        key: np.full((height, width, 3), (seed + key) % 256, np.uint8)
        if flat
        else noise(seed + key, height, width, 3)
        for key, height in enumerate(heights)
    }
    order = draw(st.lists(st.sampled_from(range(len(bands))), min_size=1, max_size=20))
    return order, bands


@LAW
@given(tilings())
def test_readers_see_the_bands_one_below_the_other(
    tiling: tuple[list[int], dict[Hashable, Pixels]],
) -> None:
    order, bands = tiling
    data = BandEncoder().encode(order, bands)
    expected = np.concatenate([bands[key] for key in order])
    assert np.array_equal(read(data), expected)
    decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    assert np.array_equal(decoded[..., ::-1], expected)


@LAW
@given(tilings())
def test_every_checksum_is_right(tiling: tuple[list[int], dict[Hashable, Pixels]]) -> None:
    order, bands = tiling
    data = BandEncoder().encode(order, bands)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, kinds, body = 8, [], b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (crc,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert crc == zlib.crc32(kind + content)
        kinds.append(kind)
        body = content if kind == b"IDAT" else body
        at += 12 + length
    assert kinds == [b"IHDR", b"IDAT", b"IEND"]
    stream = zlib.decompressobj()  # checks the Adler-32 of the whole
    raw = stream.decompress(body)
    assert stream.eof
    assert not stream.unused_data
    height = sum(bands[key].shape[0] for key in order)
    assert len(raw) == height * (1 + 3 * bands[order[0]].shape[1])


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 7), (7, 1), (3, 4)])
@pytest.mark.parametrize("cell", [1, 2, 17])
def test_grids_of_one_row_or_column_too(rows: int, cols: int, cell: int) -> None:
    majority, exception = noise(1, cell, cell, 3), noise(2, cell, cell, 3)
    exceptions = [Cell(1, 1), Cell(rows, cols)]
    image = plain_image(rows, cols, majority, exception, exceptions)
    expected = np.tile(majority, (rows, cols, 1))
    for row, col in exceptions:
        expected[(row - 1) * cell : row * cell, (col - 1) * cell : col * cell] = exception
    assert np.array_equal(image.array(), expected)
    assert np.array_equal(read(image.png(BandEncoder())), expected)


def test_an_encoder_shared_by_two_images_mixes_nothing_up() -> None:
    bands: dict[Hashable, Pixels] = {key: noise(key, 6, 30, 3) for key in range(4)}
    shared = BandEncoder()
    for order in ([0, 1, 0, 2], [3, 1], [2, 2, 0]):
        data = shared.encode(order, bands)
        assert data == BandEncoder().encode(order, bands)
        assert np.array_equal(read(data), np.concatenate([bands[key] for key in order]))


def test_a_band_is_deflated_once_however_often_it_occurs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []

    def counted(*args: Any) -> Any:
        calls.append(args)
        return compressobj(*args)

    compressobj = zlib_ng.compressobj
    monkeypatch.setattr(zlib_ng, "compressobj", counted)
    bands: dict[Hashable, Pixels] = {key: noise(key, 6, 30, 3) for key in range(3)}
    encoder = BandEncoder()
    encoder.encode([0, 1, 0, 0, 1], bands)
    encoder.encode([0, 2, 0], bands)
    assert len(calls) == 3


@LAW
@given(tilings())
def test_a_palette_changes_no_pixel(tiling: tuple[list[int], dict[Hashable, Pixels]]) -> None:
    order, bands = tiling
    few = {key: band // 96 * 96 for key, band in bands.items()}  # of each channel three levels
    palette = Palette.of(few.values())
    assert palette is not None
    data = BandEncoder(palette).encode(order, few)
    expected = np.concatenate([few[key] for key in order])
    with Image.open(io.BytesIO(data)) as image:
        assert image.mode == "P"
        assert np.array_equal(np.asarray(image.convert("RGB")), expected)
    assert np.array_equal(cv2.imdecode(np.frombuffer(data, np.uint8), 1)[:, :, ::-1], expected)


def test_more_than_256_colours_have_no_palette() -> None:
    ramp = np.zeros((1, 257, 3), np.uint8)
    ramp[0, :, 0] = np.arange(257) % 256
    ramp[0, 256, 1] = 1
    assert Palette.of([ramp[:, :256]]) is not None
    assert Palette.of([ramp]) is None
    assert Palette.of([ramp[:, :128], ramp[:, 128:]]) is None
