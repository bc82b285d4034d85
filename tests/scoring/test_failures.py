"""The kinds of failure, on drawn grids and as laws over random answers."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rosegen.scoring.evaluation import evaluate
from rosegen.scoring.failures import BIT, FAILURES, failures_of
from rosegen.scoring.items import gold_of
from rosegen.scoring.score import score_item
from tests.scoring.scene_maker import (
    SHORTS,
    SIZE,
    T1,
    T2,
    T3,
    T5,
    Row,
    labels,
    metadata,
    predictions,
)

Cell = tuple[int, int]
Box = tuple[int, int, int, int]  # r1, r2, c1, c2
MODES = {T1: "COUNT", T2: "COUNT", T3: "CLICK", T5: "CLICK_COUNT"}


def item_of(
    targets: Iterable[Cell], rows: int, cols: int, template: str = T3, box: Box | None = None
) -> Row:
    """A row of metadata; a box is the region asked about, for T5 the one left out."""
    targets = sorted(targets)
    r1, r2, c1, c2 = box or (1, rows, 1, cols)
    inside = [r1 <= r <= r2 and c1 <= c <= c2 for r, c in targets]
    bounds: dict[str, Any] = {"r1": r1, "r2": r2, "c1": c1, "c2": c2}
    kind = "RECTANGLE"
    if template == T5:
        kind, bounds = "EXCLUSION", {"exclude_type": "RECTANGLE", "exclude_params": bounds}
        inside = [not held for held in inside]
    if template == T1:
        kind, bounds, inside = "GLOBAL", {}, [True] * len(targets)
    gold = labels(cell for cell, held in zip(targets, inside) if held)
    return {
        "task_template": template,
        "task_mode": MODES[template],
        "rows": rows,
        "cols": cols,
        "region_type": kind,
        "region_params": bounds,
        "all_target_cells": labels(targets),
        "region_target_cells": gold,
        "ground_truth_clicks": gold,
        "ground_truth_count": len(gold),
    }


def scored(item: Row, text: str | None, error: str | None = None) -> Row:
    """The scored row of an answer."""
    return score_item(item, gold_of(item), text, error)


def kinds(item: Row, text: str | None, error: str | None = None) -> list[str]:
    """How an answer failed."""
    return list(failures_of(scored(item, text, error), gold_of(item).area))


def click(cells: Iterable[Cell], end: str = "DONE") -> str:
    """A CLICK answer."""
    return "; ".join([*(f"CLICK({label})" for label in labels(cells)), end])


def drawn(
    picture: str, template: str = T3, box: Box | None = None, end: str = "DONE"
) -> tuple[Row, str]:
    """An item and an answer as drawn: exceptions are x, clicks o, and X is both."""
    grid = [line.split() for line in picture.strip().splitlines()]
    cells = {(r, c): mark for r, row in enumerate(grid, 1) for c, mark in enumerate(row, 1)}
    targets = [cell for cell, mark in cells.items() if mark in "xX"]
    clicks = [cell for cell, mark in cells.items() if mark in "oX"]
    return item_of(targets, len(grid), len(grid[0]), template, box), click(clicks, end)


ALL = None  # the region is the whole grid
LEFT: Box = (1, 4, 1, 2)  # the two columns at the left

DRAWN = {
    "right": (". . X .\n. . . .\n. . . .\n. X . .", ALL, []),
    "one missed": (". . X .\n. . . .\n. . . .\n. x . .", ALL, ["missed_target"]),
    "one too many": (". . X .\n. . . .\n. . . .\no . . .", ALL, ["extra_click"]),
    "elsewhere": ("x . . .\n. . . .\n. . o .\n. . . .", ALL, ["missed_target", "extra_click"]),
    # Region
    "an exception outside": (
        ("X . X .\n. . . .\n. . . .\n. . . .", LEFT, ["region_ignored", "count_anchoring"])
    ),
    "one of two outside": ("X . X .\n. . x .\n. . . .\n. . . .", LEFT, ["region_ignored"]),
    "no exception, outside": ("X . . o\n. . . .\n. . . .\n. . . .", LEFT, ["region_over_reach"]),
    "both outside": (
        "X . X .\n. . . o\n. . . .\n. . . .",
        LEFT,
        ["region_ignored", "region_over_reach"],
    ),
    # Abstention
    "nothing to click, nothing clicked": (". . x .\n. . . .\n. . . .\n. . . .", LEFT, []),
    "nothing to click": (
        ". . x .\n. . . x\no . . .\n. . . .",
        LEFT,
        ["failure_to_abstain", "extra_click"],
    ),
    "nothing to click but what is outside": (
        ". . X .\n. . . x\n. . . .\n. . . .",
        LEFT,
        ["failure_to_abstain", "region_ignored"],
    ),
    # As many clicks as the whole grid has exceptions
    "neither count": (
        "X . . .\n. . x .\n. . . .\no . . x",
        LEFT,
        ["extra_click"],
    ),
    "as many as the grid has": (
        "X . . .\n. . . .\n. . . x\no . . .",
        LEFT,
        ["count_anchoring", "extra_click"],
    ),
    # Shift
    "one cell to the right": (
        ". . . .\nx o . .\n. . . .\n. . x o",
        ALL,
        ["one_cell_shift", "missed_target", "extra_click"],
    ),
    "one cell aslant": (
        "x . . .\n. o . .\n. . . .\n. . . .",
        ALL,
        ["one_cell_shift", "missed_target", "extra_click"],
    ),
    "one right and one shifted": (
        "X . . .\n. . . .\n. . x .\n. . o .",
        ALL,
        ["one_cell_shift", "missed_target", "extra_click"],
    ),
    "a row moved along itself": (
        "x X X o\n. . . .\n. . . .\n. . . .",
        ALL,
        ["one_cell_shift", "missed_target", "extra_click"],
    ),
    "two cells away": (
        "x . o .\n. . . .\n. . . .\n. . . .",
        ALL,
        ["missed_target", "extra_click"],
    ),
    "two clicks beside one exception": (
        "o . . .\nx o . .\n. . . .\n. . . x",
        ALL,
        ["missed_target", "extra_click"],
    ),
    "matched only when the first click takes the farther one": (
        ". . o .\n. x . x\no . . .\n. . . .",
        ALL,
        ["one_cell_shift", "missed_target", "extra_click"],
    ),
    # Expansion
    "a block around one": (
        "o o o .\no X o .\no o o .\n. . . .",
        ALL,
        ["set_expansion", "extra_click"],
    ),
    "a line from one": (
        "X o o o\n. . . .\n. . . .\n. . . .",
        ALL,
        ["set_expansion", "extra_click"],
    ),
    "a block around one of two": (
        "X o . .\no o . .\n. . . .\n. . . x",
        ALL,
        ["set_expansion", "missed_target", "extra_click"],
    ),
    "a block and a click apart": ("X o . .\n. . . .\n. . . .\no . . .", ALL, ["extra_click"]),
    "a block beside, not on it": (
        "x o . .\n. o . .\n. . . .\n. . . .",
        ALL,
        ["missed_target", "extra_click"],
    ),
    "a block that leaves the region": (
        ". . . .\n. X o .\n. o o .\n. . . .",
        LEFT,
        ["set_expansion", "region_over_reach", "extra_click"],
    ),
    "the neighbours are exceptions": (
        ". . . .\n. X X .\n. . . .\n. . . .",
        LEFT,
        ["region_ignored", "count_anchoring"],
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_clicks_fail_as_drawn(name: str) -> None:
    picture, box, wanted = DRAWN[name]
    assert kinds(*drawn(picture, box=box)) == wanted


def test_the_case_for_matching_is_one_that_taking_the_first_neighbour_gets_wrong() -> None:
    picture, _, wanted = DRAWN["matched only when the first click takes the farther one"]
    item, text = drawn(picture)
    gold = {(2, 2), (2, 4)}
    for one in [(1, 3), (3, 1)]:
        gold.discard(next((cell for cell in sorted(gold) if _near(one, cell)), one))
    assert len(gold) == 1  # the greedy way leaves one over
    assert kinds(item, text) == wanted
    assert wanted[0] == "one_cell_shift"


COUNTED = {
    # Template, exceptions, region, number, kinds
    "right": (T2, [(1, 1), (4, 4)], LEFT, 1, []),
    "that of the grid": (T2, [(1, 1), (4, 4)], LEFT, 2, ["count_anchoring"]),
    "neither": (T2, [(1, 1), (4, 4)], LEFT, 3, ["miscount"]),
    "too few": (T2, [(1, 1), (4, 4)], LEFT, 0, ["miscount"]),
    "of the whole grid": (T1, [(1, 1), (4, 4)], ALL, 3, ["miscount"]),
    # To count nothing is no act, so a wrong number is not a failure to abstain.
    "of an empty region": (T2, [(4, 4)], LEFT, 2, ["miscount"]),
    "of an empty region, that of the grid": (T2, [(4, 4)], LEFT, 1, ["count_anchoring"]),
}


@pytest.mark.parametrize("name", COUNTED)
def test_counts_fail_as_told(name: str) -> None:
    template, targets, box, number, wanted = COUNTED[name]
    assert kinds(item_of(targets, 4, 4, template, box), f"COUNT({number})") == wanted


def test_the_global_count_is_no_anchor_where_the_whole_grid_is_asked_about() -> None:
    item = item_of([(1, 1), (4, 4)], 4, 4, T1) | {"ground_truth_count": 3}  # a broken row
    assert kinds(item, "COUNT(2)") == ["miscount"]


SUBMITTED = {
    # Two columns at the left are left out, so cells of the right are asked about.
    "right": ("x . X .\n. . . .\n. . . .\n. . . .", 1, []),
    "another number": (
        "x . X .\n. . . .\n. . . .\n. . . .",
        3,
        ["submit_mismatch", "miscount"],
    ),
    "the number of the grid": (
        "x . X .\n. . . .\n. . . .\n. . . .",
        2,
        ["count_anchoring", "submit_mismatch"],
    ),
    "all of the grid": (
        "X . X .\n. . . .\n. . . .\n. . . .",
        2,
        ["region_ignored", "count_anchoring"],
    ),
    "all of the grid, the right number": (
        "X . X .\n. . . .\n. . . .\n. . . .",
        1,
        ["region_ignored", "submit_mismatch"],
    ),
    "the excluded box": (
        "x o x .\n. . . .\n. . . .\n. . . .",
        1,
        ["one_cell_shift", "region_over_reach", "missed_target"],
    ),
    "a number and no click": (
        "x . . .\n. . . .\n. . . .\n. . . .",
        1,
        ["count_anchoring", "submit_mismatch"],
    ),
    "a click on nothing": (
        "x . . .\n. . . .\n. . . .\n. . . o",
        1,
        ["failure_to_abstain", "count_anchoring", "extra_click"],
    ),
}


@pytest.mark.parametrize("name", SUBMITTED)
def test_submissions_fail_as_drawn(name: str) -> None:
    picture, number, wanted = SUBMITTED[name]
    assert kinds(*drawn(picture, T5, LEFT, f"SUBMIT({number})")) == wanted


def test_no_answer_and_no_grammar_are_kinds_of_their_own() -> None:
    item = item_of([(1, 1)], 4, 4)
    assert kinds(item, None, "timeout") == ["api"]
    assert kinds(item, "CLICK(R2,C2); DONE", "timeout") == ["api"]
    assert kinds(item, "CLICK(R1,C1); DONE", "warning") == []
    for text in (None, "", "I would click R1,C1.", "CLICK(R1,C1)", "CLICK(R1); DONE", "COUNT(1)"):
        assert kinds(item, text) == ["format"]


def test_clicks_off_the_grid_and_twice_are_told() -> None:
    item = item_of([(1, 1), (3, 3)], 4, 4)
    assert kinds(item, click([(1, 1), (3, 3), (9, 9)])) == ["off_grid"]
    assert kinds(item, click([(1, 1), (3, 3), (1, 1)])) == ["duplicate_click"]
    assert kinds(item, click([(1, 1), (1, 1), (0, 1)])) == [
        *("off_grid", "duplicate_click", "missed_target"),
    ]
    huge = click([(1, 1), (3, 3)]).replace("R3,C3", "R" + "9" * 4300 + ",C3")
    assert kinds(item, huge) == ["off_grid", "missed_target"]


def test_a_click_off_the_grid_is_no_abstention() -> None:
    item = item_of([(4, 4)], 4, 4, box=LEFT)
    assert kinds(item, "DONE") == []
    assert kinds(item, click([(0, 1)])) == ["off_grid", "failure_to_abstain"]


def test_counting_from_zero_is_a_shift_though_it_leaves_the_grid() -> None:
    targets = [(1, 3), (2, 2), (4, 1)]
    item = item_of(targets, 4, 4)
    text = click([(row - 1, col - 1) for row, col in targets])
    assert kinds(item, text) == ["off_grid", "one_cell_shift", "missed_target", "extra_click"]


def test_a_shift_of_very_many_cells_is_found() -> None:
    targets = [(row, col) for row in range(1, 51) for col in range(1, 51)]
    item = item_of(targets, 60, 60)
    for i, j in ((0, 1), (1, 0), (1, 1), (0, -1), (-1, -1)):
        shifted = [(row + i, col + j) for row, col in targets]
        assert "one_cell_shift" in kinds(item, click(shifted))
    assert "one_cell_shift" not in kinds(item, click([(row + 2, col) for row, col in targets]))


# Laws

cells = st.tuples(st.integers(1, 4), st.integers(1, 4))


@st.composite
def answered(draw: st.DrawFn) -> tuple[Row, str]:
    """An item of a small grid and an answer of its grammar, often near the right one."""
    targets = draw(st.sets(cells, min_size=1, max_size=4))
    (r1, r2), (c1, c2) = (
        sorted(draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))) for _ in range(2)
    )
    template = draw(st.sampled_from([T1, T2, T3, T3, T5, T5]))
    item = item_of(targets, 4, 4, template, (r1, r2, c1, c2))
    gold = sorted(gold_of(item).clicks)
    count = draw(st.one_of(st.just(len(gold)), st.integers(0, 6)))
    if MODES[template] == "COUNT":
        return item, f"COUNT({count})"
    clicks = [cell for cell in gold if draw(st.booleans())]
    wide = st.tuples(st.integers(0, 5), st.integers(0, 5))
    clicks += draw(st.lists(st.one_of(cells, cells, wide), max_size=4))
    return item, click(clicks, "DONE" if template == T3 else f"SUBMIT({count})")


@settings(deadline=None)
@given(answered())
def test_an_answer_passes_when_it_fails_in_no_way(case: tuple[Row, str]) -> None:
    item, text = case
    assert bool(scored(item, text)["pass"]) is (not kinds(item, text))


@settings(deadline=None)
@given(answered(), st.sampled_from([None, "", "None", "timeout"]), st.booleans())
def test_kinds_come_once_each_and_in_their_order(
    case: tuple[Row, str], error: str | None, prose: bool
) -> None:
    item, text = case
    found = kinds(item, text + " I think" if prose else text, error)
    assert found == [name for name in FAILURES if name in found]
    assert not prose or found in (["format"], ["api"])


@settings(deadline=None)
@given(answered())
def test_kinds_agree_with_the_fields_of_the_scored_row(case: tuple[Row, str]) -> None:
    item, text = case
    row, found = scored(item, text), set(kinds(item, text))
    assume(found and row["click_applicable"])
    outside = found & {"region_ignored", "region_over_reach"}
    assert bool(outside) is (row["region_violation_count"] > 0)
    assert ("region_ignored" in found) is (row["outside_distractor_hit_count"] > 0)
    assert ("missed_target" in found) is (row["missed_target_count"] > 0)
    assert ("off_grid" in found) is (row["invalid_coordinate_count"] > 0)
    assert ("duplicate_click" in found) is (row["duplicate_click_count"] > 0)
    assert bool(found & {"extra_click", *outside}) is (row["false_positive_count"] > 0)
    # ROSE's own sign of answering for the whole grid is one of these two.
    if row["global_default_error"]:
        assert found & {"region_ignored", "count_anchoring"}


def _near(a: Cell, b: Cell) -> bool:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) <= 1


@settings(deadline=None)
@given(st.sets(cells, min_size=1, max_size=4), st.lists(cells, min_size=1, max_size=4, unique=True))
def test_a_shift_is_a_matching_with_every_cell_within_one_step(
    targets: set[Cell], clicks: list[Cell]
) -> None:
    some = any(
        all(_near(one, target) for one, target in zip(order, sorted(targets)))
        for order in permutations(clicks)
    )
    wanted = len(clicks) == len(targets) and set(clicks) != targets and some
    assert ("one_cell_shift" in kinds(item_of(targets, 4, 4), click(clicks))) is wanted


@settings(deadline=None)
@given(st.sets(cells, min_size=1, max_size=3), st.sets(cells, min_size=1, max_size=8))
def test_an_expansion_is_more_clicks_that_all_hang_on_one_that_was_right(
    targets: set[Cell], clicks: set[Cell]
) -> None:
    reached = clicks & targets
    for _ in range(len(clicks)):
        reached |= {one for one in clicks if any(_near(one, other) for other in reached)}
    wanted = len(clicks) > len(targets) and reached == clicks
    assert ("set_expansion" in kinds(item_of(targets, 4, 4), click(clicks))) is wanted


# Many answers


def test_failures_of_an_evaluation_are_counted_by_kind_and_task() -> None:
    items = metadata({"Own": 30}, seed=1)
    evaluation = evaluate(items, predictions(items, 1, skill=0.4))
    counts = evaluation.failure_counts()
    listed = list(evaluation.failure_rows())
    failed = {row["item_id"] for row in evaluation.scored.rows() if not row["pass"]}
    assert [row["item_id"] for row in listed] == sorted(failed)
    assert len(failed) > 50
    for kind in FAILURES:
        assert counts["all"][kind] == sum(kind in row["failures"] for row in listed)
        for template, short in SHORTS.items():
            own = [row for row in listed if row["task_template"] == template]
            assert counts[short][kind] == sum(kind in row["failures"] for row in own)


def test_every_kind_has_a_bit_of_its_own_and_a_description() -> None:
    assert list(BIT) == list(FAILURES)
    assert len({*BIT.values()}) == len(FAILURES)
    assert sum(BIT.values()) == (1 << len(FAILURES)) - 1
    assert all(len(text) > 10 for text in FAILURES.values())


def test_random_answers_show_every_kind() -> None:
    draw = random.Random(2)
    seen: set[str] = set()
    for item in metadata({"Own": 400}, seed=2):
        gold = sorted(gold_of(item).clicks)
        near = [(r + draw.randint(-1, 1), c + draw.randint(-1, 1)) for r, c in gold]
        some = [(draw.randint(1, SIZE), draw.randint(1, SIZE)) for _ in range(draw.randint(0, 3))]
        clicks = draw.choice([gold, near, [*gold, *near], some, [*gold, *some]])
        number = draw.randint(0, 4)
        ends = {"COUNT": "", "CLICK": "DONE", "CLICK_COUNT": f"SUBMIT({number})"}
        end = ends[item["task_mode"]]
        text = click(clicks, end) if end else f"COUNT({number})"
        seen |= set(kinds(item, draw.choice([text] * 9 + ["so"]), draw.choice([None] * 9 + ["no"])))
    assert seen == set(FAILURES)
