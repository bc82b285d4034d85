"""Ink coverage of outlines, against plain geometry and against another rasteriser."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
import resvg_py
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rosegen.sources.outline_raster import ONE, Outline, coverage, coverages, edges
from tests.core_maker import LAW

Ints = npt.NDArray[np.int64]
Point = tuple[int, int]

SIDE = 24
NONE = {width: np.zeros((0, width), np.int64) for width in (4, 6, 8)}
INSIDE = st.integers(0, SIDE * ONE)
ANYWHERE = st.integers(-9 * SIDE * ONE, 9 * SIDE * ONE)
CORNERS = st.lists(st.tuples(INSIDE, INSIDE), min_size=3, max_size=7)
WILD_CORNERS = st.lists(st.tuples(ANYWHERE, ANYWHERE), min_size=3, max_size=7)


def closed(corners: list[Point]) -> Ints:
    """The edges of a polygon."""
    around = [*corners, corners[0]]
    return np.array([(*a, *b) for a, b in pairwise(around)], np.int64)


def rectangle(left: float, top: float, right: float, bottom: float) -> Ints:
    corners = [(left, top), (left, bottom), (right, bottom), (right, top)]
    return closed([(round(x * ONE), round(y * ONE)) for x, y in corners])


def test_a_rectangle_covers_each_pixel_by_the_share_of_it_that_it_fills() -> None:
    ink = coverage(rectangle(1.25, 0.5, 3.5, 2), height=3, width=5)
    half = [[0, 96, 128, 64, 0]]
    full = [[0, 191, 255, 128, 0]]
    assert ink.tolist() == [*half, *full, [0] * 5]


def test_no_outline_is_no_ink() -> None:
    assert not coverage(edges(NONE[4], NONE[6], NONE[8]), 4, 6).any()
    assert coverage(NONE[4], 4, 6).shape == (4, 6)


@LAW
@given(st.tuples(INSIDE, INSIDE), st.tuples(INSIDE, INSIDE), st.tuples(INSIDE, INSIDE))
def test_a_triangle_has_as_much_ink_as_its_area(a: Point, b: Point, c: Point) -> None:
    area = abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / (2 * ONE * ONE)
    ink = coverage(closed([a, b, c]), SIDE, SIDE)
    # Each pixel is rounded to 1/255, and where an edge meets a pixel's side to 1/256 pixel.
    assert ink.sum(dtype=np.int64) / 255 == pytest.approx(area, abs=0.6)


@LAW
@given(WILD_CORNERS)
def test_what_leaves_the_picture_is_cut_off_and_changes_nothing_inside(
    corners: list[Point],
) -> None:
    margin = 9 * SIDE
    whole = coverage(closed(corners) + margin * ONE, SIDE + 2 * margin, SIDE + 2 * margin)
    inside = whole[margin:-margin, margin:-margin]
    assert np.array_equal(coverage(closed(corners), SIDE, SIDE), inside)


@LAW
@given(st.lists(st.one_of(WILD_CORNERS, CORNERS), max_size=6), st.integers(1, 40))
def test_many_shapes_at_once_are_drawn_as_each_alone(
    polygons: list[list[Point]], block: int
) -> None:
    shapes = [closed(corners) for corners in polygons] + [NONE[4]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosegen.sources.outline_raster._BLOCK", block)
        together = coverages(shapes, SIDE, SIDE + 3)
    assert together.shape == (len(shapes), SIDE, SIDE + 3)
    for ink, shape in zip(together, shapes):
        assert np.array_equal(ink, coverage(shape, SIDE, SIDE + 3))


@LAW
@given(CORNERS, st.integers(0, 5), st.integers(0, 5))
def test_moving_by_whole_pixels_moves_the_picture(corners: list[Point], x: int, y: int) -> None:
    moved = closed(corners) + np.array([x, y] * 2) * ONE
    still = coverage(closed(corners), SIDE, SIDE)
    assert np.array_equal(coverage(moved, SIDE + y, SIDE + x)[y:, x:], still)


@LAW
@given(CORNERS, st.integers(0, 6))
def test_neither_the_first_point_nor_the_direction_of_a_contour_shows(
    corners: list[Point], start: int
) -> None:
    turned = corners[start:] + corners[:start] if start < len(corners) else corners
    there = coverage(closed(turned), SIDE, SIDE)
    back = coverage(closed(turned[::-1]), SIDE, SIDE)
    assert np.array_equal(there, coverage(closed(corners), SIDE, SIDE))
    assert np.array_equal(there, back)


def test_overlapping_contours_are_no_darker_and_a_contour_the_other_way_is_a_hole() -> None:
    outer, inner = rectangle(2, 2, 12, 12), rectangle(5, 5, 9, 9)
    alone = coverage(outer, SIDE, SIDE)
    assert np.array_equal(coverage(np.concatenate([outer, inner]), SIDE, SIDE), alone)
    backwards = inner[:, [2, 3, 0, 1]]
    holed = coverage(np.concatenate([outer, backwards]), SIDE, SIDE)
    assert not holed[5:9, 5:9].any()
    assert (holed == 255).sum() == 100 - 16


def test_curves_are_filled_as_resvg_fills_them_at_sixteen_times_the_size() -> None:
    outline = Outline()
    outline.moveTo((3 * ONE, 4 * ONE))
    outline.curveTo((9 * ONE, -3 * ONE), (15 * ONE, 9 * ONE), (20 * ONE, 4 * ONE))
    outline.qCurveTo((25 * ONE, 14 * ONE), (16 * ONE, 21 * ONE))
    outline.lineTo((4 * ONE, 17 * ONE))
    outline.closePath()
    path = "M3 4C9 -3 15 9 20 4Q25 14 16 21L4 17Z"
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="{path}"/></svg>'
    png = resvg_py.svg_to_bytes(
        svg_string=svg, width=16 * SIDE, height=16 * SIDE, skip_system_fonts=True
    )
    with Image.open(io.BytesIO(bytes(png))) as image:
        fine = np.asarray(image.convert("RGBA"))[..., 3].astype(np.float64)
    expected = fine.reshape(SIDE, 16, SIDE, 16).mean(axis=(1, 3))
    lines, quads, cubics = (
        np.array(rows, np.int64) for rows in (outline.lines, outline.quads, outline.cubics)
    )
    ink = coverage(edges(lines, quads, cubics), SIDE, SIDE)
    assert np.abs(ink - expected).max() < 5
    assert np.abs(ink - expected).mean() < 0.3


def test_a_disc_has_the_area_of_a_disc_at_any_size() -> None:
    for radius in (3, 30, 300):
        r, k = radius * ONE, round(0.5522847498 * radius * ONE)
        cubics = np.array(
            [
                (0, r, k, r, r, k, r, 0),
                (r, 0, r, -k, k, -r, 0, -r),
                (0, -r, -k, -r, -r, -k, -r, 0),
                (-r, 0, -r, k, -k, r, 0, r),
            ],
            np.int64,
        )
        side = 2 * radius + 2
        around = edges(NONE[4], NONE[6], cubics) + side * ONE // 2
        ink = coverage(around, side, side).sum(dtype=np.int64) / 255
        # A chord is at most 1/64 pixel inside its arc.
        assert ink == pytest.approx(np.pi * radius**2, rel=0.0003, abs=2 * np.pi * radius / 64)


def test_a_contour_left_open_is_closed_before_the_next_begins() -> None:
    outline = Outline()
    outline.moveTo((0, 0))
    outline.lineTo((0, 4 * ONE))
    outline.lineTo((4 * ONE, 4 * ONE))
    outline.moveTo((9 * ONE, 9 * ONE))
    assert outline.lines[-1] == (4 * ONE, 4 * ONE, 0, 0)
    ink = coverage(np.array(outline.lines, np.int64), SIDE, SIDE)
    assert ink.sum(dtype=np.int64) / 255 == pytest.approx(8, abs=0.1)
