"""Draw a short text of any script in one face, in the middle of a cell; or say why not.

All texts of a face stand on one baseline, at one size, each with the middle of its advance in the
middle of the cell: neither size nor padding tells one from another. The baseline is put so that
half of the face's own characters have their middle above the cell's, half below: that suits every
script, while the heights a font file claims often suit none.

Colour glyphs are refused: what is drawn here is ink, and a palette has no place in it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rosegen.errors import RosegenError
from rosegen.sources.font_file import UNITS, FontFace, characters, open_face
from rosegen.sources.outline_raster import ONE, coverage, coverages
from rosegen.sources.text_outline import Unshapable, bounds, glyph_outline, lay_out, text_edges

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
    "broken shaping",
    "broken outline",
    "blank",
    "near-blank",
    "clipped",
)

_LONGEST = 32  # code points: the longest emoji sequence has 10, a flag of tags 7
_SAMPLE = 1024  # characters that the middle of a face is taken from
_LEAST_COMPARED = 1000  # font units to the em; a coarser face is compared at a larger size
_WIDEST_COMPARED = 2048  # px: what lies some em away is not looked at
_PRESENTATION = "\ufe0e\ufe0f"  # text or emoji style; Unicode lets a font ignore them
_CONTROL = ("Cc", "Cs", "Zl", "Zp")


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
    (found,) = pictures(face, [text], side, share, one_cluster)
    return found if isinstance(found, str) else None


def pictures(
    face: FontFace,
    texts: Sequence[str],
    side: int,
    share: float = FONT_SHARE,
    one_cluster: bool = True,
) -> list[Pixels | str]:
    """For each text what ``draw`` gives, or why it cannot be used, as ``why_not`` puts it.

    Many at once cost less each. Arguments and errors are those of ``why_not``.
    """
    found = [_usable(face, text, side, share, one_cluster) for text in texts]
    inks = iter(coverages([edges for edges in found if not isinstance(edges, str)], side, side))
    shown: list[Pixels | str] = []
    for edges in found:
        if isinstance(edges, str):
            shown.append(edges)
        else:
            ink = next(inks)
            shown.append(_too_little(ink) or ink)
    return shown


def identical(face: FontFace, a: str, b: str) -> bool:
    """Whether two texts give the same picture, at four font units to the pixel or finer.

    How far to the left or right it stands does not count: that is padding. How high does.

    Raises:
        RosegenError: the font cannot be read, or an outline of it is absurd.
    """
    if lay_out(face, a).glyphs == lay_out(face, b).glyphs:
        return True
    first, second = _fine_bounds(face, a), _fine_bounds(face, b)
    if first is None or second is None:
        return first is second
    (left, top, right, bottom), (other_left, other_top, other_right, other_bottom) = first, second
    if (right - left, top, bottom) != (other_right - other_left, other_top, other_bottom):
        return False
    width = min((right - left) // ONE + 1, _WIDEST_COMPARED)
    height = min((bottom - top) // ONE + 2, _WIDEST_COMPARED)
    top = top // ONE * ONE
    one = _fine_edges(face, a) - np.tile([left, top], 2)
    other = _fine_edges(face, b) - np.tile([other_left, top], 2)
    return np.array_equal(one, other) or np.array_equal(
        coverage(one, height, width), coverage(other, height, width)
    )


def _fine_edges(face: FontFace, text: str) -> Ints:
    """At a whole number of steps to 1/UNITS font unit, so that nothing is rounded.

    So a picture is the same wherever it stands.
    """
    return text_edges(face, text, math.ceil(_LEAST_COMPARED / open_face(face).face.upem), 1)


@lru_cache(maxsize=16384)
def _fine_bounds(face: FontFace, text: str) -> tuple[int, int, int, int] | None:
    """The bounds of those edges; None when there is none."""
    fine = _fine_edges(face, text)
    return bounds(fine) if len(fine) else None


def _usable(face: FontFace, text: str, side: int, share: float, one_cluster: bool) -> Ints | str:
    """The edges of a text as it stands in a cell, or why it cannot be used."""
    try:
        reason = _wrong_text(text) or _wrong_glyphs(face, text, one_cluster)
        return _placed(face, text, side, share) if reason is None else reason
    except Unshapable as error:
        return f"broken shaping: {error}"


def _placed(face: FontFace, text: str, side: int, share: float) -> Ints | str:
    """The same for a text whose glyphs can be used."""
    try:
        if _is_missing_glyph(face, text):
            return f"not in the face: {named(text)} is drawn as the missing glyph"
        placed = _in_cell(face, text, side, share)
    except RosegenError as error:
        return f"broken outline: {error}"
    reason = _wrong_place(placed, side)
    return placed if reason is None else reason


def _wrong_text(text: str) -> str | None:
    if not text:
        return "empty"
    if len(text) > _LONGEST:
        return f"too long: {len(text)} code points (the most is {_LONGEST})"
    control = [char for char in text if unicodedata.category(char) in _CONTROL]
    return f"control character: {named(control)}" if control else None


def _wrong_glyphs(face: FontFace, text: str, one_cluster: bool) -> str | None:
    if not face.outlines:
        return "bitmaps only"
    run = lay_out(face, text)
    if any(glyph == 0 for glyph, _, _ in run.glyphs):
        known = characters(face).mapped
        missing = [c for c in text if ord(c) not in known and lay_out(face, c).glyphs]
        return f"not in the face: {named(missing) or 'shaping gives the missing glyph'}"
    if not run.glyphs:
        return "invisible"
    ignored = _ignored(face, text)
    if ignored:
        return f"ignored: {named(ignored)}"
    if any(_in_colour(face, glyph) for glyph, _, _ in run.glyphs):
        return "colour"
    if one_cluster and run.clusters > 1:
        return f"more than one cluster: {run.clusters}"
    return None


def _wrong_place(placed: Ints, side: int) -> str | None:
    if not len(placed):
        return "blank"
    left, top, right, bottom = bounds(placed)
    # Ink in the outermost row or column touches the neighbouring cell.
    out = {
        "left": left < ONE,
        "right": right > (side - 1) * ONE,
        "top": top < ONE,
        "bottom": bottom > (side - 1) * ONE,
    }
    if any(out.values()):
        return f"clipped: {', '.join(name for name, is_out in out.items() if is_out)}"
    return None


def _too_little(ink: Pixels) -> str | None:
    if not ink.any():
        return "blank"
    covered = int(ink.sum(dtype=np.int64)) / (255 * ink.size)
    if covered < LEAST_INK:
        return f"near-blank: {covered:.2%} of the cell is ink"
    if ink.max() < LEAST_PEAK:
        return f"near-blank: no pixel is more than {ink.max() / 255:.0%} ink"
    return None


def _ignored(face: FontFace, text: str) -> list[str]:
    """Invisible characters that leave no trace in this face: the text does not show what it says.

    A joiner that joins nothing is one, and a selector of a variant the face does not have.
    """
    run = lay_out(face, text)
    found = []
    for at, char in enumerate(text):
        if char in _PRESENTATION or lay_out(face, char).glyphs:
            continue
        if at and (ord(text[at - 1]), ord(char)) in characters(face).sequences:
            continue
        if lay_out(face, text[:at] + text[at + 1 :]).glyphs == run.glyphs:
            found.append(char)
    return found


def _is_missing_glyph(face: FontFace, text: str) -> bool:
    """Whether the one glyph of a text looks like the face's missing-glyph box."""
    glyphs = lay_out(face, text).glyphs
    if len(glyphs) != 1:
        return False
    box, shown = glyph_outline(face, 0), glyph_outline(face, glyphs[0][0])
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


def named(chars: Iterable[str]) -> str:
    """Characters by their code points: ``U+0065 U+0301``."""
    return " ".join(f"U+{ord(char):04X}" for char in chars)


def _in_cell(face: FontFace, text: str, side: int, share: float) -> Ints:
    """The edges of a text as it stands in a cell."""
    em = int(side * share)
    if em < 1:
        raise ValueError(f"a cell of {side} px leaves no pixel for the em")
    unit = open_face(face).face.upem * UNITS  # an em
    placed = text_edges(face, text, em * ONE, unit)
    if not len(placed):
        return placed
    advance = lay_out(face, text).advance
    if advance > 0:
        middle = advance * em * ONE // (2 * unit)
    else:  # a mark on its own
        left, _, right, _ = bounds(placed)
        middle = (left + right) // 2
    # The baseline lies between two rows of pixels, so that flat feet are sharp.
    baseline = (side * unit + 2 * _middle(face) * em + unit) // (2 * unit)
    shift = np.array([side * ONE // 2 - middle, baseline * ONE] * 2, np.int64)
    return np.asarray(placed + shift, np.int64)


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
