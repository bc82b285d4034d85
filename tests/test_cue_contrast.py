"""How well a cue is seen: the build's reading and verify's are of one mind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.cue_contrast import MIN_CONTRAST, color_difference, cue_contrasts
from rosegen.render.cue import Color, CueStyle, CueType
from rosegen.settings import SETTINGS
from rosegen.verify.cues import LEAST_CONTRAST, MASK, OUTLINE, Look
from tests.core_maker import LAW

LEVEL = st.integers(0, 255)
COLOR = st.tuples(LEVEL, LEVEL, LEVEL)


def test_the_difference_is_that_of_cie_1976() -> None:
    assert color_difference((0, 0, 0), (255, 255, 255)) == pytest.approx(100, abs=0.01)
    # L*a*b* of sRGB red (D65) is 53.24, 80.09, 67.20; of white 100, 0, 0.
    assert color_difference((255, 0, 0), (255, 255, 255)) == pytest.approx(114.5, abs=0.1)


@LAW
@given(outline=COLOR, mask=COLOR, alpha=st.integers(1, 254), background=COLOR)
def test_verify_sees_a_cue_as_well_as_the_build_does(
    outline: Color, mask: Color, alpha: int, background: Color
) -> None:
    style = CueStyle(outline, "this", 0.035, mask, "that", alpha)
    built = cue_contrasts(style, background)
    look = Look(outline, 0.035, mask, alpha)
    assert built[CueType.OUTLINE_BOX] == pytest.approx(look.contrast(OUTLINE, background), abs=0.04)
    assert built[CueType.MASK] == pytest.approx(look.contrast(MASK, background), abs=0.04)


def test_both_ask_for_the_same_and_the_usual_cues_are_well_above_it() -> None:
    assert MIN_CONTRAST == LEAST_CONTRAST
    usual = cue_contrasts(CueStyle.read(SETTINGS["cues"]), (255, 255, 255))
    assert min(usual.values()) > 1.4 * MIN_CONTRAST
