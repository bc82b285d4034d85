"""Small fonts made on the spot: glyphs are boxes and discs whose place is known to the unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables.DefaultTable import DefaultTable

Contour = Sequence[tuple[float, float]]

EM = 1000
NAMES = {"familyName": "Made", "styleName": "Regular", "fullName": "Made Regular"}
BOX_OF_NOTDEF = (60, -50, 440, 750)


def box(left: float, bottom: float, right: float, top: float) -> list[tuple[float, float]]:
    """A rectangle as one contour, clockwise from its lower left."""
    return [(left, bottom), (left, top), (right, top), (right, bottom)]


def made(
    glyphs: Mapping[str, Sequence[Contour]],
    cmap: Mapping[int, str],
    *,
    advances: Mapping[str, int] | None = None,
    names: Mapping[str, Any] | None = None,
    features: str = "",
    sequences: Sequence[tuple[int, int, str | None]] = (),
    axes: Sequence[tuple[str, float, float, float, str]] = (),
    deltas: Mapping[str, Sequence[Any]] | None = None,
    layers: Mapping[str, Sequence[tuple[str, int]]] | None = None,
    fs_type: int = 0,
    cff: bool = False,
) -> TTFont:
    """A font of these glyphs; ``.notdef`` is a box unless it is among them.

    Args:
        glyphs: name to contours of corners, in units of 1/1000 em.
        cmap: code point to name.
        advances: name to advance; 500 where nothing is said.
        names: of the ``name`` table, in fontTools' words; ``PostScript`` and the like.
        features: OpenType features in Adobe's language.
        sequences: base, variation selector and name (None: the base's own glyph).
        axes: of a variable font: tag, least, default, most and name.
        deltas: name to the variations of a glyph.
        layers: of colour glyphs: name to glyphs and palette entries.
        fs_type: embedding bits.
        cff: outlines in ``CFF `` rather than in ``glyf``.
    """
    drawn = {".notdef": [box(*BOX_OF_NOTDEF)], **glyphs}
    widths = {name: (advances or {}).get(name, 500) for name in drawn}
    builder = FontBuilder(EM, isTTF=not cff)
    builder.setupGlyphOrder(list(drawn))
    builder.setupCharacterMap(dict(cmap), uvs=list(sequences))
    if cff:
        outlines = {name: _charstring(drawn[name], widths[name]) for name in drawn}
        builder.setupCFF("Made-Regular", {}, outlines, {})
    else:
        builder.setupGlyf({name: _truetype(contours) for name, contours in drawn.items()})
    builder.setupHorizontalMetrics(
        {
            name: (widths[name], round(min([x for c in contours for x, _ in c] or [0])))
            for name, contours in drawn.items()
        }
    )
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({**NAMES, "psName": "Made-Regular", **(names or {})})
    builder.setupOS2(fsType=fs_type)
    builder.setupPost(keepGlyphNames=False)
    if axes:
        builder.setupFvar(list(axes), [])
        builder.setupGvar({name: list((deltas or {}).get(name, [])) for name in drawn})
    if layers:
        builder.setupCOLR({name: list(parts) for name, parts in layers.items()})
        builder.setupCPAL([[(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)]])
    if features:
        builder.addOpenTypeFeatures(features)
    builder.font["head"].created = builder.font["head"].modified = 0
    builder.font.recalcTimestamp = False
    return builder.font


def with_table(path: Path, tag: str, content: bytes) -> Path:
    """A font file with one table's bytes put in place of what it had."""
    with TTFont(path, recalcTimestamp=False, recalcBBoxes=False) as font:
        table = DefaultTable(tag)
        table.data = content
        font[tag] = table
        font.save(path)
    return path


def saved(font: TTFont, path: Path) -> Path:
    """The font as a file."""
    font.save(path)
    return path


def _truetype(contours: Sequence[Contour]) -> Any:
    pen = TTGlyphPen(None)
    _trace(pen, contours)
    return pen.glyph()


def _charstring(contours: Sequence[Contour], width: int) -> Any:
    pen = T2CharStringPen(width, None)
    _trace(pen, contours)
    return pen.getCharString()


def _trace(pen: Any, contours: Sequence[Contour]) -> None:
    for contour in contours:
        pen.moveTo(contour[0])
        for point in contour[1:]:
            pen.lineTo(point)
        pen.closePath()
