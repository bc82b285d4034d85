"""Open a PNG without trusting it: its structure is checked before a pixel is decoded.

It holds RGB, or places in a palette of RGB; what is decoded is RGB.
"""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from rosegen.verify.reading import UnreadableError, read_bytes
from rosegen.verify.scanlines import Pixels, unfilter

__all__ = ["Pixels", "Scratch", "Size", "decode", "header_size", "pixel_sha256", "read_png"]

LARGEST_IMAGE = 64_000_000
"""Pixels; a larger image is refused unseen."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PLAIN_CHUNKS = {b"IHDR", b"IDAT", b"IEND", b"tEXt", b"tIME", b"pHYs", b"sRGB"}
"""Chunks that leave the pixels as they are; transparency, gamma and the like do not."""
_RGB, _PALETTE = 2, 3
_TYPES = {0: "grey", 2: "RGB", 3: "palette", 4: "grey with alpha", 6: "RGB with alpha"}


@dataclass(frozen=True)
class Size:
    """Width and height in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width} x {self.height}"


def header_size(data: bytes) -> Size:
    """The size a PNG's header gives.

    Raises:
        UnreadableError: when the bytes do not start as a PNG does that has 8 bits a channel of
            RGB, or 8 bits a pixel for the place in a palette.
    """
    if data[:8] != _SIGNATURE:
        raise UnreadableError("is not a PNG")
    if len(data) < 33 or data[8:16] != b"\0\0\0\rIHDR":
        raise UnreadableError("is truncated: the PNG has no whole header")
    width, height, depth, color, compression, filters, interlace = struct.unpack_from(
        ">IIBBBBB", data, 16
    )
    if depth != 8 or color not in (_RGB, _PALETTE):
        name = _TYPES.get(color, f"colour type {color}")
        raise UnreadableError(f"is not 8-bit RGB but {depth}-bit {name}")
    if compression or filters or interlace:
        raise UnreadableError("is an interlaced PNG or one of an unknown method")
    return Size(width, height)


def _has_palette(data: bytes) -> bool:
    return data[25] == _PALETTE


def _check_chunks(data: bytes) -> None:
    at, size = 8, len(data)
    seen: set[bytes] = set()
    while True:
        if at + 12 > size:
            raise UnreadableError("is truncated: the PNG ends within a chunk")
        (length,) = struct.unpack_from(">I", data, at)
        kind = data[at + 4 : at + 8]
        end = at + 12 + length
        if end > size:
            raise UnreadableError("is truncated: the PNG ends within a chunk")
        if kind == b"IHDR" and at > 8:
            raise UnreadableError("has a second PNG header")
        if kind == b"PLTE" and _has_palette(data):
            if length % 3 or not 0 < length <= 768 or seen & {b"PLTE", b"IDAT"}:
                raise UnreadableError("has a palette that is none")
        elif kind not in _PLAIN_CHUNKS:
            raise UnreadableError(f"has a PNG chunk {kind!r}, which may change how it looks")
        body = memoryview(data)[at + 4 : end - 4]
        if zlib.crc32(body) != struct.unpack_from(">I", data, end - 4)[0]:
            raise UnreadableError(f"is damaged: the checksum of PNG chunk {kind!r} is wrong")
        at = end
        seen.add(kind)
        if kind == b"IEND":
            break
    if _has_palette(data) and b"PLTE" not in seen:
        raise UnreadableError("has no palette, though its header says so")
    if at != size:
        raise UnreadableError(f"has {size - at} bytes after the end of the PNG")


def read_png(root: Path, relative: str, size: Size | None) -> bytes:
    """The bytes of a PNG that is fit to be decoded.

    Args:
        root: the release.
        relative: the image's path from it.
        size: the size it must have; None for any that is not too large.

    Raises:
        UnreadableError: when it is not there, of another size, or not a plain, whole PNG.
    """
    pixels = size.width * size.height if size else LARGEST_IMAGE
    if pixels > LARGEST_IMAGE:
        raise UnreadableError(
            f"would have {pixels} pixels, more than the {LARGEST_IMAGE} it may have"
        )
    data = read_bytes(root, relative, largest=4 * pixels + (1 << 20))
    found = header_size(data)
    if size is not None and found != size:
        raise UnreadableError(f"is {found} pixels, but must be {size}")
    if found.width * found.height > LARGEST_IMAGE:
        raise UnreadableError(f"is {found} pixels, more than the {LARGEST_IMAGE} it may have")
    _check_chunks(data)
    return data


class Scratch:
    """Memory for one image at a time, kept between images.

    Fresh memory for every image costs as much again as decoding it: the system clears each page.
    """

    def __init__(self) -> None:
        self._bytes = np.empty(0, np.uint8)

    def array(self, height: int, width: int) -> Pixels:
        """A uint8 (height, width, 3) array, whatever was in it; it replaces the one before."""
        size = height * width * 3
        if size > self._bytes.size:
            self._bytes = np.empty(size, np.uint8)
        return self._bytes[:size].reshape(height, width, 3)

    def copy_of(self, pixels: Pixels) -> Pixels:
        """A copy of an image, in this memory."""
        copy = self.array(pixels.shape[0], pixels.shape[1])
        np.copyto(copy, pixels)
        return copy


def _bodies(data: bytes, kind: bytes) -> bytes:
    """The bodies of all chunks of a kind, joined."""
    at, bodies = 8, []
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        if data[at + 4 : at + 8] == kind:
            bodies.append(data[at + 8 : at + 8 + length])
        at += 12 + length
    return b"".join(bodies)


def decode(data: bytes, scratch: Scratch | None = None) -> Pixels:
    """Decode a PNG that :func:`read_png` has found fit.

    Args:
        data: the PNG.
        scratch: where the pixels go; new memory when None.

    Returns:
        uint8 (height, width, 3); good until the scratch memory is used again.

    Raises:
        UnreadableError: when the pixel data are damaged.
    """
    size = header_size(data)
    pixels = (scratch or Scratch()).array(size.height, size.width)
    if _has_palette(data):
        colors = np.frombuffer(_bodies(data, b"PLTE"), np.uint8).reshape(-1, 3)
        places = np.empty((size.height, size.width, 1), np.uint8)
        if not unfilter(_bodies(data, b"IDAT"), places):
            np.copyto(places[:, :, 0], _decoded_by_pillow(data, "P"))
        if places.max() >= len(colors):
            raise UnreadableError("has pixels of a colour that its palette has not")
        np.take(colors, places[:, :, 0], axis=0, out=pixels)
    elif not unfilter(_bodies(data, b"IDAT"), pixels):
        np.copyto(pixels, _decoded_by_pillow(data, "RGB"))
    return pixels


def _decoded_by_pillow(data: bytes, mode: str) -> Pixels:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
                if image.mode != mode:
                    raise UnreadableError(f"is decoded as {image.mode}, not {mode}")
                return np.asarray(image)
    except UnreadableError:
        raise
    except Exception as error:  # Pillow raises many kinds for damaged data
        raise UnreadableError(f"cannot be decoded: {type(error).__name__}: {error}") from None


def pixel_sha256(pixels: Pixels) -> str:
    """sha256 of ``b"<width>x<height> RGB8\\n"`` and the pixels' RGB bytes, row by row."""
    height, width, _ = pixels.shape
    digest = hashlib.sha256(b"%dx%d RGB8\n" % (width, height))
    digest.update(np.ascontiguousarray(pixels).data)
    return digest.hexdigest()
