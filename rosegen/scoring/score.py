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

from rosegen.protocol import CLICK, CLICK_COUNT, COUNT, parse
from rosegen.scene import TEMPLATES
from rosegen.scoring.items import Cell, Gold

_REGIONAL = frozenset(TEMPLATES[1:])


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

    rows, cols = gold.rows, gold.cols
    on_grid = [c for c in reading.clicks if 1 <= c[0] <= rows and 1 <= c[1] <= cols]
    off_grid = [c for c in reading.clicks if not (1 <= c[0] <= rows and 1 <= c[1] <= cols)]
    clicked = frozenset(on_grid)
    twice = len(on_grid) - len(clicked)
    clean = reading.valid and not off_grid and not twice

    count, submitted = reading.number, reading.number if is_submit else None
    distance = abs(count - gold.count) if count is not None else None
    count_soft = 1.0 / (1.0 + float(distance)) if distance is not None else 0.0
    count_exact = int(count == gold.count)
    consistent = int(submitted == len(clicked)) if submitted is not None else 0

    overlap = len(clicked & gold.clicks)
    precision, recall, f1 = _precision_recall_f1(overlap, len(clicked), len(gold.clicks))
    iou = _ratio(overlap, len(clicked) + len(gold.clicks) - overlap)
    exact_set = clicked == gold.clicks
    strict_f1 = f1 if clean else 0.0

    if mode == COUNT:
        passed, soft = reading.valid and count == gold.count, count_soft
    elif mode == CLICK:
        passed, soft = clean and exact_set, strict_f1
    elif is_submit:
        passed = clean and exact_set and count == gold.count == len(clicked)
        soft = (strict_f1 + count_soft + float(consistent)) / 3.0
    else:
        passed, soft = False, 0.0

    outside_targets = gold.targets - gold.region_targets
    outside = sum(not gold.area.holds(cell) for cell in clicked)
    distractors = len(clicked & outside_targets)
    near = _near_misses(gold.clicks - clicked, clicked, near_miss_l1) if is_click else 0

    return {
        "item_id": item.get("item_id"),
        "scene_id": item.get("scene_id"),
        "image_id": item.get("image_id"),
        "model": model,
        "rose_subset": item.get("rose_subset"),
        "rose_split": item.get("split"),
        "primitive_type": item.get("primitive_type"),
        "task_template": gold.template,
        "task_mode": mode,
        "region_type": gold.region_type,
        "region_case": item.get("region_case"),
        "cue_type": item.get("cue_type"),
        "difficulty": item.get("difficulty"),
        "rows": rows,
        "cols": cols,
        "region_cell_count": gold.area.size,
        "raw_text": text,
        "api_error": int(error not in (None, "", "None")),
        "api_error_text": error,
        "format_valid": int(reading.valid),
        "format_error": int(not reading.valid),
        "parse_error": reading.error,
        "invalid_action_tokens": list(reading.bad_tokens),
        "pass": int(passed),
        "unified_soft": soft,
        "count_applicable": int(is_count),
        "click_applicable": int(is_click),
        "submit_applicable": int(is_submit),
        "gt_count": gold.count,
        "pred_count": count,
        "count_exact": count_exact if is_count else None,
        "count_mae": distance,
        "count_bias": count - gold.count if count is not None else None,
        "count_soft": count_soft if is_count else None,
        "gt_clicks": _sorted_labels(gold.clicks),
        "pred_clicks_all": [f"R{row},C{col}" for row, col in reading.clicks],
        "pred_clicks_valid": [_label(cell) for cell in on_grid],
        "pred_clicks_valid_unique": _sorted_labels(clicked),
        "pred_clicks_invalid": [f"R{row},C{col}" for row, col in off_grid],
        "pred_click_count_raw": len(reading.clicks),
        "pred_click_count_valid": len(on_grid),
        "pred_click_count_unique": len(clicked),
        "invalid_coordinate_count": len(off_grid) if is_click else None,
        "duplicate_click_count": twice if is_click else None,
        "click_exact_set": int(exact_set) if is_click else None,
        "click_exact_set_strict": int(clean and exact_set) if is_click else None,
        "click_precision": precision if is_click else None,
        "click_recall": recall if is_click else None,
        "click_f1": f1 if is_click else None,
        "click_f1_strict": strict_f1 if is_click else None,
        "click_iou": iou if is_click else None,
        "click_iou_strict": (iou if clean else 0.0) if is_click else None,
        "submit_count": submitted,
        "submit_exact": count_exact if is_submit else None,
        "click_submit_consistency": consistent if is_submit else None,
        "region_violation_count": outside if is_click else None,
        "region_ok": int(not outside) if is_click else None,
        "outside_distractor_hit_count": distractors if is_click else None,
        "missed_target_count": len(gold.clicks) - overlap if is_click else None,
        "false_positive_count": len(clicked) - overlap if is_click else None,
        "over_click_count": max(0, len(clicked) - gold.count) if is_click else None,
        "under_click_count": max(0, gold.count - len(clicked)) if is_click else None,
        "near_miss_count": near if is_click else None,
        "near_miss_rate": near / max(1, len(gold.clicks)) if is_click else None,
        "global_default_error": _global_default(gold, clicked, count),
        "exclusion_failure": _exclusion_failure(gold, is_click, distractors, count),
        "all_target_cells": _sorted_labels(gold.targets),
        "region_target_cells": _sorted_labels(gold.region_targets),
        "out_region_target_cells": _sorted_labels(outside_targets),
        "ground_truth_formal_answer": item.get("ground_truth_formal_answer"),
    }


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


def _global_default(gold: Gold, clicked: Set[Cell], count: int | None) -> int:
    """Whether the answer is that of the whole grid, where the item asks about a part of it."""
    if gold.template not in _REGIONAL:
        return 0
    everywhere = len(gold.targets)
    by_count = count is not None and gold.count != everywhere and count == everywhere
    by_clicks = gold.clicks != gold.targets and clicked == gold.targets
    if gold.mode == COUNT:
        return int(by_count)
    if gold.mode == CLICK:
        return int(by_clicks)
    return int(gold.mode == CLICK_COUNT and (by_clicks or by_count))


def _exclusion_failure(gold: Gold, is_click: bool, distractors: int, count: int | None) -> int:
    if gold.region_type != "EXCLUSION":
        return 0
    if is_click:
        return int(distractors > 0)
    everywhere = len(gold.targets)
    return int(count is not None and gold.count != everywhere and count == everywhere)


@lru_cache(maxsize=65536)
def _label(cell: Cell) -> str:
    return f"R{cell[0]},C{cell[1]}"


def _sorted_labels(cells: Iterable[Cell]) -> list[str]:
    """Labels sorted as text, as ROSE's evaluator has them: R10 before R2."""
    return sorted(map(_label, cells))
