"""Decode the scanlines of a PNG straight into an array.

Pillow inflates a line at a time with the system's zlib and keeps four bytes a pixel; over a
release's gigabytes that takes several times as long. Only the filters None, Sub and Up are undone
here (PNG specification, 3rd edition, section 9); an image with another filter is left to Pillow.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from zlib_ng import zlib_ng

from rosegen.verify.reading import UnreadableError

Pixels = npt.NDArray[np.uint8]

_NONE, _SUB, _UP = 0, 1, 2
_PIECE = 1 << 18
"""Bytes inflated at a time; they stay in the processor's cache until they are unfiltered."""


def unfilter(stream: bytes, pixels: Pixels) -> bool:
    """Fill ``pixels`` with an image's pixels.

    Args:
        stream: the bodies of the PNG's IDAT chunks, joined.
        pixels: uint8 (height, width, channels), contiguous.

    Returns:
        Whether it is done; not when a line has another filter, and what is in ``pixels`` then is
        of no use.

    Raises:
        UnreadableError: when the stream is damaged, too short or too long.
    """
    height, width, channels = pixels.shape
    length = channels * width
    image = pixels.reshape(height, length)
    at_once = max(1, _PIECE // (length + 1))
    inflate = zlib_ng.decompressobj()
    above = np.zeros(length, np.uint8)
    try:
        for top in range(0, height, at_once):
            count = min(at_once, height - top)
            piece = _exactly(inflate, stream, count * (length + 1))
            stream = inflate.unconsumed_tail
            lines = np.frombuffer(piece, np.uint8).reshape(count, length + 1)
            filters = lines[:, 0].tolist()
            if max(filters) > _UP:
                return False
            for line, kind, out in zip(lines[:, 1:], filters, image[top : top + count]):
                if kind == _UP:
                    np.add(line, above, out=out)
                elif kind == _SUB:
                    steps, sums = line.reshape(width, channels), out.reshape(width, channels)
                    np.add.accumulate(steps, axis=0, dtype=np.uint8, out=sums)
                else:
                    out[:] = line
                above = out
        if inflate.decompress(stream, 1) or inflate.unconsumed_tail or inflate.unused_data:
            raise UnreadableError("has more pixel data than its header says")
    except zlib_ng.error as error:  # type: ignore[misc]  # its stub calls it no class
        raise UnreadableError(f"cannot be decoded: {error}") from None
    if not inflate.eof:
        raise UnreadableError("is truncated: its pixel data have no end")
    return True


def _exactly(inflate: zlib_ng._Decompress, stream: bytes, count: int) -> bytes:
    piece = inflate.decompress(stream, count)
    if len(piece) == count:
        return piece
    # A call may return less than it could, so only one that returns nothing means the end.
    pieces = [piece]
    while count > sum(map(len, pieces)):
        pieces.append(inflate.decompress(inflate.unconsumed_tail, count - sum(map(len, pieces))))
        if not pieces[-1]:
            raise UnreadableError("is truncated: it has fewer pixels than its header says")
    return b"".join(pieces)
