"""Decode an SVG: looked at first, then drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

from rosegen.sources.pictures.model import Decoded
from rosegen.sources.pictures.png import decode_png
from rosegen.sources.pictures.refusal import Refusal
from rosegen.sources.pictures.svg_checks import NAMESPACE, check_elements, check_xml
from rosegen.sources.pictures.svg_drawing import drawn

_MOST_SVG_BYTES = 16 << 20
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?"
_LENGTH = re.compile(rf"({_NUMBER})(p[xtc]|[mc]m|in|)", re.IGNORECASE)
# Pixels a unit, by CSS: 96 an inch.
_UNITS = {"": 1, "px": 1, "pt": 96 / 72, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96}


def decode_svg(data: bytes, max_side: int, side: int) -> Decoded:
    """An SVG drawn with its longer side ``side`` pixels; what it states is at most ``max_side``.

    Raises:
        Refusal: it is too large, or would not be drawn as it is meant.
        Exception: of any kind, when it is damaged.
    """
    if len(data) > _MOST_SVG_BYTES:
        raise Refusal(f"is an SVG of more than {_MOST_SVG_BYTES >> 20} MiB: save it as PNG")
    check_xml(data)
    root = ElementTree.fromstring(data)
    if root.tag not in ("svg", NAMESPACE + "svg"):
        raise Refusal("is XML but no SVG: save it as PNG")
    notes = [""]
    if check_elements(root):
        notes.append("animation left out")
    width, height = _stated_size(root)
    if max(width, height) > max_side:
        raise Refusal(
            f"is an SVG of {width:.0f} x {height:.0f} pixels, more than {max_side} a side: give it "
            "a smaller width and height"
        )
    # What has been looked at is drawn, and nothing else that another parser might see.
    decoded = decode_png(drawn(ElementTree.tostring(root), side), side)
    notes[0] = f"drawn from SVG at {decoded.colour.width} x {decoded.colour.height}"
    return replace(decoded, notes=tuple(notes))


def _stated_size(root: ElementTree.Element) -> tuple[float, float]:
    """Width and height in pixels; what is not stated, or not in pixels, is that of the viewBox."""
    box = re.split(r"[\s,]+", root.get("viewBox", "").strip())
    sizes = []
    for key, inner in zip(("width", "height"), box[2:] if len(box) == 4 else ("", "")):
        found = _LENGTH.fullmatch(root.get(key, "").strip()) or _LENGTH.fullmatch(inner)
        sizes.append(float(found[1]) * _UNITS[found[2].lower()] if found else 0.0)
    return sizes[0], sizes[1]
