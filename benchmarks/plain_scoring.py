"""The scoring rules of ROSE in plain Python, row by row: the obvious way, and an oracle for tests.

It uses the standard library only and shares no code with rosegen. Where it and rosegen's scorer
disagree, one of the two is wrong.

    python -m benchmarks.plain_scoring METADATA PREDICTIONS OUT
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Cell = tuple[int, int]

SUBSETS = (
    "ROSE-ChineseGlyph",
    "ROSE-EmojiStyle",
    "ROSE-EmojiContent",
    "ROSE-PixelEdit",
    "ROSE-PixelContent",
)
TEMPLATES = {
    "T1_COUNT_GLOBAL": "G-Cnt",
    "T2_COUNT_LOCAL_NUMERIC": "L-Cnt",
    "T3_CLICK_LOCAL_NUMERIC": "L-Clk",
    "T4_CLICK_VISUAL_REGION": "V-Clk",
    "T5_CLICK_COUNT_EXCLUSION": "Excl. C+S",
}
ACTIONS = ("T3_CLICK_LOCAL_NUMERIC", "T4_CLICK_VISUAL_REGION", "T5_CLICK_COUNT_EXCLUSION")
COUNT_MODES = ("COUNT", "CLICK_COUNT")
CLICK_MODES = ("CLICK", "CLICK_COUNT")

COUNT = re.compile(r"COUNT\s*\(\s*(\d+)\s*\)", re.I)
SUBMIT = re.compile(r"SUBMIT\s*\(\s*(\d+)\s*\)", re.I)
CLICK = re.compile(r"CLICK\s*\(\s*R\s*(\d+)\s*,\s*C\s*(\d+)\s*\)", re.I)
DONE = re.compile(r"DONE", re.I)
LABEL = re.compile(r"\s*R\s*(\d+)\s*,\s*C\s*(\d+)\s*", re.I)


# One answer


def parse(text: Any, mode: str) -> Row:
    """Read an answer by the grammar of its mode (COUNT, CLICK or CLICK_COUNT).

    Null counts as empty. ``pred_count`` is COUNT's number, ``submit_count`` SUBMIT's;
    ``click_actions`` are (row, column) in the order given, on the grid or not.
    """
    text = "" if text is None else str(text).strip()
    if not text:
        return _parsed("empty")
    if mode == "COUNT":
        found = COUNT.fullmatch(text)
        if not found:
            return _parsed("expected_COUNT_only", invalid_action_tokens=[text])
        return _parsed(None, pred_count=int(found[1]), end_token="COUNT")
    if mode not in CLICK_MODES:
        return _parsed(f"unknown_task_mode:{mode}", invalid_action_tokens=[text])
    return _parse_clicks([part.strip() for part in text.split(";") if part.strip()], mode)


def _parse_clicks(parts: list[str], mode: str) -> Row:
    end, pattern = ("DONE", DONE) if mode == "CLICK" else ("SUBMIT", SUBMIT)
    if not parts and mode == "CLICK_COUNT":
        return _parsed("empty")
    last = pattern.fullmatch(parts[-1]) if parts else None
    if not last:
        return _parsed(f"missing_{end}", invalid_action_tokens=parts)
    found = [CLICK.fullmatch(part) for part in parts[:-1]]
    bad = [part for part, click in zip(parts, found) if not click]
    return _parsed(
        "invalid_CLICK_token" if bad else None,
        submit_count=int(last[1]) if mode == "CLICK_COUNT" else None,
        click_actions=[(int(click[1]), int(click[2])) for click in found if click],
        invalid_action_tokens=bad,
        end_token=end,
    )


def _parsed(error: str | None, **found: Any) -> Row:
    blank: Row = {
        "format_valid": error is None,
        "parse_error": error,
        "pred_count": None,
        "submit_count": None,
        "click_actions": [],
        "invalid_action_tokens": [],
        "end_token": None,
    }
    return {**blank, **found}


# Cells


def cells_of(labels: Iterable[Any] | None) -> set[Cell]:
    """Cells from labels such as "R3,C4" or [3, 4]; raises ValueError for any other text."""
    cells = set()
    for label in labels or ():
        if isinstance(label, str):
            found = LABEL.fullmatch(label)
            if not found:
                raise ValueError(f"not a cell: {label!r}")
            cells.add((int(found[1]), int(found[2])))
        else:
            cells.add((int(label[0]), int(label[1])))
    return cells


def region_cells(kind: str, params: Row | None, rows: int, cols: int) -> set[Cell]:
    """The cells of a region of a ``rows`` x ``cols`` grid.

    Bounds are 1-based and inclusive. Raises ValueError for an unknown kind.
    """
    params = params or {}
    whole = {(r, c) for r in range(1, rows + 1) for c in range(1, cols + 1)}
    if kind == "GLOBAL":
        return whole
    if kind == "EXCLUSION":
        return whole - region_cells(params["exclude_type"], params["exclude_params"], rows, cols)
    if kind not in ("ROW_RANGE", "COL_RANGE", "RECTANGLE", "VISUAL_REGION"):
        raise ValueError(f"unknown region type: {kind!r}")
    r1, r2, c1, c2 = 1, rows, 1, cols
    if kind != "COL_RANGE":
        r1, r2 = int(params["r1"]), int(params["r2"])
    if kind != "ROW_RANGE":
        c1, c2 = int(params["c1"]), int(params["c2"])
    return {(r, c) for r in range(r1, r2 + 1) for c in range(c1, c2 + 1)}


def _labels(cells: Iterable[Cell]) -> list[str]:
    return [f"R{r},C{c}" for r, c in cells]


def _sorted_labels(cells: Iterable[Cell]) -> list[str]:
    return sorted(_labels(cells))  # as text: R10 comes before R2


# One row


def score(prediction: Row, item: Row, near_miss_l1: int = 1) -> Row:
    """The record of one prediction for one item, its keys in the order of ROSE's own files.

    Flags are 0 or 1, rates in 0..1; null stands where a field does not apply to the mode.
    ``near_miss_l1`` is in cells. Raises KeyError for an item without its mode, template, grid or
    region, and ValueError for a cell or region it cannot read.
    """
    mode = item["task_mode"]
    height, width = int(item["rows"]), int(item["cols"])
    answer = parse(prediction.get("raw_text"), mode)
    error = prediction.get("error")
    failed = error not in (None, "", "None")

    gold_count = int(item.get("ground_truth_count") or 0)
    gold = cells_of(item.get("ground_truth_clicks"))
    targets = cells_of(item.get("all_target_cells") or item.get("target_cells"))
    inside = cells_of(item.get("region_target_cells") or item.get("ground_truth_clicks"))
    outside = targets - inside
    region = region_cells(item["region_type"], item.get("region_params"), height, width)

    clicks: list[Cell] = answer["click_actions"]
    grid = region_cells("GLOBAL", None, height, width)
    on_grid = [cell for cell in clicks if cell in grid]
    off_grid = [cell for cell in clicks if cell not in grid]
    chosen = set(on_grid)
    doubled = len(on_grid) - len(chosen)
    clean = answer["format_valid"] and not off_grid and not doubled

    submit = answer["submit_count"]
    count = submit if mode == "CLICK_COUNT" else answer["pred_count"]
    counts = _count_scores(count, gold_count)
    match = _match_scores(chosen, gold, clean)
    match = {"invalid_coordinate_count": len(off_grid), "duplicate_click_count": doubled, **match}
    consistent = int(submit == len(chosen))
    submits = {
        "submit_count": submit,
        "submit_exact": int(submit == gold_count),
        "click_submit_consistency": consistent,
    }
    misses = _miss_scores(chosen, gold, gold_count, region, outside, near_miss_l1)

    passed, soft = False, 0.0
    if mode == "COUNT":
        passed, soft = answer["format_valid"] and count == gold_count, counts["count_soft"]
    elif mode == "CLICK":
        passed, soft = clean and chosen == gold, match["click_f1_strict"]
    elif mode == "CLICK_COUNT":
        passed = clean and chosen == gold and submit == gold_count == len(chosen)
        soft = (match["click_f1_strict"] + counts["count_soft"] + consistent) / 3

    defaulted = False
    if item["task_template"] in list(TEMPLATES)[1:]:
        by_count = gold_count != len(targets) and count == len(targets)
        by_click = gold != targets and chosen == targets
        defaulted = (mode in COUNT_MODES and by_count) or (mode in CLICK_MODES and by_click)
    into_excluded = item["region_type"] == "EXCLUSION" and (
        bool(chosen & outside)
        if mode in CLICK_MODES
        else count == len(targets) != gold_count  # a count of the whole grid
    )

    return {
        "item_id": item["item_id"],
        "scene_id": item.get("scene_id"),
        "image_id": item.get("image_id"),
        "model": prediction.get("model"),
        "rose_subset": item.get("rose_subset"),
        "rose_split": item.get("split"),
        "primitive_type": item.get("primitive_type"),
        "task_template": item["task_template"],
        "task_mode": mode,
        "region_type": item["region_type"],
        "region_case": item.get("region_case"),
        "cue_type": item.get("cue_type"),
        "difficulty": item.get("difficulty"),
        "rows": height,
        "cols": width,
        "region_cell_count": len(region),
        "raw_text": prediction.get("raw_text"),
        "api_error": int(failed),
        "api_error_text": error,
        "format_valid": int(answer["format_valid"]),
        "format_error": int(not answer["format_valid"]),
        "parse_error": answer["parse_error"],
        "invalid_action_tokens": answer["invalid_action_tokens"],
        "pass": int(passed),
        "unified_soft": soft,
        "count_applicable": int(mode in COUNT_MODES),
        "click_applicable": int(mode in CLICK_MODES),
        "submit_applicable": int(mode == "CLICK_COUNT"),
        "gt_count": gold_count,
        "pred_count": count,
        **_only(mode in COUNT_MODES, counts),
        "gt_clicks": _sorted_labels(gold),
        "pred_clicks_all": _labels(clicks),
        "pred_clicks_valid": _labels(on_grid),
        "pred_clicks_valid_unique": _sorted_labels(chosen),
        "pred_clicks_invalid": _labels(off_grid),
        "pred_click_count_raw": len(clicks),
        "pred_click_count_valid": len(on_grid),
        "pred_click_count_unique": len(chosen),
        **_only(mode in CLICK_MODES, match),
        **_only(mode == "CLICK_COUNT", submits),
        **_only(mode in CLICK_MODES, misses),
        "global_default_error": int(defaulted),
        "exclusion_failure": int(into_excluded),
        "all_target_cells": _sorted_labels(targets),
        "region_target_cells": _sorted_labels(inside),
        "out_region_target_cells": _sorted_labels(outside),
        "ground_truth_formal_answer": item.get("ground_truth_formal_answer"),
    }


def _only(applies: bool, fields: Row) -> Row:
    return fields if applies else dict.fromkeys(fields)


def _count_scores(count: int | None, gold: int) -> Row:
    off = None if count is None else count - gold
    return {
        "count_exact": int(off == 0),
        "count_mae": None if off is None else abs(off),
        "count_bias": off,
        "count_soft": 0.0 if off is None else 1 / (1 + abs(off)),
    }


def _match_scores(chosen: set[Cell], gold: set[Cell], clean: bool) -> Row:
    hits = len(chosen & gold)
    precision = recall = f1 = iou = float(not chosen and not gold)
    if hits:
        precision, recall = hits / len(chosen), hits / len(gold)
        f1, iou = 2 * precision * recall / (precision + recall), hits / len(chosen | gold)
    return {
        "click_exact_set": int(chosen == gold),
        "click_exact_set_strict": int(clean and chosen == gold),
        "click_precision": precision,
        "click_recall": recall,
        "click_f1": f1,
        "click_f1_strict": f1 if clean else 0.0,
        "click_iou": iou,
        "click_iou_strict": iou if clean else 0.0,
    }


def _miss_scores(
    chosen: set[Cell],
    gold: set[Cell],
    gold_count: int,
    region: set[Cell],
    outside: set[Cell],
    reach: int,
) -> Row:
    strayed, missed = chosen - region, gold - chosen
    near = [(r, c) for r, c in missed if any(abs(r - a) + abs(c - b) <= reach for a, b in chosen)]
    return {
        "region_violation_count": len(strayed),
        "region_ok": int(not strayed),
        "outside_distractor_hit_count": len(chosen & outside),
        "missed_target_count": len(missed),
        "false_positive_count": len(chosen - gold),
        "over_click_count": max(0, len(chosen) - gold_count),
        "under_click_count": max(0, gold_count - len(chosen)),
        "near_miss_count": len(near),
        "near_miss_rate": len(near) / max(1, len(gold)),
    }


# Many rows


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is not null; null when nothing is left."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


def summary(rows: Iterable[Row]) -> Row:
    """Rates and means of some records, each over the rows it applies to."""
    rows = list(rows)
    clicks = [row for row in rows if row["click_applicable"]]
    local = [row for row in rows if row["task_template"] != "T1_COUNT_GLOBAL"]
    exclusion = [row for row in rows if row["region_type"] == "EXCLUSION"]

    def average(key: str, among: list[Row] = rows) -> float | None:
        return mean(row[key] for row in among)

    def share(key: str) -> float | None:
        return mean(int(row[key] > 0) for row in clicks)

    return {
        "n": len(rows),
        "pass_rate": average("pass"),
        "unified_soft": average("unified_soft"),
        "valid_rate": average("format_valid"),
        "format_error_rate": average("format_error"),
        "api_error_rate": average("api_error"),
        "n_count_applicable": sum(row["count_applicable"] for row in rows),
        "count_exact_rate": average("count_exact"),
        "count_mae_parsed": average("count_mae"),
        "count_bias_parsed": average("count_bias"),
        "count_soft": average("count_soft"),
        "n_click_applicable": len(clicks),
        "click_exact_set_rate": average("click_exact_set"),
        "click_exact_set_strict_rate": average("click_exact_set_strict"),
        "click_precision": average("click_precision"),
        "click_recall": average("click_recall"),
        "click_f1": average("click_f1"),
        "click_f1_strict": average("click_f1_strict"),
        "click_iou": average("click_iou"),
        "click_iou_strict": average("click_iou_strict"),
        "region_ok_rate": average("region_ok"),
        "region_violation_sample_rate": share("region_violation_count"),
        "invalid_coordinate_sample_rate": share("invalid_coordinate_count"),
        "duplicate_click_sample_rate": share("duplicate_click_count"),
        "over_click_sample_rate": share("over_click_count"),
        "under_click_sample_rate": share("under_click_count"),
        "near_miss_rate": average("near_miss_rate"),
        "n_submit_applicable": sum(row["submit_applicable"] for row in rows),
        "submit_exact_rate": average("submit_exact"),
        "click_submit_consistency_rate": average("click_submit_consistency"),
        "global_default_error_rate": average("global_default_error", local),
        "n_exclusion": len(exclusion),
        "exclusion_failure_rate": average("exclusion_failure", exclusion),
    }


def grouped(rows: Iterable[Row], key: str) -> dict[str, list[Row]]:
    """Rows by the value of ``key``, the values in text order."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row[key]), []).append(row)
    return dict(sorted(groups.items()))


def _in_order(names: Iterable[str], order: Iterable[str]) -> list[str]:
    """The known names in their own order, then all others."""
    names, order = list(names), list(order)
    return [name for name in order if name in names] + [n for n in names if n not in order]


def paper_metrics(rows: Sequence[Row]) -> Row:
    """The numbers of the two paper tables, and of actions on scenes whose T1 was passed."""
    groups = grouped(rows, "rose_subset")
    subsets = {name: groups[name] for name in _in_order(groups, SUBSETS)}
    return {
        "table1": _table1(subsets),
        "table2": _table2(list(subsets.values())),
        "scene_conditioned_action_available_rows": _scene_conditioned(subsets),
    }


def _table1(subsets: dict[str, list[Row]]) -> Row:
    columns = {"PASS": "pass", "SOFT": "unified_soft", "VALID": "format_valid"}
    table: Row = {
        name: {"n": len(rows), **{c: mean(row[key] for row in rows) for c, key in columns.items()}}
        for name, rows in subsets.items()
    }
    averages = {column: mean(one[column] for one in table.values()) for column in columns}
    return {
        "by_subset": table,
        "Avg. PASS": averages["PASS"],
        "Avg. SOFT": averages["SOFT"],
        "VALID": averages["VALID"],
    }


def _table2(subsets: list[list[Row]]) -> Row:
    def macro(key: str, template: str | None = None) -> float | None:
        # Rows a key does not apply to hold null, which the mean skips.
        return mean(
            mean(row[key] for row in rows if template in (None, row["task_template"]))
            for rows in subsets
        )

    table = {short: macro("pass", name) for name, short in TEMPLATES.items()}
    return {
        **table,
        "C-F1": macro("click_f1_strict"),
        "R-OK": macro("region_ok"),
        "Avg. PASS": mean(table.values()),
    }


def _scene_conditioned(subsets: dict[str, list[Row]]) -> Row:
    table: Row = {}
    for name, rows in subsets.items():
        counted = [row for row in rows if row["task_template"] == "T1_COUNT_GLOBAL"]
        scenes = {row["scene_id"] for row in counted if row["pass"] == 1}
        table[name] = {"n_t1_correct_scenes": len(scenes)}
        for action in ACTIONS:
            passes = [
                row["pass"]
                for row in rows
                if row["task_template"] == action and row["scene_id"] in scenes
            ]
            table[name][TEMPLATES[action]] = {"n": len(passes), "pass_rate": mean(passes)}
    shorts = [TEMPLATES[action] for action in ACTIONS]
    macro = {short: mean(one[short]["pass_rate"] for one in table.values()) for short in shorts}
    return {"by_subset": table, "macro": {**macro, "Action Avg.": mean(macro.values())}}


def coverage(items: dict[str, Row], predictions: Sequence[Row]) -> Row:
    """How many of the expected items (by item id) have a prediction."""
    given = {str(prediction["item_id"]) for prediction in predictions}
    missing, extra = sorted(items.keys() - given), sorted(given - items.keys())
    evaluated = len(items) - len(missing)

    def part(group: list[Row]) -> Row:
        done = sum(str(item["item_id"]) in given for item in group)
        return {"expected": len(group), "evaluated": done, "coverage_rate": done / len(group)}

    subsets = grouped(items.values(), "rose_subset")
    templates = grouped(items.values(), "task_template")
    return {
        "complete_submission": not missing and not extra,
        "allow_partial": False,
        "num_expected": len(items),
        "num_prediction_rows": len(predictions),
        "num_evaluated": evaluated,
        "num_missing": len(missing),
        "num_extra": len(extra),
        "coverage_rate": evaluated / len(items) if items else None,
        "by_subset": [
            {"rose_subset": name, **part(subsets[name])} for name in _in_order(subsets, SUBSETS)
        ],
        "by_template": [
            {"task_template": name, "task_short": TEMPLATES.get(name, name), **part(group)}
            for name, group in templates.items()
        ],
        "missing_item_ids": missing,
        "extra_item_ids": extra,
    }


def evaluate(metadata_path: Path | str, predictions_path: Path | str, split: str = "test") -> Row:
    """Score a predictions file against the items of one split; both JSON Lines, plain or gzip.

    Of several predictions for one item the last counts. Items without one are left out of the
    rows and listed in the coverage.
    """
    items = {str(item["item_id"]): item for item in _read(metadata_path) if item["split"] == split}
    predictions = _read(predictions_path)
    answers = {str(prediction["item_id"]): prediction for prediction in predictions}
    rows = [score(answers[name], items[name]) for name in sorted(items.keys() & answers.keys())]
    groups = {
        "by_subset": "rose_subset",
        "by_template": "task_template",
        "by_task_mode": "task_mode",
        "by_region_type": "region_type",
    }
    return {
        "rows": rows,
        "coverage": coverage(items, predictions),
        "overall": summary(rows),
        **{
            title: {name: summary(group) for name, group in grouped(rows, key).items()}
            for title, key in groups.items()
        },
        "paper_metrics": paper_metrics(rows),
    }


# Files


def _read(path: Path | str) -> list[Row]:
    data = Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def _write_rows(path: Path, rows: Iterable[Row]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def _write_csv(path: Path, rows: list[Row]) -> None:
    fields = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(rows)


def _write_table_row(path: Path, model: str, values: Iterable[float | None]) -> None:
    shown = ["--" if value is None else f"{100 * value:.1f}" for value in values]
    path.write_text(f"{model}\n& {' & '.join(shown)} \\\\\n", encoding="utf-8", newline="\n")


def _percent(value: Any) -> Any:
    """Every fraction inside, as a percentage with four decimals."""
    if isinstance(value, dict):
        return {key: _percent(inner) for key, inner in value.items()}
    return round(100 * value, 4) if isinstance(value, float) else value


def write(result: Row, out: Path, split: str) -> None:
    """Write what ``evaluate`` returned as ROSE's result files into the folder ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    rest = {key: value for key, value in result.items() if key != "rows"}
    rows, paper = result["rows"], result["paper_metrics"]
    model = str(rows[0]["model"]) if rows else "None"
    _write_rows(out / "per_item_eval.jsonl", rows)
    _write_rows(out / "error_cases.jsonl", (row for row in rows if row["pass"] != 1))
    head = {"model": model, "display_name": model, "split": split}
    whole = {**head, **rest, "paper_metrics_percent": _percent(paper)}
    text = json.dumps(whole, ensure_ascii=False, indent=1)
    (out / "evaluation_summary.json").write_text(text, encoding="utf-8", newline="\n")

    tables: dict[str, list[Row]] = {"subset": [], "template": []}
    for name in _in_order(result["by_subset"], SUBSETS):
        names = {"rose_subset": name, "subset_short": name.removeprefix("ROSE-")}
        tables["subset"].append({**names, **result["by_subset"][name]})
    for name, one in result["by_template"].items():
        names = {"task_template": name, "task_short": TEMPLATES.get(name, name)}
        tables["template"].append({**names, **one})
    for kind, table in tables.items():
        _write_csv(out / f"summary_by_{kind}.csv", table)
    covered = result["coverage"]
    _write_csv(
        out / "coverage_by_subset_template.csv",
        [{"group": kind, **one} for kind in tables for one in covered[f"by_{kind}"]],
    )
    first, second = paper["table1"], paper["table2"]
    cells = [one[key] for one in first["by_subset"].values() for key in ("PASS", "SOFT")]
    cells += [first["Avg. PASS"], first["Avg. SOFT"], first["VALID"]]
    _write_table_row(out / "table1_row.txt", model, cells)
    _write_table_row(out / "table2_row.txt", model, second.values())


def main(arguments: list[str] | None = None) -> None:
    """Run the command line: score PREDICTIONS against METADATA, write the files into OUT."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plain_scoring")
    parser.add_argument("metadata", type=Path)
    parser.add_argument("predictions", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", default="test")
    given = parser.parse_args(arguments)
    write(evaluate(given.metadata, given.predictions, given.split), given.out, given.split)


if __name__ == "__main__":
    main()
