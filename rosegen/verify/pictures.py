"""Check all images of a release, and compare them with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rosegen.engine.local import LocalPool
from rosegen.verify.cues import Cue, Look
from rosegen.verify.layout import image_file
from rosegen.verify.pixels import (
    ImageResult,
    ImageTask,
    SceneResult,
    SceneTask,
    check_scene_pixels,
)
from rosegen.verify.png import decode, header_size, pixel_sha256, read_png
from rosegen.verify.reading import Row, UnreadableError
from rosegen.verify.report import Fault, fault
from rosegen.verify.scenes import Scene
from rosegen.verify.summary import NAME as SUMMARY
from rosegen.verify.templates import T4
from rosegen.verify.through import Through

_MOST_STRANGERS = 64
"""Images of a wrong size that are decoded to find out whose picture they hold."""


def _image(image_id: str, scene: Scene, manifest: Mapping[str, Row]) -> ImageTask:
    listed = manifest.get(image_id)
    path = image_file(scene.shared["rose_subset"], image_id)
    return ImageTask(image_id, path, listed["pixel_sha256"] if listed else None)


def _cue(scene: Scene) -> Cue | None:
    if T4 not in scene.areas or scene.rows[T4]["cue_type"] == "NONE":
        return None
    return Cue(scene.rows[T4]["cue_type"], scene.areas[T4].box)


def _tasks(
    root: Path,
    scenes: Sequence[Scene],
    manifest: Mapping[str, Row],
    summary: Mapping[str, Any] | None,
    through: Through | None,
) -> Iterator[SceneTask]:
    looks = {name: Look.of(each) for name, each in summary["cues"].items()} if summary else {}
    for scene in scenes:
        if scene.truth is None:
            continue
        listed = manifest.get(scene.base_id)
        yield SceneTask(
            root=str(root),
            base=_image(scene.base_id, scene, manifest),
            cued=None if scene.cue_id is None else _image(scene.cue_id, scene, manifest),
            rows=scene.truth.rows,
            cols=scene.truth.cols,
            cell_size=scene.truth.cell_size,
            targets=scene.truth.targets,
            tiles=(listed["background_sha256"], listed["target_sha256"]) if listed else None,
            cue=_cue(scene),
            look=looks.get(scene.truth.subset),
            lines=scene.truth.rules.lines,
            through=through,
        )


def _shown_cue_faults(scene: Scene, result: SceneResult) -> list[Fault]:
    """Where the cue in the picture is another than the T4 row says."""
    said = _cue(scene)
    if result.cued is None or result.shown is None or said is None or result.shown == said:
        return []
    detail = f"the picture shows {result.shown}, the T4 row says {said}"
    return [fault("cue", result.cued.image_id, detail)]


class _Pictures:
    """Finds out whose picture an image with unexpected pixels holds."""

    def __init__(self, root: Path, manifest: Mapping[str, Row]) -> None:
        self._root = root
        self._owners: dict[str, list[str]] = {}
        self._sizes = {(row["width"], row["height"]) for row in manifest.values()}
        for image_id, row in manifest.items():
            self._owners.setdefault(row["pixel_sha256"], []).append(image_id)
        self._strangers = 0

    def _hash_of(self, path: str) -> str | None:
        """Hash of an image of a wrong size, if that is the size of another."""
        self._strangers += 1
        if self._strangers > _MOST_STRANGERS:
            return None
        try:
            data = read_png(self._root, path, None)
            size = header_size(data)
            return pixel_sha256(decode(data)) if (size.width, size.height) in self._sizes else None
        except UnreadableError:
            return None

    def faults(self, result: ImageResult, path: str) -> list[Fault]:
        """An image's faults, or the one fault that it holds the picture of another."""
        if not result.faults:
            return []
        sha256 = result.sha256 or self._hash_of(path)
        owners = self._owners.get(sha256, []) if sha256 else []
        others = [owner for owner in owners if owner != result.image_id]
        if not others or result.image_id in owners:
            return list(result.faults)
        detail = f"holds the picture of {others[0]}, by the manifest's hash"
        return [fault("pixels", result.image_id, detail)]


class _Looks:
    """One fault in place of many, where all that the summary tells the look of looks otherwise."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()
        self._odd: dict[tuple[str, str], list[tuple[str, str]]] = {}

    def note(self, path: str, kind: str, image_id: str, unlike: str | None) -> None:
        """Note one of those that a path in the summary tells the look of, and how it is unlike."""
        self._seen[path, kind] += 1
        if unlike is not None:
            self._odd.setdefault((path, kind), []).append((image_id, unlike))

    def faults(self) -> tuple[list[Fault], set[str]]:
        """The faults, and the ids of the images they speak for."""
        faults: list[Fault] = []
        covered: set[str] = set()
        for (path, kind), images in self._odd.items():
            details = {detail for _, detail in images}
            if len(images) > 1 and len(images) == self._seen[path, kind] and len(details) == 1:
                detail = f"{path}: no {kind} of {len(images)} looks so; {details.pop()}"
                faults.append(fault("summary", SUMMARY, detail))
                covered.update(image_id for image_id, _ in images)
        return faults, covered


def _tile_leaks(scenes: Sequence[Scene], results: Sequence[SceneResult]) -> list[Fault]:
    """The same two tiles must not stand on both sides of the split."""
    first: dict[frozenset[str], Scene] = {}
    faults = []
    for scene, result in zip(scenes, results, strict=True):
        if result.tiles is None:
            continue
        other = first.setdefault(frozenset(result.tiles), scene)
        if other.split != scene.split:
            detail = f"its two tiles are {scene.split} here and {other.split} in {other.scene_id}"
            faults.append(fault("split", scene.scene_id, detail))
    return faults


class PictureCheck:
    """The check of all scenes' images, begun when it is made.

    Args:
        root: the release.
        scenes: scenes whose exceptions make sense.
        manifest: the manifest's rows by image id.
        summary: the export summary, if it could be read.
        through: what images are sent through, if anything.
        pool: where the work is done.
    """

    def __init__(
        self,
        root: Path,
        scenes: Sequence[Scene],
        manifest: Mapping[str, Row],
        summary: Mapping[str, Any] | None,
        through: Through | None,
        pool: LocalPool,
    ) -> None:
        self._scenes = scenes
        self._pictures = _Pictures(root, manifest)
        self._tasks = list(_tasks(root, scenes, manifest, summary, through))
        self._results = pool.map(check_scene_pixels, self._tasks)

    def faults(self, progress: Callable[[int, int], None] | None) -> list[Fault]:
        """Wait for all results; ``progress`` is called with scenes done and all scenes."""
        results: list[SceneResult] = []
        found: list[tuple[str, Fault]] = []
        looks = _Looks()
        for task, scene, result in zip(self._tasks, self._scenes, self._results, strict=True):
            results.append(result)
            subset, base = scene.shared["rose_subset"], task.base
            if task.lines is not None:
                path = f"sources.{subset}.grid_lines"
                looks.note(path, "image", base.image_id, result.unlike_lines)
            found += [(base.image_id, e) for e in self._pictures.faults(result.base, base.path)]
            if task.cued is not None and result.cued is not None:
                cued = task.cued
                if task.cue is not None:
                    looks.note(f"cues.{subset}", task.cue.kind, cued.image_id, result.unlike_look)
                found += [(cued.image_id, e) for e in self._pictures.faults(result.cued, cued.path)]
                found += [(cued.image_id, each) for each in _shown_cue_faults(scene, result)]
            if progress is not None:
                progress(len(results), len(self._tasks))
        faults, covered = looks.faults()
        faults += [each for image_id, each in found if image_id not in covered]
        return faults + _tile_leaks(self._scenes, results)
