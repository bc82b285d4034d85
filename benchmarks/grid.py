"""Composing a scene's two images, against pasting every tile into a canvas with Pillow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from benchmarks.material import GLYPH, PIXEL, Layout, Pixels, layouts
from benchmarks.measure import Table, Way, compare
from rosegen.errors import RosegenError
from rosegen.geometry import Cell
from rosegen.render.cue import CueType
from rosegen.render.grid import Banded

ROUNDS = 15


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """A table for glyphs and one for pixel art."""
    count = 1 if tiny else 5
    for name, lines, cell in ((GLYPH, 12, 53), (PIXEL, 11, 138)):
        scenes = layouts(name, lines, cell, count)
        title = f"grids of {name}, {lines} x {lines} cells of {cell} px, {2 * count} images"
        yield compare(
            title,
            [
                Way("Pillow, paste each tile", lambda s=scenes: _each(s, pasted)),
                Way("bands, joined to arrays", lambda s=scenes: _each(s, _joined)),
                Way("bands, as they are written", lambda s=scenes: _each(s, Layout.images)),
            ],
            rounds,
            _check,
        )


def _each(scenes: Sequence[Layout], make: Any) -> list[Any]:
    return [image for scene in scenes for image in make(scene)]


def _joined(layout: Layout) -> list[Pixels]:
    return [image.array() for image in layout.images()]


def pasted(layout: Layout) -> tuple[Image.Image, Image.Image]:
    """The plain and the cued image, as anyone would make them with Pillow."""
    cell = layout.cell
    majority, exception = Image.fromarray(layout.majority), Image.fromarray(layout.exception)
    plain = Image.new("RGB", (layout.cols * cell, layout.rows * cell))
    for row in range(layout.rows):
        for col in range(layout.cols):
            different = Cell(row + 1, col + 1) in layout.exceptions
            plain.paste(exception if different else majority, (col * cell, row * cell))
    cued = plain.copy()
    left, top = (layout.box.c1 - 1) * cell, (layout.box.r1 - 1) * cell
    right, bottom = layout.box.c2 * cell, layout.box.r2 * cell
    style = layout.style
    if layout.kind is CueType.MASK:
        alpha = Image.new("L", (right - left, bottom - top), style.mask_alpha)
        cued.paste(style.mask_color, (left, top, right, bottom), alpha)
    else:
        half = style.half_width(cell)
        frame = (left - half, top - half, right + half - 1, bottom + half - 1)
        ImageDraw.Draw(cued).rectangle(frame, outline=style.outline_color, width=2 * half)
    return plain, cued


def _check(results: Sequence[list[Any]]) -> list[str]:
    for images in zip(*results):
        arrays = [each.array() if isinstance(each, Banded) else np.asarray(each) for each in images]
        if not all(np.array_equal(arrays[0], other) for other in arrays[1:]):
            raise RosegenError("grid: the ways do not give the same pixels")
    return []
