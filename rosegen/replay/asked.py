"""What a task asks of a scene: its region, its answer, its wording and its difficulty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosegen.geometry import Region, RegionType, labels
from rosegen.replay.columns import COLUMNS
from rosegen.replay.recovered import Published, RecoveredScene
from rosegen.scene import BRIDGE_TEMPLATES, ORIGINS, T1B, T2B, T3, T4, T5, TEMPLATES
from rosegen.settings import SETTINGS
from rosegen.tasks import make_item

Row = dict[str, Any]

_COLORS = {
    "OUTLINE_BOX": SETTINGS["cues"]["outline_name"],
    "MASK": SETTINGS["cues"]["mask_name"],
}
_LONGEST_COLOR = 40  # characters of its name

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


def task_fields(scene: RecoveredScene, template: str) -> Row:
    """What the context decides: under the names of the row, None for each when there is none."""
    context = scene.context(template)
    if context is None:
        return dict.fromkeys(REGION_FIELDS)
    grid, region = scene.grid, context.region
    prompt = prompt_of(scene, template, region)
    item = make_item(template, context, scene.exceptions, prompt or "")
    size, asked = context.size(grid.rows, grid.cols), len(item.targets)
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


def words_follow(scene: RecoveredScene, template: str) -> bool:
    """Whether the wording of a task is known, so that what was published is not needed."""
    if template in scene.customs.worded or template not in scene.wording.tasks:
        return False
    if scene.customs.by_rosegen and template == T5:
        return True
    return scene.all_words or template not in (T4, T5)  # whose wording in ROSE is not public


def prompt_of(scene: RecoveredScene, template: str, region: Region) -> str | None:
    """The instruction, as published where nothing else tells it; None where it was not."""
    cue = scene.cue or ""
    if words_follow(scene, template):
        return None if template == T4 and not cue else scene.wording.ask(template, region, cue)
    told = scene.published.get(template, Published()).prompt
    if told is not None or template in scene.customs.worded:
        return told
    if template == T4 and cue and scene.customs.by_rosegen:
        return scene.wording.ask(T4, region, cue, _COLORS[cue])
    # ROSE's T5 names its region, so that words in the manner of its others will do.
    return scene.wording.ask(T5, region) if template == T5 else None


def may_be_said(scene: RecoveredScene, template: str, prompt: str, cue: str | None) -> bool:
    """Whether a published instruction whose wording is not known to the last word may be so.

    T4's of a release of rosegen names the colour of the cue, which may be any.
    """
    asks_in_color = template == T4 and template not in scene.customs.worded
    if not (asks_in_color and scene.customs.by_rosegen and cue):
        return True
    task = scene.wording.tasks[T4].replace("{where}", scene.wording.cues[cue])
    before, _, after = task.partition("{color}")
    color = prompt.removeprefix(before).removesuffix(after)
    return prompt == before + color + after and 0 < len(color) <= _LONGEST_COLOR


def difficulty_follows(scene: RecoveredScene, template: str) -> bool:
    """Whether ``difficulty_of`` knows a rule that every scene follows, whatever was published."""
    ruled = _is_roses(scene) and scene.rule is None and template in (T3, T2B)
    return template == T1B or ruled


def _is_roses(scene: RecoveredScene) -> bool:
    return scene.subset in COLUMNS and not scene.customs.by_rosegen


def levels_told(scene: RecoveredScene, template: str) -> dict[str, str]:
    """Template to its difficulty as published, of a task and of that about the same region again.

    An item and its bridge have the same; the item's stands first.
    """
    origin = ORIGINS.get(template, template)
    names = (origin, *(bridge for bridge in ORIGINS if ORIGINS[bridge] == origin))
    told = {name: scene.published.get(name, Published()).difficulty for name in names}
    return {name: level for name, level in told.items() if level is not None}


def difficulty_of(scene: RecoveredScene, template: str, row: Mapping[str, Any]) -> str | None:
    """``bridge`` for T1B; by the rule the release tells, or ROSE's for its own; else as published.

    ROSE's is measured on its 1,112 public T3 regions: one point each for a large grid, four
    exceptions or more, none in the region, PixelEdit, and EmojiContent of similarity 0.95 or more;
    two points are hard. What rule its other tasks follow is not public; where no record of one
    gives its difficulty, it is taken to be the same.

    Args:
        scene: as recovered.
        template: of the seven.
        row: the rest of the task's row.
    """
    if template == T1B:
        return "bridge"
    if scene.rule is not None:
        try:
            return scene.rule.of(row)
        except (KeyError, TypeError):
            pass  # the records do not tell what it asks about
    told = levels_told(scene, template)
    if told or not _is_roses(scene):
        return next(iter(told.values()), None)
    asked = row["region_target_count"]
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


def templates_of(scene: RecoveredScene) -> tuple[str, ...]:
    """The tasks of the seven whose every word and cell its records tell."""
    found = []
    for template in (*TEMPLATES, *BRIDGE_TEMPLATES):
        context = scene.context(template)
        if context is None or (template == T4 and scene.cue is None):
            continue
        if prompt_of(scene, template, context.region) is not None:
            found.append(template)
    return tuple(found)
