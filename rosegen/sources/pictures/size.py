"""How large a picture may be."""

from __future__ import annotations

from rosegen.sources.pictures.refusal import Refusal

LARGEST_SIDE = 8192
"""Pixels; what a side may have unless the caller says otherwise."""

MOST_PIXELS = 40_000_000


def check_size(width: int, height: int, max_side: int) -> None:
    """Look at a size in pixels.

    Raises:
        Refusal: it is nothing, or more than ``max_side`` a side or ``MOST_PIXELS`` in all.
    """
    if min(width, height) < 1:
        raise Refusal(f"has no pixels ({width} x {height}): bring another picture")
    if max(width, height) > max_side or width * height > MOST_PIXELS:
        raise Refusal(
            f"is {width} x {height} pixels, more than {max_side} a side or {MOST_PIXELS} in all: "
            "make it smaller"
        )
