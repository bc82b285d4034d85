"""TIFF, which holds nearly anything: seen as meant or refused."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.core_maker import noise
from tests.sources.pictures.picture_maker import (
    deep,
    grey,
    opaque,
    reading,
    refusal,
    saved,
    tiff,
    to_eight,
)

DEEP = ("16 bits a channel reduced to 8",)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("extra", [None, "unassalpha", "unspecified", "assocalpha"])
def test_deep_colours_of_a_tiff_are_rounded(
    tmp_path: Path, order: str, compression: str | None, extra: str | None
) -> None:
    samples = deep(1, 7, 9, 4 if extra else 3)
    alpha = np.full((7, 9), 255, np.uint8)
    expected = to_eight(samples[..., :3])
    if extra == "unassalpha":
        alpha = to_eight(samples[..., 3])
    if extra == "assocalpha":
        share = samples[..., 3:].astype(np.uint64)
        samples[..., :3] = (samples[..., :3] * share // 65535).astype(np.uint16)
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = np.nan_to_num(np.rint(samples[..., :3] / samples[..., 3:] * 255))
        alpha = to_eight(samples[..., 3])
    extras = [extra] if extra else None
    data = tiff(samples, order, photometric="rgb", extrasamples=extras, compression=compression)
    found = reading(tmp_path, data)
    assert np.array_equal(found.rgba[..., 3], alpha)
    off = np.abs(found.rgba[..., :3].astype(int) - expected)[alpha > 0]
    assert off.max() <= (1 if extra == "assocalpha" else 0)
    assert found.notes == DEEP


@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("white", ["minisblack", "miniswhite"])
@pytest.mark.parametrize("bits", [8, 16])
def test_grey_of_a_tiff_whichever_end_is_white(
    tmp_path: Path, compression: str | None, white: str, bits: int
) -> None:
    samples = deep(2, 6, 5) if bits == 16 else noise(2, 6, 5, 3)[..., 0]
    found = reading(tmp_path, tiff(samples, photometric=white, compression=compression))
    expected = to_eight(samples) if bits == 16 else samples
    expected = 255 - expected if white == "miniswhite" else expected
    assert np.array_equal(found.rgba, opaque(grey(expected)))
    assert found.notes == (DEEP if bits == 16 else ())


def test_twelve_bits_are_scaled_by_their_own_white(tmp_path: Path) -> None:
    tags = {256: 2, 257: 1, 258: 12, 259: 1, 262: 1, 273: 8, 277: 1, 278: 1, 279: 3}
    entries = b"".join(struct.pack("<HHIHH", key, 3, 1, value, 0) for key, value in tags.items())
    packed = bytes((0xFF, 0xF8, 0x00))  # 4095 and 2048
    directory = struct.pack("<H", len(tags)) + entries + bytes(4)
    data = b"II*\0" + struct.pack("<I", 12) + packed + b"\0" + directory
    found = reading(tmp_path, data)
    assert found.rgba[0, :, 0].tolist() == [255, 128]
    assert found.notes == ("12 bits a channel reduced to 8",)


def test_deep_inks_of_a_tiff_are_converted(tmp_path: Path) -> None:
    samples = np.zeros((3, 4, 4), np.uint16)
    samples[..., 0] = 65535
    found = reading(tmp_path, tiff(samples, photometric="separated"))
    assert (found.rgba == (0, 255, 255, 255)).all()
    assert found.notes == (*DEEP, "CMYK converted")


@pytest.mark.parametrize("planes", ["contig", "separate"])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_planes_of_a_tiff_are_put_together(
    tmp_path: Path, planes: str, compression: str | None
) -> None:
    pixels = noise(3, 6, 5, 3)
    stored = pixels if planes == "contig" else np.moveaxis(pixels, -1, 0)
    data = tiff(stored, photometric="rgb", planarconfig=planes, compression=compression)
    assert np.array_equal(reading(tmp_path, data).rgba, opaque(pixels))


@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize(
    ("bands", "kind", "options"),
    [
        (3, "uint16", {"photometric": "rgb", "planarconfig": "separate"}),
        (3, "uint8", {"photometric": "ycbcr", "planarconfig": "separate"}),
        (3, "uint8", {"photometric": "cielab", "planarconfig": "separate"}),
        (
            2,
            "uint8",
            {"photometric": "minisblack", "planarconfig": "separate", "extrasamples": [2]},
        ),
    ],
)
def test_planes_that_would_be_mixed_up_are_refused(
    tmp_path: Path, compression: str | None, bands: int, kind: str, options: dict[str, Any]
) -> None:
    data = tiff(np.full((bands, 6, 5), 99, kind), compression=compression, **options)
    assert "save it as PNG" in refusal(tmp_path, data)


def test_ycbcr_of_a_tiff_is_right_or_refused(tmp_path: Path) -> None:
    pixels = np.asarray(Image.new("RGB", (8, 8), (200, 60, 60)).convert("YCbCr"))
    packed = reading(tmp_path, tiff(pixels, photometric="ycbcr", compression="zlib"))
    assert np.abs(packed.rgba.astype(int) - (200, 60, 60, 255)).max() <= 4
    plain = tiff(np.tile(pixels, (4, 4, 1)), photometric="ycbcr", rowsperstrip=8)
    assert "save it as PNG" in refusal(tmp_path, plain)


@pytest.mark.parametrize("orientation", [3, 6])
def test_a_deep_tiff_is_turned_once(tmp_path: Path, orientation: int) -> None:
    samples = deep(5, 6, 9, 3)
    data = tiff(samples, photometric="rgb", extratags=[(274, 3, 1, orientation, True)])
    found = reading(tmp_path, data)
    turns = {3: 2, 6: -1}[orientation]
    assert np.array_equal(found.rgba, np.rot90(opaque(to_eight(samples)), turns))
    assert found.notes == (*DEEP, f"turned by EXIF (orientation {orientation})")


def test_lab_of_a_tiff_becomes_rgb(tmp_path: Path) -> None:
    image = Image.new("RGB", (8, 8), (200, 60, 60)).convert("LAB")
    found = reading(tmp_path, saved(image, "TIFF"))
    assert np.abs(found.rgba.astype(int) - (200, 60, 60, 255)).max() <= 4


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16, np.uint32, np.int16, np.int8])
@pytest.mark.parametrize("bands", [1, 3])
def test_numbers_that_are_no_colours_are_refused(
    tmp_path: Path, kind: type[np.generic], bands: int
) -> None:
    samples = np.ones((6, 5, bands), kind)
    photometric = "rgb" if bands == 3 else "minisblack"
    text = refusal(
        tmp_path, tiff(samples if bands == 3 else samples[..., 0], photometric=photometric)
    )
    assert "save it" in text


@pytest.mark.parametrize("compression", ["tiff_ccitt", "group3", "group4"])
def test_fax_is_refused_for_a_damaged_one_shows_whatever_was_in_memory(
    tmp_path: Path, compression: str
) -> None:
    data = saved(Image.new("1", (9, 7), 1), "TIFF", compression=compression)
    assert "is a TIFF of a rare kind" in refusal(tmp_path, data)
