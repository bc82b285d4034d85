"""Tiles that stood in for others in the release that the rows are of: the rows tell what was shown.

Such a row names the pack of what was shown, but has the path and the font of what was wanted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rosegen.errors import RosegenError
from rosegen.replay.assets.from_packs import from_pack
from rosegen.replay.assets.outcome import Found, Lack, Substitution
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.record import GLYPH, HANZI, ROLES, Record
from rosegen.replay.assets.tiles import AssetTile
from rosegen.replay.own_columns import SUBSTITUTED

# As ``Substitution`` is written, wanted by the label of a ``Lack``.
_SAID = re.compile(r"(.+?) for ((?:font|emoji|sprite|pack|scene|the found) .+)", re.DOTALL)


class Shown(NamedTuple):
    """Both tiles, and what stands in for what."""

    majority: AssetTile
    exception: AssetTile
    substitutions: tuple[Substitution, ...]


def shown_before(record: Record, places: Places) -> Shown | None:
    """What the release showed; None where nothing stood in, or what did is not at hand."""
    try:
        return _shown(record, places)
    except RosegenError:  # a file of a pack is not what it should be
        return None


def _shown(record: Record, places: Places) -> Shown | None:
    told = told_substitutions(record.scene.columns.get(SUBSTITUTED))
    if not told:
        return None
    if record.kind in (GLYPH, HANZI):
        majority, exception = (
            from_pack(record, role, places, f"{told[0].used}/{record.text(f'{role}_char')}")
            for role in ROLES
        )
    else:
        majority, exception = _by_names(record, places, told)
    if isinstance(majority, Lack | None) or isinstance(exception, Lack | None):
        return None
    return Shown(majority, exception, tuple(told))


def told_substitutions(said: object) -> list[Substitution]:
    """What the column ``substituted`` of a row says, as far as it can be understood."""
    lines = said if isinstance(said, list) else []
    matches = (_SAID.fullmatch(line) for line in lines if isinstance(line, str))
    return [Substitution(match[2], match[1]) for match in matches if match]


def _by_names(
    record: Record, places: Places, told: Sequence[Substitution]
) -> tuple[Found | None, Found | None]:
    """Each role's tile by the name that stood in for it, else by its own."""
    names = [name for each in told for name in each.used.split(" and ")]
    if len(names) == 2:
        majority, exception = (
            from_pack(record, role, places, name) for role, name in zip(ROLES, names)
        )
        return majority, exception
    majority, exception = (from_pack(record, role, places) for role in ROLES)
    if len(names) == 1 and isinstance(majority, Lack):
        majority = from_pack(record, ROLES[0], places, names[0])
    elif len(names) == 1 and isinstance(exception, Lack):
        exception = from_pack(record, ROLES[1], places, names[0])
    return majority, exception
