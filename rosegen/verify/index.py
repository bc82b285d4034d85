"""Find where the rows of a few scenes at a time stand, so that no more need be held than those."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rosegen.verify.reading import Ends, Line, UnreadableError, lines_of, open_file, parse_json
from rosegen.verify.report import Fault, fault
from rosegen.verify.said import BatchKey
from rosegen.verify.scenes import SceneKey, scene_key

_ROWS_A_SCENE = {"image_id": 2, "item_id": 5}
_FIRST_COLUMN = re.compile(
    rb'\{ ?"(item_id|image_id)": ?"(?:MLCNT_)?([A-Za-z0-9]+?)(?:ITEM|IMG)_([0-9]{6,9})(?:__GCLK)?"'
)
_NAMED = re.compile(r"(?:MLCNT_)?([A-Za-z0-9]+?)(?:ITEM|IMG)_([0-9]{6,9})(?:__GCLK)?")
_BYTES_A_SCENE = 25_000  # about what all rows of a scene come to
_SMALLEST, _LARGEST = 16, 256
_MANY = 2_000


def batch_size(root: Path, files: Iterable[str]) -> int:
    """How many scenes are checked at a time: few, so that all processes have something to do.

    Args:
        root: the release.
        files: the files of rows.
    """
    total = 0
    for name in files:
        try:
            total += (root / name).stat().st_size
        except OSError:
            continue  # who reads it will say so
    return min(max(total // _BYTES_A_SCENE // _MANY, _SMALLEST), _LARGEST)


def batch_of(key: SceneKey, size: int) -> BatchKey:
    """The batch of a scene, among batches of so many."""
    return key[0], (key[1] - 1) // size


@dataclass(frozen=True)
class Run:
    """Lines of a file that stand together."""

    start: int
    """First byte."""
    number: int
    """Of the first line, from 1."""
    lines: int


@dataclass(frozen=True)
class Batch:
    """Scenes that are checked together, and where their rows stand."""

    key: BatchKey
    runs: Mapping[str, list[Run]]
    """By file."""
    strays: tuple[tuple[str, Line], ...] = ()
    """File and line of rows that say they are of these scenes, but stand among others."""


@dataclass
class Index:
    """Where the rows of a release stand."""

    size: int
    """Scenes of a batch."""
    runs: dict[BatchKey, dict[str, list[Run]]] = field(default_factory=dict)
    ends: dict[str, Ends] = field(default_factory=dict)
    """By file, how its lines begin and end."""
    unreadable: dict[str, Fault] = field(default_factory=dict)
    """By file, why there are no rows of it."""
    out_of_order: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By file, number and id of the first line that stands after one it should stand before."""

    def batches(self) -> list[Batch]:
        """All of them, in the order of scenes."""
        return [Batch(key, runs) for key, runs in sorted(self.runs.items())]

    def read(self, root: Path, name: str) -> None:
        """Note where the rows of a file stand."""
        ends = self.ends[name] = Ends(name)
        at: BatchKey = ("", 0)  # where lines that tell nothing go: with those before them
        order = _Order()
        start = first = count = 0
        try:
            with open_file(root, name) as file:
                for line in lines_of(file, ends):
                    told = _told(line.data)
                    here = at if told is None else batch_of(told[0], self.size)
                    if here != at or not count:
                        self._keep(at, name, Run(start, first, count))
                        at, start, first, count = here, line.start, line.number, 0
                    count += 1
                    if told is not None and not order.follows(told[0][0], told[1]):
                        self.out_of_order.setdefault(name, (line.number, told[2]))
        except UnreadableError as error:
            self.unreadable[name] = fault("layout", name, str(error))
        self._keep(at, name, Run(start, first, count))

    def _keep(self, key: BatchKey, name: str, run: Run) -> None:
        if run.lines:
            self.runs.setdefault(key, {}).setdefault(name, []).append(run)


class _Order:
    """Rows stand by prefix, and by number within one."""

    def __init__(self) -> None:
        self._prefix, self._number = "", 0
        self._done: set[str] = set()

    def follows(self, prefix: str, number: int) -> bool:
        """Whether a row may stand after those before it."""
        if prefix == self._prefix:
            in_order = number > self._number
        else:
            self._done.add(self._prefix)
            in_order = prefix not in self._done
        self._prefix, self._number = prefix, number
        return in_order


def _told(data: bytes) -> tuple[SceneKey, int, str] | None:
    """What a line tells at a glance: its scene, the number in its id, and the id."""
    match = _FIRST_COLUMN.match(data)
    if match is not None:
        column, prefix, digits = match[1].decode(), match[2].decode(), match[3]
        number = int(digits)
        text = data[match.start(2) : match.end(3)].decode()
        return (prefix, -(-number // _ROWS_A_SCENE[column])), number, text
    try:
        row = parse_json(data)
    except ValueError:
        return None
    return _told_of(row) if isinstance(row, dict) else None


def _told_of(row: Mapping[str, Any]) -> tuple[SceneKey, int, str] | None:
    for column in ("item_id", "image_id"):
        match = _NAMED.fullmatch(row[column]) if isinstance(row.get(column), str) else None
        if match is not None:
            number = int(match[2])
            return (match[1], -(-number // _ROWS_A_SCENE[column])), number, row[column]
    return None


def key_of_row(row: Mapping[str, Any]) -> SceneKey | None:
    """The scene of a row that is fit for further checks: of an item, or of an image."""
    if "item_id" in row:
        return scene_key(row)
    told = _told_of(row)
    return None if told is None else told[0]
