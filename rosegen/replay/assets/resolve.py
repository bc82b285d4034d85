"""From a recovered scene to its two tiles, or to what is missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rosegen.errors import RosegenError
from rosegen.replay.assets.from_packs import from_pack
from rosegen.replay.assets.outcome import Found, Lack, Missing, Substitution, Tiles
from rosegen.replay.assets.own_tiles import own_tiles
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.record import KINDS, ROLES, Record, Role
from rosegen.replay.assets.shown_before import shown_before
from rosegen.replay.assets.tiles import (
    PLAIN_STYLE,
    USER_PACKS,
    AssetTile,
    Pixels,
    TileStyle,
    dressed,
)
from rosegen.replay.records import printable
from rosegen.replay.recovered import RecoveredScene
from rosegen.sources.similarity import ssim_of_tiles

SMALLEST_CELL, LARGEST_CELL = 8, 1024  # pixels a side

_SSIM_STEP = 2e-6  # rows have six places


def resolve(
    scene: RecoveredScene, places: Places, style: TileStyle = PLAIN_STYLE
) -> Tiles | Missing:
    """Find both tiles of a scene.

    A row of rosegen's own names packs, and its tiles are drawn from these as the build drew them.
    Where the row's kind of tiles is none that rosegen brings, they must measure as the row says.
    A row of ROSE names fonts, emoji and sprites, which are looked for among the user's. Where a row
    has measures and the tiles measure otherwise, a note says so. Where other art stood in, it does
    so again if it is at hand.

    Args:
        scene: as recovered.
        places: where to look.
        style: how the scene's release draws tiles, as far as it tells it.

    Returns:
        The tiles, which can be drawn and differ at the scene's cell size; else what is missing, or
        why what is there will not do.

    Raises:
        RosegenError: a place that the user names is not there, or cannot be read.
    """
    record = Record(scene, style)
    if not fits_cell(scene):
        reason = f"cells of {scene.grid.cell_size} px (wanted {SMALLEST_CELL} to {LARGEST_CELL})"
        lack = Lack("scene", scene.scene_id, reason)
        return Missing(scene.scene_id, lack, lack)
    _ = places.font_shelf, places.emoji_shelf, places.sprite_shelf
    majority, exception, notes = _look(record, places)
    substitutions: tuple[Substitution, ...] = ()
    again = shown_before(record, places)
    if again is not None:
        majority, exception, substitutions = again
        notes = ()
    majority, exception = _dressed(majority, style), _dressed(exception, style)
    if isinstance(majority, AssetTile) and isinstance(exception, AssetTile):
        size = scene.grid.cell_size
        try:
            one, other = (each.draw(size, style.background) for each in (majority, exception))
            doubt = None if substitutions else _doubt(record, one, other)
            if np.array_equal(one, other):
                reason = f"the two tiles look the same at {size} px"
            elif doubt and record.kind not in KINDS:
                reason = f"what draws tiles of kind {record.kind!r} is not known, and {doubt}"
            else:
                notes = (*notes, *([doubt] if doubt else ()))
                return Tiles(majority, exception, notes, substitutions)
        except RosegenError as error:
            reason = str(error)
        majority = exception = Lack("scene", scene.scene_id, reason)
    return Missing(scene.scene_id, majority, exception)


def fits_cell(scene: RecoveredScene) -> bool:
    """Whether a scene's cells are of a size that a tile can be drawn and looked at in."""
    return SMALLEST_CELL <= scene.grid.cell_size <= LARGEST_CELL


def _look(record: Record, places: Places) -> tuple[Found, Found, tuple[str, ...]]:
    """Each role's tile by its pack, or else by ROSE's columns."""
    by_pack = [_from_pack(record, role, places) for role in ROLES]
    majority, exception = by_pack
    if majority is not None and exception is not None:
        return majority, exception, ()
    own = own_tiles(record, places)
    return (
        majority or _as_told(record, "background", own.majority),
        exception or _as_told(record, "target", own.exception),
        own.notes,
    )


def _as_told(record: Record, role: Role, found: Found) -> Found:
    """A tile of the user's files as one of the pack that the row says they are."""
    pack, license = record.text(f"{role}_pack"), record.text(f"{role}_license")
    if isinstance(found, Lack) or not pack or pack in USER_PACKS:
        return found
    return replace(found, pack=printable(pack), license=printable(license) or found.license)


def _dressed(found: Found, style: TileStyle) -> Found:
    return dressed(found, style) if isinstance(found, AssetTile) else found


def _doubt(record: Record, majority: Pixels, exception: Pixels) -> str | None:
    """What to say when two tiles measure otherwise than their row says: no build drew them so."""
    said = record.scene.columns.get("ssim")
    if not isinstance(said, int | float):
        return None
    (measured,) = ssim_of_tiles([(majority, exception)])
    if abs(measured - said) < _SSIM_STEP:
        return None
    return (
        f"its row says SSIM {said:.6f}, drawn here it is {measured:.6f}: it was built with another "
        "ink, background or version of rosegen or of a pack"
    )


def _from_pack(record: Record, role: Role, places: Places) -> Found | None:
    try:
        return from_pack(record, role, places)
    except RosegenError as error:
        return Lack("pack", record.text(f"{role}_pack"), str(error))
