"""Comparing models: McNemar's test, Holm's correction and paired differences."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from rosegen.errors import RosegenError
from rosegen.scoring.compare import Comparison, Difference, McNemar, compare
from rosegen.scoring.evaluation import Evaluation, evaluate
from rosegen.scoring.intervals import statistics
from rosegen.scoring.scored import Scored
from rosegen.scoring.tables import as_markdown
from tests.scoring.scene_maker import (
    ROSE_SUBSETS,
    SHORTS,
    T1,
    T3,
    Row,
    metadata,
    predictions,
    says,
)

Key = tuple[str, str, str]
COMPARED = {"overall", "family", "subset", "template", "gap", "conditioned", "scene"}


def scored(items: Sequence[Row], said: Sequence[Row]) -> Scored:
    """The scored answers of a model that may have left out some."""
    return evaluate(items, said, allow_partial=True).scored


def passing(items: Sequence[Row], passes: Sequence[bool]) -> Scored:
    """A model that is right on these items only."""
    return scored(items, says(items, passes))


def by_key(differences: Sequence[Difference]) -> dict[tuple[str, str, Key], Difference]:
    """Differences by models and statistic."""
    return {(d.first, d.second, (d.group, d.level, d.metric)): d for d in differences}


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's correction from its definition: the k-th smallest of n by n - k + 1, never falling."""
    order = sorted(ps)
    steps = [min(1.0, (len(ps) - rank) * p) for rank, p in enumerate(order)]
    return [max(steps[: order.index(p) + 1 + order.count(p) - 1]) for p in ps]


# McNemar and Holm


@settings(deadline=None, max_examples=40)
@given(*(st.integers(0, 25) for _ in range(4)))
def test_p_is_that_of_the_exact_binomial_test(
    both: int, only_first: int, only_second: int, neither: int
) -> None:
    total = both + only_first + only_second + neither
    if not total:
        both = total = 1
    items = metadata({"Own": total}, templates=[T1])
    outcomes = [(True, True)] * both + [(True, False)] * only_first
    outcomes += [(False, True)] * only_second + [(False, False)] * neither
    models = [passing(items, [pair[side] for pair in outcomes]) for side in (0, 1)]
    found = compare(models, ["a", "b"], resamples=2).mcnemar
    test = next(one for one in found if one.level == "all")
    assert (test.both, test.only_first, test.only_second, test.neither) == (
        *(both, only_first, only_second, neither),
    )
    differ = only_first + only_second
    p = binomtest(only_first, differ, 0.5).pvalue if differ else 1.0
    assert test.p == pytest.approx(p, rel=1e-9)
    assert test.p_holm == test.p  # one pair needs no correction
    assert next(one for one in found if one.level == "G-Cnt").p == test.p


def test_p_of_many_items_is_that_of_the_exact_test_too() -> None:
    items = metadata({"Own": 3000}, templates=[T1])
    models = [passing(items, [(number % 7 < split) for number in range(3000)]) for split in (3, 4)]
    test = compare(models, ["a", "b"], resamples=2).mcnemar[0]
    assert (test.only_first, test.only_second) == (0, 429)
    assert test.p == pytest.approx(binomtest(0, 429, 0.5).pvalue, rel=1e-9)
    assert 0 < test.p < 1e-100


def test_each_template_is_tested_on_its_own_items() -> None:
    items = metadata({"Own": 20}, seed=1)
    first = passing(items, [item["task_template"] != T3 for item in items])
    second = passing(items, [item["task_template"] == T3 for item in items])
    found = {test.level: test for test in compare([first, second], ["a", "b"], resamples=2).mcnemar}
    assert list(found) == ["all", *SHORTS.values()]
    assert (found["all"].only_first, found["all"].only_second) == (80, 20)
    assert (found["L-Clk"].only_first, found["L-Clk"].only_second) == (0, 20)
    assert (found["V-Clk"].only_first, found["V-Clk"].only_second) == (20, 0)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32), skills=st.lists(st.floats(0.2, 0.9), min_size=3, max_size=4))
def test_p_of_several_models_is_corrected_as_holm_says(seed: int, skills: list[float]) -> None:
    items = metadata({"Own": 8}, seed)
    names = [f"m{place}" for place in range(len(skills))]
    models = [
        scored(items, predictions(items, seed, name, skill)) for name, skill in zip(names, skills)
    ]
    found = compare(models, names, resamples=2).mcnemar
    pairs = list(combinations(names, 2))
    for level in ("all", *SHORTS.values()):
        tests = [test for test in found if test.level == level]
        assert [(test.first, test.second) for test in tests] == pairs
        assert [test.p_holm for test in tests] == pytest.approx(holm([test.p for test in tests]))
        assert all(test.p <= test.p_holm <= 1.0 for test in tests)


# Differences


@pytest.fixture(scope="module")
def three() -> tuple[list[Row], list[Evaluation]]:
    """Three models that answered all items of five subsets."""
    items = metadata(dict.fromkeys(ROSE_SUBSETS, 14), seed=2)
    skills = {"weak": 0.35, "middling": 0.6, "strong": 0.8}
    said = [predictions(items, 2, name, skill) for name, skill in skills.items()]
    return items, [evaluate(items, answers, resamples=300) for answers in said]


@pytest.fixture(scope="module")
def compared(three: tuple[list[Row], list[Evaluation]]) -> Comparison:
    """Their comparison."""
    return compare([each.scored for each in three[1]], [each.name for each in three[1]], 0, 300)


def test_a_difference_is_that_of_the_values(
    three: tuple[list[Row], list[Evaluation]], compared: Comparison
) -> None:
    values = {
        each.name: {(s.group, s.level, s.metric): s.value for s in each.statistics}
        for each in three[1]
    }
    found = by_key(compared.differences)
    keys = [key for key in values["weak"] if key[0] in COMPARED]
    assert set(found) == {(*pair, key) for pair in combinations(values, 2) for key in keys}
    for (first, second, key), one in found.items():
        pair = values[first][key], values[second][key]
        if None in pair:
            assert (one.difference, one.low, one.high) == (None, None, None)
        else:
            assert one.difference == pytest.approx(pair[0] - pair[1], abs=1e-12)
            assert one.low is None or one.low <= one.difference <= one.high
            # These may be over few scenes of a subset.
            assert one.low is not None or key[0] == "conditioned" or key[2] == "R-OK | VALID"


def test_the_other_way_round_every_difference_has_the_other_sign(
    three: tuple[list[Row], list[Evaluation]],
) -> None:
    models, names = [each.scored for each in three[1]], [each.name for each in three[1]]
    there = compare(models[:2], names[:2], resamples=100)
    back = compare(models[1::-1], names[1::-1], resamples=100)
    assert len(there.differences) > 80
    for one, other in zip(there.differences, back.differences, strict=True):
        assert (one.first, one.second) == (other.second, other.first)
        turned = [None if n is None else -n for n in (other.difference, other.high, other.low)]
        for mine, theirs in zip((one.difference, one.low, one.high), turned):
            assert mine == theirs if None in (mine, theirs) else mine == pytest.approx(theirs)
    for one, other in zip(there.mcnemar, back.mcnemar, strict=True):
        assert (one.only_first, one.only_second, one.p) == (
            *(other.only_second, other.only_first, other.p),
        )


def test_a_model_does_not_differ_from_itself(three: tuple[list[Row], list[Evaluation]]) -> None:
    same = three[1][1].scored
    found = compare([same, same], ["a", "b"], resamples=50)
    known = [one for one in found.differences if one.difference is not None]
    assert len(known) > 80
    assert {one.difference for one in known} == {0.0}
    assert {(one.low, one.high) for one in known} <= {(0.0, 0.0), (None, None)}
    assert sum(one.low == 0.0 for one in known) > 80
    assert all((test.p, test.p_holm, test.only_first) == (1.0, 1.0, 0) for test in found.mcnemar)


def test_what_models_share_makes_the_interval_of_their_difference_narrower() -> None:
    # The second is right where the first is, but for one item in ten.
    items = metadata({"Own": 80}, seed=3)
    draw = random.Random(3)
    chance = {item["scene_id"]: draw.random() for item in items}
    first = [draw.random() < chance[item["scene_id"]] for item in items]
    second = [right and draw.random() < 0.9 for right in first]
    models = [evaluate(items, says(items, passes), resamples=500) for passes in (first, second)]
    found = by_key(compare([m.scored for m in models], ["a", "b"], resamples=500).differences)
    paired = found["a", "b", ("overall", "Avg.", "PASS")]
    apart = [next(s for s in model.statistics if s.level == "Avg.") for model in models]
    if_independent = sum((one.high - one.low) ** 2 for one in apart) ** 0.5
    assert paired.high - paired.low < 0.6 * if_independent
    assert 0 < paired.low < paired.difference < paired.high


def test_a_difference_has_no_interval_where_one_model_has_too_few_scenes() -> None:
    # Both orders: the scenes with a right count are few for one model only.
    items = metadata({"Own": 30}, seed=4)
    few = passing(items, [item["task_template"] != T1 or n < 20 for n, item in enumerate(items)])
    many = passing(items, [n % 3 > 0 or n % 5 == 0 for n in range(len(items))])
    key = ("conditioned", "Action Ret.", "PASS")
    for models, names in (([few, many], ["few", "many"]), ([many, few], ["many", "few"])):
        one = by_key(compare(models, names, resamples=50).differences)[(*names, key)]
        assert one.difference is not None
        assert (one.low, one.high) == (None, None)


# Who is compared on what


def test_only_items_that_all_answered_are_compared() -> None:
    items = metadata({"ROSE-PixelEdit": 15, "Own": 12}, seed=5)
    draw = random.Random(5)
    said = [predictions(items, 5, name) for name in ("a", "b", "c")]
    kept = [[row for row in answers if draw.random() < 0.8] for answers in said]
    ids = [{row["item_id"] for row in answers} for answers in kept]
    common, all_ids = set.intersection(*ids), set.union(*ids)
    found = compare([scored(items, answers) for answers in kept], ["a", "b", "c"], 0, 60)
    assert (found.items, found.left_out) == (len(common), len(all_ids - common))
    assert found.left_out > 30

    shared = [item for item in items if item["item_id"] in common]
    again = compare(
        [scored(shared, [r for r in answers if r["item_id"] in common]) for answers in said],
        ["a", "b", "c"],
        0,
        60,
    )
    assert again.left_out == 0
    assert again.mcnemar == found.mcnemar
    assert by_key(again.differences) == by_key(found.differences)
    counts = next(test for test in found.mcnemar if test.level == "all")
    assert counts.both + counts.only_first + counts.only_second + counts.neither == len(common)


def test_models_without_a_common_item_are_refused() -> None:
    items = metadata({"Own": 4}, seed=6)
    said = predictions(items, 6)
    with pytest.raises(RosegenError, match="no item was answered by all"):
        compare([scored(items, said[:10]), scored(items, said[10:])], ["a", "b"])


def test_two_models_of_one_name_are_refused() -> None:
    items = metadata({"Own": 4}, seed=7)
    model = scored(items, predictions(items, 7))
    with pytest.raises(RosegenError, match="called the same"):
        compare([model, model, model], ["a", "b", "a"])


@pytest.mark.parametrize("kept", [1.0, 0.5, 0.02])
def test_selected_rows_are_as_if_only_they_were_scored(kept: float) -> None:
    items = metadata({"ROSE-EmojiStyle": 20, "Own": 20, "ROSE-PixelEdit": 5}, seed=8)
    said = predictions(items, 8)
    draw = random.Random(8)
    chosen = {row["item_id"] for row in said if draw.random() < kept} | {items[-1]["item_id"]}
    whole = scored(items, said)
    part = whole.columns.select(np.array([name in chosen for name in whole.ids]))
    alone = scored(items, [row for row in said if row["item_id"] in chosen])
    assert len(part) == len(alone.columns) == len(chosen)
    assert (part.failures == alone.columns.failures).all()
    for name, codes in alone.columns.codes.items():
        levels = [alone.columns.levels[name][code] for code in codes]
        assert [part.levels[name][code] for code in part.codes[name]] == levels
        assert set(part.levels[name]) == set(levels)
    for name in (*alone.columns.floats, *alone.columns.flags):
        assert np.array_equal(part.value(name), alone.columns.value(name), equal_nan=True)
    mine, other = statistics(part, resamples=30), statistics(alone.columns, resamples=30)
    assert {(s.group, s.level, s.metric): s for s in mine} == {
        (s.group, s.level, s.metric): s for s in other
    }


# What is shown of it


def test_a_comparison_is_plain_data(compared: Comparison) -> None:
    document = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    assert document["models"] == ["weak", "middling", "strong"]
    assert (document["items"], document["left_out"]) == (350, 0)
    assert Difference(**document["differences"][0]) == compared.differences[0]
    assert [McNemar(**test) for test in document["mcnemar"]] == list(compared.mcnemar)


def test_the_table_shows_differences_and_p_of_each_pair(compared: Comparison) -> None:
    table = compared.table()
    assert "Holm" in table.title
    assert [name.split(" (")[0] for name, _ in table.rows] == [
        *("weak - middling", "weak - strong", "middling - strong"),
    ]
    tests = {(test.first, test.second): test for test in compared.mcnemar if test.level == "all"}
    found = by_key(compared.differences)
    for (pair, test), (name, cells) in zip(tests.items(), table.rows, strict=True):
        shown = dict(zip(table.columns, cells, strict=True))
        gap = found[(*pair, ("template", "L-Clk", "PASS"))]
        assert tuple(shown["L-Clk"]) == (gap.difference, gap.low, gap.high)
        assert shown["only first right"].value == test.only_first / 350
        assert shown["only second right"].value == test.only_second / 350
        p = "p < 0.0001" if test.p_holm < 0.0001 else f"p = {test.p_holm:.4f}"
        assert name.endswith(f"({p})")
    assert "weak - strong (p \\< 0.0001)" in as_markdown([table])


def test_two_models_need_no_correction_and_the_table_does_not_speak_of_one(
    three: tuple[list[Row], list[Evaluation]],
) -> None:
    two = compare([each.scored for each in three[1][:2]], ["a", "b"], resamples=20)
    assert "Holm" not in two.table().title
    assert all(test.p == test.p_holm for test in two.mcnemar)
