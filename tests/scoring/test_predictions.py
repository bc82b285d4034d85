"""What a model said is taken in whole, whatever it is in; what cannot be meant is refused."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosegen
from rosegen.errors import RosegenError
from rosegen.scoring.predictions import load_predictions
from tests.core_maker import LAW
from tests.scoring.maker import (
    METADATA,
    PREDICTIONS,
    Row,
    answers,
    is_one_line,
    items,
    jsonl,
    needs_reference,
    read_jsonl,
    reference_rows,
    run,
    write,
    write_parquet,
)

ITEMS = items(scenes=1)
SAID = answers(ITEMS, wrong=3)


def passes(predictions: Any, **options: Any) -> list[int]:
    """Who passed, in the order of item ids."""
    found = rosegen.evaluate(ITEMS, predictions, **options)
    return [row["pass"] for row in found.scored.rows()]


def first_row(predictions: Any, **options: Any) -> Row:
    """The scored row of the first item."""
    found = rosegen.evaluate(ITEMS, predictions, **options)
    return next(row for row in found.scored.rows() if row["item_id"] == ITEMS[0]["item_id"])


def with_first(**changes: Any) -> list[Row]:
    """The right answers, but for the first row."""
    return [SAID[0] | changes, *answers(ITEMS)[1:]]


# Formats


def as_csv(path: Path, rows: list[Row]) -> Path:
    return write(path, "\ufeff" + pd.DataFrame(rows).to_csv(index=False))


def as_gzip(path: Path, rows: list[Row]) -> Path:
    return write(path, gzip.compress(jsonl(rows).encode()))


WRITERS: dict[str, Callable[[Path, list[Row]], Path]] = {
    "a.jsonl": lambda path, rows: write(path, jsonl(rows)),
    "a.jsonl.gz": as_gzip,
    "a.csv": as_csv,
    "a.parquet": write_parquet,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_of_any_format_scores_alike(tmp_path: Path, name: str) -> None:
    path = WRITERS[name](tmp_path / name, SAID)
    assert passes(path) == passes(str(path)) == passes(SAID)
    assert sum(passes(SAID)) == len(ITEMS) - 3
    assert rosegen.evaluate(ITEMS, path).model == "m"


@needs_reference
@pytest.mark.parametrize("name", WRITERS)
def test_the_reference_s_answers_score_alike_in_any_format(tmp_path: Path, name: str) -> None:
    said = reference_rows("predictions")
    path = WRITERS[name](tmp_path / name, said)
    want = list(rosegen.evaluate(METADATA, PREDICTIONS).scored.rows())
    got = list(rosegen.evaluate(METADATA, path).scored.rows())
    if name == "a.csv":  # which has no empty text, only null
        for row in want:
            row["raw_text"] = row["raw_text"] or None
    assert got == want


def test_a_data_frame_says_nan_for_null() -> None:
    said = with_first(raw_text=None, error="timeout")
    frame = pd.DataFrame(said)
    frame.loc[1, "error"] = float("nan")
    frame["model"] = pd.Series(["m", *[None] * (len(said) - 1)], dtype="string")  # pd.NA
    found = rosegen.evaluate(pd.DataFrame(ITEMS), frame)
    rows = {row["item_id"]: row for row in found.scored.rows()}
    first, second = (rows[item["item_id"]] for item in ITEMS[:2])
    assert (first["raw_text"], first["parse_error"], first["api_error"]) == (None, "empty", 1)
    assert (second["api_error"], second["api_error_text"], second["model"]) == (0, None, None)
    assert found.model == "m"
    assert sum(row["pass"] for row in rows.values()) == len(ITEMS) - 1


def test_rows_may_come_from_a_generator() -> None:
    assert passes(row for row in SAID) == passes(SAID)


# Which column holds the answer


@pytest.mark.parametrize(
    ("columns", "option", "want"),
    [
        (("raw_text", "prediction", "response"), None, "raw_text"),
        (("response", "prediction"), None, "prediction"),
        (("response", "answer"), None, "response"),
        (("raw_text", "answer"), "answer", "answer"),
        (("raw_text", "response"), "response", "response"),
    ],
)
def test_the_answer_is_in_the_column_named_or_in_the_first_of_three(
    columns: tuple[str, ...], option: str | None, want: str
) -> None:
    said = [{"item_id": row["item_id"], **dict.fromkeys(columns, "no idea")} for row in SAID]
    for row, right in zip(said, answers(ITEMS)):
        row[want] = right["raw_text"]
    assert passes(said, text_column=option) == [1] * len(ITEMS)


def test_a_row_without_the_column_of_the_answers_says_nothing() -> None:
    said = [row | {} for row in answers(ITEMS)]
    del said[0]["raw_text"]
    row = first_row(said)
    assert (row["raw_text"], row["parse_error"], row["pass"]) == (None, "empty", 0)


def test_an_unknown_column_is_answered_with_the_columns_there_are(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "item_id,text,model\na,b,m\n")
    for option, named in ((None, "raw_text or prediction or response"), ("answer", "answer")):
        with pytest.raises(RosegenError, match=f"no row has {named}") as error:
            load_predictions(path, text_column=option)
        assert "(columns are item_id, text, model)" in str(error.value)
        assert "--text-column" in str(error.value)
        assert is_one_line(error)


# What an answer may be


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("COUNT(2)", 1),
        ("COUNT(٢)", 1),
        (None, 0),
        ("", 0),
        (3, 0),
        (10**30, 0),
        (2.5, 0),
        (True, 0),
        ([], 0),
        (["COUNT(2)"], 0),
        ([10**30, {"n": -(10**40)}], 0),
        ({"text": "COUNT(2)"}, 0),
        ("\ud800", 0),
        ("half \udfff of a pair, \u2028 and \x00", 0),
        ("x" * 1_000_000, 0),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_an_answer_stands_in_the_scored_row_as_it_was_given(
    tmp_path: Path, text: Any, valid: int
) -> None:
    path = write(tmp_path / "a.jsonl", jsonl(with_first(raw_text=text)))
    rosegen.evaluate(ITEMS, path, resamples=100).write(tmp_path / "out")
    by_id = {row["item_id"]: row for row in read_jsonl(tmp_path / "out" / "per_item_eval.jsonl")}
    row = by_id[ITEMS[0]["item_id"]]
    assert repr(row["raw_text"]) == repr(text)
    assert (row["format_valid"], row["pass"]) == (valid, valid)


@given(st.text(st.characters(codec=None)))
@LAW
def test_any_text_comes_back_from_the_scored_rows(text: str) -> None:
    row = first_row(with_first(raw_text=text))
    assert row["raw_text"] == text


def test_a_number_that_is_none_of_json_s_is_read_as_text_and_written_as_null(
    tmp_path: Path,
) -> None:
    for number in ("NaN", "Infinity", "-Infinity"):
        lines = jsonl(with_first(raw_text="?")).replace('"?"', number)
        row = first_row(write(tmp_path / "a.jsonl", lines))
        assert row["parse_error"] == "expected_COUNT_only"
        assert row["invalid_action_tokens"] == [str(float(number))]
        assert row["raw_text"] is None


@pytest.mark.parametrize(
    ("error", "counts"),
    [(None, 0), ("", 0), ("None", 0), ("429", 1), (0, 1), ({"code": 429}, 1), (["a"], 1)],
)
def test_an_error_of_the_service_is_noted_beside_the_answer(error: Any, counts: int) -> None:
    row = first_row(with_first(raw_text="COUNT(2)", error=error))
    assert (row["api_error"], row["api_error_text"], row["pass"]) == (counts, error, 1)


@pytest.mark.parametrize("depth", [50, 300, 900])
def test_an_answer_of_nested_lists_is_no_answer_or_refused(tmp_path: Path, depth: int) -> None:
    lines = jsonl(with_first(raw_text="?")).replace('"?"', "[" * depth + "]" * depth)
    path = write(tmp_path / "a.jsonl", lines)
    try:
        row = first_row(path)
    except RosegenError as error:
        assert "nested too deeply" in str(error)
        assert depth > 300
    else:
        assert (row["pass"], row["parse_error"]) == (0, "expected_COUNT_only")


# Which items are answered


def test_a_row_without_an_id_is_told_by_file_and_line(tmp_path: Path) -> None:
    for content, where in [
        (jsonl([SAID[0], {"raw_text": "COUNT(1)"}]), ":2: "),
        (jsonl([SAID[0], {"item_id": None, "raw_text": "COUNT(1)"}]), ":2: "),
    ]:
        path = write(tmp_path / "a.jsonl", content)
        with pytest.raises(RosegenError, match="has no item_id") as error:
            load_predictions(path)
        assert str(error.value).startswith(f"{path}{where}")


def test_ids_that_are_numbers_are_matched_as_text(tmp_path: Path) -> None:
    rows = [{**item, "item_id": number} for number, item in enumerate(ITEMS)]
    said = [{**row, "item_id": str(number)} for number, row in enumerate(answers(ITEMS))]
    found = rosegen.evaluate(write(tmp_path / "m.jsonl", jsonl(rows)), said)
    assert found.scored.coverage.complete
    assert found.summary["overall"]["pass_rate"] == 1.0


def test_missing_items_are_counted_and_refused_unless_a_part_is_allowed() -> None:
    with pytest.raises(RosegenError, match="3 of 10 items of the split test are missing") as error:
        rosegen.evaluate(ITEMS, SAID[3:])
    for row in SAID[:3]:
        assert row["item_id"] in str(error.value)
    assert "--allow-partial" in str(error.value)
    assert is_one_line(error)
    found = rosegen.evaluate(ITEMS, SAID[3:], allow_partial=True).summary["coverage"]
    assert found["missing_item_ids"] == sorted(row["item_id"] for row in SAID[:3])
    assert (found["num_expected"], found["num_evaluated"], found["num_missing"]) == (10, 7, 3)
    assert (found["complete_submission"], found["coverage_rate"]) == (False, 0.7)


def test_items_of_no_release_are_counted_listed_and_left_out() -> None:
    more = [{"item_id": name, "raw_text": "DONE"} for name in ("z", "a", "\ud800")]
    found = rosegen.evaluate(ITEMS, SAID + more)
    coverage = found.summary["coverage"]
    assert (coverage["num_extra"], coverage["num_evaluated"]) == (3, 10)
    assert coverage["extra_item_ids"] == ["\\ud800", "a", "z"]
    assert coverage["num_prediction_rows"] == 13
    assert coverage["complete_submission"] is False
    assert "diagnostic" in found.summary["metric_notes"]["partial_warning"]


def test_predictions_of_another_release_are_refused_even_in_part() -> None:
    other = [{"item_id": f"other-{number}", "raw_text": "DONE"} for number in range(3)]
    for allow_partial in (False, True):
        with pytest.raises(RosegenError, match="none of its 3 items is in") as error:
            rosegen.evaluate(ITEMS, other, allow_partial=allow_partial)
        assert "other-0" in str(error.value)
        assert ITEMS[0]["item_id"] in str(error.value)
        assert is_one_line(error)


def test_an_item_answered_twice_is_refused_or_its_first_or_last_answer_taken(
    tmp_path: Path,
) -> None:
    wrong = answers(ITEMS[:2], wrong=2)
    path = write(tmp_path / "a.jsonl", jsonl([*answers(ITEMS), *wrong, *wrong[:1]]))
    with pytest.raises(RosegenError, match="is given twice") as error:
        rosegen.evaluate(ITEMS, path)
    assert str(error.value).startswith(f"{path}:11: item {ITEMS[0]['item_id']} ")
    assert "--duplicates" in str(error.value)
    assert is_one_line(error)
    first, last = (rosegen.evaluate(ITEMS, path, duplicates=which) for which in ("first", "last"))
    assert first.summary["overall"]["pass_rate"] == 1.0
    assert last.summary["overall"]["pass_rate"] == 0.8
    for found in (first, last):
        coverage = found.summary["coverage"]
        assert coverage["num_duplicate"] == 2
        assert coverage["duplicate_item_ids"] == sorted(row["item_id"] for row in wrong)
        assert coverage["num_prediction_rows"] == 13


@pytest.mark.parametrize("empty", ["", "\n\n", "item_id,raw_text\n"])
def test_a_file_without_a_prediction_is_refused(tmp_path: Path, empty: str) -> None:
    path = write(tmp_path / ("a.csv" if "," in empty else "a.jsonl"), empty)
    with pytest.raises(RosegenError, match="holds no predictions") as error:
        rosegen.evaluate(ITEMS, path, allow_partial=True)
    assert str(error.value).startswith(f"{path}: ")


# The model's name


@pytest.mark.parametrize(
    ("rows", "option", "name"),
    [
        ([{"model": "m"}, {"model": " m "}, {"model": None}, {"model": ""}, {}], None, "m"),
        ([{"model": None}, {}], None, "answers.v1"),
        ([{"model": "a"}, {"model": "b"}], " c ", "c"),
        ([{"model": 7}], None, "7"),
        ([{"model": "\ud800"}], None, "\\ud800"),
        ([{"model": "a"}], "  ", "a"),
    ],
)
def test_the_model_is_called_what_the_option_the_rows_or_the_file_say(
    tmp_path: Path, rows: list[Row], option: str | None, name: str
) -> None:
    said = [{"item_id": str(n), "raw_text": "", **row} for n, row in enumerate(rows)]
    path = write(tmp_path / "answers.v1.jsonl.gz", gzip.compress(jsonl(said).encode()))
    assert load_predictions(path, model=option).model == name


def test_a_file_of_two_models_is_refused() -> None:
    said = [{"item_id": name, "raw_text": "", "model": name} for name in "ba"]
    with pytest.raises(RosegenError, match=r"names 2 models \(a, b\): say which with --model"):
        load_predictions(said)


def test_a_row_keeps_its_own_model_and_one_without_gets_the_file_s() -> None:
    rows = with_first(model="other")
    del rows[1]["model"]
    found = {row["item_id"]: row for row in rosegen.evaluate(ITEMS, rows, model="x").scored.rows()}
    assert [found[item["item_id"]]["model"] for item in ITEMS[:3]] == ["other", "x", "m"]


@pytest.mark.parametrize(
    "name", ["\udcff", "a\nb", "  spaced  ", "Ω & <b> | %", "../up", "x" * 999]
)
def test_every_file_can_be_written_whatever_the_model_is_called(tmp_path: Path, name: str) -> None:
    said = [row | {"model": name, "item_id": row["item_id"]} for row in SAID]
    said.append({"item_id": name, "raw_text": name, "model": name})
    for options in ({}, {"display_name": name}, {"model": name}):
        out = tmp_path / str(len(options))
        rosegen.evaluate(ITEMS, said, resamples=100, **options).write(out)
        summary = json.loads((out / "evaluation_summary.json").read_text(encoding="utf-8"))
        shown = name.encode("utf-8", "backslashreplace").decode()
        assert summary["model"] == summary["display_name"] == shown.strip()
        assert summary["coverage"]["extra_item_ids"] == [shown]
        assert read_jsonl(out / "per_item_eval.jsonl")[0]["model"] == name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1"]


def test_a_file_whose_name_is_no_text_is_read_and_named(tmp_path: Path) -> None:
    try:
        path = write(tmp_path / "a\udcff.jsonl", jsonl(SAID))
    except OSError:
        pytest.skip("needs a file system that takes any bytes for a name")
    folder = tmp_path / "out"
    assert run("evaluate", write(tmp_path / "m\udcfe", jsonl(ITEMS)), path, "--out", folder) == 0
    text = (folder / "evaluation_summary.json").read_text(encoding="utf-8")
    assert json.load(io.StringIO(text))["predictions_jsonl"].endswith("a\\udcff.jsonl")


# Which column holds the answers


def texts_of(rows: list[Row], **options: Any) -> list[Any]:
    """What was read of each row, in order."""
    return [text for text, _, _ in load_predictions(rows, **options).by_id.values()]


def test_one_column_holds_the_answers_whichever_row_has_it_first() -> None:
    failed = {"item_id": "a", "response": None, "error": "timeout"}
    said = {"item_id": "b", "raw_text": "DONE"}
    assert texts_of([failed, said]) == [None, "DONE"]
    assert texts_of([said, failed]) == ["DONE", None]
    both = {"item_id": "a", "raw_text": None, "response": "<html>busy</html>", "error": "503"}
    assert texts_of([both, {**said, "response": "{}"}]) == [None, "DONE"]
    null_filled = {"item_id": "a", "raw_text": None, "prediction": "COUNT(1)"}
    assert texts_of([null_filled, {**null_filled, "item_id": "b"}]) == ["COUNT(1)"] * 2
    assert texts_of([{"item_id": "a", "raw_text": None, "response": None}]) == [None]


def test_a_file_of_errors_alone_needs_no_column() -> None:
    rows: list[Row] = [{"item_id": "a", "error": "503"}, {"item_id": "b", "error": "timeout"}]
    assert texts_of(rows) == [None, None]
    with pytest.raises(RosegenError, match=r"no row has raw_text or prediction or response"):
        load_predictions([*rows, {"item_id": "c", "error": None}])


def test_rows_that_answer_in_different_columns_are_refused() -> None:
    rows = [{"item_id": "a", "prediction": "DONE"}, {"item_id": "b", "raw_text": "DONE"}]
    for order in (rows, rows[::-1]):
        with pytest.raises(RosegenError, match=r"answers in prediction, other rows in raw_text"):
            load_predictions(order)
    assert texts_of(rows, text_column="prediction") == ["DONE", None]
