"""A scene's own tiles, by ROSE's columns, from what the user has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from rosegen.errors import RosegenError
from rosegen.replay.assets.emoji import WantedEmoji
from rosegen.replay.assets.from_packs import resize_of
from rosegen.replay.assets.outcome import Found, Lack
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.record import (
    CONTENT,
    EDIT,
    GLYPH,
    HANZI,
    RELATIVES,
    ROLES,
    STYLE,
    Record,
)
from rosegen.replay.assets.texts import notes_on
from rosegen.replay.assets.tiles import (
    USER_EMOJI,
    USER_FONTS,
    USER_LICENSE,
    USER_SPRITES,
    EmojiFileTile,
    GlyphTile,
    SpriteFileTile,
)
from rosegen.replay.assets.user_files import UserFile
from rosegen.sources.font_file import path_name

FIRST_IS_MAJORITY = "which of the two sprites is the majority is not recorded: the first is taken"


class Looked(NamedTuple):
    """What was found for the majority and for the exception."""

    majority: Found
    exception: Found
    notes: tuple[str, ...] = ()


def own_tiles(record: Record, places: Places) -> Looked:
    """Look for both tiles of a scene whose rows name no pack."""
    look = _BY_KIND.get(record.kind)
    if look is None:
        kind = f"tiles of kind {record.kind!r}" if record.kind else "no kind of tiles"
        return _both(_untold(record, f"its rows name {kind}: cannot be drawn"))
    return look(record, places)


def _both(lack: Lack, notes: tuple[str, ...] = ()) -> Looked:
    return Looked(lack, lack, notes)


def _unnamed(record: Record, what: str) -> Looked:
    return _both(_untold(record, f"its rows do not name {what}"))


def _untold(record: Record, reason: str) -> Lack:
    return Lack("scene", record.scene.scene_id, reason, by_record=True)


def _glyphs(record: Record, places: Places) -> Looked:
    name = record.text("font_name")
    texts = record.text("background_char"), record.text("target_char")
    if not name or not all(texts):
        return _unnamed(record, "a font and two characters")
    try:
        face = places.font_shelf.find(name)
        if face is None:
            return _both(Lack("font", name))
        notes = notes_on(face, texts, record)
    except RosegenError as error:
        return _both(Lack("font", name, str(error)))
    placed = name[name.rindex("@") :] if face.location else ""
    shown = path_name(face.postscript_name) + placed  # tiles are named face/text
    majority, exception = (
        GlyphTile(f"{shown}/{text}", USER_FONTS, USER_LICENSE, face, text, record.em_share)
        for text in texts
    )
    return Looked(majority, exception, notes)


def _emoji(record: Record, places: Places) -> Looked:
    found = []
    for role in ROLES:
        wanted = record.emoji(role)
        if wanted is None:
            return _unnamed(record, "two emoji and their providers")
        found.append(_emoji_file(wanted, places))
    return Looked(found[0], found[1])


def _emoji_file(wanted: WantedEmoji, places: Places) -> Found:
    try:
        file = places.emoji_shelf.find(wanted)
    except RosegenError as error:
        return Lack("emoji", wanted.label, str(error))
    if file is None:
        known = places.emoji_shelf.has_provider(wanted.provider)
        return Lack("emoji", wanted.label, provider=None if known else wanted.provider)
    name = f"{wanted.provider}/{file.below[-1]}"
    return EmojiFileTile(name, USER_EMOJI, USER_LICENSE, file.path)


def _edit(record: Record, places: Places) -> Looked:
    name = record.sprite
    if not name:
        return _unnamed(record, "a sprite")
    try:
        resize = resize_of(record)
        original, edited = places.sprite_shelf.find_pair(name)
    except RosegenError as error:
        return _both(Lack("sprite", name, str(error)))
    if original is None and edited is None:
        return _both(Lack("sprite", name))
    return Looked(
        Lack("sprite", f"{name} (the original)") if original is None else _sprite(original, resize),
        Lack("sprite", f"{name} (the edit)") if edited is None else _sprite(edited, resize),
        ("which of the two sprites is the majority is not recorded: the original is taken",),
    )


def _relatives(record: Record, places: Places) -> Looked:
    names = record.sprites
    if names is None:
        return _unnamed(record, "two sprites")
    try:
        resize = resize_of(record)
    except RosegenError as error:
        return _both(Lack("sprite", record.pair_key, str(error)))
    found: list[Found] = []
    for name in names:
        try:
            file = places.sprite_shelf.find(name)
            found.append(Lack("sprite", name) if file is None else _sprite(file, resize))
        except RosegenError as error:
            found.append(Lack("sprite", name, str(error)))
    return Looked(found[0], found[1], (FIRST_IS_MAJORITY,))


def _sprite(file: UserFile, resize: str) -> SpriteFileTile:
    return SpriteFileTile(file.label, USER_SPRITES, USER_LICENSE, file.path, resize)


_BY_KIND: Mapping[str, Callable[[Record, Places], Looked]] = {
    GLYPH: _glyphs,
    HANZI: _glyphs,
    STYLE: _emoji,
    CONTENT: _emoji,
    EDIT: _edit,
    RELATIVES: _relatives,
}
