"""Pairing: which candidate goes into which scene, with a source that costs nothing."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.draws import apportion
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.pairing import Match, Pairing, _Shelf, blocks_of, make_deck, pair_all, pair_up
from rosegen.pipeline import Subset
from rosegen.plan import Planner, plan_subset
from rosegen.scene import Tile
from rosegen.sources import registry
from rosegen.sources.base import Candidate, Pool, Source, SourceConfig, Unavailable
from rosegen.workshop import Bench, prepare
from tests.core_maker import LAW, small_subset

Task = TypeVar("Task")
Result = TypeVar("Result")


class Squares(Source):
    """Tiles with a dark square, and perhaps a spot on it; ``mark`` 0 is the square alone."""

    kind = "squares"
    primitive_type = "SQUARES"
    pack_kinds = frozenset({"sprites"})
    options = frozenset()

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        return []

    def draw(self, tile: Tile, cell_size: int) -> npt.NDArray[np.uint8]:
        if tile.recipe["mark"] < 0:
            raise Unavailable("no_such_mark")
        cell = np.full((cell_size, cell_size, 3), 255, np.uint8)
        third = cell_size // 4
        cell[third:-third, third:-third] = (20, 40, 90)
        if tile.recipe["mark"]:
            cell[third + 1 : third + 5, third + 1 : third + 5] = (240, 210, 60)
        return cell

    def art(self, tile: Tile) -> bytes:
        return repr((tile.recipe["mark"], tile.recipe["art"])).encode()

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Mapping[str, Any]:
        return {}


class InOrder:
    """A pool that works in this process, from the first task to the last or backwards."""

    def __init__(self, backwards: bool = False) -> None:
        self.backwards = backwards

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], chunk: int = 1
    ) -> Iterator[Result]:
        listed = list(tasks)
        order = range(len(listed))
        done = {k: function(listed[k]) for k in (reversed(order) if self.backwards else order)}
        return iter([done[k] for k in order])


def candidate(
    key: str,
    group: str = "g",
    kinds: tuple[str, ...] = (),
    mark: int = 1,
    art: str | None = None,
) -> Candidate:
    a, b = (Tile(f"{key}/{m}", "p", "CC0-1.0", {"mark": m, "art": art or key}) for m in (0, mark))
    return Candidate(key, group, a, b, kinds or (key,))


@pytest.fixture
def subset(monkeypatch: pytest.MonkeyPatch) -> Iterator[Subset]:
    """24 scenes of the source of squares, whose bench stands ready."""
    monkeypatch.setattr(registry, "_OWN", {**registry._OWN, "squares": Squares})
    made = replace(small_subset(), name="Squares", kind="squares", options={})
    prepare(benches(made))
    yield made
    prepare({})


def benches(subset: Subset) -> dict[str, Bench]:
    config = SourceConfig("squares", {}, {}, Path(), subset.background, subset.ink)
    return {subset.name: Bench(subset, config)}


def paired(subset: Subset, candidates: Sequence[Candidate], pool: Pool | None = None) -> Pairing:
    pool = pool or InOrder()
    return pair_up(subset, plan_subset(subset), make_deck(subset, candidates, pool), pool)


def uses(pairing: Pairing) -> Counter[str]:
    return Counter(match.candidate.key for match in pairing.matches.values())


def test_every_scene_gets_a_pair_and_none_comes_twice(subset: Subset) -> None:
    pairing = paired(subset, [candidate(f"k{n}") for n in range(30)])
    assert sorted(pairing.matches) == list(range(1, 25))
    assert set(uses(pairing).values()) == {1}
    assert pairing.candidates == 30


def test_a_key_in_several_groups_is_one_pair(subset: Subset) -> None:
    """Two characters are one pair in whatever face, though the faces draw them apart."""
    both = [candidate(f"k{n}", group, art=f"{group}{n}") for n in range(24) for group in ("g", "h")]
    pairing = paired(subset, both)
    assert pairing.candidates == 24
    assert uses(pairing) == Counter({f"k{n}": 1 for n in range(24)})


def test_too_small_a_pool_says_how_far_it_goes(subset: Subset) -> None:
    pool = [*(candidate(f"k{n}") for n in range(5)), candidate("bad", mark=-1)]
    with pytest.raises(RosegenError) as caught:
        paired(subset, pool)
    message = str(caught.value)
    assert message.startswith("Squares: the pool has pairs for 5 of 24 scenes (6 candidates")
    assert "no_such_mark 1" in message
    assert "repeat_pairs" in message
    assert "\n" not in message


def test_a_small_pool_says_how_many_scenes_it_can_fill(subset: Subset) -> None:
    """As many as it says can then be built; a pair may do in one cell and not in another."""
    pool = [candidate(f"k{n}", mark=1 if n < 9 else -1) for n in range(12)]
    deck = make_deck(subset, pool, InOrder())
    with pytest.raises(RosegenError, match=r"pairs for 9 of 24 .* \(scenes: 9 can be filled\)$"):
        pair_all(subset, deck, InOrder())
    fewer = replace(subset, scenes=9, dev_scenes=2)
    assert len(pair_all(fewer, deck, InOrder()).matches) == 9
    bad = make_deck(subset, [candidate("bad", mark=-1)], InOrder())
    with pytest.raises(RosegenError, match="repeat_pairs$"):
        pair_all(subset, bad, InOrder())


def test_a_pool_without_a_pair_says_so(subset: Subset) -> None:
    with pytest.raises(RosegenError, match="Squares: kind squares finds no pair in its packs"):
        paired(subset, [])


def test_repeated_pairs_come_again_only_after_all_others(subset: Subset) -> None:
    pool = [candidate(f"k{n}") for n in range(7)]
    pairing = paired(replace(subset, repeat_pairs=True), pool)
    assert sorted(pairing.matches) == list(range(1, 25))
    assert sorted(uses(pairing).values()) == [3, 3, 3, 3, 4, 4, 4]


def test_repetition_cannot_help_a_pool_without_a_good_pair(subset: Subset) -> None:
    pool = [candidate(f"bad{n}", mark=-1) for n in range(4)]
    with pytest.raises(RosegenError, match="pairs for 0 of 24 scenes"):
        paired(replace(subset, repeat_pairs=True), pool)


def splits(subset: Subset) -> dict[int, str]:
    return {plan.number: plan.split for plan in plan_subset(subset)}


@LAW
@given(st.data())
def test_no_repeated_pair_is_on_both_sides_of_the_split(data: st.DataObject) -> None:
    """Nor two of one key, nor two of the same art, directly or through others."""
    base = replace(small_subset(), name="Squares", kind="squares", options={}, repeat_pairs=True)
    scenes = data.draw(st.integers(2, 200))
    subset = replace(base, scenes=scenes, dev_scenes=data.draw(st.integers(1, scenes - 1)))
    names = st.integers(0, data.draw(st.integers(1, 40)))
    pool = [
        candidate(
            f"k{data.draw(names)}", f"g{data.draw(st.integers(0, 1))}", art=f"a{data.draw(names)}"
        )
        for _ in range(data.draw(st.integers(2, 30)))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_OWN", {**registry._OWN, "squares": Squares})
        prepare(benches(subset))
        try:
            deck = make_deck(subset, pool, InOrder())
        except RosegenError as error:
            assert "all hang together" in str(error)
            return
        plans = plan_subset(subset)
        matches: dict[int, Match] = {}
        for block in blocks_of(subset, plans):
            matches |= pair_up(subset, block, deck, InOrder()).matches
        prepare({})
    assert sorted(matches) == list(range(1, scenes + 1))
    for mark in (lambda match: match.candidate.key, lambda match: match.verdict.look):
        sides: dict[str, set[str]] = {}
        for plan in plans:
            sides.setdefault(mark(matches[plan.number]), set()).add(plan.split)
        assert all(len(side) == 1 for side in sides.values())


def test_in_many_blocks_no_pair_serves_much_more_often_than_others(subset: Subset) -> None:
    many = replace(subset, scenes=6400, dev_scenes=1600, repeat_pairs=True)
    deck = make_deck(many, [candidate(f"k{n}") for n in range(100)], InOrder())
    planner = Planner(many)
    counts: Counter[str] = Counter()
    for start in range(1, 6401, 64 * 4):  # every fourth block
        block = [planner.plan(number) for number in range(start, start + 64)]
        made = pair_up(many, block, deck, InOrder())
        again = pair_up(many, block, deck, InOrder(backwards=True))
        assert made.matches == again.matches
        counts.update(match.candidate.key for match in made.matches.values())
    assert len(counts) == 100
    assert max(counts.values()) <= 2 * min(counts.values())


def test_pairs_that_hang_together_cannot_serve_two_splits(subset: Subset) -> None:
    pool = [candidate(f"k{n}", art="one") for n in range(9)]
    with pytest.raises(RosegenError, match="Squares: its 9 candidates all hang together"):
        make_deck(replace(subset, repeat_pairs=True), pool, InOrder())
    alone = replace(subset, repeat_pairs=True, dev_scenes=0)
    assert make_deck(alone, pool, InOrder()).size == 9


def test_what_is_refused_is_logged_with_its_reason(subset: Subset) -> None:
    pool = [candidate(f"k{n}", mark=1 if n % 3 else 0) for n in range(48)]
    pairing = paired(subset, pool)
    refused = {rejection.candidate.key for rejection in pairing.rejections}
    assert refused
    assert refused <= {f"k{n}" for n in range(0, 48, 3)}
    for rejection in pairing.rejections:
        assert rejection.reason == "ssim_above_0.9999"
        assert rejection.verdict.measures is not None
        assert rejection.verdict.measures.ssim == 1.0
    assert set(uses(pairing)).isdisjoint(refused)


def test_two_pairs_of_the_same_art_are_one(subset: Subset) -> None:
    """The same picture under two names would stand on both sides of the split."""
    twins = [candidate(f"k{n}", art=f"art{n // 2}") for n in range(60)]
    pairing = paired(subset, twins)
    looks = [match.verdict.look for match in pairing.matches.values()]
    assert len(set(looks)) == 24
    reasons = {rejection.reason for rejection in pairing.rejections}
    assert reasons <= {"same_art_as_another_pair"}


def test_no_kind_comes_again_before_all_others(subset: Subset) -> None:
    pool = [candidate(f"k{n}", kinds=(f"family{n % 6}",)) for n in range(60)]
    pairing = paired(subset, pool)
    families = Counter(match.candidate.kinds[0] for match in pairing.matches.values())
    assert families == Counter({f"family{n}": 4 for n in range(6)})


def test_groups_share_the_scenes_as_told(subset: Subset) -> None:
    pool = [candidate(f"{group}{n}", group) for group in "abc" for n in range(30)]
    groups = Counter(m.candidate.group for m in paired(subset, pool).matches.values())
    assert groups == {"a": 8, "b": 8, "c": 8}
    shares = {"a": 70, "c": 25, "b": 5}
    pairing = paired(replace(subset, group_shares=shares), pool)
    groups = Counter(m.candidate.group for m in pairing.matches.values())
    assert groups == apportion(shares, 24)


def test_scenes_of_an_empty_group_are_served_by_the_fullest(subset: Subset) -> None:
    pool = [candidate("a0", "a"), *(candidate(f"b{n}", "b") for n in range(40))]
    groups = Counter(m.candidate.group for m in paired(subset, pool).matches.values())
    assert groups == {"a": 1, "b": 23}


def test_shares_of_an_unknown_group_are_refused(subset: Subset) -> None:
    with pytest.raises(RosegenError, match="group_shares names 'z', but the groups"):
        paired(replace(subset, group_shares={"z": 1}), [candidate("k")])


def test_who_does_the_work_changes_nothing(subset: Subset) -> None:
    pool = [
        candidate(f"k{n}", "gh"[n % 2], (f"f{n % 5}",), mark=1 if n % 4 else 0) for n in range(60)
    ]
    alone = paired(subset, pool)
    assert paired(subset, pool, InOrder(backwards=True)) == alone
    if sys.platform != "linux":
        return  # workers that are not forked do not know the source of squares
    with LocalPool(2, initializer=prepare, initargs=(benches(subset),)) as workers:
        assert paired(subset, pool, workers) == alone


def test_a_pair_the_cue_would_hide_is_refused(subset: Subset) -> None:
    """A stroke wide enough to cover all of the spot leaves nothing to be found."""
    wide = replace(subset, cue_style=replace(subset.cue_style, outline_half_width=0.5))
    wide = replace(wide, cue_shares={"OUTLINE_BOX": 1})
    prepare(benches(wide))
    with pytest.raises(RosegenError, match="under_outline_box_"):
        paired(wide, [candidate(f"k{n}") for n in range(30)])


def test_a_pair_that_was_refused_in_one_group_is_offered_in_another(subset: Subset) -> None:
    """Even when its turn in the other group came while the first had it."""
    one, other = candidate("k", "g"), candidate("k", "h")
    shelf = _Shelf({"g": [one], "h": [other]})
    assert shelf.offer([(1, "g"), (2, "h")]) == [one, None]
    shelf.refuse(1, one, again=True)
    assert shelf.offer([(2, "h")]) == [other]


def test_what_one_scene_refuses_is_offered_to_others_once(subset: Subset) -> None:
    """A pair too faint in a small cell may do in a large one."""
    only = candidate("k")
    shelf = _Shelf({"g": [only]})
    for scene in (1, 2, 3):
        assert shelf.offer([(scene, "g")]) == [only]
        shelf.refuse(scene, only, again=True)
        assert shelf.offer([(scene, "g")]) == [None]
    assert shelf.offer([(1, "g"), (2, "g")]) == [None, None]


def test_what_gives_no_pair_at_all_is_not_offered_again(subset: Subset) -> None:
    shelf = _Shelf({"g": [candidate("k")]})
    assert shelf.offer([(1, "g")]) != [None]
    shelf.refuse(1, candidate("k"), again=False)
    assert shelf.offer([(2, "g")]) == [None]
