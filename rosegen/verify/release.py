"""Verify a release: read it, check its rows, then its images, and gather what is wrong."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.verify.blame import blame_wording
from rosegen.verify.bridges import bridge_files, check_bridge
from rosegen.verify.difficulty import check_difficulty
from rosegen.verify.layout import (
    SPLITS,
    TEXTS,
    check_layout,
    check_texts,
    image_file,
    metadata_file,
)
from rosegen.verify.manifest import check_licenses, check_manifest
from rosegen.verify.pictures import PictureCheck
from rosegen.verify.reading import Row, Shape, Table, known_shape, read_record, read_table
from rosegen.verify.rejections import NAME as REJECTIONS
from rosegen.verify.rejections import check_rejections
from rosegen.verify.report import Fault, Report, fault, without_repeats
from rosegen.verify.row_shape import NAME as ROW_SCHEMA
from rosegen.verify.row_shape import check_row_schema, column_faults, own_columns, row_shape
from rosegen.verify.rules import Rules, rules_by_prefix
from rosegen.verify.scenes import Scene, SceneKey, check_scene, group, with_bridges
from rosegen.verify.summary import NAME as SUMMARY
from rosegen.verify.summary import check_packs, check_prompts, check_summary
from rosegen.verify.texts import check_contents
from rosegen.verify.through import Through
from rosegen.verify.together import (
    check_font_sizes,
    check_leaks,
    check_uniform,
    check_wording,
)

NOTES = "replay_notes.jsonl"
"""What a replayed release has to say of the records it was made from."""

Progress = Callable[[int, int], None]


@dataclass
class _Release:
    root: Path
    summary: Mapping[str, Any] | None = None
    replayed: bool = False
    shape: Shape = field(default_factory=lambda: row_shape(None, replayed=False))
    rules: dict[str, Rules] = field(default_factory=dict)
    metadata: dict[str, Table] = field(default_factory=dict)
    bridges: dict[str, Table] = field(default_factory=dict)
    scenes: dict[SceneKey, Scene] = field(default_factory=dict)
    manifest: dict[str, Row] = field(default_factory=dict)
    rejections: Table = field(default_factory=lambda: Table(REJECTIONS))

    @property
    def whole(self) -> bool:
        """Whether every main row could be read."""
        return all(table.whole for table in self.metadata.values())

    @property
    def columns(self) -> Mapping[str, Any] | None:
        """The release's own columns; None when they are not known."""
        return None if self.summary is None else self.summary["columns"]

    @property
    def log(self) -> str:
        """The file that says what came in the way of making the release."""
        return NOTES if self.replayed else REJECTIONS

    @property
    def by_image(self) -> dict[str, Scene]:
        """The scene of every image, in the order of scenes."""
        return {image: scene for scene in self.scenes.values() for image in scene.image_ids}


def _is_absent(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # whoever reads what is in it will say why not
    return False


def _read_main(release: _Release) -> list[Fault]:
    """Read what the images are checked against, the manifest apart."""
    release.summary, wrong = read_record(release.root, SUMMARY, "export_summary")
    faults = [] if wrong is None else [wrong]
    if release.summary is None:
        release.replayed = not _is_absent(release.root / NOTES)
    else:
        release.replayed = release.summary["replayed"]
        faults += column_faults(release.summary["columns"])
    release.shape = row_shape(release.columns, release.replayed)
    release.rules = rules_by_prefix(release.summary, release.replayed)
    for split in SPLITS:
        table = read_table(release.root, metadata_file(split), release.shape, "item_id")
        release.metadata[split] = table
        faults += table.faults
    if release.replayed:  # then there may be scenes that only bridges tell of
        faults += _read_bridges(release)
    return faults


def _read_bridges(release: _Release) -> list[Fault]:
    faults: list[Fault] = []
    for path in (path for split in SPLITS for path in bridge_files(split)):
        if release.summary is not None:
            wanted = release.summary["bridges"]
        else:
            wanted = not _is_absent(release.root / path)
        if wanted:
            table = read_table(release.root, path, release.shape, "item_id")
            release.bridges[path] = table
            faults += table.faults
    return faults


def _read_rest(release: _Release) -> list[Fault]:
    faults = [] if release.replayed else _read_bridges(release)
    shape = None if release.replayed else known_shape("rejection")
    table = read_table(release.root, release.log, shape, "pair_key")
    if not release.replayed:
        release.rejections = table
    faults += table.faults + check_texts(release.root)
    return faults + check_row_schema(release.root, release.columns, release.replayed)


def _check_scenes(release: _Release) -> list[Fault]:
    scenes, faults = group(release.metadata, release.replayed)
    bridges = [
        (split, release.bridges[path])
        for split in SPLITS
        for path in bridge_files(split)
        if path in release.bridges
    ]
    release.scenes = with_bridges(scenes, bridges) if bridges else scenes
    lost = {label for table in release.metadata.values() for label in table.lost}
    if any(not table.whole and not table.lost for table in release.metadata.values()):
        lost.add(None)  # a whole file is missing
    own = own_columns(release.columns)
    for scene in release.scenes.values():
        rules = release.rules.get(scene.key[0], Rules(replayed=release.replayed))
        faults += check_scene(scene, rules, own, lost)
    return faults


def _check_together(release: _Release, known: Sequence[Fault]) -> list[Fault]:
    """Compare scenes with each other and with the bridges."""
    unsound = {each.where for each in known if each.kind == "prompt"}
    scenes = list(release.scenes.values())
    faults = check_uniform(scenes, release.rules) + check_font_sizes(scenes, release.rules)
    faults += check_wording(scenes, release.rules, unsound) + check_leaks(scenes)
    known_words = {prefix for prefix, rules in release.rules.items() if rules.words is not None}
    unworded = set(release.rules) - known_words if release.replayed else set()
    for split in SPLITS:
        for path, bridge in bridge_files(split).items():
            if path in release.bridges:
                table = release.bridges[path]
                faults += check_bridge(
                    table, bridge, split, release.scenes, release.whole, unworded
                )
    return blame_wording([*known, *faults], release.scenes, release.bridges.values())


def _check_manifest(release: _Release) -> list[Fault]:
    table = read_table(release.root, "manifest.jsonl", known_shape("manifest"), "image_id")
    release.manifest, faults = check_manifest(table, release.by_image, release.whole)
    if release.summary is not None and not faults:
        faults = check_licenses(release.summary["licenses"], release.manifest)
    return faults


def _check_summary(release: _Release) -> list[Fault]:
    if release.summary is None:
        return []
    scenes = list(release.scenes.values())
    faults = check_prompts(release.summary)
    faults += check_difficulty(release.summary["difficulty_rule"], scenes, release.replayed)
    if not release.replayed:
        faults += check_rejections(release.rejections, release.summary, scenes)
    if release.whole:
        bridge_rows: int | None = sum(len(each.rows) for each in release.bridges.values())
        if any(not each.whole for each in release.bridges.values()):
            bridge_rows = None
        readable = all(scene.truth and len(scene.areas) == len(scene.rows) for scene in scenes)
        faults += check_summary(release.summary, scenes, bridge_rows, readable)
        faults += check_packs(release.summary, scenes, release.manifest.values())
    return faults


def _check_contents(release: _Release, known: Sequence[Fault]) -> list[Fault]:
    """Compare the texts with the summary, unless that is not right itself."""
    if release.summary is None or not release.whole or known:
        return []
    files = [metadata_file(split) for split in SPLITS]
    return check_contents(release.root, release.summary, [*files, *release.bridges])


def _check_tree(release: _Release) -> list[Fault]:
    read = [SUMMARY, "manifest.jsonl", release.log, ROW_SCHEMA, *TEXTS, *release.bridges]
    read += [metadata_file(split) for split in SPLITS]
    images = [
        image_file(scene.shared["rose_subset"], image_id)
        for image_id, scene in release.by_image.items()
    ]
    if release.summary is None:
        read = [path for path in read if not _is_absent(release.root / path)]
    whole = release.whole and bool(release.scenes)
    return check_layout(release.root, [*read, *images], [*read, *images], whole)


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


def _with_pictures(release: _Release) -> tuple[list[Scene], list[Fault]]:
    """The scenes whose images can be looked at, and a fault for every folder that is not there."""
    scenes = [scene for scene in release.scenes.values() if scene.truth is not None]
    counts: Counter[str] = Counter()
    for scene in scenes:
        counts[f"images/{scene.shared['rose_subset']}"] += len(scene.image_ids)
    lacking = {folder for folder in counts if _is_absent(release.root / folder)}
    faults = [
        fault("layout", folder, f"is missing, and all {counts[folder]} images in it")
        for folder in sorted(lacking)
    ]
    kept = [each for each in scenes if f"images/{each.shared['rose_subset']}" not in lacking]
    return kept, faults


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

    Args:
        root: the release's folder.
        through: what an image passes through before a model sees it, such as
            ``resize:1024,jpeg:85``; images whose exceptions cannot be told after it are reported.
        workers: processes; None for one a core.
        progress: called with the scenes whose images are done, and all scenes.

    Raises:
        RosegenError: when there is no release at ``root``, or ``through`` is malformed.
    """
    started = time.perf_counter()
    root = Path(root)
    chain = Through.parse(through) if through is not None else None
    _require_release(root)
    release = _Release(root)
    faults = _read_main(release)
    scene_faults = _check_scenes(release)
    manifest_faults = _check_manifest(release)
    scenes, folder_faults = _with_pictures(release)
    with LocalPool(_workers(workers, scenes)) as pool:
        # Workers get the images first: the rest is checked while they are at it.
        pictures = PictureCheck(root, scenes, release.manifest, release.summary, chain, pool)
        faults += _read_rest(release) + _check_together(release, scene_faults) + manifest_faults
        summary_faults = _check_summary(release)
        faults += summary_faults + _check_tree(release) + folder_faults
        faults += _check_contents(release, [*manifest_faults, *summary_faults])
        faults += pictures.faults(progress)
    tables = [*release.metadata.values(), *release.bridges.values()]
    rows = sum(len(table.rows) for table in tables)
    if rows == 0 and not faults:
        faults.append(fault("layout", str(root), "the release has no items"))
    return Report(
        faults=without_repeats(faults),
        items=rows,
        images=sum(len(scene.image_ids) for scene in scenes),
        scenes=len(release.scenes),
        seconds=time.perf_counter() - started,
    )


def _workers(wanted: int | None, scenes: Sequence[Scene]) -> int | None:
    """One process will do for a few scenes: starting more takes longer than checking them."""
    return 1 if wanted is None and len(scenes) <= 4 else wanted
