"""A short text as outlines: which glyphs of a face it takes, where they stand, their edges.

HarfBuzz chooses and places the glyphs, and hands out their outlines without hinting. So one
character, a base with its marks and a joined sequence are taken by one and the same means, and no
machine takes them another way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import uharfbuzz as hb

from rosegen.errors import RosegenError
from rosegen.sources.font_file import UNITS, FontFace, open_face
from rosegen.sources.outline_raster import Outline, edges

Ints = npt.NDArray[np.int64]

_FARTHEST = 64  # em: the widest ligature of any script is under 20
_MOST_EDGES = 20_000


@dataclass(frozen=True)
class Run:
    """A text as HarfBuzz lays it out.

    Attributes:
        glyphs: glyph index and place (x, y; 1/``UNITS`` font unit, y upwards) in drawing order.
            Characters that are not to be seen have none.
        advance: how far the text reaches along the line, in the same unit.
        clusters: how many parts the text falls into that cannot be parted: a base with its marks
            is one, and so is what the face draws as a ligature.
    """

    glyphs: tuple[tuple[int, int, int], ...]
    advance: int
    clusters: int


class Unshapable(RosegenError):
    """A text that a face cannot lay out."""


@lru_cache(maxsize=4096)
def lay_out(face: FontFace, text: str) -> Run:
    """Choose and place the glyphs of a text, in the direction and script of its characters.

    Raises:
        Unshapable: the face makes more of it than HarfBuzz allows.
        RosegenError: the font cannot be read.
    """
    font = open_face(face)
    buffer = hb.Buffer()
    buffer.add_str(text)
    # Said first, or it would be guessed from the machine's locale.
    buffer.language = "und"
    buffer.guess_segment_properties()
    buffer.flags = (
        hb.BufferFlags.BOT
        | hb.BufferFlags.EOT
        | hb.BufferFlags.REMOVE_DEFAULT_IGNORABLES
        | hb.BufferFlags.DO_NOT_INSERT_DOTTED_CIRCLE
    )
    try:
        hb.shape(font, buffer)
    except MemoryError as error:  # how HarfBuzz ends what would grow without end
        raise Unshapable(f"{face.label} makes absurdly many glyphs of it") from error
    glyphs, x, y = [], 0, 0
    for info, place in zip(buffer.glyph_infos, buffer.glyph_positions):
        glyphs.append((info.codepoint, x + place.x_offset, y + place.y_offset))
        x, y = x + place.x_advance, y + place.y_advance
    return Run(tuple(glyphs), x, len({info.cluster for info in buffer.glyph_infos}))


@lru_cache(maxsize=4096)
def glyph_outline(face: FontFace, glyph: int) -> tuple[Ints, Ints, Ints]:
    """Lines, quadratic and cubic curves of a glyph, in 1/``UNITS`` font unit, y downwards.

    Raises:
        RosegenError: a point lies absurdly far out, or there are absurdly many.
    """
    font = open_face(face)
    outline = Outline()
    font.draw_glyph_with_pen(glyph, outline)
    outline.closePath()
    parts = []
    for rows, width in ((outline.lines, 4), (outline.quads, 6), (outline.cubics, 8)):
        values = np.array(rows, np.float64).reshape(-1, width)
        # Not written as "greater than": what is not a number must fail too.
        if not (np.abs(values) <= _FARTHEST * font.face.upem * UNITS).all():
            raise RosegenError(f"{face.label}: glyph {glyph} reaches absurdly far")
        whole = np.rint(values).astype(np.int64)
        whole[:, 1::2] *= -1
        parts.append(whole)
    if sum(map(len, parts)) > _MOST_EDGES:
        raise RosegenError(f"{face.label}: glyph {glyph} has absurdly many edges")
    return parts[0], parts[1], parts[2]


def text_edges(face: FontFace, text: str, scale: int, unit: int) -> Ints:
    """The straight edges, (n, 4) as x, y, x, y, of a text whose line starts at (0, 0), y downwards.

    Args:
        face: the face.
        text: the text.
        scale: steps of 1/``ONE`` pixel to ``unit``.
        unit: in 1/``UNITS`` font unit.

    Raises:
        RosegenError: the font cannot be read, or an outline of it is absurd.
    """
    farthest = _FARTHEST * open_face(face).face.upem * UNITS
    found: list[Ints] = [np.zeros((0, 4), np.int64)]
    for glyph, x, y in lay_out(face, text).glyphs:
        if max(abs(x), abs(y)) > farthest:
            raise RosegenError(f"{face.label}: glyph {glyph} is placed absurdly far out")
        parts = []
        for part in glyph_outline(face, glyph):
            at = part + np.tile([x, -y], part.shape[1] // 2) if x or y else part
            parts.append((2 * scale * at + unit) // (2 * unit))
        found.append(edges(*parts))
    return np.concatenate(found)


def bounds(placed: Ints) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of one edge or more."""
    left, top = np.minimum(placed[:, :2], placed[:, 2:]).min(axis=0)
    right, bottom = np.maximum(placed[:, :2], placed[:, 2:]).max(axis=0)
    return int(left), int(top), int(right), int(bottom)
