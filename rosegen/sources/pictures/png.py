"""Decode a PNG.

It is taken apart here, so that a broken side note spoils nothing and a broken pixel is noticed.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from PIL import Image

from rosegen.sources.pictures.deep import HDR, eight_bits, sixteen_bits
from rosegen.sources.pictures.model import Decoded, Pixels, Wide
from rosegen.sources.pictures.orientation import exif_orientation
from rosegen.sources.pictures.pillow import check_palette, opened, parted
from rosegen.sources.pictures.refusal import Refusal
from rosegen.sources.pictures.size import check_size

SIGNATURE = b"\x89PNG\r\n\x1a\n"

_GREY, _RGB, _PALETTE, _GREY_ALPHA, _RGB_ALPHA = 0, 2, 3, 4, 6  # colour types
_BANDS = {_GREY: 1, _RGB: 3, _PALETTE: 1, _GREY_ALPHA: 2, _RGB_ALPHA: 4}
# Of each pass of Adam7: its first column and row, and its steps to the right and down.
_PASSES = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)
_MOST_PROFILE_BYTES = 16 << 20
_PIECE = 1 << 16  # bytes


def decode_png(data: bytes, max_side: int) -> Decoded:
    """The picture that readers show who know of no animation.

    Raises:
        Refusal: it is too large, or of a wide range.
        Exception: of any kind, when it is damaged.
    """
    chunks: dict[bytes, bytes] = {}
    body: list[bytes] = []
    for kind, content in _png_chunks(data):
        if kind == b"IDAT":
            body.append(content)
        elif kind != b"fcTL" or not body:  # before the pixels it makes them a frame
            chunks.setdefault(kind, content)
    if next(iter(chunks), b"") != b"IHDR" or not body:
        raise ValueError("no header or no pixels")
    width, height, depth, colour_type = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    interlaced = chunks[b"IHDR"][12:13] == b"\1"
    check_size(width, height, max_side)
    if chunks.get(b"cICP", b"")[1:2] in (b"\x10", b"\x12"):  # PQ and HLG (ITU-T H.273)
        raise Refusal(HDR)
    notes = []
    frames = int.from_bytes(chunks.get(b"acTL", b"")[:4], "big")
    if frames > 1 and b"fcTL" in chunks:
        notes.append(f"first of {frames} frames")
    elif frames > 1:
        notes.append(f"the still picture beside {frames} frames")
    if depth == 16:
        notes.append("16 bits a channel reduced to 8")
    if colour_type not in _BANDS:
        raise ValueError(f"there is no colour type {colour_type}")
    rows = _size_of_rows(width, height, depth * _BANDS[colour_type], interlaced)
    _check_rows(body, rows)
    colour, alpha = _png_pixels(chunks, b"".join(body), depth, colour_type)
    profile = _inflated(chunks[b"iCCP"]) if b"iCCP" in chunks else None
    return Decoded(colour, alpha, profile, exif_orientation(chunks.get(b"eXIf", b"")), tuple(notes))


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each chunk; side notes whose checksum is wrong are passed over."""
    at, kind = len(SIGNATURE), b""
    while kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", data, at) if at + 12 <= len(data) else (0, b"")
        content = data[at + 8 : at + 8 + length]
        at += 12 + length
        if at > len(data):
            raise ValueError("it ends before the picture does")
        if zlib.crc32(content, zlib.crc32(kind)) == struct.unpack_from(">I", data, at - 4)[0]:
            yield kind, content
        elif kind[0] & 32 == 0 or kind == b"tRNS":  # a capital: no picture without it
            raise ValueError(f"the checksum of {kind.decode('latin-1')} is wrong")


def _size_of_rows(width: int, height: int, bits: int, interlaced: bool) -> int:
    """Bytes that the filtered rows of all passes take, at ``bits`` a pixel (PNG 7.2, 8 and 9)."""
    size = 0
    for left, top, right, down in _PASSES if interlaced else ((0, 0, 1, 1),):
        columns = -(-(width - left) // right)
        rows = -(-(height - top) // down)
        if columns > 0 and rows > 0:
            size += rows * (1 + -(-columns * bits // 8))
    return size


def _check_rows(body: Sequence[bytes], size: int) -> None:
    """Look whether the pixels inflate to as many bytes; Pillow shows missing rows as black.

    Raises:
        ValueError: they do not.
        zlib.error: they are broken.
    """
    stream, count = zlib.decompressobj(), 0
    for content in body:
        for start in range(0, len(content), _PIECE):
            packed = content[start : start + _PIECE]
            while packed and count < size:
                count += len(stream.decompress(packed, _PIECE))
                packed = stream.unconsumed_tail
    while count < size:
        more = len(stream.decompress(b"", _PIECE))
        if not more:
            raise ValueError(f"it has {count} bytes of rows, not {size}")
        count += more


def _png_of(chunks: Mapping[bytes, bytes]) -> bytes:
    """A PNG of these chunks alone."""
    parts = [SIGNATURE]
    for kind, content in {**chunks, b"IEND": b""}.items():
        crc = zlib.crc32(content, zlib.crc32(kind))
        parts += [struct.pack(">I4s", len(content), kind), content, struct.pack(">I", crc)]
    return b"".join(parts)


def _png_pixels(
    chunks: Mapping[bytes, bytes], body: bytes, depth: int, colour_type: int
) -> tuple[Image.Image, Pixels | None]:
    header = chunks[b"IHDR"]
    key = chunks.get(b"tRNS") if colour_type in (_GREY, _RGB) else None
    if colour_type == _PALETTE:
        kept = {kind: chunks[kind] for kind in (b"IHDR", b"PLTE", b"tRNS") if kind in chunks}
        image = opened(_png_of({**kept, b"IDAT": body}), "PNG")
        image.load()
        check_palette(image)
        return parted(image)
    if (depth, colour_type) == (16, _GREY_ALPHA):
        # Pillow would keep half the bits. Read as 8-bit RGBA, which has as many bytes a pixel and
        # so the same filters, each sample is two channels.
        header = header[:8] + bytes((8, _RGB_ALPHA)) + header[10:]
        halves = np.asarray(opened(_png_of({b"IHDR": header, b"IDAT": body}), "PNG"), np.uint32)
        pixels = eight_bits(halves[..., ::2] * 256 + halves[..., 1::2], 65535)
        return parted(Image.fromarray(pixels))
    plain = _png_of({b"IHDR": header, b"IDAT": body})
    if depth < 16:
        colour, alpha = parted(opened(plain, "PNG"))
        keyed = _keyed(np.asarray(colour) // (255 // (2**depth - 1)), key, depth)
    else:
        samples = sixteen_bits(plain, "PNG")
        keyed = _keyed(samples, key, depth)
        colour, alpha = parted(Image.fromarray(eight_bits(samples, 65535)))
    return colour, alpha if keyed is None else keyed


def _keyed(samples: Pixels | Wide, key: bytes | None, depth: int) -> Pixels | None:
    """Alpha: 0 where the samples are those of a tRNS chunk, 255 elsewhere; None without one."""
    if key is None:
        return None
    bands = samples[..., None] if samples.ndim == 2 else samples
    wanted = np.array(struct.unpack_from(f">{bands.shape[-1]}H", key)) & (2**depth - 1)
    return np.where((bands == wanted).all(axis=-1), 0, 255).astype(np.uint8)


def _inflated(chunk: bytes) -> bytes:
    """The profile of an iCCP chunk (name, NUL, method 0, deflated); empty when it is broken."""
    _, _, packed = chunk.partition(b"\0")
    stream = zlib.decompressobj()
    try:
        profile = stream.decompress(packed[1:], _MOST_PROFILE_BYTES)
    except zlib.error:
        return b""
    return profile if stream.eof and packed[:1] == b"\0" else b""
