"""Cues: band by band they come out as if drawn on the whole image at once."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.geometry import Box, Cell
from rosegen.render.cue import CueStyle, CueType, masked
from rosegen.render.grid import Banded, cued_image, plain_image
from tests.core_maker import LAW, noise

Pixels = npt.NDArray[np.uint8]

STYLE = CueStyle((224, 32, 32), "red", 0.035, (48, 112, 240), "blue", 64)


def naive(image: Pixels, cell: int, box: Box, kind: CueType, style: CueStyle) -> Pixels:
    """Each pixel for itself, by where its distance to the box puts it."""
    half = max(2, int(cell * style.outline_half_width))
    top, bottom = (box.r1 - 1) * cell, box.r2 * cell
    left, right = (box.c1 - 1) * cell, box.c2 * cell
    out = image.copy()
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            if kind is CueType.MASK:
                if top <= y < bottom and left <= x < right:
                    out[y, x] = [
                        round(
                            Fraction(int(p) * (255 - style.mask_alpha) + c * style.mask_alpha, 255)
                        )
                        for p, c in zip(image[y, x], style.mask_color)
                    ]
                continue
            near = top - half <= y < bottom + half and left - half <= x < right + half
            deep = top + half <= y < bottom - half and left + half <= x < right - half
            if near and not deep:
                out[y, x] = style.outline_color
    return out


@st.composite
def cases(draw: st.DrawFn) -> tuple[Banded, int, Box, CueStyle]:
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cell = draw(st.integers(5, 14))
    r1, c1 = draw(st.integers(1, rows)), draw(st.integers(1, cols))
    box = Box(r1, draw(st.integers(r1, rows)), c1, draw(st.integers(c1, cols)))
    spots = draw(st.lists(st.tuples(st.integers(1, rows), st.integers(1, cols)), max_size=3))
    seed = draw(st.integers(0, 999))
    plain = plain_image(
        rows,
        cols,
        noise(seed, cell, cell, 3),
        noise(seed + 1, cell, cell, 3),
        [Cell(*s) for s in spots],
    )
    style = replace(
        STYLE,
        outline_half_width=draw(st.sampled_from([0.01, 0.2])),
        mask_alpha=draw(st.integers(1, 254)),
    )
    return plain, cell, box, style


@LAW
@given(cases(), st.sampled_from([CueType.MASK, CueType.OUTLINE_BOX]))
def test_cues_are_what_a_drawing_of_the_whole_gives(
    case: tuple[Banded, int, Box, CueStyle], kind: CueType
) -> None:
    plain, cell, box, style = case
    before = plain.array()
    cued = cued_image(plain, cell, box, kind, style)
    assert np.array_equal(cued.array(), naive(before, cell, box, kind, style))
    assert np.array_equal(plain.array(), before)


def test_bands_the_cue_leaves_alone_are_shared() -> None:
    plain = plain_image(6, 6, noise(0, 20, 20, 3), noise(1, 20, 20, 3), [Cell(1, 1)])
    cued = cued_image(plain, 20, Box(3, 4, 2, 5), CueType.MASK, STYLE)
    assert cued.order[:2] == plain.order[:2]
    assert cued.order[4:] == plain.order[4:]
    assert len(set(cued.order)) == 3


@LAW
@given(st.integers(0, 255), st.integers(0, 255), st.integers(1, 254))
def test_the_mask_rounds_to_the_nearest(value: int, color: int, alpha: int) -> None:
    style = replace(STYLE, mask_color=(color,) * 3, mask_alpha=alpha)
    exact = Fraction(value * (255 - alpha) + color * alpha, 255)
    assert int(masked(np.full((1, 1, 3), value, np.uint8), style)[0, 0, 0]) == round(exact)


@pytest.mark.parametrize(("cell", "reach"), [(16, 2), (57, 2), (58, 2), (86, 3), (150, 5)])
def test_the_stroke_grows_with_the_cell_and_is_never_thin(cell: int, reach: int) -> None:
    assert STYLE.half_width(cell) == reach
