"""Check all images of a release, and compare them with each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from rosegen.verify.cues import Cue, Look
from rosegen.verify.facts import Facts
from rosegen.verify.layout import image_file, is_absent
from rosegen.verify.manifest import NAME as MANIFEST
from rosegen.verify.pixels import ImageTask, SceneResult, SceneTask, check_scene_pixels
from rosegen.verify.png import decode, header_size, pixel_sha256, read_png
from rosegen.verify.reading import Ends, Row, UnreadableError, lines_of, open_file, parse_json
from rosegen.verify.report import Fault, fault
from rosegen.verify.said import Said
from rosegen.verify.scenes import Scene
from rosegen.verify.sides import Stand
from rosegen.verify.summary import NAME as SUMMARY
from rosegen.verify.templates import T1, T4, ids
from rosegen.verify.through import Through

_MOST_STRANGERS = 64
"""Images of a wrong size that are decoded to find out whose picture they hold."""
_LOOK = "look"


def _image(image_id: str, scene: Scene, manifest: Mapping[str, Row]) -> ImageTask:
    listed = manifest.get(image_id)
    path = image_file(scene.shared["rose_subset"], image_id)
    return ImageTask(image_id, path, listed["pixel_sha256"] if listed else None)


def _cue(scene: Scene) -> Cue | None:
    if T4 not in scene.areas or scene.rows[T4]["cue_type"] == "NONE":
        return None
    return Cue(scene.rows[T4]["cue_type"], scene.areas[T4].box)


def _task(
    root: Path,
    scene: Scene,
    manifest: Mapping[str, Row],
    looks: Mapping[str, Look],
    through: Through | None,
) -> SceneTask | None:
    """What there is to check of a scene's images; None when its exceptions make no sense."""
    if scene.truth is None:
        return None
    listed = manifest.get(scene.base_id)
    return SceneTask(
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


@dataclass(frozen=True)
class Odd:
    """An image that something is wrong with."""

    image_id: str
    faults: tuple[Fault, ...]
    path: str | None = None
    """Where it may lie that it holds the picture of another."""
    sha256: str | None = None
    """Of its pixels, where they could be decoded."""


@dataclass
class Pictures:
    """What comes of checking the images of some scenes."""

    odd: list[Odd] = field(default_factory=list)
    tiles: list[Stand] = field(default_factory=list)
    """The two tiles of each scene whose plain image is sound."""


def check_pictures(
    root: Path,
    scenes: Iterable[Scene],
    manifest: Mapping[str, Row],
    looks: Mapping[str, Look],
    through: Through | None,
    facts: Facts,
) -> Pictures:
    """Check the images of scenes, as far as their folder is there.

    Args:
        root: the release.
        scenes: the scenes, checked.
        manifest: the manifest's rows by image id.
        looks: by subset, how its cues look.
        through: what images are sent through, if anything.
        facts: where is noted how many there are, and what looks otherwise than it should.
    """
    found = Pictures()
    for scene in scenes:
        task = _task(root, scene, manifest, looks, through)
        if task is None:
            continue
        folder = f"images/{scene.shared['rose_subset']}"
        if is_absent(root / folder):
            facts.unreached[folder] += len(scene.image_ids)
            continue
        facts.images += len(scene.image_ids)
        result = check_scene_pixels(task)
        _note_looks(facts.said, scene, task, result)
        if result.base.faults:
            base = result.base
            found.odd.append(Odd(base.image_id, base.faults, task.base.path, base.sha256))
        if task.cued is not None and result.cued is not None:
            cued = result.cued
            if cued.faults:
                found.odd.append(Odd(cued.image_id, cued.faults, task.cued.path, cued.sha256))
            shown = _shown_cue_faults(scene, result)
            if shown:
                found.odd.append(Odd(cued.image_id, tuple(shown)))
        if result.tiles is not None:
            what = "\0".join(sorted(result.tiles))
            found.tiles.append(Stand(what, "its two tiles are", scene.key, scene.split))
    return found


def _note_looks(said: Said, scene: Scene, task: SceneTask, result: SceneResult) -> None:
    """Note what the summary tells the look of, and how it looks otherwise."""
    subset = scene.shared["rose_subset"]
    if task.lines is not None:
        topic = (_LOOK, f"sources.{subset}.grid_lines", "image", T1)
        said.note(topic, result.unlike_lines, scene.key)
    if task.cue is not None and result.cued is not None:
        said.note((_LOOK, f"cues.{subset}", task.cue.kind, T4), result.unlike_look, scene.key)


class _Owners:
    """Finds out whose picture an image with unexpected pixels holds."""

    def __init__(self, root: Path, sizes: Collection[tuple[int, int]], odd: Iterable[Odd]) -> None:
        self._root, self._sizes = root, sizes
        strangers = (each for each in odd if each.path is not None and each.sha256 is None)
        self._hashes = {
            each.image_id: self._hash_of(each.path)
            for each in islice(strangers, _MOST_STRANGERS)
            if each.path is not None
        }
        self._hashes.update({each.image_id: each.sha256 for each in odd if each.sha256})
        self._owners = _owners(root, {each for each in self._hashes.values() if each})

    def _hash_of(self, path: str) -> str | None:
        """Hash of an image of a wrong size, if that is the size of another."""
        try:
            data = read_png(self._root, path, None)
            size = header_size(data)
            return pixel_sha256(decode(data)) if (size.width, size.height) in self._sizes else None
        except UnreadableError:
            return None

    def faults(self, odd: Odd) -> list[Fault]:
        """An image's faults, or the one fault that it holds the picture of another."""
        sha256 = self._hashes.get(odd.image_id)
        owners = self._owners.get(sha256, []) if sha256 and odd.path is not None else []
        others = [owner for owner in owners if owner != odd.image_id]
        if not others or odd.image_id in owners:
            return list(odd.faults)
        detail = f"holds the picture of {others[0]}, by the manifest's hash"
        return [fault("pixels", odd.image_id, detail)]


def _owners(root: Path, hashes: Collection[str]) -> dict[str, list[str]]:
    """Ids of the images that the manifest says have one of these pixel hashes."""
    found: dict[str, list[str]] = {}
    if not hashes:
        return found
    try:
        with open_file(root, MANIFEST) as file:
            for line in lines_of(file, Ends(MANIFEST)):
                with suppress(ValueError, KeyError, TypeError):
                    row = parse_json(line.data)
                    if row["pixel_sha256"] in hashes:
                        found.setdefault(row["pixel_sha256"], []).append(str(row["image_id"]))
    except UnreadableError:
        pass  # that has been said
    return found


def _looks_faults(said: Said) -> tuple[list[Fault], set[str]]:
    """One fault in place of many, where all that the summary tells the look of looks otherwise.

    Returns:
        The faults, and the ids of the images they speak for.
    """
    faults: list[Fault] = []
    covered: set[str] = set()
    for topic, values in said.about(_LOOK):
        _, path, kind, template = topic
        (unlike, count), *others = values.items()
        if unlike is not None and not others and count > 1:
            detail = f"{path}: no {kind} of {count} looks so; {unlike}"
            faults.append(fault("summary", SUMMARY, detail))
            covered.update(ids(*key, template)[2] for key in said.who(topic, unlike))
    return faults, covered


def judge_pictures(root: Path, odd: Sequence[Odd], facts: Facts) -> list[Fault]:
    """What is wrong with the images of a release, each thing said once.

    Args:
        root: the release.
        odd: all images that something is wrong with.
        facts: what all scenes come to.
    """
    faults, covered = _looks_faults(facts.said)
    owners = _Owners(root, facts.sizes, odd)
    for each in odd:
        if each.image_id not in covered:
            faults += owners.faults(each)
    return faults
