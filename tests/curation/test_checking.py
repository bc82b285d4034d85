"""Checking: a list is clean when a build can use every accepted pair of it, else says why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rosegen.build import build
from rosegen.curation import Checked, check_pairs, mine_pairs
from rosegen.errors import RosegenError
from rosegen.pair_list import read_pair_list, write_pair_list
from tests.curation.maker import decided, pipeline, several, spot

pytestmark = pytest.mark.usefixtures("spots")

FAINT = {"key": "faint", "group": "g", "a": None, "b": [30, 30, 2]}  # less than a pixel at 40 px


def accepted(path: Path, verdicts: dict[str, str] | None = None) -> Path:
    """The list of a pipeline's pairs, all accepted where not said otherwise."""
    out = path.with_name("pairs.csv")
    mine_pairs(path, out, workers=1, force=True, refused_too=True)
    decided(out, {"*": "accept", **(verdicts or {})})
    return out


def checked(path: Path, pairs: Path, **options: Any) -> Checked:
    return check_pairs(path, pairs, workers=1, **options)


def faults(path: Path, pairs: Path, **options: Any) -> list[tuple[str, str]]:
    """Key and message of each."""
    return [(fault.key, fault.message) for fault in checked(path, pairs, **options).faults]


def some(count: int) -> list[dict[str, Any]]:
    return [spot(number) for number in range(count)]


def test_a_list_that_a_build_can_use_is_clean(tmp_path: Path) -> None:
    path = pipeline(tmp_path, [*some(8), FAINT])
    pairs = accepted(path, {"faint": "refuse", "k00": ""})
    found = checked(path, pairs)
    assert found.ok
    (counted,) = found.subsets
    assert (counted.accepted, counted.refused, counted.undecided) == (7, 1, 1)
    assert (counted.usable, counted.scenes, counted.dev_scenes) == (7, 6, 1)
    curated = pipeline(tmp_path, [*some(8), FAINT], curated="pairs.csv")
    summary = build(curated, tmp_path / "release", workers=1).summary
    assert summary["counts"]["scenes"] == 6


def test_a_pair_that_is_no_candidate_any_more_is_named(tmp_path: Path) -> None:
    pairs = accepted(pipeline(tmp_path, some(9)))
    moved = [*some(7), spot(7, group="h")]
    assert sorted(faults(pipeline(tmp_path, moved), pairs)) == [
        ("k07", "not a candidate of this group, but of h"),
        ("k08", "not among the 8 candidates: no pair has this key"),
    ]


def test_a_pair_that_looks_other_than_when_it_was_seen_is_named(tmp_path: Path) -> None:
    pairs = accepted(pipeline(tmp_path, some(7)))
    changed = [*some(6), spot(40, "k06")]
    ((key, message),) = faults(pipeline(tmp_path, changed), pairs)
    assert key == "k06"
    assert message.startswith("looks other than when it was mined")


def test_a_pair_must_do_at_every_cell_size(tmp_path: Path) -> None:
    path = pipeline(tmp_path, [*some(7), FAINT])
    pairs = accepted(path)
    assert {p.key: p.columns["refusal"] for p in read_pair_list(pairs)}["faint"] is None
    assert faults(path, pairs) == [("faint", "not admitted: ssim_above_0.9999 at 40 px")]


def test_a_pair_outside_the_window_is_named_with_every_size(tmp_path: Path) -> None:
    alike = {"key": "alike", "group": "g", "a": [30, 30, 20], "b": [30, 30, 20]}
    path = pipeline(tmp_path, [*some(7), alike])
    ((key, message),) = faults(path, accepted(path))
    assert key == "alike"
    assert message == "not admitted: " + ", ".join(
        f"ssim_above_0.9999 at {size} px" for size in (40, 50, 60)
    )


def test_the_same_art_twice_and_a_reverse_are_told_apart(tmp_path: Path) -> None:
    twin = {**spot(0), "key": "twin"}
    reverse = {**spot(1), "key": "reverse", "a": spot(1)["b"], "b": spot(1)["a"]}
    path = pipeline(tmp_path, [*some(7), twin, reverse])
    pairs = path.with_name("pairs.csv")
    rows = [{"key": key, "verdict": "accept"} for key in (*_keys(7), "twin", "reverse")]
    write_pair_list(pairs, rows)
    assert faults(path, pairs) == [
        ("twin", f"the same art as k00 at {pairs}:2"),
        ("reverse", f"the reverse of k01 at {pairs}:3"),
    ]
    decided(pairs, {"twin": "refuse", "k01": "", "*": "accept"})
    assert faults(path, pairs) == []


def _keys(count: int) -> list[str]:
    return [spot(number)["key"] for number in range(count)]


def test_too_few_pairs_for_the_scenes_are_told(tmp_path: Path) -> None:
    path = pipeline(tmp_path, some(9))
    pairs = accepted(path, dict.fromkeys(_keys(5), "refuse"))
    ((key, message),) = faults(path, pairs)
    assert key == ""
    assert message.startswith("the pool has pairs for 4 of 6 scenes (4 candidates")


def test_pairs_in_two_groups_serve_a_scene_once(tmp_path: Path) -> None:
    both = [{**spot(n + 9 * place), "key": f"k{n:02}", "group": group}
            for n in range(5) for place, group in enumerate("gh")]  # fmt: skip
    path = pipeline(tmp_path, both)
    found = checked(path, accepted(path))
    assert (found.subsets[0].accepted, found.subsets[0].usable) == (10, 5)
    (fault,) = found.faults
    assert fault.message.startswith("the pool has pairs for 5 of 6 scenes")


def test_a_split_that_cannot_be_met_is_told(tmp_path: Path) -> None:
    """One pair for six scenes cannot serve both sides of the split."""
    settings = {"repeat_pairs": True, "dev_scenes": 1}
    path = pipeline(tmp_path, some(1), **settings)
    ((key, message),) = faults(path, accepted(path))
    assert key == ""
    assert message.startswith("its 1 candidates all hang together")
    assert "set dev_scenes to 0" in message


def test_a_list_on_which_nobody_decided_is_of_no_use(tmp_path: Path) -> None:
    path = pipeline(tmp_path, some(7))
    assert faults(path, accepted(path, {"*": ""})) == [
        ("", "no accepted pair is among its candidates")
    ]


def test_what_was_refused_or_left_undecided_is_nobodys_concern(tmp_path: Path) -> None:
    pairs = accepted(pipeline(tmp_path, [*some(7), spot(50, "gone"), spot(51, "away")]))
    decided(pairs, {"gone": "refuse", "away": "", "*": "accept"})
    assert faults(pipeline(tmp_path, some(7)), pairs) == []


def test_every_subset_is_held_against_its_own_pairs(tmp_path: Path) -> None:
    path = several(tmp_path, {"One": (some(7), {}), "Two": (some(8), {})})
    pairs = accepted(path)
    fewer = several(tmp_path, {"One": (some(7), {}), "Two": (some(7), {})})
    found = checked(fewer, pairs)
    assert [(fault.subset, fault.key) for fault in found.faults] == [("Two", "k07")]
    assert faults(fewer, pairs, subsets=("One",)) == []


def test_a_list_without_subsets_may_speak_of_several(tmp_path: Path) -> None:
    two = [spot(n) for n in range(10, 17)]
    path = several(tmp_path, {"One": (some(7), {}), "Two": (two, {})})
    pairs = path.with_name("pairs.csv")
    keys = [*_keys(7), *(s["key"] for s in two)]
    write_pair_list(pairs, [{"key": key, "verdict": "accept"} for key in keys])
    assert faults(path, pairs) == []
    write_pair_list(pairs, [{"key": key, "verdict": "accept"} for key in [*keys, "none"]])
    assert {key for key, _ in faults(path, pairs)} == {"none"}


def test_only_subsets_that_name_the_list_are_checked_where_some_do(tmp_path: Path) -> None:
    path = several(tmp_path, {"One": (some(7), {}), "Two": (some(7), {})})
    pairs = accepted(path)
    named = several(tmp_path, {"One": (some(7), {"curated": "pairs.csv"}), "Two": (some(2), {})})
    assert [one.name for one in checked(named, pairs).subsets] == ["One"]
    assert faults(named, pairs) == []


def test_pairs_of_a_subset_that_is_gone_are_named(tmp_path: Path) -> None:
    path = several(tmp_path, {"One": (some(7), {}), "Old": ([spot(0)], {})})
    pairs = accepted(path)
    only = several(tmp_path, {"One": (some(7), {})})
    ((key, message),) = faults(only, pairs)
    assert key == "k00"
    assert message.endswith("has no subset of that name")


def test_a_fault_is_one_line_whatever_the_names_hold(tmp_path: Path) -> None:
    path = pipeline(tmp_path, some(7))
    pairs = path.with_name("pairs.csv")
    bad = {"key": "evil\nrosegen: all is well \u202e\x1b[2J", "group": "g\r", "verdict": "accept"}
    write_pair_list(pairs, [bad, *({"key": key, "verdict": "accept"} for key in _keys(7))])
    (fault,) = checked(path, pairs).faults
    assert str(fault).isprintable()
    assert str(fault).startswith(f"{pairs}:2: Spots g\\r evil\\nrosegen: all is well")


def test_a_list_of_none_of_the_subsets_is_refused(tmp_path: Path) -> None:
    path = pipeline(tmp_path, some(7))
    pairs = path.with_name("pairs.csv")
    write_pair_list(pairs, [{"subset": "Other", "key": "k", "verdict": "accept"}])
    with pytest.raises(RosegenError, match=r"pairs\.csv: has no pair of Spots"):
        checked(path, pairs)


def test_workers_change_nothing(tmp_path: Path) -> None:
    path = pipeline(tmp_path, [*some(20), FAINT])
    pairs = accepted(path)
    assert check_pairs(path, pairs, workers=2) == check_pairs(path, pairs, workers=1)


def test_a_build_says_why_a_list_has_no_accepted_pair(tmp_path: Path) -> None:
    pairs = accepted(pipeline(tmp_path, some(7)), {"*": ""})
    used = pipeline(tmp_path, some(7), curated="pairs.csv")
    with pytest.raises(RosegenError, match="none of its 7 pairs in .* is accepted: rosegen pairs"):
        build(used, tmp_path / "release", workers=1, offline=True)
    pairs.write_text(pairs.read_text().replace("\nSpots,", "\nDots,"))
    with pytest.raises(RosegenError, match=r"speaks of Dots\): was the subset renamed"):
        build(used, tmp_path / "release", workers=1, offline=True)
