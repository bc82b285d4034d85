"""Decode a TIFF, which holds nearly anything, or refuse what would be shown wrongly."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image, ImageFile

from rosegen.sources.pictures.deep import HDR, eight_bits, sixteen_bits
from rosegen.sources.pictures.jpeg import check_whole
from rosegen.sources.pictures.model import Decoded, Pixels
from rosegen.sources.pictures.orientation import turned, valid_orientation
from rosegen.sources.pictures.pillow import first_of, first_page, opened, parted, profile_of
from rosegen.sources.pictures.refusal import Refusal
from rosegen.sources.pictures.silence import silenced

_BITS, _COMPRESSION, _PHOTOMETRIC, _ORIENTATION, _SAMPLES = 258, 259, 262, 274, 277
_STRIPS, _STRIP_SIZES, _TILES, _TILE_SIZES, _JPEG_TABLES = 273, 279, 324, 325, 347
_JPEG = 7
_FAX = (2, 3, 4)  # damaged ones are decoded to whatever was in memory
_MOST_COUNTED = 10_000  # pages
_PLANES, _SAMPLE_FORMAT = 284, 339  # formats: 1 is unsigned, 4 undefined


def decode_tiff(data: bytes, max_side: int) -> Decoded:
    """The first page of a TIFF, upright.

    Raises:
        Refusal: it is too large, of a wide range or of a kind that is misread.
        Exception: of any kind, when it is damaged.
    """
    with silenced():
        image = first_page(data, "TIFF", max_side)
        return _decoded(data, image, first_of(_pages(data), "pages", _MOST_COUNTED))


def _pages(data: bytes) -> int:
    """How many directories are linked, up to one more than ``_MOST_COUNTED``.

    Pillow looks each up among all before it, which takes minutes when they are many. Source: the
    layout of TIFF 6.0, section 2, and of BigTIFF.

    Raises:
        struct.error: the file ends before a directory does.
    """
    order = "<" if data.startswith(b"II") else ">"
    if struct.unpack_from(f"{order}H", data, 2)[0] == 43:
        first, count, entry, after = 8, "Q", 20, "Q"
    else:
        first, count, entry, after = 4, "H", 12, "L"
    count, after = order + count, order + after
    (at,) = struct.unpack_from(after, data, first)
    seen: set[int] = set()
    while at and at not in seen and len(seen) <= _MOST_COUNTED:
        seen.add(at)
        (entries,) = struct.unpack_from(count, data, at)
        (at,) = struct.unpack_from(after, data, at + struct.calcsize(count) + entries * entry)
    return len(seen)


def _decoded(data: bytes, image: ImageFile.ImageFile, notes: tuple[str, ...]) -> Decoded:
    tags = image.tag_v2  # type: ignore[attr-defined]
    bits = max(tags.get(_BITS, (1,)))
    if image.mode == "F" or set(tags.get(_SAMPLE_FORMAT, (1,))) - {1, 4} or bits > 16:
        raise Refusal(HDR)
    if tags.get(_COMPRESSION) in _FAX or _misread(tags, bits):
        raise Refusal("is a TIFF of a rare kind that would be shown wrongly: save it as PNG")
    if tags.get(_COMPRESSION) == _JPEG:
        _check_jpegs(data, tags)
    orientation = valid_orientation(tags.get(_ORIENTATION))
    if bits <= 8:
        colour, alpha = parted(image)
    else:
        # Where 0 is white, Pillow minds it in 8 bits only.
        colour, alpha = _wide_tiff(data, bits, inverted=tags.get(_PHOTOMETRIC) == 0)
        notes += (f"{bits} bits a channel reduced to 8",)
    if orientation != 1:
        notes += (turned(orientation),)  # which Pillow has done
    return Decoded(colour, alpha, profile_of(image), notes=notes)


def _check_jpegs(data: bytes, tags: Mapping[int, Any]) -> None:
    """Look whether each strip or tile is whole: a JPEG whose tables stand apart (TIFF TechNote 2).

    Raises:
        Exception: of any kind, when one is not.
    """
    tables = bytes(tags.get(_JPEG_TABLES, b""))
    places, sizes = (_TILES, _TILE_SIZES) if _TILES in tags else (_STRIPS, _STRIP_SIZES)
    for at, size in zip(tags[places], tags[sizes]):
        # What starts one and what ends the other make them two pictures.
        check_whole((tables[:-2] or b"\xff\xd8") + data[at + 2 : at + size])


def _misread(tags: Mapping[int, Any], bits: int) -> bool:
    """Whether Pillow takes the samples of a TIFF for others than they are."""
    colours = tags.get(_PHOTOMETRIC)
    if tags.get(_PLANES, 1) == 2 and tags.get(_SAMPLES, 1) > 1:
        return bits > 8 or colours not in (2, 5)  # RGB and CMYK
    return colours == 6 and tags.get(_COMPRESSION, 1) == 1  # YCbCr


def _wide_tiff(data: bytes, bits: int, inverted: bool) -> tuple[Image.Image, Pixels | None]:
    """The colours of a TIFF of more than 8 bits a channel, and its alpha."""
    most = 2**bits - 1
    image = opened(data, "TIFF")
    samples = sixteen_bits(data, "TIFF")
    if inverted and samples.ndim == 2:
        samples = most - samples
    if image.mode == "RGBX":  # so in older Pillows
        samples = np.ascontiguousarray(samples[..., :3])
    if "RGBa" in str(image.tile[0]):  # multiplied by their alpha
        alpha = np.maximum(samples[..., 3:], 1).astype(np.uint64)
        straight = (samples[..., :3] * np.uint64(most) + alpha // 2) // alpha
        samples[..., :3] = np.minimum(straight, most)
    pixels = eight_bits(samples, most)
    if image.mode == "CMYK":
        height, width, _ = pixels.shape
        return Image.frombytes("CMYK", (width, height), pixels.tobytes()), None
    return parted(Image.fromarray(pixels))
