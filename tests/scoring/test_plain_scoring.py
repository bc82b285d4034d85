"""The plain oracle of ROSE's scoring rules: equal to the reference, and to sums done by hand."""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.plain_scoring import evaluate, main, parse, region_cells, score, summary

Row = dict[str, Any]

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "evaluator"
METADATA = REFERENCE / "metadata_test.jsonl.gz"
PREDICTIONS = REFERENCE / "predictions.jsonl.gz"

# Notes in prose, and what names the reference itself or its paths.
NOT_OURS = {
    "evaluator",
    "dataset_repo_id",
    "metadata_jsonl",
    "predictions_jsonl",
    "metric_notes",
    "note",
}

needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="needs ../shared/reference/evaluator, which is not here"
)


def differences(want: Any, got: Any, where: str = "") -> Iterator[str]:
    """Where two JSON values differ: key order and types count, floats only beyond 1e-9."""
    if type(want) is not type(got):
        yield f"{where}: {want!r} is not {got!r}"
    elif isinstance(want, dict):
        keys = [key for key in want if key not in NOT_OURS]
        if keys != list(got):
            yield f"{where}: keys {keys} are not {list(got)}"
        for key in set(keys) & set(got):
            yield from differences(want[key], got[key], f"{where}/{key}")
    elif isinstance(want, list):
        if len(want) != len(got):
            yield f"{where}: {len(want)} is not {len(got)} long"
        for index, (one, other) in enumerate(zip(want, got)):
            yield from differences(one, other, f"{where}/{index}")
    elif isinstance(want, float):
        if not math.isclose(want, got, rel_tol=0, abs_tol=1e-9):
            yield f"{where}: {want!r} is not {got!r}"
    elif want != got:
        yield f"{where}: {want!r} is not {got!r}"


def cells_of_csv(path: Path) -> list[list[float | str]]:
    """A CSV file's cells, numbers as floats."""

    def value(text: str) -> float | str:
        try:
            return float(text)
        except ValueError:
            return text

    text = path.read_bytes().decode("utf-8")
    return [[value(cell) for cell in line] for line in csv.reader(text.splitlines())]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files the command line writes for the reference's predictions."""
    out = tmp_path_factory.mktemp("plain") / "out"
    main([str(METADATA), str(PREDICTIONS), str(out)])
    return out


def expected_rows() -> list[Row]:
    """The reference's record of every row."""
    with gzip.open(REFERENCE / "expected_per_item_eval.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@needs_reference
def test_every_field_of_every_row_is_what_the_reference_says(written: Path) -> None:
    lines = (written / "per_item_eval.jsonl").read_text(encoding="utf-8").splitlines()
    want = expected_rows()
    assert len(want) == 1000
    assert list(differences(want, [json.loads(line) for line in lines])) == []


@needs_reference
def test_error_cases_are_the_rows_that_did_not_pass(written: Path) -> None:
    lines = (written / "error_cases.jsonl").read_text(encoding="utf-8").splitlines()
    want = [row for row in expected_rows() if row["pass"] != 1]
    assert list(differences(want, [json.loads(line) for line in lines])) == []


@needs_reference
def test_the_summary_is_what_the_reference_says(written: Path) -> None:
    want, got = (
        json.loads(path.read_text(encoding="utf-8"))
        for path in (
            REFERENCE / "expected_evaluation_summary.json",
            written / "evaluation_summary.json",
        )
    )
    assert list(differences(want, got)) == []


@needs_reference
@pytest.mark.parametrize(
    "name", ["summary_by_subset", "summary_by_template", "coverage_by_subset_template"]
)
def test_a_table_file_is_what_the_reference_writes(written: Path, name: str) -> None:
    want, got = REFERENCE / f"expected_{name}.csv", written / f"{name}.csv"
    assert got.read_bytes()[:3] == want.read_bytes()[:3] == b"\xef\xbb\xbf"
    assert got.read_bytes().count(b"\r\n") == want.read_bytes().count(b"\r\n")
    assert list(differences(cells_of_csv(want), cells_of_csv(got))) == []


@needs_reference
@pytest.mark.parametrize("name", ["table1_row.txt", "table2_row.txt"])
def test_a_paper_table_row_is_what_the_reference_writes(written: Path, name: str) -> None:
    assert (written / name).read_bytes() == (REFERENCE / f"expected_{name}").read_bytes()


@pytest.mark.parametrize(
    ("text", "mode", "error", "tokens"),
    [
        (None, "COUNT", "empty", []),
        (" \n ", "CLICK", "empty", []),
        ("COUNT(3) ", "COUNT", None, []),
        ("count ( ３ )", "COUNT", None, []),
        ("COUNT(-3)", "COUNT", "expected_COUNT_only", ["COUNT(-3)"]),
        ("COUNT(3);", "COUNT", "expected_COUNT_only", ["COUNT(3);"]),
        ("done", "CLICK", None, []),
        (";", "CLICK", "missing_DONE", []),
        (";", "CLICK_COUNT", "empty", []),
        (" ; ;DONE;; ", "CLICK", None, []),
        ("CLICK(R1,C1)", "CLICK", "missing_DONE", ["CLICK(R1,C1)"]),
        ("CLICK(R1,C1); DONE", "CLICK_COUNT", "missing_SUBMIT", ["CLICK(R1,C1)", "DONE"]),
        ("DONE; DONE", "CLICK", "invalid_CLICK_token", ["DONE"]),
        ("yes", "POINT", "unknown_task_mode:POINT", ["yes"]),
    ],
)
def test_an_answer_is_held_to_the_grammar_of_its_mode(
    text: str | None, mode: str, error: str | None, tokens: list[str]
) -> None:
    answer = parse(text, mode)
    assert (answer["parse_error"], answer["invalid_action_tokens"]) == (error, tokens)
    assert answer["format_valid"] == (error is None)


def test_clicks_and_submit_are_kept_beside_a_bad_token() -> None:
    answer = parse("click(r 2, c 5); here; CLICK(R0,C9); SUBMIT(7)", "CLICK_COUNT")
    assert answer == {
        "format_valid": False,
        "parse_error": "invalid_CLICK_token",
        "pred_count": None,
        "submit_count": 7,
        "click_actions": [(2, 5), (0, 9)],
        "invalid_action_tokens": ["here"],
        "end_token": "SUBMIT",
    }


@given(
    cells=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=8),
    space=st.sampled_from(["", " ", "\t", "\n ", "\u3000"]),
)
def test_white_space_between_symbols_changes_nothing(
    cells: list[tuple[int, int]], space: str
) -> None:
    clicks = [f"CLICK ( R {r} , C {c} ) ; ".replace(" ", space) for r, c in cells]
    answer = parse("".join(clicks) + "SUBMIT ( 4 )".replace(" ", space), "CLICK_COUNT")
    assert answer["parse_error"] is None
    assert answer["click_actions"] == cells
    assert answer["submit_count"] == 4


@pytest.mark.parametrize(
    ("kind", "params", "size"),
    [
        ("GLOBAL", {"r1": None}, 20),
        ("ROW_RANGE", {"r1": 2, "r2": 3}, 10),
        ("COL_RANGE", {"c1": 5, "c2": 5}, 4),
        ("RECTANGLE", {"r1": 1, "r2": 2, "c1": 2, "c2": 4}, 6),
        ("VISUAL_REGION", {"r1": 4, "r2": 4, "c1": 1, "c2": 1}, 1),
        ("EXCLUSION", {"exclude_type": "COL_RANGE", "exclude_params": {"c1": 1, "c2": 2}}, 12),
    ],
)
def test_a_region_of_four_rows_by_five_columns_has_its_cells(
    kind: str, params: Row, size: int
) -> None:
    assert len(region_cells(kind, params, 4, 5)) == size


def item(**changes: Any) -> Row:
    """A 6 x 6 grid, targets at R1,C1, R2,C2 and R5,C5; columns 4 to 6 are excluded."""
    return {
        "item_id": "ITEM_1",
        "scene_id": "SCENE_1",
        "rose_subset": "ROSE-PixelEdit",
        "split": "test",
        "task_template": "T5_CLICK_COUNT_EXCLUSION",
        "task_mode": "CLICK_COUNT",
        "region_type": "EXCLUSION",
        "region_params": {"exclude_type": "COL_RANGE", "exclude_params": {"c1": 4, "c2": 6}},
        "rows": 6,
        "cols": 6,
        "ground_truth_count": 2,
        "ground_truth_clicks": ["R1,C1", "R2,C2"],
        "target_cells": [[1, 1], [2, 2], [5, 5]],
        **changes,
    }


def scored(text: str | None, **changes: Any) -> Row:
    """The record of one answer to that item."""
    return score({"model": "m", "raw_text": text, "error": None}, item(**changes))


def check(row: Row, **want: Any) -> None:
    """Compare the named fields of a record."""
    got = {key: row[key] for key in want}
    assert got == pytest.approx(want)


def test_a_right_answer_passes_in_any_order() -> None:
    row = scored("CLICK(R2,C2); CLICK(R1,C1); SUBMIT(2)")
    assert (row["pass"], row["unified_soft"], row["region_ok"]) == (1, 1.0, 1)
    assert row["pred_clicks_all"] == ["R2,C2", "R1,C1"]
    assert row["pred_clicks_valid_unique"] == ["R1,C1", "R2,C2"]
    assert row["out_region_target_cells"] == ["R5,C5"]
    assert row["region_cell_count"] == 18


def test_one_hit_one_neighbour_and_one_excluded_target_are_told_apart() -> None:
    row = scored("CLICK(R1,C1); CLICK(R2,C3); CLICK(R5,C5); SUBMIT(3)")
    # One of three clicks is right, one of two targets is found, the union has four cells.
    # Soft: F1 0.4, count 1 / (1 + 1), and SUBMIT agrees with the clicks.
    check(
        row,
        click_precision=1 / 3,
        click_recall=1 / 2,
        click_f1=0.4,
        click_iou=1 / 4,
        count_soft=0.5,
        unified_soft=(0.4 + 0.5 + 1) / 3,
        near_miss_count=1,
        near_miss_rate=0.5,
        false_positive_count=2,
        missed_target_count=1,
        over_click_count=1,
        under_click_count=0,
        region_violation_count=1,
        outside_distractor_hit_count=1,
        exclusion_failure=1,
        global_default_error=1,  # by the count: there are three targets in the whole grid
    )
    assert row["pass"] == 0


@pytest.mark.parametrize(
    ("extra", "off_grid", "doubled"), [("R2,C2", 0, 1), ("R7,C1", 1, 0), ("R0,C0", 1, 0)]
)
def test_a_click_too_many_spoils_the_strict_scores_only(
    extra: str, off_grid: int, doubled: int
) -> None:
    row = scored(f"CLICK(R1,C1); CLICK(R2,C2); CLICK({extra}); SUBMIT(2)")
    assert (row["invalid_coordinate_count"], row["duplicate_click_count"]) == (off_grid, doubled)
    assert (row["click_exact_set"], row["click_f1"]) == (1, 1.0)
    assert (row["click_exact_set_strict"], row["click_f1_strict"], row["pass"]) == (0, 0.0, 0)
    assert row["unified_soft"] == pytest.approx(2 / 3)


def test_clicking_nothing_is_right_where_nothing_is_to_be_found() -> None:
    right = scored("SUBMIT(0)", ground_truth_count=None, ground_truth_clicks=[])
    wrong = scored("SUBMIT(0)")
    scores = ("pass", "click_precision", "click_recall", "click_iou", "near_miss_rate")
    assert [right[name] for name in scores] == [1, 1.0, 1.0, 1.0, 0.0]
    assert [wrong[name] for name in scores] == [0, 0.0, 0.0, 0.0, 0.0]


def test_fields_of_other_modes_are_null() -> None:
    local = {"region_type": "ROW_RANGE", "region_params": {"r1": 1, "r2": 3}}
    count = scored("COUNT(3)", task_mode="COUNT", task_template="T2_COUNT_LOCAL_NUMERIC", **local)
    click = scored("DONE", task_mode="CLICK", task_template="T3_CLICK_LOCAL_NUMERIC", **local)
    check(count, count_bias=1, count_soft=0.5, unified_soft=0.5, global_default_error=1)
    check(click, under_click_count=2, unified_soft=0.0, global_default_error=0)
    for key in ("click_f1", "region_ok", "submit_exact", "near_miss_rate"):
        assert count[key] is None
    for key in ("pred_count", "count_exact", "count_soft", "submit_count"):
        assert click[key] is None


@pytest.mark.parametrize(
    ("error", "failed"), [(None, 0), ("", 0), ("None", 0), ("timeout", 1), ("none", 1)]
)
def test_an_error_of_the_service_is_told_from_none(error: str | None, failed: int) -> None:
    row = score({"raw_text": "SUBMIT(0)", "error": error}, item())
    assert row["api_error"] == failed
    assert row["format_valid"] == 1


BOTH = "CLICK(R1,C1); CLICK(R2,C2); "


@pytest.mark.parametrize(
    ("text", "changes", "want"),
    [
        # A right click beside a missed target is near it, too.
        (
            "CLICK(R1,C1); SUBMIT(1)",
            {"ground_truth_clicks": ["R1,C1", "R1,C2"]},
            ("near_miss_count", 1),
        ),
        # Clicks off the grid are no duplicates of each other.
        (BOTH + "CLICK(R9,C9); CLICK(R9,C9); SUBMIT(2)", {}, ("duplicate_click_count", 0)),
        # A bad token does not take SUBMIT's agreement with the clicks away.
        (BOTH + "or so; SUBMIT(2)", {}, ("click_submit_consistency", 1)),
        # Too many and too few are measured by the gold count, not by the gold cells.
        (BOTH + "SUBMIT(2)", {"ground_truth_count": 1}, ("over_click_count", 1)),
        (BOTH + "SUBMIT(2)", {"ground_truth_count": 4}, ("under_click_count", 2)),
        # SUBMIT has to agree with both of them.
        (BOTH + "SUBMIT(1)", {"ground_truth_count": 1}, ("pass", 0)),
        # An empty list of region targets falls through to the gold cells.
        ("SUBMIT(0)", {"region_target_cells": []}, ("region_target_cells", ["R1,C1", "R2,C2"])),
        # All targets of the grid, one of them twice: unclean, yet the whole grid's answer.
        (
            BOTH + "CLICK(R5,C5); CLICK(R5,C5); SUBMIT(0)",
            {},
            ("global_default_error", 1),
        ),
        (BOTH + "CLICK(R5,C5); up; SUBMIT(0)", {}, ("exclusion_failure", 1)),
        ("SUBMIT(3)", {"task_template": "T1_COUNT_GLOBAL"}, ("global_default_error", 0)),
    ],
)
def test_a_rule_that_is_easily_read_another_way_is_read_this_way(
    text: str, changes: Row, want: tuple[str, Any]
) -> None:
    field, value = want
    assert scored(text, **changes)[field] == value


def test_means_skip_the_rows_they_do_not_apply_to() -> None:
    rows = [
        scored("CLICK(R1,C1); SUBMIT(4)"),
        scored("no idea"),
        scored("COUNT(1)", task_mode="COUNT", task_template="T1_COUNT_GLOBAL"),
    ]
    check(
        summary(rows),
        n=3,
        n_count_applicable=3,
        n_click_applicable=2,
        count_mae_parsed=1.5,  # 4 and 1 for 2; one row has no number
        count_bias_parsed=0.5,
        count_soft=(1 / 3 + 0 + 1 / 2) / 3,
        click_recall=0.25,
        under_click_sample_rate=1.0,
        global_default_error_rate=0.0,
        n_exclusion=3,
    )
    assert summary([])["pass_rate"] is None


def test_items_without_a_prediction_are_left_out_and_listed(tmp_path: Path) -> None:
    items = [item(), item(item_id="ITEM_2"), item(item_id="ITEM_3", split="dev")]
    answers = [{"item_id": name, "raw_text": "SUBMIT(0)"} for name in ("ITEM_3", "ITEM_1")]
    for name, rows in (("items", items), ("answers", answers)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = evaluate(tmp_path / "items", tmp_path / "answers")
    assert [row["item_id"] for row in result["rows"]] == ["ITEM_1"]
    assert result["coverage"]["missing_item_ids"] == ["ITEM_2"]
    assert result["coverage"]["extra_item_ids"] == ["ITEM_3"]
    assert result["coverage"]["coverage_rate"] == 0.5
    assert result["paper_metrics"]["table1"]["by_subset"]["ROSE-PixelEdit"]["n"] == 1
    assert result["paper_metrics"]["table2"]["L-Clk"] is None


def test_the_paper_tables_average_subsets_not_rows(tmp_path: Path) -> None:
    right, wrong = "CLICK(R1,C1); CLICK(R2,C2); SUBMIT(2)", "SUBMIT(2)"
    cases = [("A", right), ("B", wrong), ("B", wrong), ("B", right)]
    items = [item(item_id=str(i), rose_subset=name) for i, (name, _) in enumerate(cases)]
    answers = [{"item_id": str(i), "raw_text": text} for i, (_, text) in enumerate(cases)]
    for name, rows in (("items", items), ("answers", answers)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    result = evaluate(tmp_path / "items", tmp_path / "answers")
    assert result["overall"]["pass_rate"] == 0.5
    assert result["paper_metrics"]["table1"]["Avg. PASS"] == pytest.approx((1 + 1 / 3) / 2)
    assert result["paper_metrics"]["table2"]["C-F1"] == pytest.approx((1 + 1 / 3) / 2)
    assert result["paper_metrics"]["table2"]["Avg. PASS"] == pytest.approx((1 + 1 / 3) / 2)
