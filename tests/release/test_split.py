"""The split: exactly as many dev scenes as told, and no pair on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from rosegen.pairing import Match, Pairing
from rosegen.pipeline import Subset
from rosegen.release.split import dev_scenes
from rosegen.scene import Tile
from rosegen.sources.base import Candidate
from rosegen.workshop import Verdict
from tests.core_maker import LAW, small_subset


def pairing_of(marks: Mapping[int, tuple[str, str]]) -> Pairing:
    """Scene number to the key and the look of its pair."""
    tile = Tile("a", "p", "CC0-1.0")
    matches = {
        number: Match(Candidate(key, "g", tile, tile, (key,)), Verdict(None, look=look))
        for number, (key, look) in marks.items()
    }
    return Pairing(len(matches), matches)


def subset_of(scenes: int, dev: int, seed: int = 7) -> Subset:
    return replace(small_subset(), scenes=scenes, dev_scenes=dev, seed=seed)


def together(marks: Mapping[int, tuple[str, str]]) -> list[set[int]]:
    """Scenes that share a key or a look, directly or through others."""
    groups: list[set[int]] = [{number} for number in marks]
    for one, other in combinations(marks, 2):
        if marks[one][0] == marks[other][0] or marks[one][1] == marks[other][1]:
            first = next(g for g in groups if one in g)
            second = next(g for g in groups if other in g)
            if first is not second:
                first |= second
                groups.remove(second)
    return groups


@st.composite
def cases(draw: st.DrawFn) -> tuple[Subset, dict[int, tuple[str, str]]]:
    scenes = draw(st.integers(1, 14))
    names = st.integers(0, draw(st.integers(1, 2 * scenes)))
    marks = {n: (f"k{draw(names)}", f"l{draw(names)}") for n in range(1, scenes + 1)}
    return subset_of(scenes, draw(st.integers(0, scenes)), draw(st.integers(0, 999))), marks


@LAW
@given(cases())
def test_it_is_exact_or_refused_and_never_parts_a_pair(
    case: tuple[Subset, dict[int, tuple[str, str]]],
) -> None:
    subset, marks = case
    groups = together(marks)
    sums = {0}
    for group in groups:
        sums |= {total + len(group) for total in sums}
    if subset.dev_scenes not in sums:
        with pytest.raises(RosegenError, match=r"Edits: no split of \d+ scenes has \d+ dev") as bad:
            dev_scenes(subset, pairing_of(marks))
        assert "\n" not in str(bad.value)
        return
    dev = dev_scenes(subset, pairing_of(marks))
    assert len(dev) == subset.dev_scenes
    assert dev <= set(marks)
    assert all(group <= dev or not group & dev for group in groups)
    backwards = dict(reversed(marks.items()))
    assert dev_scenes(subset, pairing_of(backwards)) == dev


def test_many_scenes_that_share_nothing() -> None:
    marks = {n: (f"k{n}", f"l{n}") for n in range(1, 1001)}
    dev = dev_scenes(subset_of(1000, 260), pairing_of(marks))
    assert len(dev) == 260
    assert dev != dev_scenes(subset_of(1000, 260, seed=8), pairing_of(marks))
    assert 80 < sum(number <= 400 for number in dev) < 128  # neither first nor last
