"""Lists of pairs: what is written is read again, in every format, whatever it holds."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from rosegen.pair_list import COLUMNS, decide, of_subset, read_pair_list, write_pair_list
from tests.core_maker import LAW

ENDINGS = [".csv", ".jsonl", ".parquet"]
HOSTILE = 'a,"b"\r\n\n\r;=1+1 </script> \u202e\u200d\u2028 凤 👩‍🎨 '


def row(key: str, **columns: Any) -> dict[str, Any]:
    return {
        "subset": "S",
        "group": "g",
        "key": key,
        "a": f"{key}/a",
        "b": f"{key}/b",
        "cell_size": 48,
        "ssim": 0.912345,
        "phash_distance": 6,
        **columns,
    }


def written(path: Path, rows: list[dict[str, Any]], extra: tuple[str, ...] = ()) -> Path:
    assert write_pair_list(path, rows, extra) == len(rows)
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_list_reads_as_it_was_written(tmp_path: Path, ending: str) -> None:
    rows = [row("k1", verdict="accept", note="so"), row("k2", verdict="refuse"), row("k3")]
    pairs = read_pair_list(written(tmp_path / f"list{ending}", rows))
    assert [(p.subset, p.group, p.key, p.verdict, p.note) for p in pairs] == [
        ("S", "g", "k1", "accept", "so"),
        ("S", "g", "k2", "refuse", ""),
        ("S", "g", "k3", "", ""),
    ]
    assert set(pairs[0].columns) == set(COLUMNS)
    assert float(pairs[0].columns["ssim"]) == 0.912345
    assert int(pairs[0].columns["cell_size"]) == 48


@LAW
@given(
    st.sampled_from(ENDINGS),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
)
def test_any_name_and_any_note_come_back_as_they_were(ending: str, key: str, note: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder) / f"list{ending}", [row(key, note=note), row(f"{key}!")])
        first, second = read_pair_list(path)
    assert (first.key, first.note, first.columns["a"]) == (key, note, f"{key}/a")
    assert (second.key, second.note) == (f"{key}!", "")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_list_may_be_copied_from_one_format_to_any_other(tmp_path: Path, ending: str) -> None:
    rows = [row(HOSTILE, verdict="accept", note=HOSTILE, reviewer="me"), row("plain")]
    pairs = read_pair_list(written(tmp_path / "first.csv", rows, ("reviewer",)))
    copy = written(tmp_path / f"copy{ending}", [pair.row for pair in pairs], ("reviewer",))
    again = read_pair_list(copy)
    assert [(p.key, p.verdict, p.note) for p in again] == [
        (HOSTILE, "accept", HOSTILE),
        ("plain", "", ""),
    ]
    assert [p.columns["reviewer"] for p in again] == ["me", None]
    assert float(again[0].columns["ssim"]) == 0.912345


def test_half_a_surrogate_pair_is_spelled_out(tmp_path: Path) -> None:
    """A file's name may hold one, and no file of text can."""
    (pair,) = read_pair_list(written(tmp_path / "list.csv", [row("bad\udcffname")]))
    assert pair.key == "bad\\udcffname"


def test_parquet_knows_numbers_from_texts(tmp_path: Path) -> None:
    path = written(tmp_path / "list.parquet", [row("k"), row("l", ssim="", cell_size=None)])
    table = pyarrow.parquet.read_table(path)
    types = {field.name: str(field.type) for field in table.schema}
    assert (types["key"], types["cell_size"], types["ssim"]) == ("string", "int64", "double")
    assert table.column("ssim").to_pylist() == [0.912345, None]


@pytest.mark.parametrize("nonsense", ["about a half", "nan", "inf", float("nan")])
def test_a_measure_that_is_no_number_is_left_out(tmp_path: Path, nonsense: object) -> None:
    path = written(tmp_path / "list.jsonl", [row("k", ssim=nonsense, phash_distance=nonsense)])
    (pair,) = read_pair_list(path)
    assert pair.columns["ssim"] is None
    assert pair.columns["phash_distance"] is None


def test_an_ending_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RosegenError, match=r"list\.txt: name it \.csv, \.jsonl or \.parquet"):
        write_pair_list(tmp_path / "list.txt", [])
    assert not list(tmp_path.iterdir())


def test_a_list_of_keys_and_verdicts_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("verdict,key\n Accept ,k1\nREFUSE,k2\n,k3\n", encoding="utf-8")
    pairs = read_pair_list(path)
    assert [(p.key, p.verdict, p.subset, p.group) for p in pairs] == [
        ("k1", "accept", "", ""),
        ("k2", "refuse", "", ""),
        ("k3", "", "", ""),
    ]
    assert of_subset(pairs, "any") == list(pairs)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("key\nk\n", r"list\.csv:2: no column 'verdict'"),
        ("key,verdict\n,accept\n", r"list\.csv:2: key is empty"),
        ("key,verdict\nk,yes\n", r"list\.csv:2: verdict is 'yes'"),
        ("key,verdict\nk,\nk,accept\n", r"list\.csv:3: k stands already at .*list\.csv:2"),
    ],
)
def test_what_is_no_list_is_refused_with_its_line(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "list.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RosegenError, match=complaint):
        read_pair_list(path)


def test_verdicts_are_given_by_number_and_change_nothing_else(tmp_path: Path) -> None:
    rows = [row(f"k{n}", verdict="refuse" if n == 3 else "", note="old") for n in range(1, 5)]
    pairs = read_pair_list(written(tmp_path / "list.csv", rows))
    decided = decide(pairs, {1: "accept", 3: "", 4: "refuse"}, {4: "too plain"})
    assert [p.verdict for p in decided] == ["accept", "", "", "refuse"]
    assert [p.note for p in decided] == ["old", "old", "old", "too plain"]
    assert [p.verdict for p in pairs] == ["", "", "refuse", ""]
    again = read_pair_list(written(tmp_path / "again.csv", [p.row for p in decided]))
    assert [(p.verdict, p.note, p.columns["ssim"]) for p in again] == [
        (p.verdict, p.note, p.columns["ssim"]) for p in decided
    ]


@pytest.mark.parametrize(
    ("verdicts", "complaint"),
    [
        ({5: "accept"}, "pair 5: the list has pairs 1 to 1"),
        ({0: "accept"}, "pair 0: the list has pairs 1 to 1"),
        ({1: "maybe"}, "pair 1: 'maybe' is no verdict"),
    ],
)
def test_a_verdict_on_nothing_is_refused(
    tmp_path: Path, verdicts: dict[int, str], complaint: str
) -> None:
    pairs = read_pair_list(written(tmp_path / "list.csv", [row("k")]))
    with pytest.raises(RosegenError, match=complaint):
        decide(pairs, verdicts)


def test_art_is_told_from_other_art_in_either_direction(tmp_path: Path) -> None:
    rows = [row("k", a_sha256="11", b_sha256="22"), row("of old")]
    known, unknown = read_pair_list(written(tmp_path / "list.csv", rows))
    assert not known.had_other_art("11", "22")
    assert not known.had_other_art("22", "11")
    assert known.had_other_art("11", "33")
    assert not unknown.had_other_art("11", "22")
