"""Read ROSE's public records: main rows and bridge rows, in any mix."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError
from rosegen.geometry import Cell
from rosegen.replay.recovered import ROW_TEMPLATES, Fault
from rosegen.row_files import name_of, read_rows
from rosegen.scene import T1B, T2B, TEMPLATES
from rosegen.scoring.names import TEMPLATE_ALIASES

Row = dict[str, Any]

_PREFIX = "([A-Za-z][A-Za-z0-9]*)"
_ITEM = re.compile(rf"(MLCNT_)?{_PREFIX}ITEM_([0-9]{{1,9}})(__GCLK)?")
_SCENE = re.compile(rf"{_PREFIX}SCENE_([0-9]{{1,9}})")
_IMAGE = re.compile(rf"{_PREFIX}IMG_([0-9]{{1,9}})")
_ITEM_ID = re.compile(rb'"item_id"\s*:\s*"([^"\\]+)"')  # in a line that is no row
_RECORDS = ("region_params", "image_region_params")
_TOO_DEEP = "(nested too deeply)"
_DEEPEST = 8
_LONGEST_ID = 80
_LONGEST_LINE = 100  # characters of a line that is shown
_MOST_UNREAD = 1000  # lines that are no rows, of a file that has fewer rows than these
_MOST_DOUBLED = 10  # keys that stand twice in a row and are named one by one
_MOST, _MOST_FLOAT = 1 << 63, 1 << 53  # what 64 bits hold, and what a double holds exactly

Placed = tuple[int, Fault]
"""A fault and the place of its record."""


@dataclass(frozen=True)
class Record:
    """One row, cleaned, and what it is a row of."""

    place: int  # in the order of reading, from 0
    where: str  # file:line, the file by the end of its path that no other has
    row: Row
    scene: tuple[str, int] | None  # prefix and number, as most of its ids have it
    template: str | None
    with_nan: Mapping[str, Any] = field(default_factory=dict)  # as written, fields that hold NaN

    @property
    def item_id(self) -> str:
        """The id, fit to print; a question mark where there is none."""
        return printable((text(self.row, "item_id") or "?")[:_LONGEST_ID])


def read_records(
    paths: Iterable[Path], may_be_empty: Container[Path] = ()
) -> tuple[list[Record], list[Placed]]:
    """Read every row of every file: JSON Lines (gzip or not) or Parquet.

    A key that is null or NaN is dropped, in nested records too; other values are kept as written.

    Args:
        paths: the files.
        may_be_empty: those of them that need not hold a row.

    Returns:
        The records, and a fault for each line that is no row and each key that stands twice in one.

    Raises:
        RosegenError: a file cannot be read, or no line of it is a row, or few are.
    """
    paths = list(paths)
    records: list[Record] = []
    wrong: list[Placed] = []
    labels = labels_of(paths)
    before = 0
    for path in paths:
        reading = _Reading(path, labels[path], records, wrong, before)
        for where, raw in read_rows(path, unread=reading.refuse, doubled=reading.note_twice):
            reading.take(where, raw)
        reading.end(path in may_be_empty)
        before += reading.rows + reading.refused
    return records, wrong


@dataclass
class _Reading:
    """A file as it is read."""

    path: Path
    label: str
    records: list[Record]
    wrong: list[Placed]
    before: int  # lines, in files before this
    rows: int = 0
    refused: int = 0  # lines that are no rows
    first: str = ""  # what is wrong with the first of them
    twice: Mapping[str, list[Any]] = field(default_factory=dict)  # in the row that comes next

    def note_twice(self, where: str, keys: Mapping[str, list[Any]]) -> None:
        """Remember the keys that stand twice in the next row."""
        self.twice = keys

    def take(self, where: str, raw: Mapping[str, Any]) -> None:
        """Keep a row."""
        self.rows += 1
        row = _clean(raw)
        scene, template = _scene_of(row), _template_of(row)
        record = Record(self._place(), self._shown(where), row, scene, template, _with_nan(raw))
        self.records.append(record)
        if self.twice:
            self.wrong += [(record.place, fault) for fault in _doubled(record, self.twice)]
            self.twice = {}

    def refuse(self, where: str, line: bytes, reason: str) -> None:
        """Name a line that is no row.

        Raises:
            RosegenError: there are too many.
        """
        self.refused += 1
        self.first = self.first or f"{where}: {reason}"
        found = _ITEM_ID.search(line)
        item_id = _legible(found[1])[:_LONGEST_ID] if found else "?"
        said = _legible(line[: 4 * _LONGEST_LINE]).strip()
        more = "..." * (len(said) > _LONGEST_LINE)
        says = json.dumps(said[:_LONGEST_LINE] + more, ensure_ascii=False)
        should = f"one JSON object (it {reason})"
        fault = Fault(self._shown(where), printable(item_id), "line", printable(says), should)
        self.wrong.append((self._place(), fault))
        if self.refused > max(_MOST_UNREAD, self.rows):
            raise RosegenError(
                f"{self.first}: {self.refused:,} lines of the file are no rows, {self.rows:,} are: "
                "name a file of rows"
            )

    def end(self, may_be_empty: bool) -> None:
        """Refuse a file that is none of rows."""
        if self.first and not self.rows:
            raise RosegenError(f"{self.first}: no line of the file is a row: name a file of rows")
        if not self.rows and not may_be_empty:
            raise RosegenError(f"{self.path}: is empty, no row is in it: name a file of rows")

    def _place(self) -> int:
        return self.before + self.rows + self.refused - 1

    def _shown(self, where: str) -> str:
        return printable(self.label + where.removeprefix(str(self.path)))


def _legible(said: bytes) -> str:
    return said.decode("utf-8", "backslashreplace")


def _doubled(record: Record, twice: Mapping[str, list[Any]]) -> list[Fault]:
    """A fault for each key that stands twice in a row; of very many, one for the rest."""
    faults = []
    for key in list(twice)[:_MOST_DOUBLED]:
        says = " and ".join(
            json.dumps(value, ensure_ascii=False)[:_LONGEST_LINE] for value in twice[key][:2]
        )
        should = "there once (the last is heard)"
        name = printable(key[:_LONGEST_ID])
        faults.append(Fault(record.where, record.item_id, name, printable(says), should))
    if len(twice) > _MOST_DOUBLED:
        says = f"{len(twice) - _MOST_DOUBLED:,} other keys twice"
        faults.append(Fault(record.where, record.item_id, "row", says, "each of them once"))
    return faults


def labels_of(paths: Sequence[Path]) -> dict[Path, str]:
    """Each path by its shortest end that no other of them has: the same wherever they lie."""
    shared = 0
    for level in zip(*(path.parts[:-1] for path in paths)):
        if len(set(level)) > 1:
            break
        shared += 1
    own = {path: path.parts[shared:] for path in paths}
    labels = {}
    for path, parts in own.items():
        others = [other for one, other in own.items() if one != path]
        length = 1
        while length < len(parts) and any(each[-length:] == parts[-length:] for each in others):
            length += 1
        labels[path] = Path(*parts[-length:]).as_posix()
    return labels


def printable(said: str) -> str:
    """Text on one line of printable characters, the others spelled out."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in said)


def text(row: Mapping[str, Any], key: str) -> str | None:
    """A field that is text and not empty, as every file can hold it, else None."""
    value = row.get(key)
    return name_of(value) if isinstance(value, str) and value else None


def whole(value: object) -> int | None:
    """A whole number from 0 up, else None. Data frames write 46.0 for 46."""
    if isinstance(value, float) and value.is_integer() and value < _MOST_FLOAT:
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
    if not isinstance(value, list | dict):
        return value
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


def _with_nan(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, as written, from which a NaN is dropped."""
    found = {}
    for key, value in raw.items():
        if (isinstance(value, float) or key in _RECORDS) and _holds_nan(value):
            found[key] = value
    return found


def _holds_nan(value: Any) -> bool:
    """Whether a nested record has a NaN."""
    if isinstance(value, dict):
        return any(map(_holds_nan, value.values()))
    return isinstance(value, float) and math.isnan(value)


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
