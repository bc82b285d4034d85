"""A small picture of a scene with the right cells ringed, the clicked ones crossed, and the region.

The right cells are ringed in green, exceptions the item does not ask for in thin grey; clicks are
crossed in orange; the region is outlined in blue.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Set
from pathlib import Path

from PIL import Image, ImageDraw

from rosegen.scoring.items import Area, Cell

WIDEST = 480  # pixels
RIGHT, CLICKED, REGION, OTHER = "#009e73", "#d55e00", "#0072b2", "#777777"
_MOST_PIXELS, _MOST_CELLS = 40_000_000, 10_000
_COLOURS = 96  # in the palette: a third of the bytes, and nothing that is looked at changes
_FINE = 2  # drawn at twice the size, for smooth edges

Edge = tuple[tuple[int, int], tuple[int, int]]  # between two corners (column, row), from 0


def scene_picture(
    folder: Path,
    name: str,
    area: Area,
    right: Set[Cell],
    others: Set[Cell],
    clicked: Iterable[Cell],
) -> str | None:
    """The picture as the data URI of a PNG, at most ``WIDEST`` wide.

    Args:
        folder: of the release; nothing outside it is read.
        name: the image, relative to the folder.
        area: the cells the item asks about, on a grid that fills the image.
        right: the cells that should be clicked.
        others: exceptions of the scene that should not.
        clicked: cells of the grid.

    Returns:
        None where there is no such image, or none that can be read.
    """
    if not 0 < area.rows * area.cols <= _MOST_CELLS:
        return None
    picture = _read(folder, name)
    if picture is None:
        return None
    width = min(WIDEST, picture.width)
    height = max(1, round(picture.height * width / picture.width))
    canvas = picture.resize((width * _FINE, height * _FINE), Image.Resampling.LANCZOS)
    marks = _Marks(canvas, area)
    marks.edges(outline(area))
    for cell in sorted(others):
        marks.ring(cell, OTHER, 0.5)
    for cell in sorted(right):
        marks.ring(cell, RIGHT, 1.0)
    for cell in clicked:
        marks.cross(cell)
    small = canvas.resize((width, height), Image.Resampling.BOX).quantize(
        _COLOURS, dither=Image.Dither.NONE
    )
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def outline(area: Area) -> list[Edge]:
    """The edges between cells asked about and others; none when all of the grid is asked about."""

    def holds(row: int, col: int) -> bool:
        return 1 <= row <= area.rows and 1 <= col <= area.cols and area.holds((row, col))

    cells = [(row, col) for row in range(1, area.rows + 1) for col in range(1, area.cols + 1)]
    inside = [cell for cell in cells if holds(*cell)]
    if len(inside) == len(cells):
        return []
    edges: list[Edge] = []
    for row, col in inside:
        if not holds(row - 1, col):
            edges.append(((col - 1, row - 1), (col, row - 1)))
        if not holds(row + 1, col):
            edges.append(((col - 1, row), (col, row)))
        if not holds(row, col - 1):
            edges.append(((col - 1, row - 1), (col - 1, row)))
        if not holds(row, col + 1):
            edges.append(((col, row - 1), (col, row)))
    return edges


def _read(folder: Path, name: str) -> Image.Image | None:
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()) or not path.is_file():
            return None
        with Image.open(path) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                return None
            solid = picture.convert("RGBA")
    except (OSError, ValueError, RuntimeError, SyntaxError, Image.DecompressionBombError):
        return None  # no image, or a broken one
    paper = Image.new("RGBA", solid.size, "white")
    return Image.alpha_composite(paper, solid).convert("RGB")


class _Marks:
    """Marks on a canvas, each on a white halo so that it shows on any picture."""

    def __init__(self, canvas: Image.Image, area: Area) -> None:
        self._canvas = canvas
        self._draw = ImageDraw.Draw(canvas)
        self._width, self._height = canvas.width / area.cols, canvas.height / area.rows
        self._size = min(self._width, self._height)
        self._line = max(2.0 * _FINE, 0.07 * self._size)

    def edges(self, edges: Iterable[Edge]) -> None:
        lines = [self._kept_inside(edge) for edge in edges]
        for tint, half in (("white", 0.9 * self._line), (REGION, 0.5 * self._line)):
            for x0, y0, x1, y1 in lines:
                self._draw.rectangle((x0 - half, y0 - half, x1 + half, y1 + half), fill=tint)

    def _kept_inside(self, edge: Edge) -> tuple[float, float, float, float]:
        """An edge in pixels; those at the border are moved in by half a line, to be seen whole."""
        half = 0.5 * self._line
        (x0, x1), (y0, y1) = (
            [min(max(at[axis] * step, half), most - half) for at in edge]
            for axis, step, most in (
                (0, self._width, self._canvas.width),
                (1, self._height, self._canvas.height),
            )
        )
        return x0, y0, x1, y1

    def ring(self, cell: Cell, tint: str, weight: float) -> None:
        x, y, reach = *self._middle(cell), 0.46 * self._size
        line = weight * self._line
        self._circle(x, y, reach + 0.4 * line, 1.8 * line, "white")
        self._circle(x, y, reach, line, tint)

    def cross(self, cell: Cell) -> None:
        x, y, reach = *self._middle(cell), 0.24 * self._size
        for tint, line in (("white", 2.2 * self._line), (CLICKED, 1.2 * self._line)):
            for turn in (-1, 1):
                ends = (x - reach, y - turn * reach, x + reach, y + turn * reach)
                self._draw.line(ends, fill=tint, width=round(line))

    def _circle(self, x: float, y: float, reach: float, line: float, tint: str) -> None:
        box = (x - reach, y - reach, x + reach, y + reach)
        self._draw.ellipse(box, outline=tint, width=max(1, round(line)))

    def _middle(self, cell: Cell) -> tuple[float, float]:
        return (cell[1] - 0.5) * self._width, (cell[0] - 0.5) * self._height
