"""Decode a JPEG, and notice when it is not whole.

libjpeg fills what is missing with grey or leaves it blurred, and Pillow hides its warning. So a
JPEG is decoded once more with nonsense put before every marker that ends coded data. A scan that
is whole never reads so far, and its decoder skips what stands before a marker (JPEG, ITU-T T.81,
B.1.1.2); one that is cut short shows the nonsense.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from PIL import Image, ImageChops

from rosegen.sources.pictures.model import Decoded
from rosegen.sources.pictures.pillow import opened
from rosegen.sources.pictures.raster import decode_raster
from rosegen.sources.pictures.refusal import Refusal

_MOST_SCANS = 100
"""Those who write progressive JPEGs use about ten; each costs a walk over the whole picture."""

# Markers by their second byte: T.81, table B.1.
_SEQUENTIAL, _PROGRESSIVE = (0xC0, 0xC1), 0xC2
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_END, _SCAN = 0xD9, 0xDA
_MARKER = re.compile(rb"\xff+([^\xff])", re.DOTALL)
_ALONE = {0x00, 0x01, *range(0xD0, 0xD9)}  # with no length after them

_RESTART = re.compile(rb"\xff+[\xd0-\xd7]")
_END_OF_SCAN = re.compile(rb"\xff+[^\x00\xff\xd0-\xd7]")
_NONSENSE = random.Random(1).randbytes(64).replace(b"\xff", b"")


@dataclass(frozen=True)
class _Scans:
    """The coded data of a JPEG.

    Attributes:
        spans: where those of each scan start and end.
        end: of the picture, behind its last marker.
        huffman: whether they are coded by Huffman, without arithmetic.
        complete: whether the scans bring every coefficient, to its last bit.
    """

    spans: tuple[tuple[int, int], ...]
    end: int
    huffman: bool
    complete: bool


def decode_jpeg(data: bytes, max_side: int) -> Decoded:
    """The first frame.

    Raises:
        Refusal: it is too large, or has absurdly many scans.
        Exception: of any kind, when it is damaged or not whole.
    """
    scans = _scans_of(data)
    decoded = decode_raster(data, "JPEG", max_side)
    _check(data, scans, decoded.colour)
    return decoded


def check_whole(data: bytes) -> None:
    """Look whether a JPEG inside another file is whole.

    Raises:
        Refusal: it has absurdly many scans.
        Exception: of any kind, when it is damaged or not whole.
    """
    scans = _scans_of(data)
    image = opened(data, "JPEG")
    image.load()
    _check(data, scans, image)


def _check(data: bytes, scans: _Scans, image: Image.Image) -> None:
    if not scans.complete:
        raise ValueError("it ends before its last scans")
    # A coder by arithmetic leaves out zeros at the end, so that its decoder reads on.
    if scans.huffman:
        again = opened(_with_nonsense(data, scans), "JPEG")
        if ImageChops.difference(again, image).getbbox() is not None:
            raise ValueError("a scan ends before the picture does")


def _scans_of(data: bytes) -> _Scans:
    """Walk over the markers of the first picture.

    Raises:
        Refusal: there are absurdly many scans.
        IndexError: a segment is too short.
    """
    spans: list[tuple[int, int]] = []
    frame, components = 0, b""
    missing: dict[tuple[int, int], int] = {}
    at = 2
    while True:
        found = _MARKER.search(data, at)
        if found is None:  # without an end, whether anything is missing is told by Pillow
            at = len(data)
            break
        marker, at = found[1][0], found.end()
        if marker == _END:
            break
        if marker in _ALONE:
            continue
        length = int.from_bytes(data[at : at + 2], "big")
        content = data[at + 2 : at + length]
        at += length
        if marker in _FRAMES:
            frame, components = marker, content[6::3]
            missing = {(part, place): 1 for part in components for place in range(64)}
        elif marker == _SCAN:
            if len(spans) == _MOST_SCANS:
                raise Refusal(f"is a JPEG of more than {_MOST_SCANS} scans: save it as PNG")
            found = _END_OF_SCAN.search(data, at)
            end = len(data) if found is None else found.start()
            spans.append((at, end))
            at = end
            _count_off(missing, frame, content)
    complete = frame not in (*_SEQUENTIAL, _PROGRESSIVE) or not any(missing.values())
    return _Scans(tuple(spans), at, frame in (*_SEQUENTIAL, _PROGRESSIVE), complete)


def _count_off(missing: dict[tuple[int, int], int], frame: int, scan: bytes) -> None:
    """Note how many bits of each coefficient a scan leaves to later ones (T.81, B.2.3, G.1.1.1)."""
    parts = scan[1 : 1 + 2 * scan[0] : 2]
    first, last, bits = scan[1 + 2 * scan[0] :][:3]
    if frame != _PROGRESSIVE:
        first, last, bits = 0, 63, 0
    for part in parts:
        for place in range(first, min(last, 63) + 1):
            missing[part, place] = bits & 15


def _with_nonsense(data: bytes, scans: _Scans) -> bytes:
    """The picture with nonsense at the end of its scans and of the intervals they fall into."""
    parts, at = [], 0
    for start, end in scans.spans:
        coded, restarts = _RESTART.subn(lambda found: _NONSENSE + found[0], data[start:end])
        # Where an interval is missing, too, a decoder skips all but the restart it waits for.
        restart = bytes((0xFF, 0xD0 + restarts % 8))
        parts += [data[at:start], coded, _NONSENSE, restart, _NONSENSE]
        at = end
    return b"".join([*parts, data[at : scans.end]])
