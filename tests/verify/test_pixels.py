"""Exceptions and cues are read from pixels, whatever the tiles, the region and the cue's look."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from rosegen.verify.cells import kinds
from rosegen.verify.cues import Cue, Look, draw
from rosegen.verify.pixels import ImageTask, SceneResult, SceneTask, check_scene_pixels
from tests.verify.release_maker import pixel_hash

COLORS = st.tuples(*[st.integers(0, 255)] * 3)


@st.composite
def grids(draw_from: st.DrawFn) -> tuple[np.ndarray, SceneTask]:
    """A plain image of random tiles, and a task that says what is on it and how it is cued."""
    rows, cols = draw_from(st.integers(3, 9)), draw_from(st.integers(3, 9))
    cell = draw_from(st.integers(12, 40))
    spots = [(row, col) for row in range(1, rows + 1) for col in range(1, cols + 1)]
    most = max(1, len(spots) // 4)
    targets = draw_from(st.lists(st.sampled_from(spots), min_size=1, max_size=most, unique=True))
    rng = np.random.default_rng(draw_from(st.integers(0, 2**32)))
    tile = rng.integers(0, 256, (cell, cell, 3), dtype=np.uint8)
    odd = tile.copy()
    middle = slice(cell // 2 - 1, cell // 2 + 1)
    odd[middle, middle] = tile[middle, middle] ^ 128
    image = np.tile(tile, (rows, cols, 1))
    for row, col in targets:
        image[(row - 1) * cell : row * cell, (col - 1) * cell : col * cell] = odd
    r1, r2 = sorted(draw_from(st.tuples(st.integers(1, rows), st.integers(1, rows))))
    c1, c2 = sorted(draw_from(st.tuples(st.integers(1, cols), st.integers(1, cols))))
    kind = draw_from(st.sampled_from(["OUTLINE_BOX", "MASK"]))
    if (r2 - r1 + 1) * (c2 - c1 + 1) == rows * cols:
        r2, c2, kind = rows, cols, "OUTLINE_BOX"
    look = Look(draw_from(COLORS), draw_from(st.floats(0.0, 0.15)), draw_from(COLORS), 90)
    task = SceneTask(
        root="",
        base=ImageTask("B", "b.png", pixel_hash(image)),
        cued=ImageTask("C", "c.png", None),
        rows=rows,
        cols=cols,
        cell_size=cell,
        targets=tuple(targets),
        tiles=(pixel_hash(tile), pixel_hash(odd)),
        cue=Cue(kind, (r1, r2, c1, c2)),
        look=look,
        lines=None,
        through=None,
    )
    return image, task


def outcome(folder: Path, image: np.ndarray, cued: np.ndarray, task: SceneTask) -> SceneResult:
    Image.fromarray(image).save(folder / "b.png", compress_level=1)
    Image.fromarray(cued).save(folder / "c.png", compress_level=1)
    assert task.cued is not None
    listed = replace(task.cued, sha256=pixel_hash(cued))
    return check_scene_pixels(replace(task, root=str(folder), cued=listed))


@settings(max_examples=60, deadline=None)
@given(made=grids())
def test_what_is_drawn_is_read_back(made: tuple[np.ndarray, SceneTask], tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    image, task = made
    assert task.cue is not None
    assert task.look is not None
    cued = image.copy()
    draw(cued, task.cue, task.cell_size, task.look)
    result = outcome(tmp_path_factory.mktemp("p"), image, cued, task)
    assert result.base.faults == ()
    assert result.cued is not None
    assert result.shown == task.cue
    assert result.tiles == task.tiles
    half = task.look.half(task.cell_size)
    if 2 * half < task.cell_size - 4:  # else a stroke may reach the mark in a cell's middle
        assert result.cued.faults == (), task


@settings(max_examples=60, deadline=None)
@given(made=grids(), data=st.data())
def test_any_changed_pixel_is_noticed_where_it_is(
    made: tuple[np.ndarray, SceneTask],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    image, task = made
    assert task.cue is not None
    assert task.look is not None
    cued = image.copy()
    draw(cued, task.cue, task.cell_size, task.look)
    which = data.draw(st.sampled_from(["base", "cued"]))
    y = data.draw(st.integers(0, image.shape[0] - 1))
    x = data.draw(st.integers(0, image.shape[1] - 1))
    if which == "base":
        image[y, x, 1] ^= 64
    else:
        cued[y, x, 1] ^= 64
    folder = tmp_path_factory.mktemp("p")
    result = outcome(folder, image, cued, task)
    spot = f"R{y // task.cell_size + 1},C{x // task.cell_size + 1}"
    wrong, right = (result.base, result.cued) if which == "base" else (result.cued, result.base)
    assert right is not None
    assert wrong is not None
    assert right.faults == ()
    assert len(wrong.faults) == 1
    assert spot in wrong.faults[0].detail


def test_kinds_are_told_by_one_step_of_one_channel() -> None:
    image = np.zeros((40, 60, 3), np.uint8)
    image[39, 59, 2] = 1
    image[0, 0, 0] = 1
    found = kinds(image, 20)
    assert [kind.spots for kind in found] == [
        ((1, 2), (1, 3), (2, 1), (2, 2)),
        ((1, 1),),
        ((2, 3),),
    ]


def test_a_picture_of_noise_is_given_up_early() -> None:
    image = np.random.default_rng(1).integers(0, 256, (400, 400, 3), dtype=np.uint8)
    found = kinds(image, 10)
    assert len(found) == 12
    assert sum(len(kind.spots) for kind in found) == 1600
