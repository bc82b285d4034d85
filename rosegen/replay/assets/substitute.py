"""Tiles that stand in for those that are not at hand: the same on every machine."""

from __future__ import annotations

from rosegen.replay.assets.outcome import Lack, Missing, Tiles
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.record import CONTENT, EDIT, GLYPH, HANZI, RELATIVES, STYLE, Record
from rosegen.replay.assets.resolve import fits_cell
from rosegen.replay.assets.stand_in_emoji import stand_in_emoji
from rosegen.replay.assets.stand_in_glyphs import stand_in_glyphs
from rosegen.replay.assets.stand_in_sprites import stand_in_sprites
from rosegen.replay.assets.tiles import PLAIN_STYLE, TileStyle
from rosegen.replay.recovered import RecoveredScene

_BY_KIND = {
    GLYPH: stand_in_glyphs,
    HANZI: stand_in_glyphs,
    STYLE: stand_in_emoji,
    CONTENT: stand_in_emoji,
    EDIT: stand_in_sprites,
    RELATIVES: stand_in_sprites,
}


def substitute(
    scene: RecoveredScene, missing: Missing, places: Places, style: TileStyle = PLAIN_STYLE
) -> Tiles | Missing:
    """Find stand-ins for the tiles of a scene that are missing.

    Glyphs stay the same characters and emoji the same code points; pixel art becomes another pair
    of its kind. What is taken follows from the scene's record, how its release draws tiles, and
    the packs alone: no other scene has a say, nor have the user's folders beyond what was found in
    them.

    Args:
        scene: as recovered.
        missing: what ``resolve`` says of it.
        places: where to look; stand-ins come from its packs and from rosegen's own sprites.
        style: how the scene's release draws tiles; stand-ins are drawn so.

    Returns:
        Tiles that differ at the scene's cell size, with what stands in for what; ``missing`` with
        a reason when the packs have nothing that will do.

    Raises:
        RosegenError: a file of a pack is not what it should be.
    """
    record = Record(scene, style)
    stand_in = _BY_KIND.get(record.kind)
    if stand_in is None or not fits_cell(scene):
        return missing
    found = stand_in(record, missing, places)
    if found is not None:
        return found
    wanted = missing.lacks[0]
    lack = Lack(wanted.kind, wanted.name, "nothing at hand can stand in for it")
    return Missing(scene.scene_id, lack, lack)
