"""Read ROSE's public records: main rows and bridge rows, in any mix. The one place with I/O."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosegen.geometry import Cell
from rosegen.replay.recovered import ROW_TEMPLATES
from rosegen.scene import T1B, T2B, TEMPLATES
from rosegen.scoring.names import TEMPLATE_ALIASES
from rosegen.scoring.rows import read_rows

Row = dict[str, Any]

_PREFIX = "([A-Za-z][A-Za-z0-9]*)"
_ITEM = re.compile(rf"(MLCNT_)?{_PREFIX}ITEM_([0-9]{{1,9}})(__GCLK)?")
_SCENE = re.compile(rf"{_PREFIX}SCENE_([0-9]{{1,9}})")
_IMAGE = re.compile(rf"{_PREFIX}IMG_([0-9]{{1,9}})")
_RECORDS = ("region_params", "image_region_params")
_TOO_DEEP = "(nested too deeply)"
_DEEPEST = 8
_LONGEST_ID = 80
_MOST = 1 << 53  # what a double holds exactly


@dataclass(frozen=True)
class Record:
    """One row, cleaned, and what it is a row of."""

    place: int  # in the order of reading, from 0
    where: str  # file:line
    row: Row
    scene: tuple[str, int] | None  # prefix and number, as most of its ids have it
    template: str | None

    @property
    def item_id(self) -> str:
        """The id, fit to print; a question mark where there is none."""
        return printable((text(self.row, "item_id") or "?")[:_LONGEST_ID])


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Read every row of every file: JSON Lines (gzip or not) or Parquet.

    A key that is null or NaN is dropped, in nested records too; other values are kept as written.

    Raises:
        RosegenError: a file cannot be read, or a line of it is no row.
    """
    records: list[Record] = []
    for path in paths:
        for where, raw in read_rows(path):
            row = _clean(raw)
            place = len(records)
            records.append(Record(place, printable(where), row, _scene_of(row), _template_of(row)))
    return records


def printable(said: str) -> str:
    """Text on one line of printable characters, the others spelled out."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in said)


def text(row: Mapping[str, Any], key: str) -> str | None:
    """A field that is text and not empty, else None."""
    value = row.get(key)
    return value if isinstance(value, str) and value else None


def whole(value: object) -> int | None:
    """A whole number from 0 up, else None. Data frames write 46.0 for 46."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is int and 0 <= value < _MOST:
        return value
    return None


def cells(value: object) -> tuple[Cell, ...] | None:
    """A list of [row, col] pairs, else None."""
    if not isinstance(value, list):
        return None
    found = []
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2:
            return None
        row, col = whole(pair[0]), whole(pair[1])
        if row is None or col is None:
            return None
        found.append(Cell(row, col))
    return tuple(found)


def template_name(value: object) -> object:
    """The template under its first name; T5 has two. Anything else comes back as it is."""
    return TEMPLATE_ALIASES.get(value, value) if isinstance(value, str) else value


def _clean(raw: Mapping[str, Any]) -> Row:
    row = {key: _within(value) for key, value in raw.items() if not _is_null(value)}
    for key in _RECORDS:
        if key in raw:
            row[key] = _filled(row.get(key, {}))
    return row


def _within(value: Any) -> Any:
    """The value, or a remark in its place when nothing could walk through it safely."""
    layer = [value]
    for _ in range(_DEEPEST):
        layer = [
            part
            for each in layer
            if isinstance(each, list | dict)
            for part in (each.values() if isinstance(each, dict) else each)
        ]
    return _TOO_DEEP if layer else value


def _filled(value: Any) -> Any:
    """A nested record without its nulls, and without records of nothing but nulls."""
    if not isinstance(value, dict):
        return value
    inner = {key: _filled(part) for key, part in value.items() if not _is_null(part)}
    return {key: part for key, part in inner.items() if part != {}}


def _is_null(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _scene_of(row: Row) -> tuple[str, int] | None:
    """Prefix and number as most ids of the row have them; the scene's own breaks a tie."""
    votes: Counter[tuple[str, int]] = Counter()
    if match := _SCENE.fullmatch(text(row, "scene_id") or ""):
        votes[match[1], int(match[2])] += 1
    for key in ("item_id", "source_item_id"):
        if match := _ITEM.fullmatch(text(row, key) or ""):
            votes[match[2], (int(match[3]) + 4) // 5] += 1
    if match := _IMAGE.fullmatch(text(row, "image_id") or ""):
        votes[match[1], (int(match[2]) + 1) // 2] += 1
    real = [scene for scene, _ in votes.most_common() if scene[1] > 0]
    return real[0] if real else None


def _template_of(row: Row) -> str | None:
    named = template_name(row.get("task_template"))
    if isinstance(named, str) and named in ROW_TEMPLATES:
        return named
    match = _ITEM.fullmatch(text(row, "item_id") or "")
    if match is None:
        return None
    if match[1]:
        return T2B
    return T1B if match[4] else TEMPLATES[(int(match[3]) - 1) % 5]
