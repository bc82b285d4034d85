"""One manifest row an image of a replayed release."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosegen.release.rows import SceneIds, bounds, image_path
from rosegen.replay.making import Made
from rosegen.scene import T4


def manifest_rows(made: Iterable[Made]) -> list[dict[str, Any]]:
    """The rows, in the order of scenes: first the plain image, then the cued one, if any."""
    rows = []
    for each in made:
        drawn = each.shown.drawn
        rows.append(_row(each, drawn.plain_sha256, False))
        if drawn.cued_sha256 is not None:
            rows.append(_row(each, drawn.cued_sha256, True))
    return rows


def _row(made: Made, pixel_sha256: str, cued: bool) -> dict[str, Any]:
    scene, shown = made.scene, made.shown
    ids = SceneIds(scene.prefix, scene.number)
    image_id = ids.cued_image if cued else ids.plain_image
    context = scene.context(T4)
    box = context.region.box if cued and context is not None else None
    return {
        "image_id": image_id,
        "scene_id": scene.scene_id,
        "rose_subset": scene.subset,
        "split": scene.split or "test",
        "image": image_path(scene.subset, image_id),
        "width": scene.grid.cols * scene.grid.cell_size,
        "height": scene.grid.rows * scene.grid.cell_size,
        "pixel_sha256": pixel_sha256,
        "cue_type": scene.cue if cued else "NONE",
        "region_params": bounds(box),
        "background_pack": shown.majority.pack,
        "background_license": shown.majority.license,
        "target_pack": shown.exception.pack,
        "target_license": shown.exception.license,
        "background_sha256": shown.drawn.majority_sha256,
        "target_sha256": shown.drawn.exception_sha256,
    }
