"""Edits of sprites: small, visible, inside the silhouette, and the same for the same draws."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pytest
from skimage.color import rgb2lab

from rosegen.data import assets_dir
from rosegen.draws import Draws
from rosegen.sources.pixel_edits import (
    LARGEST_SHARE,
    LEAST_COLOR_STEP,
    LEAST_SHARE,
    OPERATIONS,
    edit,
)
from rosegen.sources.sprites import load_sprites
from tests.core_maker import noise

Pixels = npt.NDArray[np.uint8]


@lru_cache(maxsize=1)
def sprites() -> tuple[Pixels, ...]:
    """Every fortieth of rosegen's own, so some of each category."""
    return tuple(sprite.pixels for sprite in load_sprites(assets_dir() / "sprites")[::40])


def edits(operation: str) -> list[tuple[Pixels, Pixels]]:
    made = [(s, edit(s, operation, Draws("test", n))) for n, s in enumerate(sprites())]
    return [(before, after) for before, after in made if after is not None]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_edit_is_small_and_visible_and_keeps_the_silhouette(operation: str) -> None:
    made = edits(operation)
    assert len(made) >= len(sprites()) // 4, "hardly a sprite gives this edit"
    for before, after in made:
        assert np.array_equal(after[..., 3], before[..., 3])
        ink = before[..., 3] > 0
        assert np.array_equal(after[~ink], before[~ink])
        step = np.linalg.norm(rgb2lab(after[..., :3]) - rgb2lab(before[..., :3]), axis=-1)
        share = np.count_nonzero((step >= LEAST_COLOR_STEP) & ink) / np.count_nonzero(ink)
        assert LEAST_SHARE <= share <= LARGEST_SHARE


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_edit_depends_on_its_draws_alone_and_leaves_the_sprite_be(operation: str) -> None:
    looks: set[bytes | None] = set()
    for sprite in sprites()[:12]:
        before = sprite.copy()
        made = [edit(sprite, operation, Draws("again", n)) for n in (1, 1, 2, 3)]
        assert np.array_equal(sprite, before)
        same = [None if e is None else e.tobytes() for e in made]
        assert same[0] == same[1]
        looks |= set(same)
    assert len(looks - {None}) >= 3


def face(side: int = 16) -> Pixels:
    """A tile that fills its canvas, as textures do, with one detail at its upper edge."""
    pixels = np.empty((side, side, 4), np.uint8)
    pixels[:] = (40, 60, 200, 255)
    pixels[0:2, 3:6, :3] = (250, 240, 20)
    return pixels


def test_a_detail_moves_by_three_pixels_at_most() -> None:
    before = face()
    for number in range(60):
        after = edit(before, "move", Draws("move", number))
        if after is None:
            continue
        rows, cols = np.nonzero((after != before).any(axis=-1))
        assert rows.max() <= 1 + 3
        assert cols.min() >= 3 - 3
        assert cols.max() <= 5 + 3


@pytest.mark.parametrize("operation", OPERATIONS)
def test_soft_edges_stay_where_they_are(operation: str) -> None:
    """A sprite of a pack may be drawn with half-transparent pixels."""
    before = np.zeros((16, 16, 4), np.uint8)
    before[..., :3] = np.repeat(np.repeat(noise(3, 8, 8, 3), 2, axis=0), 2, axis=1)
    before[2:14, 2:14, 3] = 120
    before[3:13, 3:13, 3] = 255
    for number in range(40):
        after = edit(before, operation, Draws("soft", number))
        if after is not None:
            assert np.array_equal(after[..., 3], before[..., 3])


@pytest.mark.parametrize("operation", ["erase", "move", "mirror"])
def test_a_sprite_of_one_colour_has_no_detail_to_edit(operation: str) -> None:
    plain = np.zeros((16, 16, 4), np.uint8)
    plain[4:12, 4:12] = (80, 80, 80, 255)
    assert edit(plain, operation, Draws("plain")) is None


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.filterwarnings("error")
def test_a_sprite_without_ink_gives_no_edit(operation: str) -> None:
    empty = np.zeros((16, 16, 4), np.uint8)
    empty[3, 3, 0] = 200  # colour that nobody sees
    assert edit(empty, operation, Draws("empty")) is None
