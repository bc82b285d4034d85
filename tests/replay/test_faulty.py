"""Faulty records from the command line: each is named in a line, the rest is done, exit code 1."""

from __future__ import annotations

import copy
import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from rosegen.replay import recover, replay
from rosegen.scene import T1, T2B, T3, T4
from rosegen.verify import verify_release
from tests.core_maker import LAW
from tests.replay.maker import (
    Ran,
    Row,
    by_id,
    lines,
    needs_rose,
    release_rows,
    rose_slice,
    run,
    without_nulls,
    write,
)

SCENES = 4
OWN_WORD = {"difficulty", "cue_type"}  # nothing but its own row tells it


@pytest.fixture(scope="module")
def few(small: Path) -> list[Row]:
    """All seven rows of each of four scenes: two of either subset of a release of rosegen's."""
    rows = sorted(
        release_rows(small), key=lambda row: (row["rose_subset"] != "Edits", row["scene_id"])
    )
    return [row for row in rows if row["scene_id"][-1] in "12" and row["scene_id"][-2] == "0"]


@pytest.fixture
def rows(few: list[Row]) -> list[Row]:
    return copy.deepcopy(few)


def of(rows: list[Row], template: str) -> Row:
    """The first scene's row of a task."""
    return next(row for row in rows if row["task_template"] == template)


def check_rest(ran: Ran, out: Path, lost: int = 0) -> list[Row]:
    """What a run over faulty records must have done; returns the notes."""
    assert (ran.code, ran.err) == (1, [])
    assert all(line.isprintable() for line in ran.out)
    notes = lines(out / "replay_notes.jsonl")
    told = [note for note in notes if note["note"] in ("contradiction", "lost")]
    assert len(told) == len(ran.out) - 2  # beside what was made, and how much was wrong
    for line, note in zip(ran.out, told):
        if note["note"] == "lost":
            assert line == f"{note['scene_id']}: lost: {note['reason']}"
        else:
            assert line.startswith(f"{note['where']}: {note['item_id']}: {note['field']} says ")
    summary = json.loads((out / "export_summary.json").read_text(encoding="utf-8"))
    assert summary["counts"]["scenes"] == SCENES - lost
    assert [path.name for path in out.parent.iterdir() if path.name.startswith(".")] == []
    report = verify_release(out, workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]
    return told


def off_grid(row: Row) -> None:
    row["target_cells"][0] = [row["rows"] + 1, 1]


def twice(row: Row) -> None:
    row["target_cells"].append(row["target_cells"][0])


def region_outside(row: Row) -> None:
    row["region_params"] = {"r1": 1, "r2": row["rows"] + 1}
    row["region_type"] = "ROW_RANGE"


def put(key: str, value: Any) -> Callable[[Row], None]:
    return lambda row: row.update({key: value})


def nest(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


# What is done to one row, and the fields that are named, of that row alone.
FAULTS: dict[str, tuple[str, Callable[[Row], None], set[str]]] = {
    "a missing field": (T1, lambda row: row.pop("cell_size"), {"cell_size"}),
    "a wrong count": (T1, put("ground_truth_count", 99), {"ground_truth_count"}),
    "a cell off the grid": (T3, off_grid, {"target_cells"}),
    "a target twice": (T3, twice, {"target_cells"}),
    "a region outside the grid": (T3, region_outside, {"region_params"}),
    "text in a number's place": (T1, put("rows", "eight"), {"rows"}),
    "a number in text's place": (T1, put("pair_key", 5), {"pair_key"}),
    "text in a measure's place": (T1, put("ssim", "high"), {"ssim"}),
    "another scene's id": (T1, put("scene_id", "EDSCENE_000002"), {"scene_id"}),
    "an id in small letters": (T1, put("item_id", "edITEM_000001"), {"item_id"}),
    "not a number": (T1, put("cell_size", float("nan")), {"cell_size"}),
    "infinity": (T1, put("image_width", float("inf")), {"image_width"}),
    "half a character": (T1, put("image_split", "ma\ud800in"), {"image_split"}),
    "a huge number": (T1, put("region_cell_count", 10**400), {"region_cell_count"}),
    "a huge seed": (T1, put("item_seed", 1 << 70), {"item_seed"}),
    "a very long text": (T1, put("answer", "COUNT(1)" * 99_999), {"answer"}),
    "a deep nest": (T1, put("pair_key", nest(400)), {"pair_key"}),
    "a path out of its folder": (T1, put("background_path", "../../up.png"), {"background_path"}),
    "a path from the root": (T1, put("target_path", "/etc/passwd"), {"target_path"}),
    "an image elsewhere": (T1, put("image", "../EDIMG_000001.png"), {"image"}),
    "line breaks in a name": (T1, put("grid_size_profile", "a\nb\x1b[2J"), {"grid_size_profile"}),
    "a split of another kind": (T1, put("split", "train"), {"split"}),
    "a level of another kind": (T1, put("difficulty", "bridge"), {"difficulty"}),
    "a cue that is none": (T4, put("cue_type", "ARROW"), {"cue_type"}),
    "a bridge from elsewhere": (T2B, put("source_item_id", "EDITEM_000009"), {"source_item_id"}),
    "a template that is none": (T1, put("task_template", "T9"), {"task_template"}),
    "another subset's name": (T1, put("rose_subset", "Contents"), {"rose_subset"}),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_faulty_row_is_named_and_the_rest_is_done(
    kind: str, rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template, mutilate, fields = FAULTS[kind]
    sound = copy.deepcopy(rows)
    row = of(rows, template)
    mutilate(row)
    place = rows.index(row) + 1
    ran = run(capsys, write(tmp_path / "rows.jsonl", rows), "--out", tmp_path / "made")
    notes = check_rest(ran, tmp_path / "made")
    assert {note["where"] for note in notes} == {f"rows.jsonl:{place}"}
    assert {note["field"] for note in notes} == fields
    assert str(tmp_path) not in json.dumps(notes)
    # What the record says wrongly is right in the release, for its scene's other rows tell it.
    made = by_id(release_rows(tmp_path / "made"))
    for whole in sound:
        unlike = {key for key in whole if made[whole["item_id"]][key] != whole[key]}
        assert unlike <= OWN_WORD & fields


@needs_rose
def test_any_missing_field_of_roses_rows_is_named_and_harms_no_other_row(tmp_path: Path) -> None:
    clicks, counts = rose_slice(1)
    checked = 0
    for place, row in enumerate(clicks + counts):
        for field in row:
            mutilated = copy.deepcopy(clicks + counts)
            del mutilated[place][field]
            recovered = recover([write(tmp_path / "rows.jsonl", mutilated)])
            found = {(fault.where, fault.field) for fault in recovered.faults}
            assert found == {(f"rows.jsonl:{place + 1}", field)}
            assert (len(recovered.scenes), recovered.lost) == (5, ())
            checked += 1
    assert checked > 500


@needs_rose
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("subset", "key", "value"),
    [
        ("ROSE-ChineseGlyph", "source_pair", ["木", "林"]),
        ("ROSE-ChineseGlyph", "background_char", "木"),
        ("ROSE-EmojiStyle", "unicode_key", "1f600"),
        ("ROSE-EmojiStyle", "background_path", "twemoji_svg\\1f600.svg"),
        ("ROSE-EmojiStyle", "target_path", "..\\up.png"),
        ("ROSE-EmojiContent", "target_unicode", "1f600"),
        ("ROSE-EmojiContent", "target_path", "twemoji_svg\\1f600.svg"),
    ],
)
def test_of_two_rows_the_one_that_its_own_other_fields_prove_wrong_is_named(
    place: int, subset: str, key: str, value: Any, tmp_path: Path
) -> None:
    clicks, counts = rose_slice(1)
    rows = [row for row in (*clicks, *counts) if row["rose_subset"] == subset]
    right = rows[0][key]
    rows[place][key] = value
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    assert [(f.where, f.field) for f in recovered.faults] == [(f"rows.jsonl:{place + 1}", key)]
    assert recovered.scenes[0].columns[key] == right


@needs_rose
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("font_name", "Arial"),
        ("grid_size_profile", "tiny"),
        ("image_split", "dev"),
        ("split", "dev"),
    ],
)
def test_where_nothing_tells_which_of_two_rows_is_wrong_both_are_named(
    key: str, value: str, tmp_path: Path
) -> None:
    clicks, counts = rose_slice(1)
    rows = [clicks[0], {**counts[0], key: value}]
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    found = {(f.where, f.says, f.should) for f in recovered.faults if f.field == key}
    one, other = json.dumps(rows[0][key]), json.dumps(value)
    assert found == {("rows.jsonl:1", one, other), ("rows.jsonl:2", other, one)}
    assert len(recovered.scenes) == 1


# --- lines and files


BROKEN: dict[str, tuple[bytes, str]] = {
    "no JSON": (b'{"item_id": "EDITEM_000001", ', "is not JSON"),
    "a list": (b"[1, 2]", "holds a JSON list"),
    "no UTF-8": (b'{"item_id": "\xff"}', "is not UTF-8"),
    "a bomb": (b"[" * 100_000 + b"]" * 100_000, "is nested too deeply"),
    "a number of too many digits": (b'{"rows": ' + b"9" * 5000 + b"}", "is not JSON"),
    "control characters": (b"\x1b[2J\x00", "is not JSON"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_line_that_is_no_row_is_named_and_the_rest_is_done(
    kind: str, few: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, says = BROKEN[kind]
    path = write(tmp_path / "rows.jsonl", few)
    head, tail = path.read_bytes().split(b"\n", 1)
    path.write_bytes(b"\n".join([head, b"", line, tail]))
    ran = run(capsys, path, "--out", tmp_path / "made")
    (note,) = check_rest(ran, tmp_path / "made")
    assert (note["where"], note["field"]) == ("rows.jsonl:3", "line")
    assert says in note["should"]
    assert len(ran.out[0]) < 500


def truncated(path: Path, rows: list[Row]) -> None:
    whole = gzip.compress(write(path, rows).read_bytes())
    path.write_bytes(whole[: len(whole) // 2])


def a_csv(path: Path, rows: list[Row]) -> None:
    path.with_suffix(".csv").write_text("item_id\nEDITEM_000001\n", encoding="utf-8")


def predictions(path: Path, rows: list[Row]) -> None:
    write(path, [{"item_id": "x1", "prediction": "COUNT(3)"}])


def a_picture(path: Path, rows: list[Row]) -> None:
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))


def an_array(path: Path, rows: list[Row]) -> None:
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (truncated, "broken gzip"),
        (a_csv, "give JSON Lines"),
        (predictions, "no scene can be recovered"),
        (a_picture, "no line of the file is a row"),
        (an_array, "1,001 lines of the file are no rows, 0 are"),
        (lambda path, rows: path.touch(), "is empty"),
        (lambda path, rows: path.write_text("\n \n\n"), "is empty"),
        (lambda path, rows: path.write_bytes(gzip.compress(b"")), "is empty"),
        (lambda path, rows: path.mkdir(), "holds no metadata_test.jsonl"),
        (lambda path, rows: os.mkfifo(path), "is no file"),
        (lambda path, rows: None, "No such file"),
    ],
)
def test_a_file_that_is_unreadable_as_a_whole_is_one_line_exit_2_and_leaves_nothing(
    make: Callable[[Path, list[Row]], object],
    says: str,
    few: list[Row],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make(tmp_path / "rows.jsonl", few)
    there = next(iter(tmp_path.iterdir()), tmp_path / "rows.jsonl")
    ran = run(capsys, there, "--out", tmp_path / "made")
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
    assert says in ran.err[0]
    assert there.name in ran.err[0]
    assert [path for path in tmp_path.iterdir() if path != there] == []


def test_an_empty_file_among_others_is_an_error_that_names_it(
    few: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full, empty = write(tmp_path / "rows.jsonl", few), tmp_path / "others.jsonl.gz"
    empty.write_bytes(gzip.compress(b""))
    ran = run(capsys, full, empty, "--out", tmp_path / "made")
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
    assert f"{empty}: is empty" in ran.err[0]


def test_of_a_release_a_split_may_be_empty(
    few: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "release").mkdir()
    files = [tmp_path / f"release/metadata_{split}.jsonl" for split in ("dev", "test")]
    write(files[0], [])
    write(files[1], few)
    assert run(capsys, tmp_path / "release", "--out", tmp_path / "made").code == 0
    ran = run(capsys, *files, "--out", tmp_path / "of files")
    assert (ran.code, "metadata_dev.jsonl: is empty" in ran.err[0]) == (2, True)
    # Of what was made, one split of two is empty again, and its summary says what they are.
    made = [tmp_path / f"made/metadata_{split}.jsonl" for split in ("dev", "test")]
    assert run(capsys, *made, "--out", tmp_path / "of made").code == 0


def test_a_file_of_far_more_other_lines_than_rows_is_refused(
    few: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "rows.jsonl", few)
    path.write_text(path.read_text() + "so it goes\n" * 5000)
    ran = run(capsys, path, "--out", tmp_path / "made")
    assert (ran.code, len(ran.err)) == (2, 1)
    assert f"1,001 lines of the file are no rows, {len(few)} are" in ran.err[0]


# --- what is written otherwise than it is read


def test_a_key_that_stands_twice_is_named_with_what_it_says(few: list[Row], tmp_path: Path) -> None:
    text = write(tmp_path / "rows.jsonl", few).read_text().splitlines(keepends=True)
    text[1] = text[1].replace('"rows": ', '"rows": 3, "rows": ', 1)
    text[2] = text[2].replace('"region_params": {', '"region_params": {"r1": 99, ', 1)
    text[3] = text[3].replace("{", "{" + "".join(f'"k{n}": 1, "k{n}": 2, ' for n in range(50)), 1)
    path = tmp_path / "twice.jsonl"
    path.write_text("".join(text))
    faults = recover([path]).faults
    named = [(fault.where, fault.field, fault.says) for fault in faults]
    assert named[:2] == [
        ("twice.jsonl:2", "rows", f"3 and {few[1]['rows']}"),
        ("twice.jsonl:3", "r1", f"99 and {json.dumps(few[2]['region_params']['r1'])}"),
    ]
    assert named[2:12] == [("twice.jsonl:4", f"k{n}", "1 and 2") for n in range(10)]
    assert named[12:] == [("twice.jsonl:4", "row", "40 other keys twice")]
    assert {fault.item_id for fault in faults} == {row["item_id"] for row in few[1:4]}


def test_nan_is_told_as_it_was_written(rows: list[Row], tmp_path: Path) -> None:
    rows[0]["region_ratio"] = float("nan")
    bounds = rows[2]["region_params"]
    rows[2]["region_params"] = {key: value and float("nan") for key, value in bounds.items()}
    told = {
        fault.field: fault.says for fault in recover([write(tmp_path / "rows.jsonl", rows)]).faults
    }
    assert told["region_ratio"] == "NaN"
    assert told["region_params"].count("NaN") >= 2


@pytest.mark.parametrize(
    ("spoil", "item_id"),
    [
        (lambda line: line[:-500], True),
        (lambda line: line[:900] + b"\xff\xfe" + line[900:], True),
        (lambda line: line.replace(b'"rows": ', b'"rows": ' + b"1" * 6000), True),
        (lambda line: line.replace(b'"item_id": ', b'"name": '), False),
        (lambda line: line[:20], False),
    ],
    ids=["cut", "no UTF-8", "digits", "no id", "cut in the id"],
)
def test_a_line_that_is_no_row_is_told_by_its_id_where_that_is_legible(
    spoil: Callable[[bytes], bytes], item_id: bool, few: list[Row], tmp_path: Path
) -> None:
    lines = write(tmp_path / "rows.jsonl", few).read_bytes().splitlines()
    lines[1] = spoil(lines[1]) + (b"" if item_id else b"!")
    path = tmp_path / "spoiled.jsonl"
    path.write_bytes(b"\n".join(lines))
    (fault,) = recover([path]).faults
    assert (fault.where, fault.field) == ("spoiled.jsonl:2", "line")
    assert fault.item_id == (few[1]["item_id"] if item_id else "?")


def test_of_thousands_of_keys_those_of_most_rows_are_kept_and_the_rest_is_told(
    rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for row in rows:
        row["z"] = "of all"
    rows[1].update({f"k{number:05d}": number for number in range(20_000)})
    ran = run(capsys, write(tmp_path / "rows.jsonl", rows), "--out", tmp_path / "made")
    (note,) = check_rest(ran, tmp_path / "made")
    assert (note["where"], note["item_id"]) == ("rows.jsonl:2", rows[1]["item_id"])
    assert note["says"] == "19,001 keys that are left out (k00999, k01000, k01001, ...)"
    made = by_id(release_rows(tmp_path / "made"))[rows[1]["item_id"]]
    kept = [f"k{number:05d}" for number in range(999)]
    assert sorted(name for name in made if name == "z" or name[:2] == "k0") == [*kept, "z"]


# --- rows that are there twice, and scenes that are lost


def test_a_row_that_is_there_twice_is_named_once_and_heard_once(
    rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows += [copy.deepcopy(rows[0]), {**rows[0], "answer": "COUNT(50)", "rows": 77}]
    ran = run(capsys, write(tmp_path / "rows.jsonl", rows), "--out", tmp_path / "made")
    notes = check_rest(ran, tmp_path / "made")
    assert [(n["where"], n["field"]) for n in notes] == [
        (f"rows.jsonl:{len(rows) - 1}", "item_id"),
        (f"rows.jsonl:{len(rows)}", "item_id"),
    ]
    assert all("rows.jsonl:1" in note["should"] for note in notes)


def test_two_files_of_the_same_rows_are_told_apart_by_name(
    few: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "rows.jsonl", few)
    ran = run(capsys, tmp_path / "b/rows.jsonl", tmp_path / "a/rows.jsonl", "--out", tmp_path / "m")
    notes = check_rest(ran, tmp_path / "m")
    assert [note["where"] for note in notes] == [f"b/rows.jsonl:{n + 1}" for n in range(len(few))]
    assert notes[0]["should"].endswith("a/rows.jsonl:1")


def test_a_file_that_is_named_twice_is_read_once(
    few: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "rows.jsonl", few)
    again = tmp_path / "." / "sub" / ".." / "rows.jsonl"
    (tmp_path / "sub").mkdir()
    ran = run(capsys, path, again, path, "--out", tmp_path / "made")
    assert (ran.code, ran.err) == (0, [])


def all_rows(key: str, value: Any) -> Callable[[list[Row]], None]:
    def change(rows: list[Row]) -> None:
        for row in rows:
            row[key] = value

    return change


def grid_of(rows: int, cols: int, cell_size: int) -> Callable[[list[Row]], None]:
    def change(own: list[Row]) -> None:
        for row in own:
            row.update(rows=rows, cols=cols, cell_size=cell_size)
            row.update(image_width=cols * cell_size, image_height=rows * cell_size)

    return change


def half_exceptions(rows: list[Row]) -> None:
    cells = [[1, col] for col in range(1, 5)] + [[2, 1]]
    for row in rows:
        row["target_cells"] = cells
        row["all_target_cells"] = [f"R{r},C{c}" for r, c in cells]
    grid_of(2, 5, 20)(rows)


LOST: dict[str, tuple[Callable[[list[Row]], object], str]] = {
    "no subset": (all_rows("rose_subset", None), "no row of it agrees with itself"),
    "a subset that is a path": (all_rows("rose_subset", "../../up"), "no folder can be called"),
    "a subset that is a command": (all_rows("rose_subset", "a\x1b[2J\nb"), "no folder can be"),
    "another subset's name": (all_rows("rose_subset", "Contents"), "with prefix CO, Edits with"),
    "no exceptions": (
        lambda rows: (all_rows("target_cells", [])(rows), all_rows("all_target_cells", [])(rows)),
        "0 of its",
    ),
    "half its cells exceptions": (half_exceptions, "5 of its 10 cells are exceptions"),
    "a grid of a million lines": (grid_of(10**6, 8, 20), "its rows is 1000000"),
    "an image of gigabytes": (grid_of(1000, 1000, 60), "is too large to be drawn"),
    "cells too small for any picture": (grid_of(8, 8, 5), "cells of 5 px"),
    "no path and no pair": (
        lambda rows: [
            all_rows(key, None)(rows)
            for key in ("pair_key", "background_path", "target_path", "background_pack",
                        "target_pack")
        ],
        "its rows do not name a sprite",
    ),
    "tiles that nobody draws": (
        lambda rows: (
            all_rows("primitive_type", "HOLOGRAM")(rows),
            all_rows("background_pack", "mine")(rows),
            all_rows("target_pack", "mine")(rows),
        ),
        "tiles of kind 'HOLOGRAM'",
    ),
    "a tile that its pack does not have": (
        all_rows("background_path", "rosegen/no-such"), "has none of that name",
    ),
    "two tiles that are one": (
        lambda rows: all_rows("target_path", rows[0]["background_path"])(rows),
        "look the same",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", LOST)
def test_a_scene_that_cannot_be_made_is_named_as_lost_and_the_rest_is_done(
    kind: str, rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mutilate, says = LOST[kind]
    own = [row for row in rows if row["scene_id"] == rows[0]["scene_id"]]
    others = [row for row in rows if row not in own]
    mutilate(own)
    ran = run(capsys, write(tmp_path / "rows.jsonl", own + others), "--out", tmp_path / "made")
    notes = check_rest(ran, tmp_path / "made", lost=1)
    lost = [note for note in notes if note["note"] == "lost"]
    assert [note["scene_id"] for note in lost] == ["EDSCENE_000001"]
    assert says in lost[0]["reason"]
    made = by_id(release_rows(tmp_path / "made"))
    assert {name: row["answer"] for name, row in made.items()} == {
        row["item_id"]: row["answer"] for row in others
    }
    assert not list((tmp_path / "made").rglob("EDIMG_000001.png"))


def test_where_no_scene_can_be_made_there_is_one_line_and_no_release(
    rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    all_rows("primitive_type", "HOLOGRAM")(rows)
    all_rows("background_pack", "mine")(rows)
    path = write(tmp_path / "rows.jsonl", rows)
    ran = run(capsys, path, "--out", tmp_path / "made")
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
    assert "no scene can be drawn: EDSCENE_000001: lost: " in ran.err[0]
    assert list(tmp_path.iterdir()) == [path]


def test_scenes_of_a_prefix_in_small_letters_are_lost_beside_the_true_ones(
    rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their pictures would be the others' where a disk does not tell the case of names."""
    own = [row for row in rows if row["scene_id"] == rows[0]["scene_id"]]
    rest = [row for row in rows if row not in own]
    small = json.loads(json.dumps(own).replace('"ED', '"ed').replace("MLCNT_ED", "MLCNT_ed"))
    for row in small:
        row["image"] = row["image"].replace("/ED", "/ed")
    ran = run(capsys, write(tmp_path / "rows.jsonl", rest + small), "--out", tmp_path / "made")
    (note,) = check_rest(ran, tmp_path / "made", lost=1)
    assert (note["scene_id"], "Edits with prefix ED" in note["reason"]) == ("edSCENE_000001", True)


# --- columns of the records' own


def test_columns_nobody_knows_are_carried_over_where_a_release_can_hold_them(
    rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = {
        "artist": "Käthe",
        "year": 1999,
        "weight": 0.5,
        "checked": True,
        "tags": ["a", "b"],
        "名前": "字",
    }
    odd = {
        "nested": {"a": [1]},
        "mixed": [1, "a"],
        "huge": 10**30,
        "endless": float("inf"),
        "line\nbreak": "x",
        "": "nameless",
        "half\ud800": "x",
        "n" * 5000: "x",
    }
    for place, row in enumerate(rows):
        row.update(sound, **odd)
        row["weight"] = 1 if row["scene_id"] == rows[0]["scene_id"] else 0.5
        row["note_of_row"] = f"row {place}"
    all_rows("artist", 7)([row for row in rows if row["scene_id"] == rows[0]["scene_id"]])
    ran = run(capsys, write(tmp_path / "rows.jsonl", rows), "--out", tmp_path / "made")
    assert (ran.code, ran.err) == (0, [])
    report = verify_release(tmp_path / "made", workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]
    made = by_id(release_rows(tmp_path / "made"))
    for row in rows:
        own = made[row["item_id"]]
        first = row["scene_id"] == rows[0]["scene_id"]
        assert {name: own[name] for name in sound} == {
            **sound,
            "artist": None if first else "Käthe",
            "weight": 1 if first else 0.5,
        }
        assert not {*odd, "note_of_row"} & set(own)
    notes = [n for n in lines(tmp_path / "made/replay_notes.jsonl") if n["note"] == "left_out"]
    assert len(notes) == (len(odd) + 1) * SCENES + 1
    assert ("artist", "7") in {(note["field"], note["says"]) for note in notes}


def test_a_column_that_one_row_of_many_has_otherwise_is_a_contradiction(
    rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    all_rows("artist", "Käthe")(rows)
    rows[2]["artist"] = "Otto"
    ran = run(capsys, write(tmp_path / "rows.jsonl", rows), "--out", tmp_path / "made")
    (note,) = check_rest(ran, tmp_path / "made")
    assert (note["where"], note["field"]) == ("rows.jsonl:3", "artist")
    assert {row["artist"] for row in release_rows(tmp_path / "made")} == {"Käthe"}


ODD = ("../x", "\ud800", "Edits", "rosegen", "MASK", [[1, 1]], {"r1": 1, "r2": 2})
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 2**64)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(ODD),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(LAW, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_is_wrong_there_is_a_release_that_verifies_or_one_line(
    few: list[Row], tmp_path: Path, data: st.DataObject
) -> None:
    rows = copy.deepcopy(few)
    for _ in range(data.draw(st.integers(1, 20))):
        row = rows[data.draw(st.integers(0, len(rows) - 1))]
        field = data.draw(st.sampled_from([*rows[0], "extra"]))
        row[field] = data.draw(JSON)
    path = write(tmp_path / "rows.jsonl", rows)
    try:
        made = replay([path], tmp_path / "made", force=True, workers=1, offline=True)
    except RosegenError as error:
        assert str(error).isprintable()
        return
    assert all(str(each).isprintable() for each in (*made.faults, *made.lost))
    assert verify_release(made.out, workers=1).faults == ()
    assert {path.name for path in tmp_path.iterdir()} == {"rows.jsonl", "made"}


def test_faults_can_be_had_as_json(
    rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows[0]["answer"] = "COUNT(50)"
    rows = [without_nulls(row) for row in rows]
    path = write(tmp_path / "rows.jsonl", rows)
    ran = run(capsys, path, "--out", tmp_path / "made", "--json")
    (said,) = map(json.loads, ran.out)
    assert ran.code == 1
    assert said["contradictions"][0]["field"] == "answer"
    assert (said["lost"], said["substituted_scenes"]) == ([], 0)
    quiet = run(capsys, path, "--out", tmp_path / "made", "--force", "-q")
    assert (quiet.code, len(quiet.out)) == (1, 1)
