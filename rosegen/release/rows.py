"""Items as rows: every column of the release, in one order, whatever the subset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosegen.geometry import Box, RegionType, labels
from rosegen.pipeline import Pipeline, Subset
from rosegen.scene import T1, T1B, T3, T4, T5, TEMPLATES, Context, Scene
from rosegen.sources.similarity import MEASURES
from rosegen.tasks import Item

# What only some sources fill; null elsewhere.
SOURCE_COLUMNS_BEFORE_PAIR = (
    "background_char",
    "target_char",
    "source_group",
    "source_pair",
    "pair_direction",
    "undirected_pair_key",
    "font_name",
)
SOURCE_COLUMNS_AFTER_PAIR = (
    "background_emoji",
    "target_emoji",
    "emoji_char",
    "unicode_key",
    "majority_style",
    "target_style",
    "h2_label",
    "h3_title",
    "emoji_name_zh",
    "background_unicode",
    "target_unicode",
    "background_name_zh",
    "target_name_zh",
    "background_name_en",
    "target_name_en",
)

SOURCE_COLUMNS = (
    "font_size",
    *SOURCE_COLUMNS_BEFORE_PAIR,
    *SOURCE_COLUMNS_AFTER_PAIR,
    "asset_resize_mode",
)
"""Every column that a source may fill without declaring it."""

Row = dict[str, Any]


@dataclass(frozen=True)
class SceneIds:
    """The ids of a scene, its images and its items."""

    prefix: str
    number: int

    @property
    def scene(self) -> str:
        """``CHSCENE_000002``."""
        return f"{self.prefix}SCENE_{self.number:06d}"

    @property
    def plain_image(self) -> str:
        """``CHIMG_000003`` for scene 2."""
        return f"{self.prefix}IMG_{2 * self.number - 1:06d}"

    @property
    def cued_image(self) -> str:
        """``CHIMG_000004`` for scene 2."""
        return f"{self.prefix}IMG_{2 * self.number:06d}"

    def item(self, template: str) -> str:
        """``CHITEM_000006`` for scene 2's T1."""
        return f"{self.prefix}ITEM_{5 * self.number - 4 + TEMPLATES.index(template):06d}"


IMAGES_A_FOLDER = 10_000


def image_path(subset: str, image_id: str) -> str:
    """Where an image lies in the release: those beyond the 10,000th in numbered folders of as many.

    Args:
        subset: name.
        image_id: id.
    """
    number = int(image_id.rpartition("IMG_")[2])
    place = (number - 1) // IMAGES_A_FOLDER
    folder = f"{subset}/{place:04d}" if place else subset
    return f"images/{folder}/{image_id}.png"


def bounds(box: Box | None) -> dict[str, int | None]:
    """A box as a record that always has its four keys."""
    if box is None:
        return dict.fromkeys(("r1", "r2", "c1", "c2"))
    return dict(box._asdict())


def region_params(context: Context) -> dict[str, Any]:
    """``region_params`` with all its keys, null where the type of region has no such bound."""
    spelled = {**bounds(None), **context.region.params}
    if context.excluded:
        kind = context.region.type.value
        return {**bounds(None), "exclude_type": kind, "exclude_params": spelled}
    return {**spelled, "exclude_type": None, "exclude_params": bounds(None)}


def make_row(pipeline: Pipeline, subset: Subset, scene: Scene, item: Item) -> Row:
    """The row of one of the five items."""
    ids = SceneIds(subset.prefix, scene.number)
    cued = item.template == T4
    image_id = ids.cued_image if cued else ids.plain_image
    grid, context = scene.grid, item.context
    size = context.size(grid.rows, grid.cols)
    total, asked = len(scene.exceptions), len(item.targets)
    seed = (subset.seed * 10**7 + scene.number) * 10 + TEMPLATES.index(item.template) + 1
    region_type = RegionType.EXCLUSION if item.template == T5 else context.region.type
    row: Row = {
        "item_id": ids.item(item.template),
        "scene_id": ids.scene,
        "image_id": image_id,
        "split": scene.split,
        "dataset_version": pipeline.name,
        "protocol_version": pipeline.protocol_version,
        "item_seed": seed,
        "primitive_type": subset.primitive_type,
        "task_template": item.template,
        "task_mode": item.mode,
        "reference_source": "REF_MAJORITY",
        "selection_predicate": "SELECT_DIFFERENT",
        "target_rule": "ODD_FROM_MAJORITY",
        "region_type": region_type.value,
        "region_params": region_params(context),
        "region_case": context.case,
        "cue_type": scene.cue if cued else "NONE",
        "prompt_global": subset.wording.instructions,
        "prompt_local": item.prompt_local,
        "expected_output_format": item.output_format,
        "ground_truth_count": asked,
        "ground_truth_clicks": labels(item.targets),
        "ground_truth_formal_answer": item.answer,
        "all_target_cells": labels(scene.exceptions),
        "region_target_cells": labels(item.targets),
        "region_non_target_count": size - asked,
        "num_out_region_targets": total - asked,
        "global_target_count": total,
        "region_target_count": asked,
        "region_cell_count": size,
        "region_ratio": round(size / (grid.rows * grid.cols), 6),
        "difficulty": "medium",
        "rose_subset": subset.name,
        "image": image_path(subset.name, image_id),
        "prompt": f"{subset.wording.instructions}\n{item.prompt_local}",
        "answer": item.answer,
        **_scene_columns(scene),
        "image_split": "main",
        "image_cue_type": scene.cue if cued else "NONE",
        "image_region_type": (RegionType.VISUAL_REGION if cued else RegionType.GLOBAL).value,
        "image_region_params": bounds(context.region.box if cued else None),
        "image_note": "image with the visual cue of T4"
        if cued
        else "base image without visual cue",
        **_pair_columns(scene),
        "bridge_task": False,
        "bridge_type": None,
        "source_item_id": None,
        "source_click_item_id": None,
        "source_task_template": None,
        "source_task_mode": None,
        **{name: scene.pair.fields.get(name) for name in pipeline.columns},
    }
    row["difficulty"] = pipeline.difficulty.of(row)
    return row


def _scene_columns(scene: Scene) -> Row:
    grid, pair = scene.grid, scene.pair
    fields: Mapping[str, Any] = pair.fields
    return {
        "rows": grid.rows,
        "cols": grid.cols,
        "cell_size": grid.cell_size,
        "font_size": fields.get("font_size"),
        "image_width": grid.cols * grid.cell_size,
        "image_height": grid.rows * grid.cell_size,
        "grid_size_profile": grid.profile,
        "target_cells": [list(cell) for cell in scene.exceptions],
        **{name: fields.get(name) for name in SOURCE_COLUMNS_BEFORE_PAIR},
        "similarity_level": pair.similarity_level,
        "pair_key": pair.key,
        **{name: fields.get(name) for name in SOURCE_COLUMNS_AFTER_PAIR},
        "similarity": pair.similarity,
        "background_path": pair.majority.name,
        "target_path": pair.exception.name,
        "asset_resize_mode": fields.get("asset_resize_mode"),
    }


def _pair_columns(scene: Scene) -> Row:
    pair = scene.pair
    return {
        **{name: pair.measures[name] for name in MEASURES},
        "background_pack": pair.majority.pack,
        "target_pack": pair.exception.pack,
        "background_license": pair.majority.license,
        "target_license": pair.exception.license,
    }


def bridge_row(pipeline: Pipeline, subset: Subset, scene: Scene, item: Item) -> Row:
    """The row of a bridge item: that of the item it comes from, with another thing asked."""
    ids = SceneIds(subset.prefix, scene.number)
    origin = T1 if item.template == T1B else T3
    row = make_row(pipeline, subset, scene, _as_origin(item, origin))
    source_id = ids.item(origin)
    row |= {
        "task_template": item.template,
        "task_mode": item.mode,
        "prompt_local": item.prompt_local,
        "expected_output_format": item.output_format,
        "ground_truth_formal_answer": item.answer,
        "prompt": f"{subset.wording.instructions}\n{item.prompt_local}",
        "answer": item.answer,
        "bridge_task": True,
        "source_item_id": source_id,
        "source_task_template": origin,
    }
    if origin == T1:
        row |= {
            "item_id": f"{source_id}__GCLK",
            "dataset_version": f"{pipeline.name}_global_click_bridge",
            "protocol_version": f"{pipeline.protocol_version}+global_click_bridge",
            "difficulty": "bridge",
        }
    else:
        row |= {
            "item_id": f"MLCNT_{source_id}",
            "bridge_type": "MATCHED_LOCAL_COUNT_FROM_T3",
            "source_click_item_id": source_id,
            "source_task_mode": "CLICK",
        }
    return row


def _as_origin(item: Item, origin: str) -> Item:
    return Item(origin, item.mode, item.context, item.targets, item.prompt_local, item.answer)
