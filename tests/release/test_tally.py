"""Tallies: what parts come to adds up to what the whole comes to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from rosegen.release.tally import add, distribution, refuse_torn_pairs
from tests.core_maker import LAW


@LAW
@given(st.lists(st.dictionaries(st.sampled_from("xyz"), st.integers(0, 9)), max_size=6))
def test_the_order_of_parts_changes_nothing(parts: list[dict[str, int]]) -> None:
    forwards: dict[str, Any] = {}
    backwards: dict[str, Any] = {}
    for part in parts:
        add(forwards, {"deep": part, **part})
    for part in reversed(parts):
        add(backwards, {"deep": part, **part})
    assert forwards == backwards
    assert all(forwards["deep"][name] == forwards[name] for name in forwards if name != "deep")


def test_what_is_added_is_not_shared() -> None:
    part = {"a": {"b": 1}}
    whole: dict[str, Any] = {}
    add(whole, part)
    add(whole, part)
    assert whole == {"a": {"b": 2}}
    assert part == {"a": {"b": 1}}


@LAW
@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=60))
def test_distributions_are_those_of_numpy(values: list[int]) -> None:
    """Quartiles between two ranks by proportion, as ``numpy.percentile`` takes them."""
    exact = [value / 10_000 for value in values]
    counts: dict[str, int] = {}
    for value in exact:
        counts[f"{value:.4f}"] = counts.get(f"{value:.4f}", 0) + 1
    found = distribution(counts)
    points = np.percentile(exact, [0, 25, 50, 75, 100])
    for name, point in zip(("min", "p25", "median", "p75", "max"), points):
        assert found[name] == pytest.approx(point, abs=6e-5)
    assert found["mean"] == pytest.approx(np.mean(exact), abs=6e-5)


def test_a_pair_in_two_splits_is_refused_with_both_subsets() -> None:
    sound = {"A": {"tiles": {"x": {"dev": 2}, "y": {"test": 1}}}, "B": {"tiles": {"x": {"dev": 1}}}}
    refuse_torn_pairs(sound)
    torn = {**sound, "C": {"tiles": {"y": {"dev": 1}}}}
    with pytest.raises(RosegenError, match="A and C have a pair of tiles in common"):
        refuse_torn_pairs(torn)
