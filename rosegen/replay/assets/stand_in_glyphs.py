"""A face that stands in for one that is not at hand: the nearest in style that has both texts."""

from __future__ import annotations

from collections.abc import Iterator

from rosegen.draws import Draws
from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.replay.assets.face_style import style_of
from rosegen.replay.assets.looks import look_at, same
from rosegen.replay.assets.outcome import Missing, Substitution, Tiles
from rosegen.replay.assets.pack_faces import pack_faces
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.record import Record
from rosegen.replay.assets.texts import notes_on
from rosegen.replay.assets.tiles import GlyphTile, dressed
from rosegen.sources import text_tile
from rosegen.sources.font_choice import PackFace


def stand_in_glyphs(record: Record, missing: Missing, places: Places) -> Tiles | None:
    """Both texts in a face of the packs; None when none has both and draws them differently.

    One font's stand-in is the same in every scene, as far as it has the characters.
    """
    cell_size, spare = record.scene.grid.cell_size, None
    background = record.style.background
    for tiles in _tiles(record, missing, places):
        if look_at(tiles.majority, tiles.exception, cell_size, background).apart:
            return tiles
        spare = spare or tiles  # they differ at least, where no face makes it plain
    return spare


def _tiles(record: Record, missing: Missing, places: Places) -> Iterator[Tiles]:
    """Both texts in each face that has them and draws them differently, the nearest first."""
    texts = record.text("background_char"), record.text("target_char")
    name, share = record.text("font_name"), record.em_share
    style = style_of(name)
    faces = [face for opened in places.packs_of_kind("fonts") for face in _faces(opened)]
    faces = Draws("replay-face", name).shuffled(faces)
    for face in sorted(faces, key=lambda face: style.distance(style_of(face.name))):
        try:
            notes = notes_on(face.font, texts, record)
            if text_tile.identical(face.font, *texts):
                continue
            plain = (
                GlyphTile(f"{face.name}/{text}", face.pack, face.license, face.font, text, share)
                for text in texts
            )
            majority, exception = (dressed(tile, record.style) for tile in plain)
            if same(majority, exception, record.scene.grid.cell_size, record.style.background):
                continue
        except RosegenError:
            continue
        used = tuple(Substitution(lack.label, face.name) for lack in missing.lacks)
        yield Tiles(majority, exception, notes, used)


def _faces(opened: OpenPack) -> list[PackFace]:
    return list(pack_faces(opened).values())
