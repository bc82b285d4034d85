"""Draws: the same on every machine and for ever, uniform, and shared out to the last one."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.draws import Deal, Draws, Permutation, apportion
from tests.core_maker import LAW

SHARES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 1000), min_size=1).filter(
    lambda shares: any(shares.values())
)


def test_streams_never_change() -> None:
    """A change here makes every release another one: it needs a new version, not new numbers."""
    draws = Draws(2026, "ROSE-ChineseGlyph", 7, "cells")
    assert [draws.below(1 << 64) for _ in range(5)] == [
        2031301041778260841,
        10447154793749239452,
        768586826979489283,
        16633092919725760161,
        12776481347641474064,
    ]
    draws = Draws(2026, "ROSE-ChineseGlyph", 7, "cells")
    assert [draws.below(10) for _ in range(20)] == [
        *(1, 2, 3, 1, 4, 7, 4, 6, 5, 6),
        *(7, 5, 0, 9, 0, 9, 1, 6, 6, 7),
    ]
    assert Draws(1, "a").shuffled(range(10)) == [9, 4, 0, 7, 8, 5, 1, 3, 2, 6]
    assert Draws(1, "a").sample("abcdefghij", 4) == ["g", "d", "f", "e"]
    between, choice = Draws(1, "a"), Draws(1, "a")
    assert [between.between(-3, 3) for _ in range(6)] == [-3, -2, 1, -2, 1, 2]
    assert [choice.choice("xyz") for _ in range(6)] == ["x", "z", "z", "y", "z", "z"]


def test_a_stream_is_sha256_in_counter_mode() -> None:
    draws = Draws(2026, "S", 7, "cells")
    key = b"2026\x1fS\x1f7\x1fcells\x1f"
    blocks = b"".join(hashlib.sha256(key + n.to_bytes(8, "big")).digest() for n in range(3))
    words = [int.from_bytes(blocks[k : k + 8], "big") for k in range(0, len(blocks), 8)]
    assert [draws.below(1 << 64) for _ in words] == words


def test_words_that_would_favour_some_values_are_passed_over() -> None:
    n = (1 << 63) + 1
    words, draws = Draws("reject"), Draws("reject")
    fair = [word for word in (words.below(1 << 64) for _ in range(60)) if word < n]
    assert len(fair) < 45
    assert [draws.below(n) for _ in fair] == fair


def test_streams_of_other_keys_are_other_streams() -> None:
    keys = [
        (1, "S", 1, "a"),
        (1, "S", 1, "b"),
        (1, "S", 2, "a"),
        (1, "T", 1, "a"),
        (2, "S", 1, "a"),
    ]
    keys += [(1, "S", 11, "a"), (11, "S", 1, "a"), (1, "S1", 1, "a")]
    assert len({Draws(*key).below(1 << 64) for key in keys}) == len(keys)


@pytest.mark.parametrize("n", [2, 3, 7, 10])
def test_every_value_comes_about_as_often_as_any_other(n: int) -> None:
    draws = Draws("uniform", n)
    total = 6000
    counts = Counter(draws.below(n) for _ in range(total))
    chi = sum((counts[value] - total / n) ** 2 / (total / n) for value in range(n))
    # Mean n - 1, variance 2(n - 1): this far out comes once in thousands of streams.
    assert chi < n - 1 + 4.5 * math.sqrt(2 * (n - 1))


def test_every_order_comes_about_as_often_as_any_other() -> None:
    draws = Draws("orders")
    counts = Counter(tuple(draws.shuffled("abc")) for _ in range(3000))
    assert len(counts) == 6
    assert all(400 < count < 600 for count in counts.values())


@pytest.mark.parametrize("n", [0, -1, (1 << 64) + 1])
def test_what_cannot_be_drawn_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match="cannot draw"):
        Draws("x").below(n)


@LAW
@given(st.integers(0, 10**6), st.lists(st.integers(), max_size=30), st.data())
def test_shuffles_and_samples_lose_and_repeat_nothing(
    seed: int, items: list[int], data: st.DataObject
) -> None:
    assert sorted(Draws(seed).shuffled(items)) == sorted(items)
    k = data.draw(st.integers(0, len(items)))
    sample = Draws(seed).sample(list(enumerate(items)), k)
    assert len(sample) == len(set(sample)) == k
    with pytest.raises(ValueError, match="cannot draw"):
        Draws(seed).sample(items, len(items) + 1)


@LAW
@given(SHARES, st.integers(0, 2000))
def test_shares_come_out_whole_by_largest_remainders(shares: dict[str, int], total: int) -> None:
    counts = apportion(shares, total)
    assert list(counts) == list(shares)
    assert sum(counts.values()) == total
    ideal = {key: Fraction(share * total, sum(shares.values())) for key, share in shares.items()}
    assert all(counts[key] - math.floor(ideal[key]) in (0, 1) for key in shares)
    rest = {key: ideal[key] - math.floor(ideal[key]) for key in shares}
    lifted = [key for key in shares if counts[key] > ideal[key]]
    left = [key for key in shares if rest[key] and counts[key] < ideal[key]]
    assert all(rest[up] >= rest[down] for up in lifted for down in left)


def test_ties_go_to_the_earlier_key() -> None:
    assert apportion({"b": 1, "a": 1, "c": 1}, 4) == {"b": 2, "a": 1, "c": 1}
    assert apportion({"c": 1, "a": 1, "b": 1}, 5) == {"c": 2, "a": 2, "b": 1}


def test_shares_are_decimals_not_floats() -> None:
    # As floats 0.1 + 0.2 is more than 0.3, and the tie would be decided by that.
    assert apportion({"x": 0.3, "y": 0.1, "z": 0.2}, 1) == {"x": 1, "y": 0, "z": 0}
    assert apportion({"x": 0.1, "y": 0.7}, 8) == {"x": 1, "y": 7}


@pytest.mark.parametrize("shares", [{}, {"a": 0}, {"a": 0, "b": 0.0}, {"a": 2, "b": -1}])
def test_shares_without_a_sense_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="shares must not"):
        apportion(shares, 5)


@LAW
@given(st.integers(1, 600), st.integers(0, 10**9))
def test_a_permutation_has_every_number_once(size: int, seed: int) -> None:
    order = Permutation(size, seed, "order")
    assert sorted(order[place] for place in range(size)) == list(range(size))
    for place in (-1, size):
        with pytest.raises(IndexError):
            order[place]


def test_permutations_of_a_few_numbers_are_equally_frequent() -> None:
    """Chi-squared over all 24 orders of 4 numbers, 23 degrees of freedom: 49.7 at 0.1 %."""
    seen = Counter(tuple(Permutation(4, seed, "few")[i] for i in range(4)) for seed in range(12000))
    assert sum((seen[order] - 500) ** 2 / 500 for order in permutations(range(4))) < 49.7


def test_neighbours_land_anywhere() -> None:
    """Chi-squared over the distance of two neighbours' numbers, 22 degrees of freedom: 48.3."""
    orders = [Permutation(24, seed, "near") for seed in range(11500)]
    seen = Counter((order[0] - order[1]) % 24 for order in orders)
    assert sum((seen[apart] - 500) ** 2 / 500 for apart in range(1, 24)) < 48.3


def test_a_permutation_is_the_same_everywhere() -> None:
    order = Permutation(10**12, 2026, "ROSE", "plan")
    assert [order[place] for place in (0, 1, 10**11)] == [
        82217557860,
        284012532180,
        950199344184,
    ]


@LAW
@given(st.dictionaries(st.text(max_size=3), st.integers(0, 20), min_size=1), st.integers(0, 999))
def test_a_deal_gives_every_value_as_often_as_its_count_says(
    counts: dict[str, int], seed: int
) -> None:
    total = sum(counts.values())
    dealt = Deal(counts, seed, "deal")
    found = Counter(dealt[place] for place in range(total))
    assert found == Counter(counts)
