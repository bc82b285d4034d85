"""Write PNGs of tiled images quickly, in RGB or with a palette.

A scene is a grid of few different tiles, so most bands of pixel rows occur several times. Each
different band is filtered and deflated once, ended by a full flush (which makes it independent of
what stands before it), and its bytes are reused wherever the band occurs again. zlib-ng deflates
several times as fast as zlib, and alike on every processor. What comes out is an ordinary PNG: one
zlib stream in one IDAT chunk (RFC 1950, RFC 1951, PNG specification 3rd ed.).
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from zlib_ng import zlib_ng

Pixels = npt.NDArray[np.uint8]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_ADLER_BASE = 65521
_LEVEL = 6
_RGB, _PALETTE = 2, 3  # colour types
_MOST_COLORS = 256


def _chunk(kind: bytes, body: bytes) -> bytes:
    crc = zlib_ng.crc32(body, zlib_ng.crc32(kind))
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc)


def _filtered(band: Pixels) -> bytes:
    """Scanlines of a band: filter Sub on the first, which needs no row above it, Up on the rest."""
    height, width, channels = band.shape
    rows = band.reshape(height, width * channels)
    lines = np.empty((height, 1 + width * channels), np.uint8)
    lines[0, 0] = 1
    lines[0, 1 : 1 + channels] = rows[0, :channels]
    np.subtract(rows[0, channels:], rows[0, :-channels], out=lines[0, 1 + channels :])
    lines[1:, 0] = 2
    np.subtract(rows[1:], rows[:-1], out=lines[1:, 1:])
    return lines.tobytes()


def _adler_append(first: int, second: int, length: int) -> int:
    """Adler-32 of two byte strings from the sums of each; ``length`` is that of the second."""
    a1, b1 = first & 0xFFFF, first >> 16
    a2, b2 = second & 0xFFFF, second >> 16
    a = (a1 + a2 - 1) % _ADLER_BASE
    b = (b1 + b2 + length * (a1 - 1)) % _ADLER_BASE
    return b << 16 | a


class Palette:
    """The colours of some images, if they are few enough to be numbered in a byte.

    Args:
        colors: 24-bit numbers of at most 256 colours, ascending.
    """

    def __init__(self, colors: npt.NDArray[np.uint32]) -> None:
        self._colors = colors

    @classmethod
    def of(cls, bands: Iterable[Pixels]) -> Palette | None:
        """The palette of all bands together; None when they have more than 256 colours."""
        table = _table()
        packed = [_packed(band) for band in bands]
        for each in packed:
            table[each] = 1
        colors = np.flatnonzero(table).astype(np.uint32)
        table[colors] = 0
        return cls(colors) if len(colors) <= _MOST_COLORS else None

    @property
    def chunk(self) -> bytes:
        """The body of a PNG's PLTE chunk."""
        levels = self._colors[:, None] >> np.array([16, 8, 0], np.uint32) & np.uint32(255)
        return levels.astype(np.uint8).tobytes()

    def indexes(self, band: Pixels) -> Pixels:
        """Places of a band's colours in the palette: uint8 (height, width, 1)."""
        table = _table()
        table[self._colors] = np.arange(len(self._colors), dtype=np.uint8)
        found: Pixels = table[_packed(band)][:, :, None]
        table[self._colors] = 0
        return found


@cache
def _table() -> npt.NDArray[np.uint8]:
    """A byte for each of all colours, zero between uses."""
    return np.zeros(1 << 24, np.uint8)


def _packed(band: Pixels) -> npt.NDArray[np.uint32]:
    """Colours as 24-bit numbers: uint32 (height, width)."""
    red, green, blue = (band[:, :, channel].astype(np.uint32) for channel in range(3))
    return red << np.uint32(16) | green << np.uint32(8) | blue


class BandEncoder:
    """Encodes images built from bands of pixel rows, remembering each band it has deflated.

    Share one encoder between images that have bands in common (a scene's plain and cued image).

    Args:
        palette: of all of them, for PNGs that number their colours; None for RGB.
    """

    def __init__(self, palette: Palette | None = None) -> None:
        self._palette = palette
        self._deflated: dict[Hashable, tuple[bytes, int, int]] = {}

    def _deflate(self, key: Hashable, band: Pixels) -> tuple[bytes, int, int]:
        if key not in self._deflated:
            raw = _filtered(band if self._palette is None else self._palette.indexes(band))
            stream = zlib_ng.compressobj(_LEVEL, zlib_ng.DEFLATED, -15, 9)
            data = stream.compress(raw) + stream.flush(zlib_ng.Z_FULL_FLUSH)
            self._deflated[key] = (data, zlib_ng.adler32(raw), len(raw))
        return self._deflated[key]

    def encode(self, order: Sequence[Hashable], bands: Mapping[Hashable, Pixels]) -> bytes:
        """One PNG whose bands, from the top, are ``bands[key] for key in order``.

        Args:
            order: keys of the bands; a key must name the same pixels in every call.
            bands: uint8 arrays (height, width, 3), all of one width.
        """
        width = bands[order[0]].shape[1]
        height = sum(bands[key].shape[0] for key in order)
        parts, adler = [b"\x78\x9c"], 1
        for key in order:
            data, band_adler, length = self._deflate(key, bands[key])
            parts.append(data)
            adler = _adler_append(adler, band_adler, length)
        parts.append(b"\x03\x00")  # an empty final block ends the stream
        parts.append(struct.pack(">I", adler))
        kind = _RGB if self._palette is None else _PALETTE
        header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
        return b"".join(
            [
                _SIGNATURE,
                _chunk(b"IHDR", header),
                b"" if self._palette is None else _chunk(b"PLTE", self._palette.chunk),
                _chunk(b"IDAT", b"".join(parts)),
                _chunk(b"IEND", b""),
            ]
        )
