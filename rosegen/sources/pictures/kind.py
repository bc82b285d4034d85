"""Tell what kind of picture a file holds by its first bytes."""

from __future__ import annotations

import re

from rosegen.sources.pictures.refusal import Refusal

_MAGIC = (
    ("PNG", rb"\x89PNG\r\n\x1a\n"),
    ("JPEG", rb"\xff\xd8\xff"),
    ("GIF", rb"GIF8[79]a"),
    ("WEBP", rb"RIFF....WEBP"),
    ("TIFF", rb"II[*+]\0|MM\0[*+]"),
    ("BMP", rb"BM"),
    ("ICO", rb"\0\0\x01\0"),
    ("SVG", rb"(\xef\xbb\xbf)?\s*<|\xff\xfe<\0|\xfe\xff\0<"),
)


def kind_of(data: bytes) -> str:
    """PNG, JPEG, GIF, WEBP, TIFF, BMP, ICO or SVG.

    Raises:
        Refusal: it is none of them.
    """
    for kind, start in _MAGIC:
        if re.match(start, data, re.DOTALL):
            if kind == "SVG" and not re.search(rb"s\0?v\0?g", data):
                break  # the page of an error, most often
            return kind
    raise Refusal(
        "is no picture of a kind that is read (PNG, JPEG, GIF, WebP, BMP, ICO, TIFF, SVG): "
        "save it as PNG"
    )
