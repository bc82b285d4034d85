"""Draw a short text of any script in one face, in the middle of a cell; or say why not.

HarfBuzz chooses and places the glyphs, and hands out their outlines without hinting; they are
filled in integers. So one character, a base with its marks and a joined sequence are drawn by one
and the same means, and no machine draws them another way.

All texts of a face stand on one baseline, at one size, each with the middle of its advance in the
middle of the cell: neither size nor padding tells one from another. The baseline is put so that
half of the face's own characters have their middle above the cell's, half below: that suits every
script, while the heights a font file claims often suit none.

Colour glyphs are refused: what is drawn here is ink, and a palette has no place in it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import uharfbuzz as hb

from rosegen.errors import RosegenError
from rosegen.sources.font_file import UNITS, FontFace, characters, open_face
from rosegen.sources.outline_raster import ONE, Outline, coverage, edges

Pixels = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

FONT_SHARE = 0.72  # of the cell's side, for the em: as ROSE has it
LEAST_INK = 0.0025  # of the cell: the full stop of a thin face just has it, a speck has not
LEAST_PEAK = 64  # of 255: ink that nowhere fills a quarter of a pixel is too pale to see

REASONS = (
    "empty",
    "too long",
    "control character",
    "bitmaps only",
    "not in the face",
    "invisible",
    "ignored",
    "colour",
    "more than one cluster",
    "broken outline",
    "blank",
    "near-blank",
    "clipped",
)

_LONGEST = 32  # code points: the longest emoji sequence has 10, a flag of tags 7
_FARTHEST = 64  # em: the widest ligature of any script is under 20
_MOST_EDGES = 20_000
_SAMPLE = 1024  # characters that the middle of a face is taken from
_LEAST_COMPARED = 1000  # font units to the em; a coarser face is compared at a larger size
_WIDEST_COMPARED = 2048  # px: what lies some em away is not looked at
_PRESENTATION = "\ufe0e\ufe0f"  # text or emoji style; Unicode lets a font ignore them
_CONTROL = ("Cc", "Cs", "Zl", "Zp")


@dataclass(frozen=True)
class Run:
    """A text as HarfBuzz lays it out.

    Attributes:
        glyphs: glyph index and place (x, y; 1/``UNITS`` font unit) in drawing order. Characters
            that are not to be seen have none.
        advance: how far the text reaches along the line, in the same unit.
        clusters: how many parts the text falls into that cannot be parted: a base with its marks
            is one, and so is what the face draws as a ligature.
    """

    glyphs: tuple[tuple[int, int, int], ...]
    advance: int
    clusters: int


def draw(face: FontFace, text: str, side: int, share: float = FONT_SHARE) -> Pixels:
    """Ink coverage of a text in the middle of a square cell: uint8 (side, side), 255 is ink.

    What the face has no glyph for is drawn as its missing-glyph box, and what leaves the cell is
    cut off: ``why_not`` tells beforehand.

    Args:
        face: the face, at its location.
        text: a few code points.
        side: of the cell, in pixels, 1 or more.
        share: of the side, for the em, which is rounded down to whole pixels.

    Raises:
        RosegenError: the font cannot be read, or an outline of it is absurd.
    """
    return coverage(_in_cell(face, text, side, share), side, side)


def why_not(
    face: FontFace, text: str, side: int, share: float = FONT_SHARE, one_cluster: bool = True
) -> str | None:
    """Why a text cannot be used in a cell; None when it can.

    Args:
        face: the face, at its location.
        text: what is to be drawn.
        side: of the cell, in pixels, 1 or more.
        share: of the side, for the em.
        one_cluster: refuse a text of more than one cluster.

    Returns:
        One of ``REASONS``, alone or before a colon and what it is about:
        ``not in the face: U+0905``.

    Raises:
        RosegenError: the font cannot be read.
    """
    return (
        _wrong_text(text)
        or _wrong_glyphs(face, text, one_cluster)
        or _wrong_ink(face, text, side, share)
    )


def identical(face: FontFace, a: str, b: str) -> bool:
    """Whether two texts give the same picture, at four font units to the pixel or finer.

    How far to the left or right it stands does not count: that is padding. How high does.

    Raises:
        RosegenError: the font cannot be read, or an outline of it is absurd.
    """
    if _run(face, a).glyphs == _run(face, b).glyphs:
        return True
    # At a whole number of steps to 1/UNITS font unit nothing is rounded, so that a picture is the
    # same wherever it stands.
    steps = math.ceil(_LEAST_COMPARED / open_face(face).face.upem)
    one, other = (_edges(face, text, steps, 1) for text in (a, b))
    if not len(one) or not len(other):
        return len(one) == len(other)
    (left, top, right, bottom), second = _bounds(one), _bounds(other)
    if (right - left, top, bottom) != (second[2] - second[0], second[1], second[3]):
        return False
    width = min((right - left) // ONE + 1, _WIDEST_COMPARED)
    height = min((bottom - top) // ONE + 2, _WIDEST_COMPARED)
    top = top // ONE * ONE
    first = coverage(one - np.tile([left, top], 2), height, width)
    return np.array_equal(first, coverage(other - np.tile([second[0], top], 2), height, width))


def _wrong_text(text: str) -> str | None:
    if not text:
        return "empty"
    if len(text) > _LONGEST:
        return f"too long: {len(text)} code points (the most is {_LONGEST})"
    control = [char for char in text if unicodedata.category(char) in _CONTROL]
    return f"control character: {_named(control)}" if control else None


def _wrong_glyphs(face: FontFace, text: str, one_cluster: bool) -> str | None:
    if not face.outlines:
        return "bitmaps only"
    run = _run(face, text)
    if any(glyph == 0 for glyph, _, _ in run.glyphs):
        known = characters(face).mapped
        missing = [c for c in text if ord(c) not in known and _run(face, c).glyphs]
        return f"not in the face: {_named(missing) or 'shaping gives the missing glyph'}"
    if not run.glyphs:
        return "invisible"
    ignored = _ignored(face, text)
    if ignored:
        return f"ignored: {_named(ignored)}"
    if any(_in_colour(face, glyph) for glyph, _, _ in run.glyphs):
        return "colour"
    if one_cluster and run.clusters > 1:
        return f"more than one cluster: {run.clusters}"
    return None


def _wrong_ink(face: FontFace, text: str, side: int, share: float) -> str | None:
    try:
        if _is_missing_glyph(face, text):
            return f"not in the face: {_named(text)} is drawn as the missing glyph"
        placed = _in_cell(face, text, side, share)
    except RosegenError as error:
        return f"broken outline: {error}"
    if not len(placed):
        return "blank"
    left, top, right, bottom = _bounds(placed)
    # Ink in the outermost row or column touches the neighbouring cell.
    out = {
        "left": left < ONE,
        "right": right > (side - 1) * ONE,
        "top": top < ONE,
        "bottom": bottom > (side - 1) * ONE,
    }
    if any(out.values()):
        return f"clipped: {', '.join(name for name, is_out in out.items() if is_out)}"
    ink = coverage(placed, side, side)
    covered = int(ink.sum(dtype=np.int64)) / (255 * side * side)
    if not ink.any():
        return "blank"
    if covered < LEAST_INK:
        return f"near-blank: {covered:.2%} of the cell is ink"
    if ink.max() < LEAST_PEAK:
        return f"near-blank: no pixel is more than {ink.max() / 255:.0%} ink"
    return None


def _ignored(face: FontFace, text: str) -> list[str]:
    """Invisible characters that leave no trace in this face: the text does not show what it says.

    A joiner that joins nothing is one, and a selector of a variant the face does not have.
    """
    run = _run(face, text)
    found = []
    for at, char in enumerate(text):
        if char in _PRESENTATION or _run(face, char).glyphs:
            continue
        if at and (ord(text[at - 1]), ord(char)) in characters(face).sequences:
            continue
        if _run(face, text[:at] + text[at + 1 :]).glyphs == run.glyphs:
            found.append(char)
    return found


def _is_missing_glyph(face: FontFace, text: str) -> bool:
    """Whether the one glyph of a text looks like the face's missing-glyph box."""
    glyphs = _run(face, text).glyphs
    if len(glyphs) != 1:
        return False
    box, shown = _glyph(face, 0), _glyph(face, glyphs[0][0])
    return any(len(part) for part in box) and all(map(np.array_equal, box, shown))


def _in_colour(face: FontFace, glyph: int) -> bool:
    if not face.color_tables:
        return False
    font = open_face(face)
    return bool(
        font.face.get_glyph_color_layers(glyph)
        or font.face.glyph_has_color_paint(glyph)
        or font.face.get_glyph_color_svg(glyph).data
        or font.get_glyph_color_png(glyph).data
    )


def _named(chars: Sequence[str]) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in chars)


@lru_cache(maxsize=4096)
def _run(face: FontFace, text: str) -> Run:
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
    hb.shape(font, buffer)
    glyphs, x, y = [], 0, 0
    for info, place in zip(buffer.glyph_infos, buffer.glyph_positions):
        glyphs.append((info.codepoint, x + place.x_offset, y + place.y_offset))
        x, y = x + place.x_advance, y + place.y_advance
    return Run(tuple(glyphs), x, len({info.cluster for info in buffer.glyph_infos}))


@lru_cache(maxsize=4096)
def _glyph(face: FontFace, glyph: int) -> tuple[Ints, Ints, Ints]:
    """Lines, quadratic and cubic curves of a glyph, in 1/``UNITS`` font unit, y upwards.

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
        parts.append(np.rint(values).astype(np.int64))
    if sum(map(len, parts)) > _MOST_EDGES:
        raise RosegenError(f"{face.label}: glyph {glyph} has absurdly many edges")
    return parts[0], parts[1], parts[2]


def _edges(face: FontFace, text: str, scale: int, unit: int) -> Ints:
    """The edges of a text whose line starts at (0, 0), y downwards.

    Args:
        face: the face.
        text: the text.
        scale: steps of 1/``ONE`` pixel to ``unit``.
        unit: in 1/``UNITS`` font unit.
    """
    farthest = _FARTHEST * open_face(face).face.upem * UNITS
    found: list[Ints] = [np.zeros((0, 4), np.int64)]
    for glyph, x, y in _run(face, text).glyphs:
        if max(abs(x), abs(y)) > farthest:
            raise RosegenError(f"{face.label}: glyph {glyph} is placed absurdly far out")
        parts = []
        for part in _glyph(face, glyph):
            at = part + np.tile([x, y], part.shape[1] // 2)
            at[:, 1::2] *= -1
            parts.append((2 * at * scale + unit) // (2 * unit))
        found.append(edges(*parts))
    return np.concatenate(found)


def _in_cell(face: FontFace, text: str, side: int, share: float) -> Ints:
    """The edges of a text as it stands in a cell."""
    em = int(side * share)
    if em < 1:
        raise ValueError(f"a cell of {side} px leaves no pixel for the em")
    unit = open_face(face).face.upem * UNITS  # an em
    placed = _edges(face, text, em * ONE, unit)
    if not len(placed):
        return placed
    advance = _run(face, text).advance
    if advance > 0:
        middle = advance * em * ONE // (2 * unit)
    else:  # a mark on its own
        left, _, right, _ = _bounds(placed)
        middle = (left + right) // 2
    # The baseline lies between two rows of pixels, so that flat feet are sharp.
    baseline = (side * unit + 2 * _middle(face) * em + unit) // (2 * unit)
    shift = np.array([side * ONE // 2 - middle, baseline * ONE] * 2, np.int64)
    return np.asarray(placed + shift, np.int64)


def _bounds(placed: Ints) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of edges."""
    x, y = placed[:, 0::2], placed[:, 1::2]
    return int(x.min()), int(y.min()), int(x.max()), int(y.max())


@lru_cache(maxsize=64)
def _middle(face: FontFace) -> int:
    """How high above the baseline the face's characters have their middle, in 1/``UNITS`` unit.

    It is the median over its code points, or over some evenly picked when there are many; marks,
    which take up no room on the line, do not count.
    """
    font = open_face(face)
    points = sorted(characters(face).mapped)
    step = max(1, math.ceil(len(points) / _SAMPLE))
    heights = []
    for point in points[::step]:
        glyph = font.get_nominal_glyph(point)
        box = font.get_glyph_extents(glyph)
        if box is not None and box.width and box.height and font.get_glyph_h_advance(glyph) > 0:
            heights.append(2 * box.y_bearing + box.height)
    return sorted(heights)[len(heights) // 2] // 2 if heights else 0
