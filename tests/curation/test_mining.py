"""Mining: which pairs are listed, in which order, and that no verdict is ever lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rosegen.curation import mine_pairs
from rosegen.curation.offer import in_order
from rosegen.errors import RosegenError
from rosegen.pair_list import ListedPair, read_pair_list, write_pair_list
from rosegen.scene import Tile
from rosegen.sources.base import Candidate
from rosegen.sources.similarity import measure, similarity
from tests.core_maker import SMALL, small_subset
from tests.curation.maker import (
    WIDE,
    Spec,
    Spots,
    decided,
    keys,
    loaded,
    pipeline,
    several,
    spot,
)

pytestmark = pytest.mark.usefixtures("spots")

ALIKE = {"key": "alike", "group": "g", "a": [30, 30, 20], "b": [30, 30, 20]}
BROKEN = {"key": "broken", "group": "g", "a": "broken", "b": None}


def mined(path: Path, out: Path, **options: Any) -> list[ListedPair]:
    mine_pairs(path, out, workers=1, **options)
    return list(read_pair_list(out))


def some(count: int, **more: Any) -> list[Spec]:
    return [spot(number, **more) for number in range(count)]


# What is listed


def test_every_pair_inside_the_window_is_listed_with_its_measures(tmp_path: Path) -> None:
    path = pipeline(tmp_path, [*some(8), ALIKE, BROKEN])
    pairs = mined(path, tmp_path / "pairs.csv")
    assert sorted(pair.key for pair in pairs) == [f"k{n:02}" for n in range(8)]
    source = Spots(_config(path))
    for pair in pairs:
        candidate = next(c for c in source.candidates(None) if c.key == pair.key)
        a, b = source.draw(candidate.a, 50), source.draw(candidate.b, 50)
        columns = pair.columns
        assert (columns["cell_size"], columns["refusal"]) == ("50", None)
        assert (columns["a"], columns["b"]) == (f"{pair.key}/a", f"{pair.key}/b")
        for name, value in measure(a, b).as_dict().items():
            assert float(columns[name]) == value, name
        assert float(columns["similarity"]) == similarity(a, b)
        assert len(columns["a_sha256"]) == len(columns["b_sha256"]) == 64


def _config(path: Path) -> Any:
    from rosegen.sources.base import SourceConfig  # noqa: PLC0415

    subset = loaded(path).subsets[0]
    return SourceConfig("spots", subset.options, {}, Path(), subset.background, subset.ink)


def test_refused_pairs_are_listed_on_request_with_what_is_known_of_them(tmp_path: Path) -> None:
    path = pipeline(tmp_path, [*some(3), ALIKE, BROKEN])
    found = {p.key: p.columns for p in mined(path, tmp_path / "all.csv", refused_too=True)}
    assert {key: row["refusal"] for key, row in found.items() if row["refusal"]} == {
        "alike": "ssim_above_0.9999",
        "broken": "cannot_be_drawn",
    }
    assert float(found["alike"]["ssim"]) == 1.0
    assert float(found["alike"]["similarity"]) == 1.0
    assert found["alike"]["a_sha256"] == found["alike"]["b_sha256"]
    assert found["broken"]["ssim"] is None
    assert found["broken"]["a_sha256"] is None


def test_a_pair_must_do_under_every_cue_that_scenes_get(tmp_path: Path) -> None:
    """A wide box hides what differs at a cell's edge alone; one that is never drawn does not."""
    corner = {"key": "corner", "group": "g", "a": None, "b": [0, 0, 15]}
    wide = {"outline_half_width": 0.2, "shares": {"OUTLINE_BOX": 1, "MASK": 1}}
    boxed = pipeline(tmp_path, [*some(3), corner], cues=wide)
    pairs = mined(boxed, tmp_path / "box.csv", refused_too=True)
    assert {p.key: p.columns["refusal"] for p in pairs if p.columns["refusal"]} == {
        "corner": "under_outline_box_ssim_above_0.9999"
    }
    masked = {**wide, "shares": {"OUTLINE_BOX": 0, "MASK": 1}}
    pairs = mined(pipeline(tmp_path, [*some(3), corner], cues=masked), tmp_path / "mask.csv")
    assert len(pairs) == 4


def test_the_same_art_under_two_names_is_listed_once(tmp_path: Path) -> None:
    twin = {**spot(0, "twin"), "a": spot(0)["b"], "b": spot(0)["a"]}
    path = pipeline(tmp_path, [*some(3), twin])
    assert len(mined(path, tmp_path / "pairs.csv")) == 3
    everything = mined(path, tmp_path / "all.csv", refused_too=True)
    reasons = {p.key: p.columns["refusal"] for p in everything if p.columns["refusal"]}
    assert list(reasons.values()) == ["same_art_as_another_pair"]
    assert set(reasons) <= {"k00", "twin"}


def test_cells_may_be_of_another_size(tmp_path: Path) -> None:
    pairs = mined(pipeline(tmp_path, some(2)), tmp_path / "pairs.csv", cell_size=33)
    assert {p.columns["cell_size"] for p in pairs} == {"33"}


def test_a_limit_stops_the_work_when_it_is_reached(tmp_path: Path) -> None:
    mined_list = mine_pairs(SMALL, tmp_path / "pairs.csv", limit=12, workers=1)
    assert [s.listed for s in mined_list.subsets] == [12, 12]
    assert all(s.tried < 100 < s.candidates for s in mined_list.subsets)
    assert mined_list.rows == len(read_pair_list(tmp_path / "pairs.csv")) == 24


def test_workers_change_nothing(tmp_path: Path) -> None:
    for workers in (1, 2):
        out = tmp_path / f"{workers}.csv"
        mine_pairs(SMALL, out, subsets=("Edits",), limit=25, refused_too=True, workers=workers)
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_every_format_holds_the_same(tmp_path: Path, ending: str) -> None:
    path = pipeline(tmp_path, some(5))
    first = mined(path, tmp_path / "pairs.csv")
    other = mined(path, tmp_path / f"pairs{ending}")
    assert [(p.key, float(p.columns["ssim"])) for p in first] == [
        (p.key, p.columns["ssim"]) for p in other
    ]


# In which order


def test_no_sprite_comes_again_before_others_have_come(tmp_path: Path) -> None:
    pairs = mined(SMALL, tmp_path / "pairs.csv", subsets=("Contents",), limit=30)
    families = ["/".join(str(p.columns["a"]).split("/")[:3]) for p in pairs]
    assert len(set(families)) == 30


def candidates(*names: str) -> list[Candidate]:
    made = []
    for name in names:
        group, key = name.split(":")
        tile = Tile(name, "p", "CC0-1.0")
        made.append(Candidate(key, group, tile, tile, (key,)))
    return made


def test_groups_take_turns_by_their_shares() -> None:
    subset = _with_shares({"a": 3, "b": 1})
    listed = in_order(
        subset, candidates(*(f"{group}:{group}{n}" for group in "abc" for n in range(12)))
    )
    assert len(listed) == 36
    first = [candidate.group for candidate in listed[:16]]
    assert (first.count("a"), first.count("b")) == (12, 4)
    assert [candidate.group for candidate in listed[-12:]] == ["c"] * 12


def test_a_pair_of_several_groups_comes_again_only_after_all_others() -> None:
    subset = _with_shares({})
    listed = in_order(subset, candidates(*(f"{group}:k{n}" for group in "abc" for n in range(9))))
    for start in (0, 9, 18):
        assert len({candidate.key for candidate in listed[start : start + 9]}) == 9
    assert {candidate.group for candidate in listed[:9]} == set("abc")


def _with_shares(shares: dict[str, float]) -> Any:
    from dataclasses import replace  # noqa: PLC0415

    return replace(small_subset(), group_shares=shares)


# A list that stands there already


def test_a_list_is_not_mined_anew_unasked(tmp_path: Path) -> None:
    path, out = pipeline(tmp_path, some(4)), tmp_path / "pairs.csv"
    mine_pairs(path, out, workers=1)
    decided(out, {"k01": "accept"})
    before = out.read_bytes()
    with pytest.raises(RosegenError, match="a list stands there, with 1 verdicts: give --force"):
        mine_pairs(path, out, workers=1)
    assert out.read_bytes() == before


def test_verdicts_notes_and_columns_of_ones_own_outlive_mining(tmp_path: Path) -> None:
    path, out = pipeline(tmp_path, some(6)), tmp_path / "pairs.csv"
    mine_pairs(path, out, workers=1)
    decided(out, {"k01": "accept", "k02": "refuse"}, k03="look again")
    own = [{**p.row, "reviewer": f"me {p.key}"} for p in read_pair_list(out)]
    write_pair_list(out, own, ["reviewer"])
    again = mine_pairs(path, out, workers=1, force=True)
    assert (again.kept, again.changed, again.carried) == (2, 0, 0)
    pairs = {p.key: p for p in read_pair_list(out)}
    assert {key: p.verdict for key, p in pairs.items() if p.verdict} == {
        "k01": "accept",
        "k02": "refuse",
    }
    assert pairs["k03"].note == "look again"
    assert all(p.columns["reviewer"] == f"me {key}" for key, p in pairs.items())


def test_a_decided_pair_that_is_not_mined_again_stays_as_it_was(tmp_path: Path) -> None:
    """For it is beyond the limit, outside a narrower window, or its art has gone."""
    out = tmp_path / "pairs.csv"
    before = {p.key: p for p in mined(pipeline(tmp_path, some(6)), out)}
    decided(out, {"k01": "accept", "k05": "refuse"}, k04="hm")
    fewer = pipeline(tmp_path, [spot(0), spot(1), spot(2)])
    again = mine_pairs(fewer, out, workers=1, force=True)
    assert (again.rows, again.kept, again.carried) == (5, 1, 2)
    pairs = {p.key: p for p in read_pair_list(out)}
    assert sorted(pairs) == ["k00", "k01", "k02", "k04", "k05"]
    assert (pairs["k05"].verdict, pairs["k04"].note) == ("refuse", "hm")
    assert pairs["k05"].columns["ssim"] == before["k05"].columns["ssim"]


def test_what_a_person_said_of_other_art_is_not_taken_for_this(tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    mine_pairs(pipeline(tmp_path, some(3)), out, workers=1)
    decided(out, {"*": "accept"}, k01="fine")
    changed = pipeline(tmp_path, [spot(0), spot(40, "k01"), spot(2)])
    again = mine_pairs(changed, out, workers=1, force=True)
    assert (again.kept, again.changed) == (2, 1)
    pairs = {p.key: p for p in read_pair_list(out)}
    assert [pairs[key].verdict for key in ("k00", "k01", "k02")] == ["accept", "", "accept"]
    assert pairs["k01"].note == "was accept, but the art has changed; fine"
    assert mine_pairs(changed, out, workers=1, force=True).changed == 0


def test_a_list_of_bare_keys_keeps_its_verdicts(tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    out.write_text("key,verdict\nk01,accept\nk02,\nof old,refuse\n", encoding="utf-8")
    again = mine_pairs(pipeline(tmp_path, some(3)), out, workers=1, force=True)
    assert (again.kept, again.carried) == (1, 1)
    assert {p.key: p.verdict for p in read_pair_list(out)} == {
        "k00": "",
        "k01": "accept",
        "k02": "",
        "of old": "refuse",
    }


def test_subsets_that_are_not_mined_keep_their_pairs(tmp_path: Path) -> None:
    path = several(tmp_path, {"One": (some(3), {}), "Two": (some(4), {})})
    out = tmp_path / "pairs.csv"
    mine_pairs(path, out, workers=1)
    decided(out, {"k03": "accept"})
    before = out.read_bytes()
    again = mine_pairs(path, out, subsets=("One",), workers=1, force=True)
    assert [s.name for s in again.subsets] == ["One"]
    assert out.read_bytes() == before


# What goes wrong


def test_a_file_that_is_no_list_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    out.write_text("my,diary\ndear,diary\n", encoding="utf-8")
    with pytest.raises(RosegenError, match=r"pairs\.csv:2: no column 'key'"):
        mine_pairs(pipeline(tmp_path, some(3)), out, workers=1, force=True)
    assert out.read_text(encoding="utf-8") == "my,diary\ndear,diary\n"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RosegenError("full")])
def test_nothing_half_written_is_left_when_work_stops(tmp_path: Path, stop: Any) -> None:
    path = pipeline(tmp_path / "in", some(6))
    out = tmp_path / "out" / "pairs.csv"
    mine_pairs(path, out, workers=1)
    before = out.read_bytes()

    def progress(stage: str, done: int, total: int) -> None:
        if done == 3:
            raise stop

    for target in (out, tmp_path / "new" / "pairs.csv"):
        with pytest.raises((KeyboardInterrupt, RosegenError)):
            mine_pairs(path, target, workers=1, force=True, progress=progress)
    assert out.read_bytes() == before
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["in", "out", "pairs.csv", "spots.yaml"]


def test_a_source_without_a_pair_says_so(tmp_path: Path) -> None:
    with pytest.raises(RosegenError, match="Spots: kind spots finds no pair"):
        mine_pairs(pipeline(tmp_path, []), tmp_path / "pairs.csv", workers=1)
    assert [p.name for p in tmp_path.iterdir()] == ["spots.yaml"]


def test_art_whose_licence_is_not_allowed_is_not_mined(tmp_path: Path) -> None:
    path = pipeline(tmp_path, some(3))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"format": 1', '"format": 1, "licenses": ["MIT"]'))
    with pytest.raises(RosegenError, match="CC0-1.0"):
        mine_pairs(path, tmp_path / "pairs.csv", workers=1)


def test_a_narrow_window_may_leave_an_empty_list(tmp_path: Path) -> None:
    narrow = {**WIDE, "ssim": [-1, -0.9]}
    found = mine_pairs(pipeline(tmp_path, some(3), admission=narrow), tmp_path / "p.csv", workers=1)
    assert (found.rows, found.subsets[0].refused) == (0, {"ssim_above_-0.9": 3})
    assert keys(tmp_path / "p.csv") == []
