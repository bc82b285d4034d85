"""Tiles that a row of rosegen's own names: by pack, and by the name they have in it."""

from __future__ import annotations

from functools import cache
from pathlib import PurePosixPath

from rosegen.data import assets_dir
from rosegen.errors import RosegenError
from rosegen.packs import OpenPack, load_packs
from rosegen.replay.assets.outcome import Found, Lack
from rosegen.replay.assets.own_sprites import own_sprite
from rosegen.replay.assets.pack_faces import face_named
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.record import EDIT, RELATIVES, Record, Role
from rosegen.replay.assets.tiles import (
    USER_PACKS,
    GlyphTile,
    PackEmojiTile,
    PackSpriteTile,
    provider_of,
)
from rosegen.scene import Tile
from rosegen.sources.glyph import spelled
from rosegen.sources.pixel import RESIZE_MODES
from rosegen.sources.pixel_art import OWN_LICENSE, OWN_PACK, Library, open_library, own_library
from rosegen.sources.pixel_edits import OPERATIONS


def from_pack(record: Record, role: Role, places: Places, named: str | None = None) -> Found | None:
    """The tile of a role, as its build drew it; None when it must be looked for by other columns.

    It must where the row names no pack, or one of somebody's own, whose fonts and emoji may be
    among the user's files. Its sprites are looked for there by the tile's name.

    Args:
        record: the scene's.
        role: the majority or the exception.
        places: where packs are.
        named: the tile's name, where its path is that of another.

    Raises:
        RosegenError: a file of the pack is not what it should be.
    """
    pack, name = record.text(f"{role}_pack"), named or record.text(f"{role}_path")
    if not pack or pack in USER_PACKS:
        return None
    if pack == OWN_PACK:
        return sprite_of_pack(None, name, resize_of(record))
    opened = places.packs.get(pack)
    if opened is None:
        if pack in _shipped():
            return Lack("pack", pack)
        if record.kind in (EDIT, RELATIVES):
            license = record.text(f"{role}_license")
            return own_sprite(pack, name, license, resize_of(record), places)
        return None
    if opened.pack.kind == "fonts":
        return _glyph(opened, name, record.text(f"{role}_char"), record.em_share)
    if opened.pack.kind == "emoji":
        return _emoji(opened, name)
    if opened.pack.kind == "sprites":
        return sprite_of_pack(opened, name, resize_of(record))
    return Lack(
        "scene",
        record.scene.scene_id,
        f"its rows name a pack of {opened.pack.kind}, whose tiles replay cannot draw",
        by_record=True,
    )


@cache
def _shipped() -> frozenset[str]:
    return frozenset(load_packs())


def _not_in(pack: str, kind: str, name: str, what: str = "none of that name") -> Lack:
    return Lack(kind, name, f"pack {pack} has {what}", by_record=True)


def resize_of(record: Record) -> str:
    """How pixel art is scaled: as the row says, or the release; else crisply.

    Raises:
        RosegenError: the row says something that is not known.
    """
    said = record.text("asset_resize_mode") or record.style.resize or RESIZE_MODES[0]
    if said not in RESIZE_MODES:
        raise RosegenError(f"asset_resize_mode {said!r} is none of {', '.join(RESIZE_MODES)}")
    return said


def sprite_of_pack(opened: OpenPack | None, name: str, resize: str) -> Found:
    """A sprite or an edit of one, by its tile's name; ``opened`` is None for rosegen's own set."""
    library = library_of(opened)
    pack, _, sprite = name.partition("/")
    recipe = _recipe(library, sprite) if pack == library.pack else None
    if recipe is None:
        return _not_in(library.pack, "sprite", name)
    license_of = OWN_LICENSE if opened is None else opened.pack.license
    art = Tile(name, library.pack, license_of, recipe)
    return PackSpriteTile(name, library.pack, license_of, opened, art, resize)


def library_of(opened: OpenPack | None) -> Library:
    """The sprites of a pack; None for rosegen's own set."""
    return own_library(assets_dir() / "sprites") if opened is None else open_library(opened)


def _recipe(library: Library, name: str) -> dict[str, object] | None:
    """What ``sprite``, ``sprite~operation-take`` and ``sprite~True`` stand for."""
    if name in library.art:
        return {"sprite": name}
    sprite, _, how = name.rpartition("~")
    if how == "True" and sprite in library.edited:
        return {"sprite": sprite, "edited": True}
    operation, _, take = how.rpartition("-")
    if sprite in library.art and operation in OPERATIONS and take.isascii() and take.isdigit():
        return {"sprite": sprite, "operation": operation, "take": int(take[:9])}
    return None


def _emoji(opened: OpenPack, name: str) -> Found:
    provider = provider_of(opened)
    key = PurePosixPath(name).stem
    if name != provider.asset(key) or not provider.keys([key]):
        return _not_in(opened.pack.name, "emoji", name)
    return PackEmojiTile(name, opened.pack.name, opened.pack.license, opened, key)


def _glyph(opened: OpenPack, name: str, char: str, share: float) -> Found:
    """A text in a face; ``char`` is the text as its own column has it, which a name may spell."""
    face_name, _, text = name.partition("/")
    text = char if spelled(char) == text else text
    face = face_named(opened, face_name)
    if face is None:
        return _not_in(opened.pack.name, "font", face_name, "no such face")
    return GlyphTile(name, face.pack, face.license, face.font, text, share)
