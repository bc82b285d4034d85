"""The means, tables and notes of a bridge, as ROSE's public bridge evaluators define them.

Those of a bridge are over subsets (``macro_equal_subset``) or over items (``micro_pooled``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rosegen.row_files import name_of
from rosegen.scene import REGION_CASES
from rosegen.scoring.names import subset_order
from rosegen.scoring.notes import GLOBAL_CLICK_NOTES, MATCHED_COUNT_NOTES
from rosegen.scoring.summary import mean, percent

Row = dict[str, Any]
Rows = Sequence[Row]


def _mean(rows: Rows, key: str) -> float | None:
    return mean(row.get(key) for row in rows)


def _share(rows: Rows, test: Callable[[Row], bool]) -> float | None:
    return mean(float(test(row)) for row in rows)


def _sum_up_clicks(rows: Rows) -> Row:
    paired = [row for row in rows if row["base_gcnt_matched"]]
    counted = [row for row in paired if row["base_gcnt_pass"] == 1]
    exact = [row for row in rows if row["cardinality_exact"]]
    gcnt, gclk = _mean(paired, "base_gcnt_pass"), _mean(paired, "pass")
    return {
        "n": len(rows),
        "gclk_pass_rate": _mean(rows, "pass"),
        "gclk_soft": _mean(rows, "unified_soft"),
        "valid_rate": _mean(rows, "format_valid"),
        "api_error_rate": _mean(rows, "api_error"),
        "cardinality_exact_rate": _mean(rows, "cardinality_exact"),
        "cardinality_exact_nonstrict_rate": _mean(rows, "cardinality_exact_nonstrict"),
        "cardinality_mae": _mean(rows, "cardinality_abs_error"),
        "cardinality_bias": _mean(rows, "cardinality_error"),
        "location_exact_given_cardinality": _mean(exact, "pass"),
        "click_precision": _mean(rows, "click_precision"),
        "click_recall": _mean(rows, "click_recall"),
        "click_f1_strict": _mean(rows, "click_f1_strict"),
        "click_iou_strict": _mean(rows, "click_iou_strict"),
        "invalid_coordinate_sample_rate": _share(
            rows, lambda row: bool(row["invalid_coordinate_count"])
        ),
        "duplicate_click_sample_rate": _share(rows, lambda row: bool(row["duplicate_click_count"])),
        "n_cardinality_exact": len(exact),
        "n_main_gcnt_matched": len(paired),
        "n_main_gcnt_correct": len(counted),
        "gcnt_pass_rate": gcnt,
        "gclk_pass_on_paired": gclk,
        "gclk_minus_gcnt": _minus(gclk, gcnt),
        "gcnt_to_gclk_drop": _minus(gcnt, gclk),
        "both_correct_rate": _share(paired, lambda row: row["base_gcnt_pass"] == row["pass"] == 1),
        "gcnt_correct_gclk_wrong_rate": _share(
            paired, lambda row: row["base_gcnt_pass"] == 1 and row["pass"] != 1
        ),
        "gclk_pass_given_gcnt_correct": _mean(counted, "pass"),
        "cardinality_exact_given_gcnt_correct": _mean(counted, "cardinality_exact"),
        "click_f1_given_gcnt_correct": _mean(counted, "click_f1_strict"),
    }


_LAST_WHEN_UNPAIRED = (
    "cross_task_cardinality_consistency_rate",
    "both_correct_rate",
    "mlcnt_correct_lclk_wrong_rate",
)


def _sum_up_counts(rows: Rows) -> Row:
    paired = [row for row in rows if row["base_lclk_matched"]]
    right = [row for row in paired if row["pass"] == 1]
    exact = [row for row in paired if row["base_lclk_cardinality_exact"]]
    both_exact = [row for row in right if row["base_lclk_cardinality_exact"]]
    numbers = [row for row in rows if row["pred_count"] is not None]
    mlcnt, lclk = _mean(paired, "pass"), _mean(paired, "base_lclk_pass")
    kept = _mean(right, "base_lclk_pass")
    found = {
        "n": len(rows),
        "mlcnt_pass_rate": _mean(rows, "pass"),
        "mlcnt_soft": _mean(rows, "unified_soft"),
        "mlcnt_valid_rate": _mean(rows, "format_valid"),
        "mlcnt_count_mae": _mean(numbers, "count_mae"),
        "mlcnt_count_bias": _mean(numbers, "count_bias"),
        "n_main_lclk_matched": len(paired),
        "n_mlcnt_correct": len(right),
        "mlcnt_pass_on_paired": mlcnt,
        "lclk_pass_rate": lclk,
        "lclk_soft": _mean(paired, "base_lclk_soft"),
        "lclk_valid_rate": _mean(paired, "base_lclk_format_valid"),
        "lclk_cardinality_exact_rate": _mean(paired, "base_lclk_cardinality_exact"),
        "lclk_location_exact_given_cardinality": _mean(exact, "base_lclk_pass"),
        "lclk_click_f1_strict": _mean(paired, "base_lclk_click_f1_strict"),
        "mlcnt_to_lclk_drop": _minus(mlcnt, lclk),
        "both_correct_rate": _share(paired, lambda row: row["pass"] == row["base_lclk_pass"] == 1),
        "mlcnt_correct_lclk_wrong_rate": _share(
            paired, lambda row: row["pass"] == 1 and row["base_lclk_pass"] != 1
        ),
        "cross_task_cardinality_consistency_rate": _mean(
            paired, "cross_task_cardinality_consistent"
        ),
        "lclk_pass_given_mlcnt_correct": kept,
        "transfer_failure_given_mlcnt_correct": None if kept is None else 1.0 - kept,
        "lclk_cardinality_exact_given_mlcnt_correct": _mean(right, "base_lclk_cardinality_exact"),
        "lclk_click_f1_given_mlcnt_correct": _mean(right, "base_lclk_click_f1_strict"),
        "lclk_location_exact_given_cardinality_and_mlcnt_correct": _mean(
            both_exact, "base_lclk_pass"
        ),
    }
    if not paired:  # ROSE then has one key less, and three at the end
        del found["mlcnt_pass_on_paired"]
        for name in _LAST_WHEN_UNPAIRED:
            found[name] = found.pop(name)
    return found


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def _macro(by_subset: Mapping[str, Row]) -> Row:
    """The mean over subsets of every metric, by name."""
    names = sorted({name for record in by_subset.values() for name in record if name != "n"})
    return {
        "n": sum(record["n"] for record in by_subset.values()),
        "num_subsets": len(by_subset),
        **{name: mean(record.get(name) for record in by_subset.values()) for name in names},
    }


def _by(rows: Rows, key: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(name_of(row.get(key)), []).append(row)
    return groups


def _by_subset(rows: Rows, sum_up: Callable[[Rows], Row]) -> dict[str, Row]:
    groups = _by(rows, "rose_subset")
    return {name: sum_up(groups[name]) for name in subset_order(groups) if name in groups}


def _paper(model: str, macro: Row, names: Mapping[str, str]) -> Row:
    return {
        "Model": model,
        **{title: percent(macro.get(name), 1) for title, name in names.items()},
    }


def global_click(rows: Rows, head: Row) -> tuple[Row, Row, dict[str, list[Row]]]:
    """The summary, the paper's table and the other tables by name, of scored and paired rows."""
    by_subset = _by_subset(rows, _sum_up_clicks)
    macro = _macro(by_subset)
    summary = {
        **head,
        "macro_equal_subset": macro,
        "micro_pooled": _sum_up_clicks(rows),
        "by_subset": by_subset,
        "metric_notes": GLOBAL_CLICK_NOTES,
    }
    names = {
        "G-Cnt": "gcnt_pass_rate",
        "G-Clk": "gclk_pass_rate",
        "G-Clk | G-Cnt correct": "gclk_pass_given_gcnt_correct",
        "Card-Exact": "cardinality_exact_rate",
        "Card-Exact | G-Cnt correct": "cardinality_exact_given_gcnt_correct",
        "Loc-Exact | Card-Exact": "location_exact_given_cardinality",
        "C-F1": "click_f1_strict",
        "VALID": "valid_rate",
        "G-Cnt to G-Clk drop": "gcnt_to_gclk_drop",
    }
    table = [{"model": head["model"], "subset": name, **by_subset[name]} for name in by_subset]
    paper = _paper(head["model"], macro, names)
    return summary, paper, {"by_subset": table}


def matched_count(rows: Rows, head: Row) -> tuple[Row, Row, dict[str, list[Row]]]:
    """The summary, the paper's table and the other tables by name, of scored and paired rows."""
    by_subset = _by_subset(rows, _sum_up_counts)
    macro = _macro(by_subset)
    by_case: dict[str, Row] = {}
    cases = _by(
        [{**row, "region_case": row["region_case"] or "unknown"} for row in rows], "region_case"
    )
    for case in [*REGION_CASES, *sorted(cases.keys() - set(REGION_CASES))]:
        if case in cases:
            parts = {
                name: _sum_up_counts(part) for name, part in _by(cases[case], "rose_subset").items()
            }
            by_case[case] = {"macro_equal_subset": _macro(parts), "by_subset": parts}
    summary = {
        **head,
        "macro_equal_subset": macro,
        "micro_pooled": _sum_up_counts(rows),
        "by_subset": by_subset,
        "by_region_case": by_case,
        "metric_notes": MATCHED_COUNT_NOTES,
    }
    names = {
        "mL-Cnt": "mlcnt_pass_rate",
        "L-Clk": "lclk_pass_rate",
        "L-Clk | mL-Cnt correct": "lclk_pass_given_mlcnt_correct",
        "Card-Exact": "lclk_cardinality_exact_rate",
        "Card-Exact | mL-Cnt correct": "lclk_cardinality_exact_given_mlcnt_correct",
        "Loc-Exact | Card-Exact": "lclk_location_exact_given_cardinality",
        "Loc-Exact | Card & mL-Cnt": "lclk_location_exact_given_cardinality_and_mlcnt_correct",
        "C-F1": "lclk_click_f1_strict",
        "mL-Cnt VALID": "mlcnt_valid_rate",
        "L-Clk VALID": "lclk_valid_rate",
        "mL-Cnt to L-Clk drop": "mlcnt_to_lclk_drop",
        "Transfer failure": "transfer_failure_given_mlcnt_correct",
    }
    model = head["model"]
    tables = {
        "by_subset": [{"model": model, "subset": name, **by_subset[name]} for name in by_subset],
        "by_region_case": [
            {"model": model, "region_case": case, **record["macro_equal_subset"]}
            for case, record in by_case.items()
        ],
    }
    return summary, _paper(model, macro, names), tables
