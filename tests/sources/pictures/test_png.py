"""PNG of every kind: seen as meant, to the last bit."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from tests.core_maker import LAW, noise
from tests.sources.pictures.picture_maker import (
    chunk,
    deep,
    grey,
    opaque,
    png,
    reading,
    refusal,
    to_eight,
)

SHAPES = st.tuples(st.integers(1, 11), st.integers(1, 11))


@LAW
@given(SHAPES, st.booleans(), st.sampled_from([1, 2, 4, 8]), st.integers(0, 99))
def test_grey_png_of_every_depth(
    tmp_path_factory: pytest.TempPathFactory,
    shape: tuple[int, int],
    interlaced: bool,
    depth: int,
    seed: int,
) -> None:
    samples = np.random.default_rng(seed).integers(0, 2**depth, shape)
    found = reading(tmp_path_factory.getbasetemp(), png(samples, depth, 0, interlaced))
    expected = (samples * (255 // (2**depth - 1))).astype(np.uint8)
    assert np.array_equal(found.rgba, opaque(grey(expected)))
    assert found.notes == ()


@LAW
@given(SHAPES, st.booleans(), st.sampled_from([(0, 1), (4, 2), (2, 3), (6, 4)]), st.integers(0, 99))
def test_sixteen_bits_are_rounded_and_neither_cut_nor_clipped(
    tmp_path_factory: pytest.TempPathFactory,
    shape: tuple[int, int],
    interlaced: bool,
    colour: tuple[int, int],
    seed: int,
) -> None:
    kind, bands = colour
    samples = deep(seed, *shape, bands)
    if kind in (4, 6):
        samples[0, 0, -1] = 65535  # not everything is clear
    found = reading(tmp_path_factory.getbasetemp(), png(samples, 16, kind, interlaced))
    eight = to_eight(samples)
    colours = eight[..., :3] if kind in (2, 6) else grey(eight[..., 0])
    alpha = eight[..., -1] if kind in (4, 6) else np.full(shape, 255, np.uint8)
    assert np.array_equal(found.rgba, np.dstack([colours, alpha]))
    assert found.notes == ("16 bits a channel reduced to 8",)


@pytest.mark.parametrize("depth", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("bands", [1, 3])
def test_the_transparent_colour_of_a_png_is_clear_and_no_other(
    tmp_path: Path, depth: int, bands: int
) -> None:
    if bands == 3 and depth < 8:
        with pytest.raises(RosegenError):  # there is no such PNG
            reading(tmp_path, png(np.zeros((2, 2, 3), int), depth, 2))
        return
    most = 2**depth - 1
    # In 16 bits, colours that become one in 8 bits are told apart.
    key = most - 1 if depth > 1 else 0
    samples = np.array([[key, most], [0 if key else 1, most - 2 if depth > 1 else 1]])
    samples = np.dstack([samples] * bands)
    trns = chunk(b"tRNS", struct.pack(">H", key) * bands)
    found = reading(tmp_path, png(samples, depth, 0 if bands == 1 else 2, extra=trns))
    assert np.array_equal(found.rgba[..., 3], [[0, 255], [255, 255]])
    assert np.array_equal(found.rgba[..., 0], np.rint(samples[..., 0] * (255 / most)))


def test_a_colour_clear_in_one_channel_only_is_not_clear(tmp_path: Path) -> None:
    samples = np.array([[[1, 2, 3], [1, 2, 4]]])
    trns = chunk(b"tRNS", struct.pack(">3H", 1, 2, 3))
    found = reading(tmp_path, png(samples, 8, 2, extra=trns))
    assert found.rgba.tolist() == [[[1, 2, 3, 0], [1, 2, 4, 255]]]


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
@pytest.mark.parametrize("alphas", [b"", b"\0", b"\x80\xff", b"\xff\0"])
def test_palette_png_with_and_without_transparency(
    tmp_path: Path, depth: int, alphas: bytes
) -> None:
    palette = noise(4, 1, 2**depth, 3)[0]
    samples = np.arange(24).reshape(4, 6) % 2**depth
    extra = chunk(b"PLTE", palette.tobytes()) + (chunk(b"tRNS", alphas) if alphas else b"")
    found = reading(tmp_path, png(samples, depth, 3, extra=extra))
    alpha = np.full(2**depth, 255, np.uint8)
    alpha[: len(alphas)] = list(alphas)
    assert np.array_equal(found.rgba, np.dstack([palette[samples], alpha[samples]]))


@pytest.mark.parametrize(
    "extra",
    [
        chunk(b"gAMA", struct.pack(">I", 100000)),
        chunk(b"cHRM", struct.pack(">8I", *[33000] * 8)),
        chunk(b"sRGB", b"\0"),
        chunk(b"sBIT", b"\1\1\1"),
        chunk(b"zTXt", b"name\0\0broken"),
        chunk(b"tEXt", b"x")[:-1] + b"!",  # of a wrong checksum
    ],
)
def test_side_notes_of_a_png_change_nothing(tmp_path: Path, extra: bytes) -> None:
    pixels = noise(1, 5, 5, 3)
    found = reading(tmp_path, png(pixels, 8, 2, extra=extra))
    assert np.array_equal(found.rgba, opaque(pixels))
    assert found.notes == ()


@pytest.mark.parametrize("content", [b"", b"name", b"name\0\0", b"name\0\1" + zlib.compress(b"x")])
def test_a_broken_profile_chunk_spoils_no_png(tmp_path: Path, content: bytes) -> None:
    pixels = noise(1, 5, 5, 3)
    found = reading(tmp_path, png(pixels, 8, 2, extra=chunk(b"iCCP", content)))
    assert np.array_equal(found.rgba, opaque(pixels))
    assert found.notes == ("broken ICC profile ignored",)


@pytest.mark.parametrize("transfer", [16, 18])
def test_a_png_of_a_wide_range_is_refused(tmp_path: Path, transfer: int) -> None:
    hdr = chunk(b"cICP", bytes((9, transfer, 0, 1)))
    assert "(HDR)" in refusal(tmp_path, png(noise(1, 2, 2, 3), 8, 2, extra=hdr))


def test_a_png_of_no_width_is_refused(tmp_path: Path) -> None:
    data = png(np.zeros((2, 2), int), 8, 0)
    header = struct.pack(">IIBBBBB", 0, 2, 8, 0, 0, 0, 0)
    data = data[:8] + chunk(b"IHDR", header) + data[33:]
    assert "has no pixels (0 x 2)" in refusal(tmp_path, data)


def taller(data: bytes) -> bytes:
    """A PNG that says it has a row more than it holds; its stream of pixels ends as it should."""
    header = bytearray(data[16:29])
    header[4:8] = (int.from_bytes(header[4:8], "big") + 1).to_bytes(4, "big")
    return data[:8] + chunk(b"IHDR", bytes(header)) + data[33:]


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize(
    ("depth", "colour", "bands"),
    [(1, 0, 1), (8, 0, 1), (16, 0, 1), (8, 2, 3), (16, 2, 3), (4, 3, 1), (8, 3, 1), (16, 4, 2)]
    + [(8, 6, 4), (16, 6, 4)],
)
def test_a_png_of_too_few_rows_is_refused(
    tmp_path: Path, depth: int, colour: int, bands: int, interlaced: bool
) -> None:
    samples = np.full((9, 13, bands), 2**depth - 1, np.uint16)
    palette = chunk(b"PLTE", bytes(3 << depth)) if colour == 3 else b""
    whole = png(samples, depth, colour, interlaced, palette)
    assert reading(tmp_path, whole).rgba.shape == (9, 13, 4)
    text = refusal(tmp_path, taller(whole))
    assert text.startswith("cannot be read as PNG; it is damaged, cut short or unusual (it has ")
    if not interlaced:
        row = 1 + -(-13 * depth * bands // 8)
        assert f"(it has {9 * row} bytes of rows, not {10 * row})" in text


def test_a_png_in_an_icon_is_refused_when_it_has_too_few_rows(tmp_path: Path) -> None:
    content = png(np.full((4, 4, 4), 200, np.uint8), 8, 6)
    for inner in (content, taller(content)):
        entry = struct.pack("<BBBBHHII", 4, 4, 0, 0, 1, 32, len(inner), 22)
        icon = struct.pack("<HHH", 0, 1, 1) + entry + inner
        if inner is content:
            assert (reading(tmp_path, icon).rgba == 200).all()
        else:
            assert "(it has 68 bytes of rows, not 85)" in refusal(tmp_path, icon)


def test_what_follows_the_last_row_of_a_png_is_passed_over(tmp_path: Path) -> None:
    data = png(np.full((2, 2), 9, np.uint8), 8, 0)
    body = b"".join(b"\0\t\t" for _ in range(2)) + bytes(40 << 20)
    long = data[:33] + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")
    assert (reading(tmp_path, long).rgba[..., :3] == 9).all()


@pytest.mark.parametrize("depth", [2, 4, 8])
def test_a_pixel_past_the_palette_of_a_png_is_refused(tmp_path: Path, depth: int) -> None:
    palette = chunk(b"PLTE", bytes((10, 20, 30, 40, 50, 60, 70, 80, 90)))
    samples = np.array([[0, 1], [2, 2]], np.uint8)
    found = reading(tmp_path, png(samples, depth, 3, extra=palette))
    assert found.rgba[1, 0].tolist() == [70, 80, 90, 255]
    samples[0, 1] = 3
    told = refusal(tmp_path, png(samples, depth, 3, extra=palette))
    assert "damaged, cut short or unusual (it has pixels past the 3 colours of its palette)" in told
