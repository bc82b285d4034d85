"""ROSE v0.1 from its two public files: every published field again, on stand-in art."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow
import pyarrow.parquet
import pytest

from rosegen.data import schemas_dir
from rosegen.replay import Replayed, replay
from rosegen.row_files import read_rows
from rosegen.verify import verify_release
from tests.replay.maker import (
    GLOBAL_CLICK,
    LOCAL_COUNT,
    Row,
    as_published,
    by_id,
    lines,
    needs_rose,
    release_rows,
    rose_slice,
    rows_of,
    same_files,
    write,
)

pytestmark = [needs_rose, pytest.mark.usefixtures("packs_cached")]

BRIDGES = {
    "bridges/global_click/metadata_test.jsonl": GLOBAL_CLICK,
    "bridges/matched_local_count/metadata_test.jsonl": LOCAL_COUNT,
}
PATHS = ("background_path", "target_path")
NAMING = ("export_summary.json", "README.md", "replay_notes.jsonl")  # they name files


@pytest.fixture(scope="module")
def rose(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    """All of ROSE, replayed once. Tests must not change it."""
    out = tmp_path_factory.mktemp("rose") / "ROSE"
    return replay([GLOBAL_CLICK, LOCAL_COUNT], out, stand_ins=True, workers=2, offline=True)


def posix_paths(row: Row) -> Row:
    return {key: value.replace("\\", "/") if key in PATHS else value for key, value in row.items()}


def summary_of(release: Path) -> dict[str, Any]:
    text = (release / "export_summary.json").read_text(encoding="utf-8")
    summary: dict[str, Any] = json.loads(text)
    return summary


@pytest.mark.parametrize("name", BRIDGES)
def test_every_published_row_is_there_and_equal_in_every_published_field(
    rose: Replayed, name: str
) -> None:
    made = by_id(lines(rose.out / name))
    equal = 0
    for published in rows_of(BRIDGES[name]):
        row = made[published["item_id"]]
        assert as_published({**row, "substituted": None}) == posix_paths(published)
        equal += 1
    assert (equal, len(made)) == (1112, 1112)


def test_nothing_contradicts_itself_and_no_scene_is_lost(rose: Replayed) -> None:
    assert (rose.faults, rose.lost) == ((), ())
    notes = Counter(note["note"] for note in lines(rose.out / "replay_notes.jsonl"))
    assert set(notes) == {"substitution", "assumption"}


def test_the_release_verifies(rose: Replayed) -> None:
    report = verify_release(rose.out, workers=2)
    assert report.ok, [str(fault) for fault in report.faults[:5]]
    assert (report.scenes, report.images, report.items) == (1112, 1112, 4448)


def test_rows_obey_the_schema_that_goes_with_them(rose: Replayed) -> None:
    schema = json.loads((rose.out / "item.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    rows = release_rows(rose.out)
    for row in rows[::13]:
        validator.validate(row)
    assert list(rows[0]) == list(schema["properties"])
    # What the schema allows to be null is null in some row, or else told of by all.
    assert {name for name, value in rows[0].items() if value is None} >= {"ssim", "target_pack"}


def test_the_summary_obeys_its_schema_and_counts_what_is_there(rose: Replayed) -> None:
    path = schemas_dir() / "export_summary.schema.json"
    jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8"))).validate(
        dict(rose.summary)
    )
    assert rose.summary == summary_of(rose.out)
    counts = rose.summary["counts"]
    assert {key: counts[key] for key in ("scenes", "images", "items", "bridge_items")} == {
        "scenes": 1112, "images": 1112, "items": 2224, "bridge_items": 2224
    }  # fmt: skip
    assert {name: own["scenes"] for name, own in counts["subsets"].items()} == {
        "ROSE-ChineseGlyph": 301,
        "ROSE-EmojiStyle": 221,
        "ROSE-EmojiContent": 221,
        "ROSE-PixelEdit": 221,
        "ROSE-PixelContent": 148,
    }
    assert {own["seed"] for own in counts["subsets"].values()} == {2026, 2027}
    images = lines(rose.out / "manifest.jsonl")
    assert len(images) == len(list(rose.out.glob("images/*/*.png"))) == 1112
    licenses = Counter(
        name for row in images for name in {row["background_license"], row["target_license"]}
    )
    assert rose.summary["licenses"] == dict(licenses)
    assert rose.summary["name"] == "ROSEv0.1"


def test_roses_rule_of_difficulty_is_told_and_every_main_row_follows_it(rose: Replayed) -> None:
    rule = rose.summary["difficulty_rule"]
    assert (rule["hard_at"], len(rule["points"])) == (2, 5)
    levels = Counter(row["difficulty"] for row in lines(rose.out / "metadata_test.jsonl"))
    told = rose.summary["difficulty"].values()
    assert levels == {
        "medium": sum(own["medium"] for own in told),
        "hard": sum(own["hard"] for own in told),
    }


def test_every_row_and_the_summary_and_the_card_say_what_is_substituted(rose: Replayed) -> None:
    assert rose.substituted == 1112
    assert all(row["substituted"] for row in release_rows(rose.out))
    assert rose.summary["substituted_scenes"] == 1112
    card = (rose.out / "README.md").read_text(encoding="utf-8")
    assert "Of the 1,112 scenes, 1,112 show other art" in card
    assert "ROSE-PixelEdit 221" in card


# --- a slice of it, from files of every kind


def sliced(out: Path, *records: Path) -> Replayed:
    return replay(records, out, stand_ins=True, workers=1, offline=True)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Three scenes of each subset, in two files."""
    folder = tmp_path_factory.mktemp("slice")
    clicks, counts = rose_slice()
    return write(folder / "clicks.jsonl", clicks), write(folder / "counts.jsonl", counts)


@pytest.fixture(scope="module")
def both(files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    return sliced(tmp_path_factory.mktemp("both") / "release", *files)


def test_the_order_of_files_and_the_number_of_workers_change_nothing(
    files: tuple[Path, Path], both: Replayed, tmp_path: Path
) -> None:
    again = replay(files[::-1], tmp_path / "again", stand_ins=True, workers=2, offline=True)
    assert same_files(both.out, again.out)


def test_where_the_files_lie_changes_nothing(
    files: tuple[Path, Path], both: Replayed, tmp_path: Path
) -> None:
    moved = [tmp_path / file.name for file in files]
    for old, new in zip(files, moved):
        new.write_bytes(old.read_bytes())
    assert same_files(both.out, sliced(tmp_path / "again", *moved).out)
    notes = (both.out / "replay_notes.jsonl").read_text(encoding="utf-8")
    assert str(files[0].parent) not in notes + json.dumps(both.summary)


def shuffled(files: tuple[Path, Path], folder: Path) -> list[Path]:
    rows = lines(files[0]) + lines(files[1])
    random.Random(5).shuffle(rows)
    return [write(folder / "mixed.jsonl", rows)]


def zipped(files: tuple[Path, Path], folder: Path) -> list[Path]:
    path = folder / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(files[0].read_bytes() + files[1].read_bytes()))
    return [path]


def two_members(files: tuple[Path, Path], folder: Path) -> list[Path]:
    path = folder / "both.gz"
    path.write_bytes(b"".join(gzip.compress(file.read_bytes()) for file in files))
    return [path]


def columns(files: tuple[Path, Path], folder: Path) -> list[Path]:
    rows = [row for file in files for _, row in read_rows(file)]
    names = dict.fromkeys(name for row in rows for name in row)
    for row in rows:  # Parquet has no records without a field
        row["image_region_params"] = {"r1": None}
    table = pyarrow.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])
    pyarrow.parquet.write_table(table, folder / "rows.parquet")
    return [folder / "rows.parquet"]


def of_windows(files: tuple[Path, Path], folder: Path) -> list[Path]:
    paths = [folder / file.name for file in files]
    for file, path in zip(files, paths):
        path.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    return paths


@pytest.mark.parametrize("kind", [shuffled, zipped, two_members, columns, of_windows])
def test_the_same_rows_in_another_kind_of_file_give_the_same_release(
    kind: Any, files: tuple[Path, Path], both: Replayed, tmp_path: Path
) -> None:
    made = sliced(tmp_path / "release", *kind(files, tmp_path))
    assert made.faults == ()
    assert same_files(both.out, made.out, but=NAMING)


def test_a_replayed_release_is_replayed_to_the_same_rows_and_pictures(
    both: Replayed, tmp_path: Path
) -> None:
    again = sliced(tmp_path / "again", both.out)
    assert (again.faults, again.lost) == ((), ())
    assert same_files(both.out, again.out, but=NAMING)


@pytest.mark.parametrize(("given", "tasks"), [(0, {"T1", "T1B"}), (1, {"T1", "T3", "T1B", "T2B"})])
def test_one_of_the_files_gives_its_scenes_and_what_follows_from_them(
    given: int, tasks: set[str], files: tuple[Path, Path], both: Replayed, tmp_path: Path
) -> None:
    made = sliced(tmp_path / "release", files[given])
    rows = by_id(release_rows(made.out))
    whole = by_id(release_rows(both.out))
    assert {row["task_template"].split("_")[0] for row in rows.values()} == tasks
    for name, row in rows.items():
        unlike = {key for key in row if row[key] != whole[name][key]}
        assert unlike <= {"dataset_version"}  # what the other file alone tells
    report = verify_release(made.out, workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]


def test_a_slice_verifies(both: Replayed) -> None:
    report = verify_release(both.out, workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]
