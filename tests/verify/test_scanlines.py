"""Our own reading of a PNG's scanlines, with Pillow as the oracle."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from rosegen.verify import scanlines
from rosegen.verify.png import Scratch, decode
from rosegen.verify.reading import UnreadableError


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(
    width: int, height: int, lines: bytes, pieces: int = 1, palette: bytes | None = None
) -> bytes:
    """A PNG of filtered lines, its data cut into several chunks."""
    stream = zlib.compress(lines)
    cut = -(-len(stream) // pieces)
    kind = 2 if palette is None else 3
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    data = [chunk(b"IDAT", stream[at : at + cut]) for at in range(0, len(stream), cut)]
    before = [] if palette is None else [chunk(b"PLTE", palette)]
    signature = b"\x89PNG\r\n\x1a\n"
    return b"".join([signature, chunk(b"IHDR", header), *before, *data, chunk(b"IEND", b"")])


@st.composite
def images(draw: st.DrawFn, most: int) -> tuple[int, int, bytes]:
    """Width, height and lines of random bytes, under filters 0 to ``most``."""
    width, height = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lines = rng.integers(0, 256, (height, 1 + 3 * width), dtype=np.uint8)
    lines[:, 0] = rng.integers(0, most + 1, height)
    return width, height, lines.tobytes()


@settings(deadline=None)
@given(images(4), st.integers(1, 4), st.sampled_from([1, 200, 1 << 18]))
def test_every_filter_is_undone_as_pillow_undoes_it(
    image: tuple[int, int, bytes], pieces: int, at_once: int
) -> None:
    data = png(*image, pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanlines, "_PIECE", at_once)
        found = decode(data, Scratch())
    assert np.array_equal(found, np.asarray(Image.open(io.BytesIO(data))))


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 4), st.integers(0, 2**32))
def test_a_palette_is_read_as_pillow_reads_it(
    width: int, height: int, most: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    lines = rng.integers(0, 256, (height, 1 + width), dtype=np.uint8)
    lines[:, 0] = rng.integers(0, most + 1, height)
    data = png(width, height, lines.tobytes(), 2, rng.bytes(768))
    with Image.open(io.BytesIO(data)) as image:
        assert np.array_equal(decode(data, Scratch()), np.asarray(image.convert("RGB")))


def test_a_place_beyond_the_palette() -> None:
    lines = bytes([0, 0, 1, 2, 0, 0, 1, 2])
    assert decode(png(3, 2, lines, palette=bytes(range(9)))).tolist()[0] == [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
    ]
    with pytest.raises(UnreadableError, match="a colour that its palette has not"):
        decode(png(3, 2, lines, palette=bytes(6)))


@settings(deadline=None)
@given(images(2))
def test_the_filters_of_our_own_images_need_no_pillow(image: tuple[int, int, bytes]) -> None:
    width, height, lines = image
    pixels = np.empty((height, width, 3), np.uint8)
    assert scanlines.unfilter(zlib.compress(lines), pixels)


def test_what_pillow_writes() -> None:
    rng = np.random.default_rng(1)
    pixels = np.repeat(rng.integers(0, 256, (30, 1, 3), dtype=np.uint8), 50, axis=1)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    assert np.array_equal(decode(file.getvalue()), pixels)


LINES = bytes(4 * (1 + 9))


@pytest.mark.parametrize(
    ("stream", "detail"),
    [
        (zlib.compress(LINES[:-1]), "fewer pixels"),
        (zlib.compress(LINES + b"\0"), "more pixel data"),
        (zlib.compress(LINES + bytes(1 << 20)), "more pixel data"),
        (zlib.compress(LINES) + b"\0", "more pixel data"),
        (zlib.compress(LINES)[:-4], "no end"),
        (zlib.compress(LINES)[:-1] + b"\xff", "cannot be decoded"),
        (b"", "fewer pixels"),
        (b"\x78\x9c\xff", "cannot be decoded"),
    ],
)
def test_damaged_streams(stream: bytes, detail: str) -> None:
    with pytest.raises(UnreadableError, match=detail):
        scanlines.unfilter(stream, np.empty((4, 3, 3), np.uint8))


def test_a_filter_that_does_not_exist() -> None:
    with pytest.raises(UnreadableError, match="cannot be decoded"):
        decode(png(3, 4, b"\x07" + LINES[1:]))
