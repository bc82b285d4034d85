"""Whether a cue can be seen: how far its colours lie from the background of the cells."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rosegen.render.cue import Color, CueStyle, CueType, masked
from rosegen.sources.similarity import lab

MIN_CONTRAST = 15.0
"""The least CIE 1976 difference between the background and a cue on it.

In patches side by side about 2.3 is just noticeable (Mahy, Van Eycken and Oosterlinck 1994). Small
marks need more: by the model of Stone, Szafir and Setlur (2014) half of all viewers tell two marks
of a third of a degree apart at 7 in L*, 10 in a* or 14 in b*. A cue must be seen by all, so the
floor lies above the last of these. The cues of the shipped pipelines are at 21.6 and more; a light
grey box (#dddddd) on white is at 11.9.
"""


def color_difference(one: Color, other: Color) -> float:
    """The CIE 1976 difference of two sRGB colours; black and white are 100 apart."""
    first, second = lab(np.array([one, other], np.uint8))
    return float(np.linalg.norm(first - second))


def cue_contrasts(style: CueStyle, background: Color) -> Mapping[CueType, float]:
    """How far the box's colour, and the background under the mask, lie from the background."""
    under = masked(np.array([[background]], np.uint8), style)[0, 0]
    return {
        CueType.OUTLINE_BOX: color_difference(style.outline_color, background),
        CueType.MASK: color_difference((int(under[0]), int(under[1]), int(under[2])), background),
    }
