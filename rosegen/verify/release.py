"""Verify a release: its rows and images, a few scenes at a time, then what they come to."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.verify.batch import (
    BRIDGES,
    IMAGES,
    INCOMPLETE,
    NO_IMAGE,
    NO_ITEM,
    NO_SCENE,
    SCENES,
    Found,
    Reading,
    Stray,
    Task,
    check_batch,
    take_task,
)
from rosegen.verify.blame import Parts, blame_wording
from rosegen.verify.bridges import bridge_files
from rosegen.verify.difficulty import Levels, Rule, read_rule
from rosegen.verify.facts import Facts
from rosegen.verify.index import Batch, Index, batch_size
from rosegen.verify.layout import (
    SPLITS,
    TEXTS,
    Tree,
    check_layout,
    check_texts,
    is_absent,
    metadata_file,
    tree_of,
)
from rosegen.verify.manifest import NAME as MANIFEST
from rosegen.verify.manifest import check_licenses, check_order
from rosegen.verify.pictures import Odd, judge_pictures
from rosegen.verify.reading import (
    Ends,
    Row,
    UnreadableError,
    known_shape,
    lines_of,
    open_file,
    read_record,
    read_rows,
)
from rosegen.verify.rejections import NAME as REJECTIONS
from rosegen.verify.rejections import check_rejections
from rosegen.verify.report import Fault, Report, fault, without_repeats
from rosegen.verify.row_shape import NAME as ROW_SCHEMA
from rosegen.verify.row_shape import check_row_schema, column_faults, row_shape
from rosegen.verify.rules import rules_by_prefix
from rosegen.verify.said import Said
from rosegen.verify.sides import Sides
from rosegen.verify.summary import NAME as SUMMARY
from rosegen.verify.summary import check_packs, check_prompts, check_summary
from rosegen.verify.texts import check_contents
from rosegen.verify.through import Through
from rosegen.verify.together import check_together

NOTES = "replay_notes.jsonl"
"""What a replayed release has to say of the records it was made from."""

PAIRS, TILES = "pairs", "tiles"

Progress = Callable[[int, int], None]


def verify_release(
    root: Path | str,
    *,
    through: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Prove a release from its own bytes.

    Every derived field of every row is recomputed, rows are compared with each other, with the
    manifest and with the summary, and every image is decoded: exceptions and cues are read from
    the pixels and compared with the rows. Nothing the build computed is taken on trust.

    Workers take a few scenes at a time, wherever in the files their rows stand; what is kept of
    them is small, so that a release may have any number.

    Args:
        root: the release's folder.
        through: what an image passes through before a model sees it, such as
            ``resize:1024,jpeg:85``; images whose exceptions cannot be told after it are reported.
        workers: processes; None for one a core.
        progress: called with the scenes that are done, and about how many there are.

    Raises:
        RosegenError: when there is no release at ``root``, or ``through`` is malformed.
    """
    started = time.perf_counter()
    root = Path(root)
    chain = Through.parse(through) if through is not None else None
    _require_release(root)
    summary, faults = _read_summary(root)
    release = _Release(root, summary, _replayed(root, summary))
    index = _index(release)
    rule = read_rule(
        None if summary is None else summary["difficulty_rule"],
        row_shape(release.columns, release.replayed).columns,
    )
    task = Task(
        root=root,
        summary=summary,
        replayed=release.replayed,
        bridges=tuple(release.bridges),
        difficulty=rule if isinstance(rule, Rule) else None,
        through=chain,
        size=index.size,
    )
    batches = index.batches()
    scenes = -(-index.ends[MANIFEST].lines // 2)
    total = _check(task, batches, workers, scenes, progress)
    if total.strays:
        # Once more, each row among those of the scene it says it is of: no sound release gets here.
        batches = _with_strays(batches, total.strays)
        total = _check(task, batches, workers, scenes, progress)
    faults += _judge(release, index, total, rule)
    items = sum(total.reading[name].rows for name in release.row_files[:-1])
    if items == 0 and not faults:
        faults.append(fault("layout", str(root), "the release has no items"))
    return Report(
        faults=without_repeats(faults),
        items=items,
        images=total.facts.images,
        scenes=total.facts.counts["scenes"],
        seconds=time.perf_counter() - started,
    )


@dataclass(frozen=True)
class _Release:
    root: Path
    summary: Mapping[str, Any] | None
    replayed: bool

    @property
    def columns(self) -> Mapping[str, Any] | None:
        """The release's own columns; None when they are not known."""
        return None if self.summary is None else self.summary["columns"]

    @property
    def log(self) -> str:
        """The file that says what came in the way of making the release."""
        return NOTES if self.replayed else REJECTIONS

    @property
    def metadata(self) -> list[str]:
        """The files of main rows."""
        return [metadata_file(split) for split in SPLITS]

    @property
    def bridges(self) -> list[str]:
        """The files of bridge rows that are there, or must be."""
        paths = [path for split in SPLITS for path in bridge_files(split)]
        if self.summary is None:
            return [path for path in paths if not is_absent(self.root / path)]
        return paths if self.summary["bridges"] else []

    @property
    def row_files(self) -> list[str]:
        """All of these, and the manifest."""
        return [*self.metadata, *self.bridges, MANIFEST]


def _read_summary(root: Path) -> tuple[Mapping[str, Any] | None, list[Fault]]:
    summary, wrong = read_record(root, SUMMARY, "export_summary")
    if summary is None:
        return None, [] if wrong is None else [wrong]
    return summary, column_faults(summary["columns"])


def _replayed(root: Path, summary: Mapping[str, Any] | None) -> bool:
    return not is_absent(root / NOTES) if summary is None else bool(summary["replayed"])


def _index(release: _Release) -> Index:
    """Where the rows stand."""
    index = Index(batch_size(release.root, release.row_files))
    for name in release.row_files:
        index.read(release.root, name)
    return index


def _with_strays(batches: Sequence[Batch], strays: Sequence[Stray]) -> list[Batch]:
    """The batches, each with the rows of its scenes that stand elsewhere."""
    found = {batch.key: batch for batch in batches}
    for stray in strays:
        batch = found.get(stray.batch, Batch(stray.batch, {}))
        found[stray.batch] = replace(batch, strays=(*batch.strays, (stray.file, stray.line)))
    return [batch for _, batch in sorted(found.items())]


@dataclass
class _Total:
    """What comes of checking all batches."""

    facts: Facts
    reading: dict[str, Reading] = field(default_factory=lambda: defaultdict(Reading))
    faults: dict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))
    """By what they are of."""
    odd: list[Odd] = field(default_factory=list)
    pairs: Sides = field(default_factory=Sides)
    tiles: Sides = field(default_factory=Sides)
    levels: Levels = field(default_factory=Levels)
    parts: Parts = field(default_factory=Parts)
    strays: list[Stray] = field(default_factory=list)

    def add(self, found: Found) -> None:
        """Add what comes of the next batch."""
        self.facts.add(found.facts)
        for name, reading in found.reading.items():
            self.reading[name].add(reading)
        for name, faults in found.faults.items():
            self.faults[name] += faults
        self.faults[PAIRS] += self.pairs.faults(found.pairs)
        self.faults[TILES] += self.tiles.faults(found.pictures.tiles)
        self.odd += found.pictures.odd
        self.levels.add(found.levels)
        self.parts.add(found.parts)
        self.strays += found.strays


def _check(
    task: Task,
    batches: Sequence[Batch],
    workers: int | None,
    scenes: int,
    progress: Progress | None,
) -> _Total:
    total = _Total(Facts(Said(task.size)))
    if workers is None and len(batches) == 1:
        workers = 1  # starting more takes longer than checking a few scenes
    with LocalPool(workers, take_task, (task,)) as pool:
        for found in pool.map(check_batch, batches):
            total.add(found)
            done = total.facts.counts["scenes"]
            if progress is not None:
                progress(done, max(done, scenes))
    return total


def _judge(release: _Release, index: Index, total: _Total, rule: Rule | list[Fault]) -> list[Fault]:
    """All that is wrong; what is the cause of other things stands before them."""
    root, summary, facts = release.root, release.summary, total.facts
    rules = rules_by_prefix(summary, release.replayed)
    whole = all(_is_whole(name, index, total) for name in release.metadata)
    told = not any(
        total.reading[name].untold or name in index.unreadable for name in release.metadata
    )
    log = _Log(root, release.log, replayed=release.replayed)

    faults = [each for name in release.metadata for each in _reading_faults(name, index, total)]
    faults += [each for name in release.bridges for each in _reading_faults(name, index, total)]
    summary_faults: list[Fault] = []
    if summary is not None:
        summary_faults += check_prompts(summary)
        summary_faults += _difficulty_faults(rule, total, replayed=release.replayed)
        if not release.replayed:
            prefixes = {name: list(own.prefixes)[-1] for name, own in facts.subsets.items()}
            summary_faults += check_rejections(log.rows(), summary, prefixes, log.is_whole)
        if whole:
            all_bridges = all(_is_whole(name, index, total) for name in release.bridges)
            rows = sum(total.reading[name].rows for name in release.bridges)
            summary_faults += check_summary(summary, facts, rows if all_bridges else None)
            summary_faults += check_packs(summary, facts.packs)
    faults += log.faults()
    faults += check_texts(root)
    faults += check_row_schema(root, release.columns, release.replayed)

    together = list(total.faults[SCENES])
    if told:
        together += total.faults[INCOMPLETE]
    together += check_together(facts.said, rules) + total.faults[PAIRS] + total.faults[BRIDGES]
    if whole:
        together += total.faults[NO_SCENE]
    for name in release.bridges:
        if _is_whole(name, index, total):
            together += total.faults[name]
    faults += blame_wording(together, total.parts)

    manifest_faults = _reading_faults(MANIFEST, index, total) + total.faults[IMAGES]
    if whole:
        manifest_faults += total.faults[NO_ITEM]
    if _is_whole(MANIFEST, index, total):
        manifest_faults += total.faults[NO_IMAGE]
    manifest_faults = manifest_faults or check_order(index.out_of_order.get(MANIFEST))
    if summary is not None and not manifest_faults:
        manifest_faults = check_licenses(summary["licenses"], facts.licenses)
    faults += manifest_faults + summary_faults
    faults += check_layout(root, _tree(release, facts, whole=whole))
    faults += [
        fault("layout", folder, f"is missing, and all {count} images in it")
        for folder, count in sorted(facts.unreached.items())
    ]
    if summary is not None and whole and not manifest_faults and not summary_faults:
        faults += check_contents(root, summary, [*release.metadata, *release.bridges])
    return faults + judge_pictures(root, total.odd, facts) + total.faults[TILES]


def _is_whole(name: str, index: Index, total: _Total) -> bool:
    """Whether every row of a file could be read."""
    return name not in index.unreadable and not total.reading[name].unfit


def _reading_faults(name: str, index: Index, total: _Total) -> list[Fault]:
    reading = total.reading[name]
    if name in index.unreadable:
        return [index.unreadable[name]]
    return index.ends[name].faults() + reading.all_faults(name)


def _difficulty_faults(rule: Rule | list[Fault], total: _Total, *, replayed: bool) -> list[Fault]:
    if isinstance(rule, Rule):
        return total.levels.faults()
    return rule if total.facts.counts["items"] and not replayed else []


class _Log:
    """The file that says what came in the way, read row by row."""

    def __init__(self, root: Path, name: str, *, replayed: bool) -> None:
        self._root, self._name = root, name
        self._shape = None if replayed else known_shape("rejection")
        self._ends, self._reading = Ends(name), Reading()
        self._unreadable: Fault | None = None
        self._rows = self._read()

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Line number and row of those that can be read."""
        return self._rows

    def is_whole(self) -> bool:
        """Whether every row could be read, once they have been taken."""
        return self._unreadable is None and not self._reading.unfit

    def faults(self) -> list[Fault]:
        """What is wrong with the file as such."""
        for _ in self._rows:  # those that nobody has taken
            pass
        if self._unreadable is not None:
            return [self._unreadable]
        return [*self._ends.faults(), *self._reading.all_faults(self._name)]

    def _read(self) -> Iterator[tuple[int, Row]]:
        try:
            with open_file(self._root, self._name) as file:
                for line in lines_of(file, self._ends):
                    table = read_rows(self._name, [line], self._shape, "pair_key")
                    self._reading.add(Reading.of(table))
                    yield from table.rows
        except UnreadableError as error:
            self._unreadable = fault("layout", self._name, str(error))


def _tree(release: _Release, facts: Facts, *, whole: bool) -> Tree:
    files = [SUMMARY, release.log, ROW_SCHEMA, *TEXTS, *release.row_files]
    if release.summary is None:
        files = [path for path in files if not is_absent(release.root / path)]
    known = whole and bool(facts.counts["scenes"])
    return tree_of(files, facts.image_folders(), facts.expects, known)


def _require_release(root: Path) -> None:
    try:
        if not root.is_dir():
            raise RosegenError(f"{root} is not a folder: give the folder of a release")
        if any((root / metadata_file(split)).is_file() for split in SPLITS):
            return
    except OSError as error:
        raise RosegenError(f"{root} cannot be read: {error.strerror}") from None
    raise RosegenError(
        f"{root} is not a release: it has neither metadata_dev.jsonl nor metadata_test.jsonl"
    )
