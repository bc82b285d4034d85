"""Score one prediction: every field of a row of ROSE's ``per_item_eval.jsonl``.

Definitions (ROSE's public evaluator):
  PASS   the answer is of the grammar and exactly right: no click off the grid, none twice.
  VALID  the answer is of the grammar.
  SOFT   COUNT: 1 / (1 + distance); CLICK: strict F1; CLICK_COUNT: the mean of strict F1,
         1 / (1 + distance) of the submitted count, and whether that is the number of clicks.
"Strict" scores are 0 for an answer that is not clean: invalid, a click off the grid or twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from typing import Any

from rosegen.protocol import CLICK, CLICK_COUNT, COUNT, Reading, parse
from rosegen.scene import TEMPLATES
from rosegen.scoring.items import Cell, Gold

# What scoring a row of metadata raises that no release holds.
UNSCORABLE = (ValueError, OverflowError, RecursionError)

_REGIONAL = frozenset(TEMPLATES[1:])
# ROSE's keys, in its order; what does not apply to an item's mode stays as it is here.
_KEYS = (
    "item_id",
    "scene_id",
    "image_id",
    "model",
    "rose_subset",
    "rose_split",
    "primitive_type",
    "task_template",
    "task_mode",
    "region_type",
    "region_case",
    "cue_type",
    "difficulty",
    "rows",
    "cols",
    "region_cell_count",
    "raw_text",
    "api_error",
    "api_error_text",
    "format_valid",
    "format_error",
    "parse_error",
    "invalid_action_tokens",
    "pass",
    "unified_soft",
    "count_applicable",
    "click_applicable",
    "submit_applicable",
    "gt_count",
    "pred_count",
    "count_exact",
    "count_mae",
    "count_bias",
    "count_soft",
    "gt_clicks",
    "pred_clicks_all",
    "pred_clicks_valid",
    "pred_clicks_valid_unique",
    "pred_clicks_invalid",
    "pred_click_count_raw",
    "pred_click_count_valid",
    "pred_click_count_unique",
    "invalid_coordinate_count",
    "duplicate_click_count",
    "click_exact_set",
    "click_exact_set_strict",
    "click_precision",
    "click_recall",
    "click_f1",
    "click_f1_strict",
    "click_iou",
    "click_iou_strict",
    "submit_count",
    "submit_exact",
    "click_submit_consistency",
    "region_violation_count",
    "region_ok",
    "outside_distractor_hit_count",
    "missed_target_count",
    "false_positive_count",
    "over_click_count",
    "under_click_count",
    "near_miss_count",
    "near_miss_rate",
    "global_default_error",
    "exclusion_failure",
    "all_target_cells",
    "region_target_cells",
    "out_region_target_cells",
    "ground_truth_formal_answer",
)
_ZERO = (
    *("pass", "global_default_error", "exclusion_failure"),
    *("pred_click_count_raw", "pred_click_count_valid", "pred_click_count_unique"),
)
_LISTS = [name for name in _KEYS if name.startswith("pred_clicks_")]
_NONE: frozenset[Cell] = frozenset()
_BLANK: dict[str, Any] = dict.fromkeys(_KEYS) | dict.fromkeys(_ZERO, 0) | {"unified_soft": 0.0}


def score_item(
    item: Mapping[str, Any],
    gold: Gold,
    text: Any,
    error: Any = None,
    model: Any = None,
    near_miss_l1: int = 1,
) -> dict[str, Any]:
    """Score what a model said about an item.

    Args:
        item: a row of metadata, whose names are passed through.
        gold: what ``gold_of`` reads in it.
        text: the model's answer, as it was received.
        error: what the API said when there was no answer; None, "" and "None" are no error.
        model: passed through.
        near_miss_l1: how many rows and columns together a near miss is off at most.

    Returns:
        The record, in ROSE's order of keys. What does not apply to the item's mode is None.
    """
    mode = gold.mode
    reading = parse(text, mode)
    is_click, is_count = mode in (CLICK, CLICK_COUNT), mode in (COUNT, CLICK_COUNT)
    is_submit = mode == CLICK_COUNT
    number = reading.number
    outside_targets = gold.targets - gold.region_targets

    row = _BLANK.copy()
    row["item_id"] = item.get("item_id")
    row["scene_id"] = item.get("scene_id")
    row["image_id"] = item.get("image_id")
    row["model"] = model
    row["rose_subset"] = item.get("rose_subset")
    row["rose_split"] = item.get("split")
    row["primitive_type"] = item.get("primitive_type")
    row["task_template"] = gold.template
    row["task_mode"] = mode
    row["region_type"] = gold.region_type
    row["region_case"] = item.get("region_case")
    row["cue_type"] = item.get("cue_type")
    row["difficulty"] = item.get("difficulty")
    row["rows"] = gold.rows
    row["cols"] = gold.cols
    row["region_cell_count"] = gold.area.size
    row["raw_text"] = text
    row["api_error"] = int(error not in (None, "", "None"))
    row["api_error_text"] = error
    row["format_valid"] = int(reading.valid)
    row["format_error"] = int(not reading.valid)
    row["parse_error"] = reading.error
    row["invalid_action_tokens"] = list(reading.bad_tokens)
    row["count_applicable"] = int(is_count)
    row["click_applicable"] = int(is_click)
    row["submit_applicable"] = int(is_submit)
    row["gt_count"] = gold.wanted
    row["gt_clicks"] = _sorted_labels(gold.clicks)
    row["all_target_cells"] = _sorted_labels(gold.targets)
    row["region_target_cells"] = _sorted_labels(gold.region_targets)
    row["out_region_target_cells"] = _sorted_labels(outside_targets)
    row["ground_truth_formal_answer"] = item.get("ground_truth_formal_answer")
    if is_count:
        row["pred_count"] = number
        row["count_exact"] = int(number == gold.wanted)
        row["count_soft"] = 0.0
        if number is not None:
            row["count_bias"] = number - gold.wanted
            row["count_mae"] = abs(number - gold.wanted)
            row["count_soft"] = 1.0 / (1.0 + float(row["count_mae"]))
    if is_submit:
        row["submit_count"] = number
        row["submit_exact"] = row["count_exact"]
    clicked: Set[Cell] = _NONE
    if is_click:
        clicked = _add_clicks(row, gold, reading, outside_targets, near_miss_l1)
    else:
        row.update({name: [] for name in _LISTS})

    if mode == COUNT:
        row["pass"] = int(reading.valid and number == gold.wanted)
        row["unified_soft"] = row["count_soft"]
    elif mode == CLICK:
        row["pass"] = row["click_exact_set_strict"]
        row["unified_soft"] = row["click_f1_strict"]
    elif is_submit:
        consistent = int(number == len(clicked))
        row["click_submit_consistency"] = consistent
        row["pass"] = int(row["click_exact_set_strict"] and row["submit_exact"] and consistent)
        parts = row["click_f1_strict"] + row["count_soft"] + float(consistent)
        row["unified_soft"] = parts / 3.0
    if gold.template in _REGIONAL:
        row["global_default_error"] = _global_default(gold, clicked, number)
    if gold.region_type == "EXCLUSION":
        row["exclusion_failure"] = (
            int(row["outside_distractor_hit_count"] > 0)
            if is_click
            else _is_count_of_all(gold, number)
        )
    return row


def _add_clicks(
    row: dict[str, Any], gold: Gold, reading: Reading, outside_targets: Set[Cell], radius: int
) -> Set[Cell]:
    """Fill in what is said of clicks; return the cells of the grid that were clicked."""
    rows, cols = gold.rows, gold.cols
    on_grid = [c for c in reading.clicks if 1 <= c[0] <= rows and 1 <= c[1] <= cols]
    off_grid = [c for c in reading.clicks if not (1 <= c[0] <= rows and 1 <= c[1] <= cols)]
    clicked = frozenset(on_grid)
    twice = len(on_grid) - len(clicked)
    clean = reading.valid and not off_grid and not twice
    overlap = len(clicked & gold.clicks)
    precision, recall, f1 = _precision_recall_f1(overlap, len(clicked), len(gold.clicks))
    iou = _ratio(overlap, len(clicked) + len(gold.clicks) - overlap)
    exact = clicked == gold.clicks
    outside = sum(not gold.area.holds(cell) for cell in clicked)
    near = _near_misses(gold.clicks - clicked, clicked, radius)

    row["pred_clicks_all"] = [f"R{r},C{c}" for r, c in reading.clicks]
    row["pred_clicks_valid"] = [_label(cell) for cell in on_grid]
    row["pred_clicks_valid_unique"] = _sorted_labels(clicked)
    row["pred_clicks_invalid"] = [f"R{r},C{c}" for r, c in off_grid]
    row["pred_click_count_raw"] = len(reading.clicks)
    row["pred_click_count_valid"] = len(on_grid)
    row["pred_click_count_unique"] = len(clicked)
    row["invalid_coordinate_count"] = len(off_grid)
    row["duplicate_click_count"] = twice
    row["click_exact_set"] = int(exact)
    row["click_exact_set_strict"] = int(clean and exact)
    row["click_precision"] = precision
    row["click_recall"] = recall
    row["click_f1"] = f1
    row["click_f1_strict"] = f1 if clean else 0.0
    row["click_iou"] = iou
    row["click_iou_strict"] = iou if clean else 0.0
    row["region_violation_count"] = outside
    row["region_ok"] = int(not outside)
    row["outside_distractor_hit_count"] = len(clicked & outside_targets)
    row["missed_target_count"] = len(gold.clicks) - overlap
    row["false_positive_count"] = len(clicked) - overlap
    row["over_click_count"] = max(0, len(clicked) - gold.wanted)
    row["under_click_count"] = max(0, gold.wanted - len(clicked))
    row["near_miss_count"] = near
    row["near_miss_rate"] = near / max(1, len(gold.clicks))
    return clicked


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _precision_recall_f1(overlap: int, said: int, wanted: int) -> tuple[float, float, float]:
    """Of sets; where both are empty, all three are 1, where one is, 0."""
    if not said and not wanted:
        return 1.0, 1.0, 1.0
    if not overlap:
        return 0.0, 0.0, 0.0
    precision, recall = overlap / said, overlap / wanted
    return precision, recall, 2.0 * precision * recall / (precision + recall)


def _near_misses(missed: Set[Cell], clicked: Set[Cell], radius: int) -> int:
    return sum(
        any(abs(row - r) + abs(col - c) <= radius for r, c in clicked) for row, col in missed
    )


def _global_default(gold: Gold, clicked: Set[Cell], number: int | None) -> int:
    """Whether the answer is that of the whole grid, where the item asks about a part of it."""
    by_clicks = int(gold.clicks != gold.targets and clicked == gold.targets)
    if gold.mode == COUNT:
        return _is_count_of_all(gold, number)
    if gold.mode == CLICK:
        return by_clicks
    return by_clicks or _is_count_of_all(gold, number) if gold.mode == CLICK_COUNT else 0


def _is_count_of_all(gold: Gold, number: int | None) -> int:
    """Whether a number is that of all exceptions, and not the one asked for."""
    everywhere = len(gold.targets)
    return int(number is not None and gold.wanted != everywhere and number == everywhere)


@lru_cache(maxsize=65536)
def _label(cell: Cell) -> str:
    return f"R{cell[0]},C{cell[1]}"


def _sorted_labels(cells: Iterable[Cell]) -> list[str]:
    """Labels sorted as text, as ROSE's evaluator has them: R10 before R2."""
    return sorted(map(_label, cells))
