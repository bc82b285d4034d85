"""ROSE's ``evaluation_summary.json``: coverage, means by group, and the two tables of the paper.

Definitions and names are those of ROSE's public evaluator. Sums run from the first row to the
last in double precision, as a loop over the rows does, so that rounded figures agree to the digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rosegen.row_files import name_of
from rosegen.scene import T1
from rosegen.scoring.columns import Columns, Floats
from rosegen.scoring.names import (
    ACTION,
    MODEL_DISPLAY,
    SUBSETS,
    TEMPLATE_SHORT,
    subset_order,
)
from rosegen.scoring.notes import CONDITIONED_NOTE, PARTIAL_WARNING, SUMMARY_NOTES
from rosegen.scoring.release import ROSE_REPO, Metadata
from rosegen.scoring.scored import Scored

Mask = npt.NDArray[np.bool_]

_COUNT_METRICS = {
    "count_exact_rate": "count_exact",
    "count_mae_parsed": "count_mae",
    "count_bias_parsed": "count_bias",
    "count_soft": "count_soft",
}
_CLICK_METRICS = {
    "click_exact_set_rate": "click_exact_set",
    "click_exact_set_strict_rate": "click_exact_set_strict",
    "click_precision": "click_precision",
    "click_recall": "click_recall",
    "click_f1": "click_f1",
    "click_f1_strict": "click_f1_strict",
    "click_iou": "click_iou",
    "click_iou_strict": "click_iou_strict",
    "region_ok_rate": "region_ok",
    "region_violation_sample_rate": "region_violation_count",
    "invalid_coordinate_sample_rate": "invalid_coordinate_count",
    "duplicate_click_sample_rate": "duplicate_click_count",
    "over_click_sample_rate": "over_click_count",
    "under_click_sample_rate": "under_click_count",
    "near_miss_rate": "near_miss_rate",
}
_PERCENT = {
    *("PASS", "SOFT", "VALID", "Avg. PASS", "Avg. SOFT", "C-F1", "R-OK", "Action Avg."),
    *TEMPLATE_SHORT.values(),
}


def mean(values: Floats | Iterable[float | None]) -> float | None:
    """The mean of what is not null (NaN), summed from first to last; None of nothing."""
    array = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
    array = array[~np.isnan(array)]
    if not len(array):
        return None
    with np.errstate(over="ignore"):
        total = float(np.add.accumulate(array)[-1])
    # A sum that no double holds: an answer may have 300 digits.
    return total / len(array) if np.isfinite(total) else float((array / len(array)).sum())


def percent(value: float | None, digits: int) -> float | None:
    """A share as a rounded percentage."""
    return None if value is None else round(100.0 * value, digits)


def format_percent(value: float | None, digits: int = 1) -> str:
    """A share as a percentage in a table; ``--`` where there is none."""
    return "--" if value is None else f"{100.0 * value:.{digits}f}"


def summarize(columns: Columns, rows: Mask) -> dict[str, Any]:
    """All metrics over some rows."""
    n = int(rows.sum())
    if not n:
        return {"n": 0}

    def over(name: str, which: Mask) -> float | None:
        return mean(columns.value(name)[which])

    count = rows & (columns.flags["count_applicable"] == 1)
    click = rows & (columns.flags["click_applicable"] == 1)
    submit = rows & (columns.flags["submit_applicable"] == 1)
    exclusion = rows & columns.is_level("region_type", "EXCLUSION")
    regional = rows & ~columns.is_level("task_template", T1)
    return {
        "n": n,
        "pass_rate": over("pass", rows),
        "unified_soft": over("unified_soft", rows),
        "valid_rate": over("format_valid", rows),
        "format_error_rate": over("format_error", rows),
        "api_error_rate": over("api_error", rows),
        "n_count_applicable": int(count.sum()),
        **{name: over(column, count) for name, column in _COUNT_METRICS.items()},
        "n_click_applicable": int(click.sum()),
        **{name: over(column, click) for name, column in _CLICK_METRICS.items()},
        "n_submit_applicable": int(submit.sum()),
        "submit_exact_rate": over("submit_exact", submit),
        "click_submit_consistency_rate": over("click_submit_consistency", submit),
        "global_default_error_rate": over("global_default_error", regional),
        "n_exclusion": int(exclusion.sum()),
        "exclusion_failure_rate": over("exclusion_failure", exclusion),
    }


def by_level(columns: Columns, name: str) -> dict[str, dict[str, Any]]:
    """All metrics for each value of a named column, sorted by value."""
    return {
        level: summarize(columns, columns.is_level(name, level))
        for level in sorted(columns.levels[name])
    }


def table1(columns: Columns, subsets: list[str]) -> dict[str, Any]:
    """PASS, SOFT and VALID of each subset, and their means over the subsets there are."""
    metrics = {"PASS": "pass", "SOFT": "unified_soft", "VALID": "format_valid"}
    by_subset: dict[str, Any] = {}
    for subset in subsets:
        rows = columns.is_level("rose_subset", subset)
        by_subset[subset] = {
            "n": int(rows.sum()),
            **{name: mean(columns.value(column)[rows]) for name, column in metrics.items()},
        }

    def macro(metric: str) -> float | None:
        return mean(record[metric] for record in by_subset.values())

    return {
        "by_subset": by_subset,
        "Avg. PASS": macro("PASS"),
        "Avg. SOFT": macro("SOFT"),
        "VALID": macro("VALID"),
    }


def table2(columns: Columns, subsets: list[str]) -> dict[str, Any]:
    """PASS of each template, C-F1 and R-OK, each the mean over subsets of the subset's mean."""

    def macro(name: str, which: Mask) -> float | None:
        values = columns.value(name)
        return mean(mean(values[which & columns.is_level("rose_subset", s)]) for s in subsets)

    click = columns.flags["click_applicable"] == 1
    passes = {
        short: macro("pass", columns.is_level("task_template", template))
        for template, short in TEMPLATE_SHORT.items()
    }
    return {
        **passes,
        "C-F1": macro("click_f1_strict", click),
        "R-OK": macro("region_ok", click),
        "Avg. PASS": mean(passes.values()),
    }


def conditioned_action(columns: Columns, subsets: list[str]) -> dict[str, Any]:
    """PASS of the action templates over the scenes whose global count is right."""
    passed = columns.value("pass")
    by_subset: dict[str, dict[str, Any]] = {}
    for subset in subsets:
        inside = columns.is_level("rose_subset", subset)
        counted = inside & columns.is_level("task_template", T1) & (columns.flags["pass"] == 1)
        scenes = np.unique(columns.codes["scene_id"][counted])
        on_scene = inside & np.isin(columns.codes["scene_id"], scenes)
        record: dict[str, Any] = {"n_t1_correct_scenes": len(scenes)}
        for template in ACTION:
            rows = on_scene & columns.is_level("task_template", template)
            record[TEMPLATE_SHORT[template]] = {
                "n": int(rows.sum()),
                "pass_rate": mean(passed[rows]),
            }
        by_subset[subset] = record
    macro = {
        short: mean(record[short]["pass_rate"] for record in by_subset.values())
        for short in (TEMPLATE_SHORT[template] for template in ACTION)
    }
    return {
        "by_subset": by_subset,
        "macro": {**macro, "Action Avg.": mean(macro.values())},
        "note": CONDITIONED_NOTE,
    }


def evaluation_summary(
    scored: Scored,
    metadata: Metadata,
    predictions: str | None,
    *,
    allow_partial: bool,
    display_name: str | None = None,
) -> dict[str, Any]:
    """The whole of ``evaluation_summary.json``, in ROSE's order of keys.

    What ROSE's evaluator would have refused to score stands under keys of its own: a revision of
    the Hub, and items answered twice.
    """
    columns, coverage = scored.columns, scored.coverage
    subsets = subset_order(coverage.expected_by_subset)
    tables = {
        "table1": table1(columns, subsets),
        "table2": table2(columns, subsets),
        "scene_conditioned_action_available_rows": conditioned_action(columns, subsets),
    }
    duplicates = (
        {
            "num_duplicate": len(coverage.duplicates),
            "duplicate_item_ids": coverage.duplicates,
        }
        if coverage.duplicates
        else {}
    )
    return {
        "evaluator": "ROSE release evaluator v1",
        "model": scored.model,
        "display_name": name_of(display_name or "").strip()
        or MODEL_DISPLAY.get(scored.model, scored.model),
        "split": scored.split,
        "dataset_repo_id": metadata.repo_id or _rose_repo(metadata, coverage.expected_by_subset),
        **({"dataset_revision": metadata.revision} if metadata.revision else {}),
        "metadata_jsonl": metadata.shown,
        "predictions_jsonl": None if predictions is None else name_of(predictions),
        "coverage": {
            "complete_submission": coverage.complete,
            "allow_partial": allow_partial,
            "num_expected": coverage.expected,
            "num_prediction_rows": coverage.prediction_rows,
            "num_evaluated": len(columns),
            "num_missing": len(coverage.missing),
            "num_extra": len(coverage.extra),
            **duplicates,
            "coverage_rate": len(columns) / coverage.expected,
            **coverage_by_group(scored),
            "missing_item_ids": coverage.missing,
            "extra_item_ids": coverage.extra,
        },
        "overall": summarize(columns, np.ones(len(columns), bool)),
        "by_subset": by_level(columns, "rose_subset"),
        "by_template": by_level(columns, "task_template"),
        "by_task_mode": by_level(columns, "task_mode"),
        "by_region_type": by_level(columns, "region_type"),
        "paper_metrics": tables,
        "paper_metrics_percent": _as_percent(tables),
        "metric_notes": {
            **SUMMARY_NOTES,
            "partial_warning": None if coverage.complete else PARTIAL_WARNING,
        },
    }


def _rose_repo(metadata: Metadata, subsets: Iterable[str]) -> str | None:
    """ROSE's own dataset for rows of its subsets, as its evaluator has it; None for any other.

    A release that rosegen made of the same subsets is another dataset.
    """
    return ROSE_REPO if set(subsets) <= SUBSETS.keys() and not metadata.is_rosegens else None


def coverage_by_group(scored: Scored) -> dict[str, list[dict[str, Any]]]:
    """Items expected and evaluated, by subset and by template."""
    coverage, columns = scored.coverage, scored.columns

    def evaluated(name: str) -> Counter[str]:
        numbers = np.bincount(columns.codes[name], minlength=len(columns.levels[name]))
        return Counter(dict(zip(columns.levels[name], numbers.tolist())))

    subsets, templates = evaluated("rose_subset"), evaluated("task_template")
    return {
        "by_subset": [
            {
                "rose_subset": subset,
                **_share(coverage.expected_by_subset[subset], subsets[subset]),
            }
            for subset in subset_order(coverage.expected_by_subset)
        ],
        "by_template": [
            {
                "task_template": template,
                "task_short": TEMPLATE_SHORT[template],
                **_share(coverage.expected_by_template[template], templates[template]),
            }
            for template in TEMPLATE_SHORT
        ],
    }


def _share(expected: int, evaluated: int) -> dict[str, Any]:
    rate = evaluated / expected if expected else None
    return {"expected": expected, "evaluated": evaluated, "coverage_rate": rate}


def _as_percent(value: Any, key: str = "") -> Any:
    """The same tree with shares as percentages, to four places."""
    if isinstance(value, Mapping):
        return {name: _as_percent(part, name) for name, part in value.items()}
    if isinstance(value, int | float) and ("rate" in key.lower() or key in _PERCENT):
        return percent(float(value), 4)
    return value
