"""Check a few scenes: their rows in every file, then their images. This is what workers do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError
from rosegen.verify.blame import Parts, parts_of
from rosegen.verify.bridges import bridge_files, check_bridge
from rosegen.verify.cues import Look
from rosegen.verify.difficulty import Levels, Rule
from rosegen.verify.facts import Facts, note_packs, note_scenes
from rosegen.verify.index import Batch, Run, batch_of, key_of_row
from rosegen.verify.layout import SPLITS, metadata_file
from rosegen.verify.manifest import NAME as MANIFEST
from rosegen.verify.manifest import check_manifest
from rosegen.verify.pictures import Pictures, check_pictures
from rosegen.verify.reading import (
    Ends,
    Line,
    Row,
    Shape,
    Table,
    UnreadableError,
    known_shape,
    lines_of,
    open_file,
    read_rows,
)
from rosegen.verify.report import Fault, fault
from rosegen.verify.row_shape import own_columns, row_shape
from rosegen.verify.rules import Rules, rules_by_prefix
from rosegen.verify.said import BatchKey, Said
from rosegen.verify.scenes import (
    Scene,
    SceneKey,
    check_complete,
    check_scene,
    doubled,
    group,
    with_bridges,
)
from rosegen.verify.sides import Stand
from rosegen.verify.through import Through
from rosegen.verify.together import note_together, pairs_of


@dataclass(frozen=True)
class Task:
    """What every worker is told of a release."""

    root: Path
    summary: Mapping[str, Any] | None
    replayed: bool
    bridges: tuple[str, ...]
    """The files of bridge rows that are read."""
    difficulty: Rule | None
    """None where there is no rule, or none that makes sense."""
    through: Through | None
    size: int
    """Scenes of a batch."""

    @property
    def columns(self) -> Mapping[str, Any] | None:
        """The release's own columns; None when they are not known."""
        return None if self.summary is None else self.summary["columns"]


@dataclass
class Reading:
    """What comes of reading the rows of a file."""

    faults: list[Fault] = field(default_factory=list)
    rows: int = 0
    unfit: int = 0
    untold: int = 0
    """Unfit rows that do not tell their ids."""
    disordered: int = 0
    """Rows whose columns are not in their order."""
    first_disordered: int = 0
    """Line number."""

    @classmethod
    def of(cls, table: Table) -> Reading:
        """What comes of reading a table."""
        return cls(
            table.faults,
            len(table.rows),
            len(table.lost),
            table.lost.count(None),
            len(table.disordered),
            min(table.disordered, default=0),
        )

    def add(self, other: Reading) -> None:
        """Add what comes of reading other rows of the file."""
        self.faults += other.faults
        self.rows += other.rows
        self.unfit += other.unfit
        self.untold += other.untold
        if other.disordered:
            first = min(self.first_disordered or other.first_disordered, other.first_disordered)
            self.disordered, self.first_disordered = self.disordered + other.disordered, first

    def all_faults(self, name: str) -> list[Fault]:
        """What is wrong with the rows of the file of that name, as they stand."""
        faults = list(self.faults)
        if self.disordered:
            detail = f"columns of {self.disordered} rows are not in the release's order"
            faults.append(fault("schema", f"{name}:{self.first_disordered}", detail))
        return faults


@dataclass
class Stray:
    """A row that stands among those of other scenes than its own."""

    batch: BatchKey
    """Where it belongs."""
    file: str
    line: Line


SCENES, BRIDGES, IMAGES = "scenes", "bridges", "images"
INCOMPLETE = "incomplete"
"""Scenes that lack rows: faults only if every row that cannot be read tells its id."""
NO_SCENE, NO_ITEM = "no scene", "no item"
"""Bridge rows and images without a main row: faults only if every main row could be read."""
NO_IMAGE = "no image"
"""Images that the manifest lacks: faults only if every row of it could be read."""


@dataclass
class Found:
    """What comes of checking a batch."""

    facts: Facts
    reading: dict[str, Reading] = field(default_factory=dict)
    """By file."""
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    """By what they are of. What a bridge lacks is of its file: faults only if all of it is read."""
    pictures: Pictures = field(default_factory=Pictures)
    pairs: list[Stand] = field(default_factory=list)
    levels: Levels = field(default_factory=Levels)
    parts: Parts = field(default_factory=Parts)
    strays: list[Stray] = field(default_factory=list)

    def add(self, kind: str, faults: Iterable[Fault]) -> None:
        """Add faults of a kind."""
        more = list(faults)
        if more:
            self.faults.setdefault(kind, []).extend(more)


class _Checker:
    """What follows from the task, and is made once in a process."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.shape = row_shape(task.columns, task.replayed)
        self.rules = rules_by_prefix(task.summary, task.replayed)
        self.own = own_columns(task.columns)
        cues = task.summary["cues"] if task.summary is not None else {}
        self.looks = {name: Look.of(each) for name, each in cues.items()}
        worded = {prefix for prefix, rules in self.rules.items() if rules.words is not None}
        self.unworded = set(self.rules) - worded if task.replayed else set()

    def check(self, batch: Batch) -> Found:
        found = Found(Facts(Said(self.task.size)))
        main = {split: self._read(batch, metadata_file(split), found) for split in SPLITS}
        bridges = {name: self._read(batch, name, found) for name in self.task.bridges}
        manifest = self._read(batch, MANIFEST, found)
        found.add(SCENES, doubled(main.values()))
        for table in (*main.values(), *bridges.values(), manifest):
            self._sort_out(batch, table, found)
        scenes = self._check_scenes(found, main, bridges)
        self._check_bridges(found, bridges, scenes)
        by_image = {image: scene for scene in scenes.values() for image in scene.image_ids}
        listed, wrong = check_manifest(manifest, by_image)
        found.add(IMAGES, wrong.certain)
        found.add(NO_ITEM, wrong.no_item)
        found.add(NO_IMAGE, wrong.missing)
        note_scenes(found.facts, scenes.values())
        self._note_manifest(found.facts, listed.values())
        wrongly = [*found.faults.get(SCENES, ()), *found.faults.get(BRIDGES, ())]
        found.parts = parts_of(scenes, bridges.values(), wrongly)
        found.pairs = pairs_of(scenes.values())
        if self.task.difficulty is not None:
            found.levels.note(scenes.values(), self.task.difficulty)
        found.pictures = check_pictures(
            self.task.root, scenes.values(), listed, self.looks, self.task.through, found.facts
        )
        return found

    def _form(self, name: str) -> tuple[Shape, str]:
        """The shape of a file's rows, and the column by which faults name them."""
        if name == MANIFEST:
            return known_shape(name.removesuffix(".jsonl")), "image_id"
        return self.shape, "item_id"

    def _read(self, batch: Batch, name: str, found: Found) -> Table:
        lines = _lines(self.task.root, name, batch.runs.get(name, []))
        table = read_rows(name, lines, *self._form(name))
        found.reading[name] = Reading.of(table)
        return table

    def _sort_out(self, batch: Batch, table: Table, found: Found) -> None:
        """Send rows away that say they are of other scenes, and take those that belong here."""
        away: dict[int, BatchKey] = {}
        for number, row in table.rows:
            key = key_of_row(row)
            home = batch.key if key is None else batch_of(key, self.task.size)
            if home != batch.key:
                away[number] = home
        if away:
            table.rows = [entry for entry in table.rows if entry[0] not in away]
            lines = _lines(self.task.root, table.name, batch.runs[table.name])
            found.strays += [
                Stray(away[line.number], table.name, line) for line in lines if line.number in away
            ]
        joining = [line for file, line in batch.strays if file == table.name]
        if joining:
            more = read_rows(table.name, joining, *self._form(table.name))
            table.rows = sorted([*table.rows, *more.rows], key=lambda entry: entry[0])

    def _check_scenes(
        self, found: Found, main: Mapping[str, Table], bridges: Mapping[str, Table]
    ) -> dict[SceneKey, Scene]:
        scenes, faults = group(main, self.task.replayed)
        found.add(SCENES, faults)
        if self.task.replayed:  # then there may be scenes that only bridges tell of
            tables = [
                (split, bridges[name])
                for split in SPLITS
                for name in bridge_files(split)
                if name in bridges
            ]
            scenes = with_bridges(scenes, tables)
        lost = {label for table in main.values() for label in table.lost}
        for scene in scenes.values():
            rules = self.rules.get(scene.key[0], Rules(replayed=self.task.replayed))
            found.add(SCENES, check_scene(scene, rules, self.own))
            found.add(INCOMPLETE, check_complete(scene, lost))
        odd = {each.where for each in found.faults.get(SCENES, ()) if each.kind == "prompt"}
        note_together(found.facts.said, scenes.values(), self.rules, odd)
        return scenes

    def _check_bridges(
        self, found: Found, bridges: Mapping[str, Table], scenes: Mapping[SceneKey, Scene]
    ) -> None:
        for split in SPLITS:
            for name, bridge in bridge_files(split).items():
                if name not in bridges:
                    continue
                wrong = check_bridge(bridges[name], bridge, split, scenes, self.unworded)
                found.add(BRIDGES, wrong.certain)
                found.add(NO_SCENE, wrong.no_scene)
                found.add(name, wrong.missing)

    def _note_manifest(self, facts: Facts, rows: Iterable[Row]) -> None:
        for row in rows:
            note_packs(facts, row)
            facts.licenses.update({row["background_license"], row["target_license"]})
            facts.sizes.add((row["width"], row["height"]))


def _lines(root: Path, name: str, runs: Sequence[Run]) -> Iterator[Line]:
    """The lines of some runs of a file.

    Raises:
        RosegenError: the file is no longer what it was.
    """
    if not runs:
        return
    try:
        with open_file(root, name) as file:
            for run in runs:
                file.seek(run.start)
                lines = list(islice(lines_of(file, Ends(name), run.number), run.lines))
                if len(lines) < run.lines:
                    raise UnreadableError("became shorter")
                yield from lines
    except UnreadableError as error:
        raise RosegenError(
            f"{root / name}: {error} while it was verified: verify it again when nothing "
            f"writes there"
        ) from error


_checkers: list[_Checker] = []


def take_task(task: Task) -> None:
    """Make the task known to this process."""
    _checkers[:] = [_Checker(task)]


def check_batch(batch: Batch) -> Found:
    """Check the scenes of a batch."""
    return _checkers[0].check(batch)
