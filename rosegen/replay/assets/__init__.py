"""The assets of replay: from a recovered scene to its two tiles, from what is at hand."""

from __future__ import annotations

from rosegen.replay.assets.outcome import Lack, Missing, Substitution, Tiles, why
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.resolve import resolve
from rosegen.replay.assets.substitute import substitute
from rosegen.replay.assets.summary import missing_summary
from rosegen.replay.assets.tiles import AssetTile

__all__ = [
    "AssetTile",
    "Lack",
    "Missing",
    "Places",
    "Substitution",
    "Tiles",
    "missing_summary",
    "resolve",
    "substitute",
    "why",
]
