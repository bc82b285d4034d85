"""Selections: the scenes of a release, and the portions and shards they fall into."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from rosegen.pairing import BLOCK
from rosegen.pipeline import Pipeline
from rosegen.selection import Selection, portions
from tests.core_maker import LAW, small_pipeline


def pipeline_of(*scenes: int) -> Pipeline:
    base = small_pipeline()
    subsets = tuple(
        replace(base.subsets[0], name=f"S{place}", prefix=f"S{place}", scenes=count, dev_scenes=0)
        for place, count in enumerate(scenes)
    )
    return replace(base, subsets=subsets)


def pairs_of(pipeline: Pipeline, selection: Selection) -> list[tuple[str, int]]:
    numbers = selection.numbers(pipeline)
    return [(name, number) for name, own in numbers.items() for number in own]


@LAW
@given(st.lists(st.integers(1, 200), min_size=1, max_size=4), st.integers(1, 40))
def test_shards_are_runs_that_together_are_the_whole(scenes: list[int], count: int) -> None:
    pipeline = pipeline_of(*scenes)
    whole = pairs_of(pipeline, Selection())
    assert len(whole) == sum(scenes)
    shards = [pairs_of(pipeline, Selection(shard=(i, count))) for i in range(1, count + 1)]
    assert [pair for shard in shards for pair in shard] == whole
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1


@LAW
@given(
    st.lists(st.integers(1, 300), min_size=1, max_size=3),
    st.sets(st.integers(1, 320), max_size=60),
    st.integers(1, 5),
)
def test_portions_keep_the_order_and_stay_within_a_block(
    scenes: list[int], chosen: set[int], count: int
) -> None:
    pipeline = pipeline_of(*scenes)
    selection = Selection(scenes=frozenset(chosen), shard=(1, count))
    made = list(portions(selection.numbers(pipeline)))
    assert [portion.unit for portion in made] == list(range(len(made)))
    listed = [(portion.subset, number) for portion in made for number in portion.numbers]
    assert listed == pairs_of(pipeline, selection)
    for portion in made:
        assert len(portion.block) == BLOCK
        assert (portion.block.start - 1) % BLOCK == 0
        assert all(number in portion.block for number in portion.numbers)
    for one, other in pairwise(made):
        assert one.subset != other.subset or one.block != other.block


def test_what_is_chosen_adds_up() -> None:
    pipeline = pipeline_of(5, 9, 3)
    chosen = Selection(("S1", "S2"), limit=4, scenes=frozenset({2, 4, 7}))
    assert chosen.numbers(pipeline) == {"S1": [2, 4], "S2": [2]}
    assert [subset.name for subset in chosen.check(pipeline)] == ["S1", "S2"]
    assert chosen.as_dict() == {
        "subsets": ["S1", "S2"],
        "limit": 4,
        "scenes": [2, 4, 7],
        "shard": None,
    }


@pytest.mark.parametrize(
    ("selection", "says"),
    [
        (Selection(("S9",)), "no subset 'S9' (it has S0)"),
        (Selection(limit=0), "--limit 0: at least 1 scene"),
        (Selection(shard=(3, 2)), "--shard 3/2: I must be from 1 to N"),
        (Selection(scenes=frozenset({6})), "no scene is left to make"),
    ],
)
def test_what_cannot_be_chosen_is_one_line(selection: Selection, says: str) -> None:
    with pytest.raises(RosegenError) as refused:
        selection.check(pipeline_of(5))
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
