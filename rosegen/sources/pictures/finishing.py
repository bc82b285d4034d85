"""Make a picture of what was decoded: its colours in sRGB, alpha beside them, the top up."""

from __future__ import annotations

import numpy as np

from rosegen.sources.pictures.colour import srgb
from rosegen.sources.pictures.model import Decoded, Picture
from rosegen.sources.pictures.orientation import turned, upright
from rosegen.sources.pictures.refusal import Refusal


def finished(decoded: Decoded) -> Picture:
    """The picture, its notes in the order in which things were done.

    Raises:
        Refusal: it is fully transparent.
    """
    rgb, done = srgb(decoded.colour, decoded.profile)
    notes = [*decoded.notes, *done]
    height, width, _ = rgb.shape
    alpha = np.full((height, width), 255, np.uint8) if decoded.alpha is None else decoded.alpha
    if not alpha.any():
        raise Refusal("is fully transparent: bring a picture that shows something")
    rgba = np.dstack([rgb, alpha])
    if decoded.orientation != 1:
        rgba = upright(rgba, decoded.orientation)
        notes.append(turned(decoded.orientation))
    rgba = np.ascontiguousarray(rgba)
    rgba.setflags(write=False)
    return Picture(rgba, tuple(notes))
