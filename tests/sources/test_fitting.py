"""Fitting: a picture's own padding never shows, and pixel art stays crisp."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.sources.fitting import (
    crop_to_ink,
    crop_to_visible,
    fit_pixel_art,
    fit_smooth,
    flatten,
)
from tests.core_maker import LAW, noise

WHITE = (255, 255, 255)


def sprite(height: int, width: int, seed: int = 0) -> np.ndarray:
    pixels = noise(seed, height, width, 4)
    pixels[..., 3] = 255
    pixels[..., :3] //= 2  # nowhere as light as the background
    return pixels


@LAW
@given(*(st.integers(0, 9) for _ in range(4)), st.integers(1, 6), st.integers(1, 6))
def test_padding_is_cropped_away(
    top: int, bottom: int, left: int, right: int, height: int, width: int
) -> None:
    ink = sprite(height, width)
    padded = np.pad(ink, ((top, bottom), (left, right), (0, 0)))
    padded[padded[..., 3] == 0] = (90, 90, 90, 7)  # as good as invisible
    cropped = crop_to_ink(padded)
    assert cropped is not None
    assert np.array_equal(cropped, ink)


def test_a_picture_without_ink_is_none() -> None:
    assert crop_to_ink(np.zeros((5, 5, 4), np.uint8)) is None


def test_holes_inside_are_kept() -> None:
    pixels = np.zeros((5, 7, 4), np.uint8)
    pixels[1, 1] = pixels[3, 5] = 255
    cropped = crop_to_ink(pixels)
    assert cropped is not None
    assert cropped.shape == (3, 5, 4)


@LAW
@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))
def test_flattening_rounds_to_the_nearest(color: int, alpha: int, back: int) -> None:
    flat = flatten(np.array([[[color] * 3 + [alpha]]], np.uint8), (back,) * 3)
    assert int(flat[0, 0, 0]) == round((color * alpha + back * (255 - alpha)) / 255)


def test_a_tall_picture_is_flattened_like_any_other() -> None:
    pixels = noise(4, 700, 3, 4)
    color, alpha = pixels[..., :3].astype(int), pixels[..., 3:].astype(int)
    back = np.array((10, 200, 90))
    assert np.array_equal(
        flatten(pixels, (10, 200, 90)), (color * alpha + back * (255 - alpha) + 127) // 255
    )
    pixels[..., 3] = 255
    assert np.array_equal(flatten(pixels, (10, 200, 90)), pixels[..., :3])


@LAW
@given(st.integers(0, 10**6), st.integers(1, 600), st.integers(1, 9), st.integers(0, 5))
def test_what_stands_out_from_the_background_is_kept_and_no_more(
    seed: int, height: int, width: int, count: int
) -> None:
    rng = np.random.default_rng(seed)
    back = (250, 128, 3)
    flat = np.empty((height, width, 3), np.uint8)
    flat[:] = back
    flat[..., 1] += rng.integers(-7, 8, (height, width)).astype(np.uint8)  # not to be seen
    ys, xs = rng.integers(0, height, count), rng.integers(0, width, count)
    flat[ys, xs] = rng.choice([(242, 128, 3), (250, 136, 3), (250, 128, 11)], count)
    found = crop_to_visible(flat, back)
    if count == 0:
        assert found is None
        return
    kept = flat[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    assert found is not None
    assert np.array_equal(found, kept)


@LAW
@given(st.integers(1, 32), st.integers(1, 32), st.integers(36, 90))
def test_integer_mode_repeats_every_pixel_by_the_largest_factor(
    height: int, width: int, cell: int
) -> None:
    pixels = sprite(height, width)
    tile = fit_pixel_art(pixels, cell, 0.9, WHITE, "integer")
    factor = int(cell * 0.9) // max(height, width)
    assert tile.shape == (cell, cell, 3)
    ink = np.argwhere((tile != 255).any(axis=-1))
    (top, left), (bottom, right) = ink.min(axis=0), ink.max(axis=0) + 1
    assert (bottom - top, right - left) == (height * factor, width * factor)
    assert abs(top - (cell - bottom)) <= 1
    assert abs(left - (cell - right)) <= 1
    crisp = np.kron(pixels[..., :3], np.ones((factor, factor, 1), np.uint8))
    assert np.array_equal(tile[top:bottom, left:right], crisp)


@LAW
@given(st.integers(1, 40), st.integers(1, 40), st.integers(20, 90))
def test_stretch_mode_fills_the_box_and_invents_no_colour(
    height: int, width: int, cell: int
) -> None:
    pixels = sprite(height, width)
    tile = fit_pixel_art(pixels, cell, 0.9, WHITE, "stretch")
    ink = np.argwhere((tile != 255).any(axis=-1))
    spans = ink.max(axis=0) - ink.min(axis=0) + 1
    assert max(spans) == int(cell * 0.9)
    colors = {tuple(c) for c in tile[(tile != 255).any(axis=-1)]}
    assert colors <= {tuple(c) for c in pixels[..., :3].reshape(-1, 3)}
    if max(height, width) <= int(cell * 0.9):
        # Enlarging loses nothing: every pixel of the sprite is there.
        assert colors == {tuple(c) for c in pixels[..., :3].reshape(-1, 3)}


def test_a_sprite_larger_than_the_box_is_made_smaller_whatever_the_mode() -> None:
    tile = fit_pixel_art(sprite(64, 64), 40, 0.9, WHITE, "integer")
    assert tile.shape == (40, 40, 3)
    assert (tile[2:38, 2:38] != 255).any(axis=-1).all()


@pytest.mark.parametrize(("height", "width"), [(50, 50), (30, 60), (60, 20), (1, 80)])
def test_smooth_fitting_keeps_the_aspect_and_fills_the_longer_side(height: int, width: int) -> None:
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[..., 3] = 255
    tile = fit_smooth(pixels, 50, 0.84, WHITE)
    ink = np.argwhere((tile != 255).any(axis=-1))
    tall, wide = ink.max(axis=0) - ink.min(axis=0) + 1
    assert max(tall, wide) == 42
    assert tall == max(1, round(height * 42 / max(height, width)))
    assert wide == max(1, round(width * 42 / max(height, width)))
    assert tuple(tile[0, 0]) == WHITE
