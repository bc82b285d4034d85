"""Grid lines are part of the tile, so that equal cells stay equal wherever they stand."""

from __future__ import annotations

import numpy as np

from rosegen.geometry import Cell
from rosegen.render.grid import GridLines, plain_image


def test_lines_run_round_the_tile_inside_it() -> None:
    tile = np.full((9, 9, 3), 200, np.uint8)
    lined = GridLines((1, 2, 3), 2).around(tile)
    assert lined.shape == tile.shape
    assert (lined[2:-2, 2:-2] == 200).all()
    for edge in (lined[:2], lined[-2:], lined[:, :2], lined[:, -2:]):
        assert (edge == (1, 2, 3)).all()
    assert (tile == 200).all()


def test_where_cells_meet_the_line_is_twice_as_wide_and_cells_are_alike() -> None:
    rng = np.random.default_rng(3)
    majority, exception = (rng.integers(50, 255, (12, 12, 3)).astype(np.uint8) for _ in "ab")
    lines = GridLines((0, 0, 0), 1)
    image = plain_image(3, 4, lines.around(majority), lines.around(exception), [Cell(2, 3)]).array()
    assert (image[11:13] == 0).all()
    assert (image[:, 23:25] == 0).all()
    cells = image.reshape(3, 12, 4, 12, 3).swapaxes(1, 2)
    assert sum((cell == cells[0, 0]).all() for row in cells for cell in row) == 11
    assert (cells[1, 2] == lines.around(exception)).all()
