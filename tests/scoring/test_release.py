"""A release's metadata is found and read wherever it is, and gives the same scores in any form."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rosegen
from rosegen.build import Build
from rosegen.errors import RosegenError
from rosegen.scoring import evaluate_bridge
from rosegen.scoring.release import find_metadata
from tests.scoring.maker import (
    PREDICTIONS,
    SUBSETS,
    Row,
    answers,
    differences,
    files_in,
    is_one_line,
    items,
    jsonl,
    needs_reference,
    read_jsonl,
    reference_rows,
    release,
    table,
    write,
    write_parquet,
)

ITEMS = items()
SAID = answers(ITEMS, wrong=4)
OLD_T5, T5 = "T5_CLICK_EXCLUSION_SUBMIT", "T5_CLICK_COUNT_EXCLUSION"


def scored(metadata: Any, said: Any = SAID, **options: Any) -> list[Row]:
    return list(rosegen.evaluate(metadata, said, **options).scored.rows())


@pytest.fixture(scope="module")
def want() -> list[Row]:
    return scored(ITEMS)


# Where it is


def folder_of(name: str, content: Callable[[Path], Any]) -> Callable[[Path], Path]:
    def make(tmp_path: Path) -> Path:
        (tmp_path / "release").mkdir()
        content(tmp_path / "release" / name)
        return tmp_path / "release"

    return make


def plain_file(path: Path) -> Path:
    return write(path, jsonl(ITEMS))


def gzip_file(path: Path) -> Path:
    return write(path, gzip.compress(jsonl(ITEMS).encode()))


def parquet_file(path: Path) -> Path:
    return write_parquet(path, ITEMS)


@pytest.mark.parametrize(
    "make",
    [
        folder_of("metadata_test.jsonl", plain_file),
        folder_of("metadata_test.jsonl.gz", gzip_file),
        folder_of("metadata_test.parquet", parquet_file),
        lambda tmp_path: str(folder_of("metadata_test.jsonl", plain_file)(tmp_path)),
        lambda tmp_path: plain_file(tmp_path / "any name.txt"),
        lambda tmp_path: str(gzip_file(tmp_path / "any.jsonl.gz")),
        lambda tmp_path: parquet_file(tmp_path / "any.parquet"),
        lambda tmp_path: ITEMS,
        lambda tmp_path: tuple(ITEMS),
        lambda tmp_path: (row for row in ITEMS),
        lambda tmp_path: pd.DataFrame(ITEMS),
        lambda tmp_path: pd.read_parquet(parquet_file(tmp_path / "any.parquet")),
        lambda tmp_path: table(ITEMS).to_pylist(),
    ],
    ids=[
        *("folder", "gz in a folder", "Parquet in a folder", "folder by name"),
        *("file", "gz", "Parquet", "rows", "tuple", "generator"),
        *("frame", "frame of arrays", "nested records filled up"),
    ],
)
def test_metadata_is_read_from_whatever_holds_it(
    tmp_path: Path, make: Callable[[Path], Any], want: list[Row]
) -> None:
    assert scored(make(tmp_path)) == want


@needs_reference
def test_the_reference_s_metadata_scores_alike_when_arrow_has_held_it(tmp_path: Path) -> None:
    rows = reference_rows("metadata_test")
    path = write_parquet(tmp_path / "metadata_test.parquet", rows)
    (params,) = {tuple(row["region_params"]) for row in table(rows).to_pylist()}
    assert "exclude_params" in params and "r1" in params  # null-filled
    expected = reference_rows("expected_per_item_eval")
    for metadata in (path, tmp_path, pd.read_parquet(path)):
        assert list(differences(expected, scored(metadata, PREDICTIONS))) == []


def test_the_home_folder_is_written_as_a_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, want: list[Row]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    release(tmp_path / "made")
    assert scored("~/made") == want
    with pytest.raises(RosegenError, match="no such home folder|no such file"):
        find_metadata("~nobody-of-this-name/made", "test")


def test_a_summary_says_which_file_was_read(tmp_path: Path) -> None:
    folder = release(tmp_path / "made")
    (tmp_path / "link").symlink_to(folder)
    found = find_metadata(tmp_path / "link", "dev")
    assert found.shown == str(folder.resolve() / "metadata_dev.jsonl")
    assert found.folder == folder.resolve()
    assert find_metadata(ITEMS, "test").shown is None


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("nowhere", "no such file or folder"),
        ("empty", "holds no metadata_test.jsonl"),
        ("x" * 5000, "cannot be read"),
        ("loop", "no such file or folder"),
    ],
    ids=["nowhere", "empty", "long", "loop"],
)
def test_a_release_that_is_not_there_is_told(tmp_path: Path, place: str, why: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(RosegenError, match=why) as error:
        find_metadata(str(tmp_path / place), "test")
    assert place in str(error.value)
    assert is_one_line(error)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_folder_that_may_not_be_entered_is_told(tmp_path: Path) -> None:
    inner = release(tmp_path / "shut" / "made")
    inner.parent.chmod(0)
    try:
        with pytest.raises(RosegenError, match="cannot be read"):
            find_metadata(inner, "test")
    finally:
        inner.parent.chmod(0o700)


# Splits


def test_only_rows_of_the_split_are_asked(tmp_path: Path) -> None:
    both = [*items(split="dev"), *ITEMS]
    path = write(tmp_path / "all.jsonl", jsonl(both))
    for split in ("dev", "test"):
        said = answers(items(split=split))
        found = rosegen.evaluate(path, said, split=split)
        assert found.scored.coverage.complete
        assert {row["rose_split"] for row in found.scored.rows()} == {split}
        assert found.summary["split"] == split
    with pytest.raises(RosegenError, match="has no item of the split train"):
        rosegen.evaluate(path, SAID, split="train")


def test_the_folder_has_a_file_for_each_split(tmp_path: Path) -> None:
    folder = release(tmp_path / "made")
    for split in ("dev", "test"):
        found = rosegen.evaluate(folder, answers(items(split=split)), split=split)
        assert found.summary["overall"]["pass_rate"] == 1.0
    with pytest.raises(RosegenError, match="none of its 20 items"):
        rosegen.evaluate(folder, answers(items(split="dev")), split="test")


def test_rows_that_name_no_split_are_of_every_split() -> None:
    rows = [{name: value for name, value in row.items() if name != "split"} for row in ITEMS]
    for split in ("dev", "test"):
        assert len(scored(rows, split=split)) == len(ITEMS)


# What rows hold


def test_the_card_s_name_of_the_fifth_task_is_scored_as_the_fifth_task(want: list[Row]) -> None:
    rows = [row | {"task_template": row["task_template"].replace(T5, OLD_T5)} for row in ITEMS]
    found = rosegen.evaluate(rows, SAID)
    assert list(found.scored.rows()) == want
    assert found.summary["by_template"][T5]["n"] == 4
    by_template = found.summary["coverage"]["by_template"]
    assert by_template[-1] == {
        "task_template": T5,
        "task_short": "Excl. C+S",
        "expected": 4,
        "evaluated": 4,
        "coverage_rate": 1.0,
    }


def test_the_order_of_rows_changes_no_result(tmp_path: Path) -> None:
    for name, step in (("a", 1), ("b", -1)):
        found = rosegen.evaluate(ITEMS[::step], SAID[::step], resamples=100)
        found.write(tmp_path / name)
        wrong = sorted(row["item_id"] for row in SAID[:4])
        assert found.failures["item_id"].tolist() == wrong
    for name in files_in(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_subsets_that_rose_does_not_have_make_tables_of_their_own() -> None:
    rows = items(subsets=("ROSE-Mine", "Yours"))
    found = rosegen.evaluate(rows, answers(rows))
    assert list(found.summary["paper_metrics"]["table1"]["by_subset"]) == ["ROSE-Mine", "Yours"]
    assert found.by_subset["subset_short"].tolist() == ["Mine", "Yours"]


def test_an_item_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "metadata.jsonl", jsonl([*ITEMS, ITEMS[3]]))
    with pytest.raises(RosegenError, match="stands twice") as error:
        rosegen.evaluate(path, SAID)
    assert str(error.value).startswith(f"{path}:{len(ITEMS) + 1}: item {ITEMS[3]['item_id']} ")


def test_rows_that_are_no_metadata_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "metadata.jsonl", '{"scene_id": "s"}\n')
    with pytest.raises(RosegenError, match=":1: has no item_id"):
        rosegen.evaluate(path, SAID)
    path = write(tmp_path / "predictions.jsonl", jsonl(SAID))
    with pytest.raises(RosegenError, match=":1: item .* cannot be scored: rows is None"):
        rosegen.evaluate(path, SAID)


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("rows", "six", "rows is 'six'"),
        ("cols", None, "cols is None"),
        ("rows", float("inf"), "rows is inf"),
        ("rows", [6], "rows is"),
        ("region_type", "CIRCLE", "'CIRCLE' is not known"),
        ("region_type", None, "'None' is not known"),
        ("region_type", "RECTANGLE", "region_params.r1 is None"),
        ("region_params", [1], "is no record"),
        ("region_params", "{'r1': 1}", "cannot be scored"),
        ("region_params", "[" * 100_000, "cannot be scored"),
        ("ground_truth_count", "two", "ground_truth_count is 'two'"),
        ("ground_truth_count", 10**400, "more than any grid holds"),
        ("ground_truth_count", -(10**400), "more than any grid holds"),
        ("ground_truth_clicks", ["R1"], "'R1' is no cell"),
        ("ground_truth_clicks", [[1]], "is no cell"),
        ("ground_truth_clicks", [[1, "x"]], "a column is 'x'"),
        ("ground_truth_clicks", [None], "None is no cell"),
        ("ground_truth_clicks", {"R1": "C1"}, "no list of cells"),
        ("all_target_cells", 5, "no list of cells"),
        ("all_target_cells", [f"R{'1' * 5000},C1"], "cannot be scored"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_row_that_cannot_be_scored_is_told_by_line_and_item(
    tmp_path: Path, field: str, value: Any, why: str
) -> None:
    rows = [dict(row) for row in ITEMS]
    rows[0][field] = value
    path = write(tmp_path / "metadata.jsonl", jsonl(rows))
    with pytest.raises(RosegenError, match=why) as error:
        rosegen.evaluate(path, SAID)
    assert str(error.value).startswith(f"{path}:1: item {rows[0]['item_id']} cannot be scored: ")
    assert str(error.value).endswith(": mend the row")
    assert is_one_line(error)


def test_a_row_nested_beyond_reading_is_told() -> None:
    params: Row = {"exclude_type": "GLOBAL", "exclude_params": {}}
    for _ in range(2000):
        params = {"exclude_type": "EXCLUSION", "exclude_params": params}
    rows = [ITEMS[0] | {"region_type": "EXCLUSION", "region_params": params}, *ITEMS[1:]]
    with pytest.raises(RosegenError, match="row 1: is nested too deeply"):
        scored(rows)


@pytest.mark.parametrize(
    "field",
    [
        *("scene_id", "image_id", "rose_subset", "primitive_type", "task_mode", "task_template"),
        *("region_case", "cue_type", "difficulty", "grid_size_profile", "similarity"),
        *("ground_truth_formal_answer", "item_id"),
    ],
)
@pytest.mark.parametrize("value", ["\ud800", None, 10**30, ["a", {"b": None}]], ids=repr)
def test_every_file_can_be_written_whatever_a_row_of_metadata_says(
    tmp_path: Path, field: str, value: Any
) -> None:
    if field == "item_id" and value is None:
        value = ""
    said = answers(ITEMS, wrong=20)
    rows = [ITEMS[0] | {field: value}, *ITEMS[1:]]
    said[0]["item_id"] = rows[0]["item_id"]
    rosegen.evaluate(rows, said, resamples=100).write(tmp_path / "out")
    assert len(read_jsonl(tmp_path / "out" / "per_item_eval.jsonl")) == len(ITEMS)
    assert len(read_jsonl(tmp_path / "out" / "failures.jsonl")) == len(ITEMS)
    summary = json.loads((tmp_path / "out" / "evaluation_summary.json").read_text("utf-8"))
    assert summary["coverage"]["num_evaluated"] == len(ITEMS)


def test_scored_rows_that_do_not_fit_in_memory_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, want: list[Row]
) -> None:
    monkeypatch.setattr("rosegen.scoring.scored._IN_MEMORY", 1)
    found = rosegen.evaluate(ITEMS, SAID, spool_folder=tmp_path)
    assert list(found.scored.rows()) == want
    assert list(found.scored.rows(found.scored.columns.flags["pass"] == 0)) == [
        row for row in want if not row["pass"]
    ]
    found.close()
    assert files_in(tmp_path) == []
    with pytest.raises(RosegenError, match="nowhere.*: cannot be written"):
        rosegen.evaluate(ITEMS, SAID, spool_folder=tmp_path / "nowhere")


# A release that rosegen built


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_right_answers_to_a_built_release_are_all_right(demo: Build, split: str) -> None:
    rows = read_jsonl(demo.out / f"metadata_{split}.jsonl")
    found = rosegen.evaluate(demo.out, answers(rows), split=split)
    assert found.summary["overall"]["pass_rate"] == 1.0
    assert found.summary["overall"]["unified_soft"] == 1.0
    assert found.scored.coverage.complete
    assert len(found.scored.columns) == len(rows) > 0


@pytest.mark.parametrize("bridge", ["global_click", "matched_local_count"])
def test_a_bridge_of_a_built_release_is_found_by_its_answers(
    demo: Build, tmp_path: Path, bridge: str
) -> None:
    main = answers(read_jsonl(demo.out / "metadata_test.jsonl"))
    rosegen.evaluate(demo.out, main, resamples=100).write(tmp_path)
    folder = demo.out / "bridges" / bridge
    said = answers(read_jsonl(folder / "metadata_test.jsonl"))
    for place in (demo.out, folder, folder / "metadata_test.jsonl"):
        found = evaluate_bridge(place, said, main_eval=tmp_path)
        assert found.bridge.name == bridge
        assert found.paper_table["VALID" if bridge == "global_click" else "L-Clk VALID"] == 100.0
    with pytest.raises(RosegenError, match="answers no item of"):
        evaluate_bridge(demo.out, main, main_eval=tmp_path)


# The main evaluation that bridges and consistency read


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("evaluated")
    rosegen.evaluate(ITEMS, SAID, resamples=100).write(out)
    return out / "per_item_eval.jsonl"


def bridge_rows() -> list[Row]:
    """T3 asked as a count, of each scene."""
    return [
        row
        | {
            "item_id": f"{row['item_id']}-count",
            "task_template": "T2B_COUNT_LOCAL_MATCHED",
            "task_mode": "COUNT",
            "ground_truth_formal_answer": f"COUNT({row['ground_truth_count']})",
            "source_item_id": row["item_id"],
            "source_click_item_id": row["item_id"],
        }
        for row in ITEMS
        if row["task_template"].startswith("T3")
    ]


def test_bridge_rows_may_come_from_a_generator(evaluated: Path) -> None:
    rows = bridge_rows()
    found = evaluate_bridge((row for row in rows), answers(rows), main_eval=evaluated)
    assert found.bridge.name == "matched_local_count"
    assert found.summary["num_predictions_used"] == len(rows) == 4
    assert found.paper_table["mL-Cnt"] == 100.0


@pytest.mark.parametrize("field", ["pass", "format_valid", "unified_soft", "gt_count"])
@pytest.mark.parametrize("value", ['"x"', "[1]", "{}", "NaN", "Infinity", "1" * 400])
def test_a_main_evaluation_whose_numbers_are_none_is_told_by_line(
    tmp_path: Path, evaluated: Path, field: str, value: str
) -> None:
    rows = read_jsonl(evaluated)
    rows[1][field] = "???"
    path = write(tmp_path / "per_item_eval.jsonl", jsonl(rows).replace('"???"', value))
    asked = bridge_rows()
    for call in (
        lambda: evaluate_bridge(asked, answers(asked), main_eval=path),
        lambda: rosegen.consistency([path]),
    ):
        with pytest.raises(RosegenError, match=f":2: {field} is ") as error:
            call()
        assert str(error.value).startswith(str(path))
        assert is_one_line(error)


def test_a_release_without_bridges_is_told_once(tmp_path: Path, evaluated: Path) -> None:
    with pytest.raises(RosegenError, match="give a release with bridges") as error:
        evaluate_bridge(release(tmp_path / "made"), SAID, main_eval=evaluated)
    assert str(error.value).count("metadata_test.jsonl") == 1
    assert is_one_line(error)


def test_a_task_that_a_scene_passed_in_one_of_two_files_is_passed(
    tmp_path: Path, evaluated: Path
) -> None:
    wrong = evaluated.read_bytes()
    rosegen.evaluate(ITEMS, answers(ITEMS), resamples=100).write(tmp_path / "all right")
    right = (tmp_path / "all right" / "per_item_eval.jsonl").read_bytes()
    once = rosegen.consistency([evaluated]).document["models"][0]["macro_equal_subset"]
    assert once["T1"] < 1.0
    for name, contents in (("a", (right, wrong)), ("b", (wrong, right))):
        for number, content in enumerate(contents):
            write(tmp_path / name / str(number) / "per_item_eval.jsonl", content)
        found = rosegen.consistency([tmp_path / name]).document["models"][0]
        assert found["n_items"] == 2 * len(ITEMS)
        macro = found["macro_equal_subset"]
        assert (macro["T1"], macro["Action Ret."], macro["Action Fail."]) == (1.0, 1.0, 0.0)


def test_bridge_files_can_be_written_whatever_names_are(tmp_path: Path, evaluated: Path) -> None:
    rows = [row | {"rose_subset": "\ud800", "region_case": "\udfff"} for row in bridge_rows()]
    said = answers(rows, model="\ud800")
    names = {json.dumps(value): json.dumps("\ud800") for value in (*SUBSETS, "m")}
    content = evaluated.read_text(encoding="utf-8")
    for old, new in names.items():
        content = content.replace(old, new)
    path = write(tmp_path / "per_item_eval.jsonl", content)
    evaluate_bridge(rows, said, main_eval=path).write(tmp_path / "bridge")
    rosegen.consistency([path]).write(tmp_path / "consistency")
    summary = json.loads((tmp_path / "bridge" / "matched_count_summary.json").read_text("utf-8"))
    assert list(summary["by_subset"]) == ["\\ud800"]
    assert summary["model"] == "\\ud800"
    assert summary["by_subset"]["\\ud800"]["n_main_lclk_matched"] == 4
    document = json.loads(
        (tmp_path / "consistency" / "scene_consistency_test.json").read_text("utf-8")
    )
    assert document["models"][0]["model"] == "\\ud800"


def test_a_bridge_item_that_cannot_be_scored_is_told(evaluated: Path) -> None:
    for field, value in (("rows", "six"), ("ground_truth_count", 10**400)):
        rows = bridge_rows()
        rows[1][field] = value
        with pytest.raises(RosegenError, match="row 2: item .* cannot be scored: .*: mend the row"):
            evaluate_bridge(rows, answers(rows), main_eval=evaluated)


def test_predictions_that_answer_no_bridge_are_refused(evaluated: Path) -> None:
    rows = bridge_rows()
    with pytest.raises(RosegenError, match="the predictions given: answers no item of") as error:
        evaluate_bridge(rows, SAID, main_eval=evaluated)
    assert is_one_line(error)
    for allow_partial, why in ((True, "none of its items is in"), (False, "4 of 4 items are")):
        with pytest.raises(RosegenError, match=why):
            evaluate_bridge(
                *(rows, SAID),
                main_eval=evaluated,
                bridge="matched_local_count",
                allow_partial=allow_partial,
            )
