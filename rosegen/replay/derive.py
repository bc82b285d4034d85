"""A scene and a template become the row again, in ROSE's own shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosegen.geometry import RegionType, labels
from rosegen.release.rows import image_path
from rosegen.replay.asked import difficulty_of, task_fields
from rosegen.replay.columns import COLUMNS, derived_columns
from rosegen.replay.recovered import ROW_TEMPLATES, Published, RecoveredScene
from rosegen.scene import ORIGINS, T1B, T2B, T4, TEMPLATES
from rosegen.tasks import MODES, OUTPUT_FORMATS

Row = dict[str, Any]

BRIDGE_FIELDS = (
    "bridge_task",
    "bridge_type",
    "source_item_id",
    "source_click_item_id",
    "source_task_template",
    "source_task_mode",
)
_SUFFIX = "+global_click_bridge"  # of T1B's protocol
_DATASET_SUFFIX = "_global_click_bridge"  # of T1B's dataset, in releases of rosegen's


def derive_row(scene: RecoveredScene, template: str) -> Row:
    """The row of one task, with the keys its subset has in ROSE's files, in their order.

    Everything that follows from the scene is computed anew, whatever its records said. A value
    that can be neither computed nor read anywhere is None: all that speaks of the region when
    ``scene.context(template)`` is None, the wording of T4 when no row gave it. Where no record
    of this template was there, its versions are those of the scene's other records, save that
    T1B's dataset has a name of its own.

    Args:
        scene: as recovered.
        template: T1 to T5, T1B or T2B, by the names in ``rosegen.scene``.
    """
    cued = template == T4
    image_id = f"{scene.prefix}IMG_{2 * scene.number - (not cued):06d}"
    dataset_version, protocol_version = _versions(scene, template)
    cue = scene.cue if cued else "NONE"
    grid, mode = scene.grid, MODES[template]
    task = task_fields(scene, template)
    prompt = task["prompt_local"]
    row: Row = {
        "item_id": _row_id(scene, template),
        "scene_id": scene.scene_id,
        "image_id": image_id,
        "split": scene.split,
        "dataset_version": dataset_version,
        "protocol_version": protocol_version,
        "item_seed": _item_seed(scene, template),
        "primitive_type": scene.primitive_type,
        "task_template": template,
        "task_mode": mode,
        "reference_source": "REF_MAJORITY",
        "selection_predicate": "SELECT_DIFFERENT",
        "target_rule": "ODD_FROM_MAJORITY",
        "region_type": task["region_type"],
        "region_params": task["region_params"],
        "region_case": task["region_case"],
        "cue_type": cue,
        "prompt_global": scene.wording.instructions,
        "prompt_local": prompt,
        "expected_output_format": OUTPUT_FORMATS[mode],
        "ground_truth_count": task["region_target_count"],
        "ground_truth_clicks": task["region_target_cells"],
        "ground_truth_formal_answer": task["answer"],
        "all_target_cells": labels(scene.exceptions),
        "region_target_cells": task["region_target_cells"],
        "region_non_target_count": task["region_non_target_count"],
        "num_out_region_targets": task["num_out_region_targets"],
        "global_target_count": len(scene.exceptions),
        "region_target_count": task["region_target_count"],
        "region_cell_count": task["region_cell_count"],
        "region_ratio": task["region_ratio"],
        "difficulty": None,
        "rose_subset": scene.subset,
        "image": image_path(scene.subset, image_id),
        "prompt": None if prompt is None else f"{scene.wording.instructions}\n{prompt}",
        "answer": task["answer"],
        "rows": grid.rows,
        "cols": grid.cols,
        "cell_size": grid.cell_size,
        **_font_size(scene),
        "image_width": grid.cols * grid.cell_size,
        "image_height": grid.rows * grid.cell_size,
        "grid_size_profile": grid.profile or None,
        "target_cells": [list(cell) for cell in scene.exceptions],
        **_own_columns(scene),
        "image_split": scene.image_split,
        "image_cue_type": cue,
        "image_region_type": (RegionType.VISUAL_REGION if cued else RegionType.GLOBAL).value,
        "image_region_params": task["region_params"] if cued else {},
        "image_note": _note(scene, cued),
        **_other_columns(scene),
        **_bridge_fields(scene, template),
    }
    row["difficulty"] = difficulty_of(scene, template, row)
    return row


def _item_id(scene: RecoveredScene, template: str) -> str:
    return f"{scene.prefix}ITEM_{5 * scene.number - 4 + TEMPLATES.index(template):06d}"


def _row_id(scene: RecoveredScene, template: str) -> str:
    own = _item_id(scene, ORIGINS.get(template, template))
    return {T1B: f"{own}__GCLK", T2B: f"MLCNT_{own}"}.get(template, own)


def _item_seed(scene: RecoveredScene, template: str) -> int | None:
    if scene.seed is None:
        return None
    place = TEMPLATES.index(ORIGINS.get(template, template)) + 1
    return (scene.seed * 10**7 + scene.number) * 10 + place


def _versions(scene: RecoveredScene, template: str) -> tuple[str | None, str | None]:
    """Dataset and protocol version; another record's where this template's says none.

    T1B's rows alone belong to a dataset of their own, and to a protocol named after the others'.
    That dataset is named after the others', too, where rosegen made the rows.
    """
    dataset = protocol = None
    for name in (template, *ROW_TEMPLATES):
        told = scene.published.get(name, Published())
        said = told.protocol_version
        if (template == T1B) == (name == T1B):
            dataset = dataset or told.dataset_version
        else:
            if scene.customs.by_rosegen:
                dataset = dataset or _renamed(told.dataset_version, template)
            if said is not None:
                said = said + _SUFFIX if template == T1B else said.removesuffix(_SUFFIX)
        protocol = protocol or said
    return dataset, protocol


def _renamed(dataset: str | None, template: str) -> str | None:
    """The dataset of a template by that of T1B, or T1B's by that of another; None if it says none.

    A name that does not say that it is T1B's is none to go by.
    """
    if dataset is None:
        return None
    if template == T1B:
        return dataset + _DATASET_SUFFIX
    return dataset.removesuffix(_DATASET_SUFFIX) if dataset.endswith(_DATASET_SUFFIX) else None


def computed_columns(scene: RecoveredScene) -> frozenset[str]:
    """The columns of its subset that follow from others, so that no record need tell them."""
    return frozenset([*derived_columns(scene.primitive_type, scene.columns), *_font_size(scene)])


def _font_size(scene: RecoveredScene) -> Row:
    if scene.primitive_type != "CHINESE_GLYPH" or scene.customs.by_rosegen:
        return {}
    return {"font_size": int(scene.grid.cell_size * 0.72)}


def _own_columns(scene: RecoveredScene) -> Row:
    """The columns ROSE's subset of that name has; for another subset, whatever follows."""
    known = _all_columns(scene)
    return {name: known.get(name) for name in COLUMNS.get(scene.subset, ())}


def _other_columns(scene: RecoveredScene) -> Row:
    own = COLUMNS.get(scene.subset, ())
    return {name: value for name, value in _all_columns(scene).items() if name not in own}


def _all_columns(scene: RecoveredScene) -> Mapping[str, Any]:
    return {**scene.columns, **derived_columns(scene.primitive_type, scene.columns)}


def _note(scene: RecoveredScene, cued: bool) -> str:
    if not cued:
        return "base image without visual cue"
    return scene.published.get(T4, Published()).note or "image with the visual cue of T4"


def _bridge_fields(scene: RecoveredScene, template: str) -> Row:
    origin = ORIGINS.get(template)
    if origin is None:
        return {}
    source = {"source_item_id": _item_id(scene, origin), "source_task_template": origin}
    if template == T1B:
        return {**source, "bridge_task": True}
    return {
        "bridge_task": True,
        "bridge_type": "MATCHED_LOCAL_COUNT_FROM_T3",
        "source_item_id": source["source_item_id"],
        "source_click_item_id": source["source_item_id"],
        "source_task_template": origin,
        "source_task_mode": MODES[origin],
    }
