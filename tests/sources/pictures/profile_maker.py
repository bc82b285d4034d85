"""ICC profiles made on the spot: of RGB, of grey and of inks."""

from __future__ import annotations

import struct

import numpy as np


def fixed(*values: float) -> bytes:
    """Numbers as a profile holds them: 16 bits before the point and 16 after it."""
    return b"".join(struct.pack(">i", round(value * 65536)) for value in values)


def icc(space: bytes, kind: bytes, connection: bytes, tags: dict[bytes, bytes]) -> bytes:
    """A profile of the ICC's version 2.4."""
    start = 128 + 4 + 12 * len(tags)
    table, body = struct.pack(">I", len(tags)), b""
    for name, content in tags.items():
        table += name + struct.pack(">II", start + len(body), len(content))
        body += content + bytes(-len(content) % 4)
    size = struct.pack(">I", start + len(body))
    head = size + bytes(4) + b"\x02\x40\0\0" + kind + space + connection + bytes(12) + b"acsp"
    head = head.ljust(68, b"\0") + fixed(0.9642, 1, 0.8249)
    return head.ljust(128, b"\0") + table + body


WHITE = b"XYZ \0\0\0\0" + fixed(0.9642, 1, 0.8249)
# The primaries of sRGB seen under D50 (IEC 61966-2-1, adapted by Bradford).
PRIMARIES = [
    (0.4360747, 0.2225045, 0.0139322),
    (0.3850649, 0.7168786, 0.0971045),
    (0.1430804, 0.0606169, 0.7141733),
]


def curve(*points: int) -> bytes:
    """A table of 16 bits; without points the light is as the value."""
    return b"curv\0\0\0\0" + struct.pack(f">I{len(points)}H", len(points), *points)


def srgb_curve() -> bytes:
    """The light of each value in sRGB (IEC 61966-2-1)."""
    value = np.arange(1024) / 1023
    light = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return curve(*(int(point) for point in np.rint(light * 65535)))


def rgb_profile(order: tuple[int, int, int]) -> bytes:
    """Like sRGB, with its three primaries in this order."""
    tags = {b"wtpt": WHITE}
    for name, primary in zip((b"r", b"g", b"b"), order):
        tags[name + b"XYZ"] = b"XYZ \0\0\0\0" + fixed(*PRIMARIES[primary])
        tags[name + b"TRC"] = srgb_curve()
    return icc(b"RGB ", b"mntr", b"XYZ ", tags)


def grey_profile() -> bytes:
    """Grey as an even scale of light."""
    return icc(b"GRAY", b"mntr", b"XYZ ", {b"wtpt": WHITE, b"kTRC": curve()})


def cmyk_profile() -> bytes:
    """Inks that are another colour than they are called: cyan prints red, black prints black."""
    corners = b""
    for number in range(16):  # cyan changes slowest
        cyan, black = number >> 3 & 1, number & 1
        lab = (0, 0, 0) if black else (54, 80, 70) if cyan else (100, 0, 0)
        corners += bytes((round(lab[0] * 2.55), lab[1] + 128, lab[2] + 128))
    even = bytes(range(256))
    table = b"mft1\0\0\0\0" + bytes((4, 3, 2, 0)) + fixed(1, 0, 0, 0, 1, 0, 0, 0, 1)
    tables = {b"wtpt": WHITE, b"A2B0": table + even * 4 + corners + even * 3}
    return icc(b"CMYK", b"prtr", b"Lab ", tables)
