"""Decode an icon: the largest of its sizes."""

from __future__ import annotations

import struct
from dataclasses import replace

from rosegen.sources.pictures.model import Decoded
from rosegen.sources.pictures.pillow import opened, parted
from rosegen.sources.pictures.png import SIGNATURE, decode_png
from rosegen.sources.pictures.size import check_size


def decode_ico(data: bytes, max_side: int) -> Decoded:
    """The largest size of an icon, which is a PNG or a bitmap without a file header.

    Sources: the ICO layout as Microsoft documents it (ICONDIR, ICONDIRENTRY, BITMAPINFOHEADER).

    Raises:
        Refusal: it is too large.
        Exception: of any kind, when it is damaged.
    """
    (count,) = struct.unpack_from("<H", data, 4)
    entries = [struct.unpack_from("<BBBBHHII", data, 6 + 16 * i) for i in range(count)]
    # 0 stands for 256. Of one size the deepest is taken, of one depth the first.
    if not entries:
        raise ValueError("it holds no picture")
    best = max(entries, key=lambda e: ((e[0] or 256) * (e[1] or 256), e[5]))
    length, offset = best[6:]
    content = data[offset : offset + length]
    if len(content) < length:
        raise ValueError("it ends before the picture does")
    if content.startswith(SIGNATURE):
        decoded = decode_png(content, max_side)
    else:
        header, width, height, _, depth = struct.unpack_from("<IiiHH", content)
        if header < 40:
            raise ValueError("an old kind of bitmap")
        check_size(width, height // 2, max_side)  # the colours and below them the mask
        if depth == 32 and not any(content[header + 3 : header + 4 * width * (height // 2) : 4]):
            depth = 24  # its alpha says nothing, so its mask cuts it out
        entry = struct.pack("<BBBBHHII", *best[:5], depth, length, 22)
        colour, alpha = parted(opened(struct.pack("<HHH", 0, 1, 1) + entry + content, "ICO"))
        decoded = Decoded(colour, alpha)
    if count == 1:
        return decoded
    width, height = decoded.colour.size
    note = f"largest of {count} sizes ({width} x {height})"
    return replace(decoded, notes=(note, *decoded.notes))
