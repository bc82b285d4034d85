"""On any item and any answer rosegen's scorer says what a plain reading of ROSE's rules says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosegen
from benchmarks import plain_scoring as plain
from rosegen.scoring.items import gold_of
from rosegen.scoring.score import score_item
from tests.core_maker import LAW
from tests.scoring.maker import Row, differences

SUBSETS = (
    "ROSE-ChineseGlyph",
    "ROSE-EmojiStyle",
    "ROSE-EmojiContent",
    "ROSE-PixelEdit",
    "ROSE-PixelContent",
)
TEMPLATES = {
    "T1_COUNT_GLOBAL": "COUNT",
    "T2_COUNT_LOCAL_NUMERIC": "COUNT",
    "T3_CLICK_LOCAL_NUMERIC": "CLICK",
    "T4_CLICK_VISUAL_REGION": "CLICK",
    "T5_CLICK_COUNT_EXCLUSION": "CLICK_COUNT",
}
BRIDGES = {"T1B_CLICK_GLOBAL": "CLICK", "T2B_COUNT_LOCAL_MATCHED": "COUNT"}
CASES = ("zero", "partial", "all", "fallback_zero_wanted_partial", None)
BOXES = ("ROW_RANGE", "COL_RANGE", "RECTANGLE", "VISUAL_REGION")
MOST = 7  # rows, columns
OLD_T5 = "T5_CLICK_EXCLUSION_SUBMIT"

Cells = list[tuple[int, int]]


# Items


@st.composite
def regions(draw: st.DrawFn) -> tuple[str, Row | None]:
    """A region's type and parameters: of every type, on the grid or off it, filled up or not."""
    bound = st.integers(-1, MOST + 2)
    box = {name: draw(bound) for name in ("r1", "r2", "c1", "c2")}
    filling = draw(st.sampled_from([{}, dict.fromkeys(("r1", "r2", "c1", "c2"))]))

    def params(kind: str) -> Row | None:
        if kind == "GLOBAL":
            return draw(st.sampled_from([None, {}, dict(filling)]))
        names = {"ROW_RANGE": ("r1", "r2"), "COL_RANGE": ("c1", "c2")}.get(kind, tuple(box))
        return {**filling, **{name: box[name] for name in names}}

    kind = draw(st.sampled_from(["GLOBAL", *BOXES, *["EXCLUSION"] * 3]))
    if kind != "EXCLUSION":
        extra = {"exclude_type": None, "exclude_params": None} if filling else {}
        found = params(kind)
        return kind, None if found is None else {**found, **extra}
    inner = draw(st.sampled_from(["GLOBAL", *BOXES]))
    excluded: Row = {**filling, "exclude_type": inner, "exclude_params": params(inner)}
    if draw(st.integers(0, 2)) == 0:  # all but all but a box
        excluded = {"exclude_type": "EXCLUSION", "exclude_params": excluded}
    return kind, excluded


def cells(most: int = 6) -> st.SearchStrategy[Cells]:
    return st.lists(st.tuples(st.integers(1, MOST), st.integers(1, MOST)), max_size=most)


def spelled(found: st.SearchStrategy[Cells]) -> st.SearchStrategy[Any]:
    """Cells as rows of metadata have them: labels, pairs, or nothing."""
    spelling = st.sampled_from(
        [lambda r, c: f"R{r},C{c}", lambda r, c: [r, c], lambda r, c: f" r0{r} , C {c} "]
    )
    lists = st.builds(lambda say, cells: [say(r, c) for r, c in cells], spelling, found)
    return lists | st.sampled_from([None, []])


@st.composite
def items(draw: st.DrawFn) -> Row:
    """A row of metadata; its golds need not agree with its region."""
    template, mode = draw(st.sampled_from([*TEMPLATES.items()] * 3 + [*BRIDGES.items()]))
    if draw(st.integers(0, 19)) == 0:
        mode = draw(st.sampled_from(["COUNT", "CLICK", "CLICK_COUNT", "POINT"]))
    kind, params = draw(regions())
    gold = draw(cells())
    row: Row = {
        "item_id": "item",
        "scene_id": draw(st.sampled_from(["s1", "s2", None])),
        "image_id": "image",
        "split": "test",
        "rose_subset": draw(st.sampled_from(SUBSETS)),
        "task_template": template,
        "task_mode": mode,
        "region_type": kind,
        "region_params": params,
        "region_case": draw(st.sampled_from(CASES)),
        "rows": draw(st.integers(1, MOST)),
        "cols": draw(st.integers(1, MOST) | st.just(str(MOST))),
        "ground_truth_count": draw(st.just(len(set(gold))) | st.sampled_from([None, 0, 1, 5])),
        "ground_truth_clicks": draw(spelled(st.just(gold))),
        "ground_truth_formal_answer": "none",
        "difficulty": draw(st.sampled_from(["easy", None])),
        draw(st.sampled_from(["all_target_cells", "target_cells"])): draw(
            spelled(cells().map(lambda more: [*gold, *more]))
        ),
    }
    if draw(st.booleans()):
        row["region_target_cells"] = draw(spelled(st.just(gold) | cells()))
    return row


# Answers


@st.composite
def digits(draw: st.DrawFn) -> str:
    """A number as models write it: with leading zeros, of another script, or with no end."""
    number = draw(st.integers(0, 9) | st.sampled_from([10**18, 2**64, 10**40 + 1, 10**300]))
    text = draw(st.sampled_from(["", "", "0", "000"])) + str(number)
    zero = draw(st.sampled_from([ord("0")] * 3 + [0xFF10, 0x0660, 0x1D7D8]))
    return "".join(chr(zero + int(digit)) for digit in text)


def _click(row: int, col: int) -> str:
    return f"CLICK(R{row},C{col})"


@st.composite
def texts(draw: st.DrawFn, row: Row) -> str:
    """What a model may say: right, shuffled, shifted, doubled, off the grid, padded, or prose."""
    gold = sorted(plain.cells_of(row["ground_truth_clicks"]))
    chosen = draw(st.permutations(gold))
    change = draw(st.sampled_from(["none", "none", "shift", "double", "drop", "add", "off", "all"]))
    if change == "shift":
        down, right = draw(st.sampled_from([(0, 1), (1, 0), (-1, -1), (2, 0)]))
        chosen = [(r + down, c + right) for r, c in chosen]
    elif change == "double":
        chosen = [*chosen, *chosen[:2]]
    elif change == "drop":
        chosen = chosen[1:]
    elif change == "add":
        chosen = [*chosen, *draw(cells(3))]
    elif change == "off":
        chosen = [*chosen, draw(st.sampled_from([(0, 1), (99, 99), (1, 10**30)]))]
    elif change == "all":
        chosen = sorted(plain.cells_of(row.get("all_target_cells") or row.get("target_cells")))
    parts = [_click(r, c) for r, c in chosen]
    number = draw(st.sampled_from([str(row["ground_truth_count"] or 0), str(len(chosen))]))
    number = draw(st.just(number) | digits())
    mode = row["task_mode"]
    if draw(st.integers(0, 9)) == 0:
        mode = draw(st.sampled_from(["COUNT", "CLICK", "CLICK_COUNT"]))  # another task's grammar
    if mode == "COUNT":
        parts = [f"COUNT({number})"]
    else:
        parts.append("DONE" if mode == "CLICK" else f"SUBMIT({number})")
    if draw(st.integers(0, 3)) == 0:
        bad = ["", " ", "here", "CLICK(R1)", "CLICK(1,1)", f"CLICK(R{draw(digits())},C1)", "DONE"]
        parts.insert(draw(st.integers(0, len(parts))), draw(st.sampled_from(bad)))
    text = draw(st.sampled_from(["; ", ";", " ;\n", " ; ;"])).join(parts)
    # Under IGNORECASE the long s is an S and the Kelvin sign a K: ROSE's pattern says so.
    case = [str, str.lower, str.title, lambda s: s.replace("S", "ſ").replace("K", "\u212a")]
    space = [str, lambda s: s.replace("(", " ( ").replace(",", " ,\u3000"), lambda s: f"\n{s}\t"]
    prose = [str, str, str, lambda s: f"The answer is {s}", lambda s: f"{s}.", lambda s: s[:-1]]
    for choices in (case, space, prose):
        text = draw(st.sampled_from(choices))(text)
    return text


NO_TEXTS = st.sampled_from([None, "", "  ", ";", 3, 2.5, True, 10**30, [], ["DONE"], {"a": "b"}])
ERRORS = st.sampled_from([None, None, None, "", "None", "none", "timeout", 0, 429, {"code": 1}])


@st.composite
def asked_and_answered(draw: st.DrawFn) -> tuple[Row, Row]:
    """An item and a prediction for it."""
    item = draw(items())
    text = draw(NO_TEXTS | st.text(max_size=8) if draw(st.integers(0, 7)) == 0 else texts(item))
    return item, {"item_id": "item", "model": "m", "raw_text": text, "error": draw(ERRORS)}


@settings(LAW, max_examples=400)
@given(asked_and_answered(), st.integers(0, 3))
def test_every_field_of_any_answer_is_that_of_the_plain_rules(
    asked: tuple[Row, Row], near_miss_l1: int
) -> None:
    item, said = asked
    got = score_item(
        item, gold_of(item), said["raw_text"], said["error"], said["model"], near_miss_l1
    )
    assert list(differences(plain.score(said, item, near_miss_l1), got)) == []


@settings(LAW, max_examples=60)
@given(asked_and_answered())
def test_the_other_name_of_the_fifth_task_is_scored_as_the_fifth_task(
    asked: tuple[Row, Row],
) -> None:
    item, said = asked
    old = {**item, "task_template": OLD_T5}
    new = {**item, "task_template": "T5_CLICK_COUNT_EXCLUSION"}
    got = score_item(old, gold_of(old), said["raw_text"], said["error"], said["model"])
    assert list(differences(plain.score(said, new), got)) == []


# All rows of a benchmark


@st.composite
def benchmarks(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """Items of every subset and template, and answers to most of them and to some others."""
    rows, said = [], []
    places = draw(st.permutations(range(draw(st.integers(5, 25)))))
    for place, number in enumerate(places):
        item, answer = draw(asked_and_answered())
        template = list(TEMPLATES)[number % 5]
        names = {
            "item_id": f"I{number}",
            "rose_subset": SUBSETS[place % 5],
            "task_template": template,
            "scene_id": f"s{draw(st.integers(0, 3))}",
        }
        rows.append({**item, **names})
        if place == 0 or draw(st.integers(0, 9)):
            said.append({**answer, "item_id": f"I{number}"})
    if draw(st.booleans()):
        said.append({"item_id": "elsewhere", "model": "m", "raw_text": "DONE", "error": None})
    return rows, said


def not_empty(table: Any) -> Any:
    """A table without the groups that no row is in, and without its notes."""
    if not isinstance(table, dict):
        return table
    return {
        key: not_empty(value)
        for key, value in table.items()
        if key != "note" and not _of_nothing(value)
    }


def _of_nothing(value: Any) -> bool:
    return isinstance(value, dict) and value.get("n") == 0 and "PASS" in value


def conditioned(table: Row, present: Sequence[str]) -> Row:
    """The scene-conditioned table without its note and the subsets that have no row."""
    by_subset = {name: table["by_subset"][name] for name in present}
    return {"by_subset": by_subset, "macro": table["macro"]}


@settings(LAW, max_examples=30)
@given(benchmarks())
def test_every_group_of_any_benchmark_is_that_of_the_plain_rules(
    benchmark: tuple[list[Row], list[Row]],
) -> None:
    items, said = benchmark
    by_id = {item["item_id"]: item for item in items}
    answers = {answer["item_id"]: answer for answer in said}
    rows = [plain.score(answers[n], by_id[n]) for n in sorted(by_id.keys() & answers.keys())]
    got = rosegen.evaluate(items, said, allow_partial=True)

    assert list(differences(rows, list(got.scored.rows()))) == []
    assert list(differences(plain.summary(rows), got.summary["overall"])) == []
    for title, key in {
        "by_subset": "rose_subset",
        "by_template": "task_template",
        "by_task_mode": "task_mode",
        "by_region_type": "region_type",
    }.items():
        want = {name: plain.summary(group) for name, group in plain.grouped(rows, key).items()}
        assert list(differences(want, got.summary[title])) == []

    want_coverage = {**plain.coverage(by_id, said), "allow_partial": True}
    assert list(differences(want_coverage, got.summary["coverage"])) == []
    want_paper, paper = plain.paper_metrics(rows), got.summary["paper_metrics"]
    scene = "scene_conditioned_action_available_rows"
    present = list(want_paper[scene]["by_subset"])
    assert list(differences(want_paper["table1"], not_empty(paper["table1"]))) == []
    assert list(differences(want_paper["table2"], paper["table2"])) == []
    assert list(differences(want_paper[scene], conditioned(paper[scene], present))) == []


@pytest.mark.parametrize("number", [10**300, 17 * 10**307])
def test_the_mean_of_numbers_whose_sum_no_double_holds_is_their_mean(number: int) -> None:
    rows = [
        {
            "item_id": name,
            "scene_id": name,
            "rose_subset": "ROSE-PixelEdit",
            "task_template": "T1_COUNT_GLOBAL",
            "task_mode": "COUNT",
            "region_type": "GLOBAL",
            "rows": 2,
            "cols": 2,
        }
        for name in ("a", "b", "c")
    ]
    said = [{"item_id": row["item_id"], "raw_text": f"COUNT({number})"} for row in rows]
    overall = rosegen.evaluate(rows, said).summary["overall"]
    assert overall["count_mae_parsed"] == pytest.approx(float(number))
    assert overall["count_bias_parsed"] == pytest.approx(float(number))
    assert overall["count_soft"] == pytest.approx(0.0)


@pytest.mark.parametrize("text", ["COUNT(" + "9" * 400 + ")", "COUNT(" + "9" * 5000 + ")"])
def test_a_count_that_no_double_holds_is_no_answer(text: str) -> None:
    row = {"task_mode": "COUNT", "region_type": "GLOBAL", "rows": 2, "cols": 2}
    got = score_item(row, gold_of(row), text)
    assert (got["parse_error"], got["invalid_action_tokens"]) == ("expected_COUNT_only", [text])
    assert (got["pass"], got["count_soft"], got["pred_count"]) == (0, 0.0, None)


def test_a_click_of_five_thousand_digits_is_a_bad_token_and_the_rest_is_read() -> None:
    row = {"task_mode": "CLICK", "region_type": "GLOBAL", "rows": 2, "cols": 2}
    bad = f"CLICK(R{'1' * 5000},C1)"
    got = score_item(row, gold_of(row), f"CLICK(R1,C1); {bad}; DONE")
    assert (got["parse_error"], got["invalid_action_tokens"]) == ("invalid_CLICK_token", [bad])
    assert got["pred_clicks_all"] == ["R1,C1"]
