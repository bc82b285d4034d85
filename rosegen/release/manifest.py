"""What stands beside the rows: the manifest of the images and the log of refused pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rosegen.release.made import MadeSubset
from rosegen.release.rows import SceneIds, bounds, image_path
from rosegen.scene import T4, Scene
from rosegen.sources.similarity import MEASURES
from rosegen.workshop import Rendered


def manifest_rows(
    made: Sequence[MadeSubset], rendered: Mapping[tuple[str, int], Rendered]
) -> Iterator[dict[str, Any]]:
    """One row an image, in the order of subsets and of images."""
    for part in made:
        for scene in part.scenes:
            ids = SceneIds(part.subset.prefix, scene.number)
            hashes = rendered[part.subset.name, scene.number]
            split = part.split_of(scene.number)
            yield _image_row(scene, ids, split, False, hashes.plain_sha256)
            yield _image_row(scene, ids, split, True, hashes.cued_sha256)


def _image_row(
    scene: Scene, ids: SceneIds, split: str, cued: bool, pixel_sha256: str
) -> dict[str, Any]:
    image_id = ids.cued_image if cued else ids.plain_image
    grid, pair = scene.grid, scene.pair
    return {
        "image_id": image_id,
        "scene_id": ids.scene,
        "rose_subset": scene.subset,
        "split": split,
        "image": image_path(scene.subset, image_id),
        "width": grid.cols * grid.cell_size,
        "height": grid.rows * grid.cell_size,
        "pixel_sha256": pixel_sha256,
        "cue_type": scene.cue if cued else "NONE",
        "region_params": bounds(scene.contexts[T4].region.box if cued else None),
        "background_pack": pair.majority.pack,
        "background_license": pair.majority.license,
        "target_pack": pair.exception.pack,
        "target_license": pair.exception.license,
        "background_sha256": pair.majority_sha256,
        "target_sha256": pair.exception_sha256,
    }


def rejection_rows(made: Sequence[MadeSubset]) -> Iterator[dict[str, Any]]:
    """What was refused: art that could be no tile, and pairs, each with its reason.

    A pair's row says which scene it was offered to, and what was measured.
    """
    for part in made:
        for refusal in part.refused:
            yield {
                "rose_subset": part.subset.name,
                "scene_id": None,
                "cell_size": None,
                "pair_key": None,
                "group": None,
                "a": refusal.tile,
                "b": None,
                "reason": refusal.reason,
                "detail": refusal.detail or None,
                **dict.fromkeys(MEASURES),
            }
        for rejection in part.pairing.rejections:
            measures = rejection.verdict.measures
            yield {
                "rose_subset": part.subset.name,
                "scene_id": SceneIds(part.subset.prefix, rejection.scene).scene,
                "cell_size": rejection.cell_size,
                "pair_key": rejection.candidate.key,
                "group": rejection.candidate.group,
                "a": rejection.candidate.a.name,
                "b": rejection.candidate.b.name,
                "reason": rejection.reason,
                "detail": None,
                **{name: measures and getattr(measures, name) for name in MEASURES},
            }
