"""What a task asks of a scene: its region, its answer, its wording and its difficulty."""

from __future__ import annotations

from typing import Any

from rosegen.geometry import RegionType, labels
from rosegen.render.cue import CueStyle, CueType
from rosegen.replay.columns import COLUMNS
from rosegen.replay.recovered import ORIGINS, Published, RecoveredScene
from rosegen.scene import T1B, T2B, T3, T4, T5, TEMPLATES, Pair, Scene, Tile, whole_grid
from rosegen.tasks import Item, make_bridges, make_items

Row = dict[str, Any]

REGION_FIELDS = (
    "region_type",
    "region_params",
    "region_case",
    "prompt_local",
    "ground_truth_count",
    "ground_truth_clicks",
    "ground_truth_formal_answer",
    "region_target_cells",
    "region_non_target_count",
    "num_out_region_targets",
    "region_target_count",
    "region_cell_count",
    "region_ratio",
    "difficulty",
    "prompt",
    "answer",
    "image_region_params",
)

# The templater asks for a pair and for the look of cues; what is taken from it here shows neither.
_NO_TILE = Tile("", "", "")
_NO_PAIR = Pair("", _NO_TILE, _NO_TILE, {}, 0.0, "", {}, "", "")
_NO_STYLE = CueStyle((0, 0, 0), "", 0.0, (0, 0, 0), "", 0)


def task_fields(scene: RecoveredScene, template: str) -> Row:
    """What the context decides: under the names of the row, None for each when there is none."""
    context = scene.context(template)
    if context is None:
        return dict.fromkeys(REGION_FIELDS)
    grid, region = scene.grid, context.region
    item = _item(scene, template)
    size, asked = context.size(grid.rows, grid.cols), len(item.targets)
    prompt: str | None = item.prompt_local
    if template in (T4, T5):  # not ROSE's wording
        said = scene.published.get(template, Published()).prompt
        prompt = said or (prompt if template == T5 else None)
    spelled: Row = dict(region.params)
    if context.excluded:
        spelled = {"exclude_type": region.type.value, "exclude_params": spelled}
    return {
        "region_type": (RegionType.EXCLUSION if context.excluded else region.type).value,
        "region_params": spelled,
        "region_case": context.case,
        "prompt_local": prompt,
        "answer": item.answer,
        "region_target_cells": labels(item.targets),
        "region_non_target_count": size - asked,
        "num_out_region_targets": len(scene.exceptions) - asked,
        "region_target_count": asked,
        "region_cell_count": size,
        "region_ratio": round(size / (grid.rows * grid.cols), 6),
    }


def _item(scene: RecoveredScene, template: str) -> Item:
    """The templater's item. What contexts are not known do not touch it."""
    grid = scene.grid
    full = Scene(
        scene.subset,
        scene.number,
        grid,
        scene.exceptions,
        _NO_PAIR,
        {name: scene.contexts.get(name) or whole_grid(grid) for name in TEMPLATES},
        scene.cue or CueType.OUTLINE_BOX.value,
    )
    make = make_bridges if template in ORIGINS else make_items
    return next(item for item in make(full, _NO_STYLE) if item.template == template)


def difficulty_follows(subset: str, template: str | None) -> bool:
    """Whether ``difficulty_of`` knows a rule, so that what was published is not needed."""
    return template == T1B or (subset in COLUMNS and template in (T3, T2B))


def difficulty_of(scene: RecoveredScene, template: str, asked: int | None) -> str | None:
    """``bridge`` for T1B; by ROSE's rule for T3 and T2B of its subsets; else as published.

    Measured on ROSE's 1,112 public T3 regions: one point each for a large grid, four exceptions
    or more, none in the region, PixelEdit, and EmojiContent of similarity 0.95 or more; two
    points are hard. What rule its other tasks follow is not public; where no record of one gives
    its difficulty, it is taken to be the same.

    Args:
        scene: as recovered.
        template: of the seven.
        asked: exceptions in the region, None when it is not known.
    """
    if template == T1B:
        return "bridge"
    names = (template, ORIGINS.get(template, template))
    told = [scene.published[name].difficulty for name in names if name in scene.published]
    if any(told) or scene.subset not in COLUMNS:
        return next(filter(None, told), None)
    if asked is None:
        return None
    similarity = scene.columns.get("similarity")
    alike = isinstance(similarity, int | float) and similarity >= 0.95
    points = (
        (scene.grid.profile == "large")
        + (len(scene.exceptions) >= 4)
        + (asked == 0)
        + (scene.subset == "ROSE-PixelEdit")
        + (scene.subset == "ROSE-EmojiContent" and alike)
    )
    return "hard" if points >= 2 else "medium"
