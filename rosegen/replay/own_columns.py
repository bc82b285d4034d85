"""The columns that only the records of a release have: what they hold, and what they cannot."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rosegen.replay.known import is_known
from rosegen.replay.recovered import RecoveredScene

Row = dict[str, Any]

SUBSTITUTED = "substituted"
_ABOUT = "As the records have it."
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
_LOOSE = "(something else in each of its rows)"
_LONGEST_NAME = 100
_MOST = 1 << 63  # a loader keeps integers in 64 bits


def own_columns(
    scenes: Iterable[RecoveredScene], told: Mapping[str, Mapping[str, Any]]
) -> dict[str, Row]:
    """Name to JSON Schema of each column beyond those of every release.

    A column holds text, truth, numbers or lists of texts, whichever most of its values are; whole
    numbers among others are numbers.

    Args:
        scenes: as recovered.
        told: name to schema of the columns that the records' release tells of, for what they mean.
    """
    kinds: dict[str, Counter[str]] = {}
    for scene in scenes:
        for name, value in scene.columns.items():
            kind = _kind(value)
            if kind is not None and _may_be_called(name):
                kinds.setdefault(name, Counter())[kind] += 1
    return {
        name: {**_schema(counts), "description": _about(told.get(name, {}))}
        for name, counts in kinds.items()
    }


def _about(told: Mapping[str, Any]) -> str:
    said = told.get("description")
    return said if isinstance(said, str) and said.strip() else _ABOUT


def _may_be_called(name: str) -> bool:
    """Whether a column may have a name: one line of text that is no other column's."""
    if is_known(name) or name == SUBSTITUTED:
        return False
    return name == name.strip() and name.isprintable() and 0 < len(name) <= _LONGEST_NAME


def _kind(value: Any) -> str | None:
    """The JSON type; None for what no column may hold."""
    if isinstance(value, list):
        return "array" if all(type(part) is str for part in value) else None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if type(value) is int and not -_MOST <= value < _MOST:
        return None
    return _TYPES.get(type(value))


def _schema(counts: Counter[str]) -> Row:
    numbers = counts["integer"] + counts["number"]
    others = {kind: count for kind, count in counts.items() if kind not in ("integer", "number")}
    kind = max(others, key=lambda each: others[each], default="")
    if numbers > others.get(kind, 0):
        kind = "number" if counts["number"] else "integer"
    if kind == "array":
        items = {"description": "One of them.", "type": "string"}
        return {"description": _ABOUT, "type": kind, "items": items}
    return {"description": _ABOUT, "type": kind}


def that_fit(
    scene: RecoveredScene, columns: Mapping[str, Row]
) -> tuple[RecoveredScene, list[tuple[str, Any]]]:
    """A scene without the values that no row of the release may hold, and those values by column.

    Args:
        scene: as recovered.
        columns: of ``own_columns``.
    """
    kept = {}
    unfit: list[tuple[str, Any]] = [(name, _LOOSE) for name in sorted(scene.customs.loose)]
    for name, value in scene.columns.items():
        # What stood in is told anew in the rows, but it says what is to stand in again.
        if name == SUBSTITUTED or is_known(name) or _fits(value, columns.get(name)):
            kept[name] = value
        else:
            unfit.append((name, value))
    return replace(scene, columns=kept), unfit


def _fits(value: Any, schema: Mapping[str, Any] | None) -> bool:
    if schema is None:
        return False
    kind = _kind(value)
    return kind == schema["type"] or (kind == "integer" and schema["type"] == "number")
