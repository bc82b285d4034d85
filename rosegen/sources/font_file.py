"""Font files that someone brings: their faces, names, axes, licence fields and characters.

Tables are read by HarfBuzz, which is made for files nobody vouches for. A file is taken not to
change while the process runs.
"""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import uharfbuzz as hb

from rosegen.errors import RosegenError
from rosegen.sources.font_bytes import (
    blob,
    check_head,
    face_offsets,
    open_bytes,
    plain,
    read_tables,
    short,
)

COLOR_TABLES = ("CBDT", "COLR", "SVG ", "sbix")
BITMAP_TABLES = ("CBDT", "EBDT", "bdat", "sbix")
OUTLINE_TABLES = ("CFF ", "CFF2", "glyf")

UNITS = 64  # steps a font unit is divided into, in what an opened face measures

_PROBED = 256  # characters that are looked at to tell what is wrong with a face
_WIDEST = 4  # em
_LISTED = 12  # faces that an error names before it says "and more"

# Name IDs: OpenType 1.9.1, "name" table.
_COPYRIGHT, _FAMILY, _STYLE, _FULL, _POSTSCRIPT, _LICENSE, _LICENSE_URL = 0, 1, 2, 4, 6, 13, 14
_TYPOGRAPHIC_FAMILY, _TYPOGRAPHIC_STYLE = 16, 17


@dataclass(frozen=True)
class Axis:
    """One design axis of a variable font, in the axis's own units (``wght`` 100 to 900)."""

    tag: str
    name: str
    least: float
    default: float
    most: float


@dataclass(frozen=True)
class FontFace:
    """One face of a font file, at one place of its axes.

    Attributes:
        path: the file.
        index: which face of a collection; 0 elsewhere.
        postscript_name: as the font says, or the file's stem when it says nothing.
        family: the typographic family.
        style: the typographic style: ``SemiBold Italic``.
        full_name: family and style as the font puts them.
        axes: of a variable font, in the font's order; empty elsewhere.
        outlines: whether glyphs are drawn with outlines; a face of bitmaps alone has none.
        color_tables: those of ``COLOR_TABLES`` it has.
        location: axis tag and value, in the order of ``axes``; an axis not named is at its default.
    """

    path: str
    index: int
    postscript_name: str
    family: str
    style: str
    full_name: str
    axes: tuple[Axis, ...]
    outlines: bool
    color_tables: tuple[str, ...]
    location: tuple[tuple[str, float], ...] = ()

    @property
    def label(self) -> str:
        """``Name (file.ttc#2, wght 700)``: no two faces of one folder share it."""
        places = [f"{tag} {value:g}" for tag, value in self.location]
        file = _place(Path(self.path).name, self.index)
        return f"{self.postscript_name} ({', '.join([file, *places])})"


@dataclass(frozen=True)
class FontLicense:
    """What a face says of its own licence: data to show, not advice.

    Attributes:
        copyright: name ID 0; empty when it has none (as the next two).
        description: name ID 13.
        url: name ID 14.
        fs_type: the embedding bits of ``OS/2``, 0 to 65535; None when the face has no such table.
        embedding: ``installable``, ``editable``, ``preview and print``, ``restricted``, ``unknown``
            (a value the specification does not define) or ``unstated`` (no ``OS/2`` table).
        may_be_subset: bit 8 is not set.
        bitmaps_only: bit 9 is set: only bitmaps of it may be embedded.
    """

    copyright: str
    description: str
    url: str
    fs_type: int | None
    embedding: str
    may_be_subset: bool
    bitmaps_only: bool


@dataclass(frozen=True)
class Characters:
    """What a face maps to a glyph of its own.

    Attributes:
        mapped: code points; surrogates and whatever is mapped to the missing glyph are left out.
        sequences: base and variation selector of the sequences it knows (``cmap`` format 14).
    """

    mapped: frozenset[int]
    sequences: frozenset[tuple[int, int]]


def list_faces(path: Path) -> tuple[FontFace, ...]:
    """The faces of one font file, in the file's order.

    Args:
        path: ttf, otf, ttc, otc, woff, or woff2 where the brotli package is installed. What the
            file is called does not matter.

    Raises:
        RosegenError: the file cannot be read, is no such font, or is broken.
    """
    places = list(enumerate(face_offsets(path)))
    # All of them first: HarfBuzz sees no face at all in a collection of which one is broken.
    tables = [_tables(path, index, offset) for index, offset in places]
    return tuple(_face(path, index, tables[index]) for index, _ in places)


def path_name(name: str) -> str:
    """The name of a face as one part of a path, on every system: what tiles and rows call it.

    Slashes, backslashes and colons become hyphens, and so do the dots of a name that has no more.
    """
    safe = re.sub(r"[/\\:]", "-", name)
    return safe if safe.strip(".") else "-" * len(safe)


def fault_of(face: FontFace) -> str | None:
    """What is wrong with the tables of a face none of whose texts can be used; None if nothing is.

    Raises:
        RosegenError: the file cannot be read.
    """
    font = open_face(face)
    points = sorted(p for p in characters(face).mapped if not unicodedata.combining(chr(p)))
    glyphs = [font.get_nominal_glyph(point) for point in points[:: len(points) // _PROBED + 1]]
    if not glyphs or not face.outlines or face.color_tables:
        return None
    boxes = [font.get_glyph_extents(glyph) for glyph in glyphs]
    if not any(box is not None and box.width and box.height for box in boxes):
        return "all its outlines are empty: is its glyf, loca or CFF table broken?"
    widths = sorted(font.get_glyph_h_advance(glyph) for glyph in glyphs)
    if widths[-1] <= 0:
        return "all its characters are of no width: is its hmtx table broken?"
    ems = widths[len(widths) // 2] / (font.face.upem * UNITS)
    if ems > _WIDEST:
        return f"half its characters are wider than {ems:.0f} em: is its hmtx table broken?"
    return None


def find_face(faces: Sequence[FontFace], name: str) -> FontFace:
    """The one face of a name, whatever its case.

    A name is a PostScript name or what ``path_name`` makes of it, a full name, a family, a file
    name (``a.ttf``, ``a``) or a face of a collection (``a.ttc#2``). The first of these that any
    face answers to decides.

    Raises:
        RosegenError: no face answers to the name, or several do; those to choose from are listed.
    """
    wanted = name.casefold()
    for names in _NAMES_OF_A_FACE:
        found = [face for face in faces if wanted in {one.casefold() for one in names(face)}]
        if len(found) == 1:
            return found[0]
        if found:
            raise RosegenError(f"font {name!r} is more than one face: {_listed(found)}")
    raise RosegenError(f"no font face {name!r}: there are {_listed(faces) or 'none'}")


def at_location(face: FontFace, location: Mapping[str, float]) -> FontFace:
    """The face at a place of its axes.

    Args:
        face: a face of a variable font.
        location: axis tag to value; an axis not named stays at its default.

    Raises:
        RosegenError: the face has no such axis, or the value lies outside it.
    """
    axes = {axis.tag: axis for axis in face.axes}
    for tag, value in location.items():
        if tag not in axes:
            has = ", ".join(f"{a.tag} {a.least:g} to {a.most:g}" for a in face.axes) or "none"
            raise RosegenError(f"{face.label}: no axis {tag!r} (its axes: {has})")
        axis = axes[tag]
        if not (math.isfinite(value) and axis.least <= value <= axis.most):
            raise RosegenError(
                f"{face.label}: axis {tag} goes from {axis.least:g} to {axis.most:g}, not {value:g}"
            )
    placed = tuple((tag, float(location[tag])) for tag in axes if tag in location)
    return replace(face, location=placed)


def read_license(face: FontFace) -> FontLicense:
    """What the face says of its licence.

    Raises:
        RosegenError: the file cannot be read.
    """
    opened = open_face(face).face
    table: bytes = opened.reference_table("OS/2").data
    # fsType is the fifth field: OpenType 1.9.1, "OS/2" table.
    fs_type = struct.unpack_from(">H", table, 8)[0] if len(table) >= 10 else None
    return FontLicense(
        copyright=_name(opened, _COPYRIGHT),
        description=_name(opened, _LICENSE),
        url=_name(opened, _LICENSE_URL),
        fs_type=fs_type,
        embedding=_embedding(fs_type),
        may_be_subset=not (fs_type or 0) & 0x100,
        bitmaps_only=bool((fs_type or 0) & 0x200),
    )


@lru_cache(maxsize=16)
def characters(face: FontFace) -> Characters:
    """The code points and variation sequences that a face has glyphs for.

    Raises:
        RosegenError: the file cannot be read.
    """
    font = open_face(face)
    mapped = frozenset(
        point
        for point in {*font.face.unicodes, *_of_many(font.face)}
        if point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF and font.get_nominal_glyph(point)
    )
    sequences = frozenset(
        (base, selector)
        for selector in font.face.variation_selectors
        for base in font.face.variation_unicodes(selector)
        if font.get_variation_glyph(base, selector)
    )
    return Characters(mapped, sequences)


def _of_many(face: Any) -> set[int]:
    """Code points that share a glyph by a ``cmap`` of format 13, which HarfBuzz lists in part.

    Source: OpenType 1.9.1, "cmap" table.
    """
    table: bytes = face.reference_table("cmap").data
    points: set[int] = set()
    (count,) = struct.unpack_from(">2xH", table) if len(table) >= 4 else (0,)
    records = table[4 : 4 + 8 * count]
    for _, _, at in struct.iter_unpack(">HHL", records[: len(records) // 8 * 8]):
        kind, groups = struct.unpack_from(">H10xL", table, at) if at + 16 <= len(table) else (0, 0)
        if kind != 13:
            continue
        rows = table[at + 16 : at + 16 + 12 * groups]
        reached = -1  # groups ascend, so that nothing is listed twice
        for first, last, _ in struct.iter_unpack(">LLL", rows[: len(rows) // 12 * 12]):
            points.update(range(max(first, reached + 1), min(last, 0x10FFFF) + 1))
            reached = max(reached, last)
    return points


@lru_cache(maxsize=64)
def open_face(face: FontFace) -> Any:
    """The face as HarfBuzz's ``Font``, at its location; it measures in 1/``UNITS`` of a font unit.

    No size and no language of the machine has a say: there is no hinting and no device table.

    Raises:
        RosegenError: the file cannot be read.
    """
    font = hb.Font(hb.Face(blob(face.path), face.index))
    font.scale = (font.face.upem * UNITS, font.face.upem * UNITS)
    if face.location:
        font.set_variations(dict(face.location))
    return font


def _tables(path: Path, index: int, offset: int) -> Collection[str]:
    """The tags of a face's tables."""
    place = _place(str(path), index)
    with open_bytes(path) as stream:
        tables = read_tables(stream, offset, place)
        check_head(stream, tables["head"], place)
    return tables.keys()


def _face(path: Path, index: int, tables: Collection[str]) -> FontFace:
    place = _place(str(path), index)
    face = hb.Face(blob(str(path)), index)
    if face.glyph_count == 0:
        raise RosegenError(f"{place}: the font has no glyphs (its maxp table is broken)")
    if not any(tag in tables for tag in OUTLINE_TABLES + BITMAP_TABLES):
        raise RosegenError(f"{place}: the font has neither outlines nor bitmaps")
    family = _name(face, _TYPOGRAPHIC_FAMILY, _FAMILY) or path.stem
    style = _name(face, _TYPOGRAPHIC_STYLE, _STYLE) or "Regular"
    return FontFace(
        path=str(path),
        index=index,
        postscript_name=_name(face, _POSTSCRIPT) or path.stem,
        family=family,
        style=style,
        full_name=_name(face, _FULL) or f"{family} {style}",
        axes=_axes(face, place),
        outlines=any(tag in tables for tag in OUTLINE_TABLES),
        color_tables=tuple(tag for tag in COLOR_TABLES if tag in tables),
    )


def _axes(face: Any, place: str) -> tuple[Axis, ...]:
    try:
        infos = face.axis_infos
    except UnicodeDecodeError as error:
        raise RosegenError(f"{place}: a design axis has no readable tag") from error
    return tuple(
        Axis(
            plain(axis.tag),
            _name(face, axis.name_id) or plain(axis.tag),
            axis.min_value,
            axis.default_value,
            axis.max_value,
        )
        for axis in infos
    )


_NAMES_OF_A_FACE: tuple[Callable[[FontFace], set[str]], ...] = (
    lambda face: {face.postscript_name},
    lambda face: {path_name(face.postscript_name)},
    lambda face: {face.full_name},
    lambda face: {face.family},
    lambda face: {Path(face.path).name, Path(face.path).stem},
    lambda face: {f"{Path(face.path).name}#{face.index}", face.label},
)


def _listed(faces: Iterable[FontFace]) -> str:
    labels = [face.label for face in faces]
    more = f" and {len(labels) - _LISTED} more" if len(labels) > _LISTED else ""
    return ", ".join(labels[:_LISTED]) + more


def _place(file: str, index: int) -> str:
    return f"{file}#{index}" if index else file


def _name(face: Any, *ids: int) -> str:
    """The first of the names that the face has, in English if it can; empty when it has none."""
    for name_id in ids:
        name = face.get_name(name_id, "en")
        if not name:
            # Some faces are named in their own language alone.
            others = [e.language for e in face.list_names() if int(e.name_id) == name_id]
            name = face.get_name(name_id, others[0]) if others and others[0] else None
        if name and plain(name):
            return plain(name) if name_id in (_LICENSE, _COPYRIGHT) else short(plain(name))
    return ""


def _embedding(fs_type: int | None) -> str:
    """The usage permissions in words: OpenType 1.9.1, "OS/2" table, fsType bits 0 to 3.

    Old fonts set several bits; then the least strict holds.
    """
    if fs_type is None:
        return "unstated"
    bits = fs_type & 0xF
    if bits == 0:
        return "installable"
    for bit, words in ((8, "editable"), (4, "preview and print"), (2, "restricted")):
        if bits & bit:
            return words
    return "unknown"
