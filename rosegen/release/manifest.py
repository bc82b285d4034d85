"""What stands beside the rows: the manifest of the images and the log of refused pairs."""

from __future__ import annotations

from typing import Any

from rosegen.pairing import Rejection
from rosegen.pipeline import Subset
from rosegen.release.rows import SceneIds, bounds, image_path
from rosegen.scene import T4, Scene
from rosegen.sources.base import Refusal
from rosegen.sources.similarity import MEASURES

Row = dict[str, Any]


def image_row(subset: Subset, scene: Scene, cued: bool, pixel_sha256: str) -> Row:
    """The manifest's row of one image."""
    ids = SceneIds(subset.prefix, scene.number)
    image_id = ids.cued_image if cued else ids.plain_image
    grid, pair = scene.grid, scene.pair
    return {
        "image_id": image_id,
        "scene_id": ids.scene,
        "rose_subset": scene.subset,
        "split": scene.split,
        "image": image_path(subset.name, image_id),
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


def unfit_row(subset: Subset, refusal: Refusal) -> Row:
    """The log's row of art that could be no tile."""
    return {
        "rose_subset": subset.name,
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


def rejection_row(subset: Subset, rejection: Rejection) -> Row:
    """The log's row of a refused pair: which scene it was offered to, and what was measured."""
    measures = rejection.verdict.measures
    return {
        "rose_subset": subset.name,
        "scene_id": SceneIds(subset.prefix, rejection.scene).scene,
        "cell_size": rejection.cell_size,
        "pair_key": rejection.candidate.key,
        "group": rejection.candidate.group,
        "a": rejection.candidate.a.name,
        "b": rejection.candidate.b.name,
        "reason": rejection.reason,
        "detail": None,
        **{name: measures and getattr(measures, name) for name in MEASURES},
    }
