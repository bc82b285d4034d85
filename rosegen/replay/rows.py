"""Derived rows in a release's shape: every column in every row, null where nothing is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rosegen.release.row_schema import row_schema
from rosegen.replay.derive import derive_row
from rosegen.replay.known import replayed_schema
from rosegen.replay.making import Made
from rosegen.replay.own_columns import SUBSTITUTED
from rosegen.replay.recovered import PATH_COLUMNS, posix
from rosegen.scene import BRIDGE_TEMPLATES

Row = dict[str, Any]

SUBSTITUTED_COLUMN: Row = {
    "description": (
        "Art that stands in for what the record names, one line each; null where the scene's own "
        "art was at hand."
    ),
    "type": "array",
    "items": {"description": "What is used, and what for.", "type": "string"},
}

_BOUNDS = ("r1", "r2", "c1", "c2")


def release_row(made: Made, template: str, columns: Iterable[str]) -> Row:
    """The row of one task.

    Where the records tell whose art a tile is, the row tells it of the art that is shown.

    Args:
        made: the scene.
        template: one of its own.
        columns: those of the release beyond the ones every release has.
    """
    derived = derive_row(made.scene, template)
    row: Row = {name: derived.get(name) for name in (*replayed_schema()["properties"], *columns)}
    row["split"] = row["split"] or "test"
    row["region_params"] = _region_params(derived["region_params"])
    row["image_region_params"] = {**dict.fromkeys(_BOUNDS), **derived["image_region_params"]}
    row["bridge_task"] = template in BRIDGE_TEMPLATES
    for name in PATH_COLUMNS:
        path = row[name]
        if isinstance(path, str):
            row[name] = posix(path)
    for role, art in (("background", made.shown.majority), ("target", made.shown.exception)):
        for column, shown in ((f"{role}_pack", art.pack), (f"{role}_license", art.license)):
            row[column] = None if row[column] is None else shown
    row[SUBSTITUTED] = made.substituted or None
    return row


def _region_params(told: Mapping[str, Any]) -> Row:
    """With all its keys, null where the type of region has no such bound."""
    excluded = told.get("exclude_params", {})
    return {
        **{name: told.get(name) for name in _BOUNDS},
        "exclude_type": told.get("exclude_type"),
        "exclude_params": {name: excluded.get(name) for name in _BOUNDS},
    }


def schema_of_rows(columns: Mapping[str, Row]) -> dict[str, Any]:
    """The JSON Schema of a row of a replayed release.

    Args:
        columns: as for ``release_row``, each with its schema.
    """
    schema = row_schema(columns)
    return {**schema, "properties": {**schema["properties"], **replayed_schema()["properties"]}}
