"""Releases made again from published records: what they may lack, and what they may not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rosegen.data import schemas_dir
from rosegen.verify import verify_release
from tests.verify.checking import check_only, verified
from tests.verify.release_maker import ITEM_SCHEMA, Release, make_release, pixel_hash, write_rows
from tests.verify.replay_maker import UNTOLD, make_replayed

SUMMARY = "export_summary.json"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return make_replayed(tmp_path / "release")


def every_row(release: Release) -> list[dict[str, Any]]:
    tables = [*release.metadata.values(), *release.bridges.values()]
    return [row for rows in tables for row in rows]


def test_a_sound_replayed_release_has_no_faults(release: Release) -> None:
    report = verified(release)
    assert report.faults == ()
    assert (report.scenes, report.images, report.items) == (6, 7, 18)


def test_two_processes_find_the_same(release: Release) -> None:
    release.image("SQIMG_000004").unlink()
    assert verify_release(release.root, workers=2).faults == verified(release).faults != ()


def test_all_scenes_on_one_side_of_the_split(release: Release) -> None:
    """ROSE's public records are of its test split alone."""
    moved = release.metadata["dev"]
    release.metadata = {"dev": [], "test": [*release.metadata["test"], *moved]}
    for name in ("global_click", "matched_local_count"):
        rows = release.bridges[f"bridges/{name}/metadata_dev.jsonl"]
        release.bridges[f"bridges/{name}/metadata_test.jsonl"] += rows
        release.bridges[f"bridges/{name}/metadata_dev.jsonl"] = []
    for row in (*every_row(release), *release.manifest):
        row["split"] = "test"
    counts = release.summary["counts"]
    for each in (counts, *counts["subsets"].values()):
        each.update(dev_scenes=0, dev_items=0, test_scenes=each["scenes"], test_items=each["items"])
    release.write()
    assert verified(release).faults == ()


@pytest.mark.parametrize("column", UNTOLD)
def test_what_records_may_not_tell_a_build_must(tmp_path: Path, column: str) -> None:
    built = make_release(tmp_path / "built")
    for row in built.metadata["test"]:
        row[column] = None
    built.write()
    faults = verified(built).faults
    if column == "similarity_level":  # which no kind of release need tell
        assert faults == ()
    else:
        assert {each.kind for each in faults} >= {"schema"}


def test_loosened_columns_are_the_items_own_but_for_null() -> None:
    path = schemas_dir() / "replayed_item.schema.json"
    loosened = json.loads(path.read_text(encoding="utf-8"))["properties"]
    assert set(loosened) >= set(UNTOLD) - {"similarity_level"}
    for name, column in loosened.items():
        strict = {k: v for k, v in ITEM_SCHEMA["properties"][name].items() if k != "description"}
        if "enum" in strict:
            assert set(column["enum"]) > set(strict["enum"]), name
        else:
            kinds = {**strict, "type": [strict["type"], "null"]}
            assert {k: v for k, v in column.items() if k != "description"} == kinds, name


def test_what_is_not_loosened_stays_as_it_is(release: Release) -> None:
    for column in (
        "answer",
        "rows",
        "target_cells",
        "prompt_local",
        "region_params",
        "bridge_task",
    ):
        row = release.row("SQITEM_000001")
        kept = row[column]
        row[column] = None
        release.write()
        check_only(release, "schema", "SQITEM_000001", column)
        row[column] = kept


@pytest.mark.parametrize(
    ("item", "column", "value", "kind"),
    [
        ("SQITEM_000001", "answer", "COUNT(7)", "answer"),
        ("SQITEM_000003", "region_cell_count", 5, "region"),
        ("SQITEM_000003", "prompt", "?", "prompt"),
        ("SQITEM_000003", "substituted", ["a.png"], "scene"),
        ("SQITEM_000003", "region_case", "fallback_partial_wanted_all", "region"),
        ("SQITEM_000003", "item_seed", None, "id"),
        ("MKITEM_000006", "item_seed", 800000021, "id"),
        ("MKITEM_000006", "target_cells", [[3, 5]], "scene"),
        ("MKITEM_000010", "cols", 8, "scene"),
        ("MLCNT_MKITEM_000003", "answer", "COUNT(3)", "answer"),
        ("MLCNT_MKITEM_000003", "split", "dev", "split"),
        ("MKITEM_000011__GCLK", "difficulty", "hard", "field"),
        ("MKITEM_000011__GCLK", "source_item_id", "MKITEM_000001", "bridge"),
        ("SQITEM_000001__GCLK", "rows", 9, "bridge"),
    ],
)
def test_a_wrong_value(release: Release, item: str, column: str, value: object, kind: str) -> None:
    row = release.row(item)
    assert row[column] != value
    row[column] = value
    release.write()
    check_only(release, kind, item, column)


def test_a_fallback_names_the_case_that_was_got(release: Release) -> None:
    row = release.row("SQITEM_000003")
    assert row["region_case"].startswith("fallback_")
    for case, sound in (
        ("zero", True),
        ("fallback_zero_wanted_partial", True),
        ("fallback_partial_wanted_zero", False),
        ("partial", False),
    ):
        row["region_case"] = case
        release.bridges["bridges/matched_local_count/metadata_test.jsonl"][0]["region_case"] = case
        release.write()
        assert verified(release).ok is sound, case


def test_t4_and_t5_are_held_to_the_manner_of_roses_english(release: Release) -> None:
    for item, old, new in (
        ("SQITEM_000009", "shaded area", "box"),
        ("SQITEM_000009", "inside", "near"),
        ("SQITEM_000010", "outside the excluded region", "in the region"),
        ("SQITEM_000010", "row 5", "row 4"),
        ("SQITEM_000007", "row 1", "row 2"),
    ):
        row = release.row(item)
        kept = row["prompt_local"]
        assert old in kept
        for text in (kept.replace(old, new), kept):
            row["prompt_local"], row["prompt"] = text, row["prompt_global"] + "\n" + text
            release.write()
            report = verified(release)
            if text != kept:
                check_only(report, "prompt", item, "prompt_local")
        assert report.ok


# Which rows and images there are


def test_t1_is_always_there(release: Release) -> None:
    release.metadata["test"] = [
        row for row in release.metadata["test"] if row["item_id"] != "SQITEM_000001"
    ]
    release.write()
    report = verified(release)
    check_only(report, "scene", "SQSCENE_000001", "has no T1_COUNT_GLOBAL row", most=6)
    assert {each.kind for each in report.faults[1:]} == {"summary"}


def test_a_bridge_goes_with_its_source(release: Release) -> None:
    path = "bridges/matched_local_count/metadata_test.jsonl"
    (gone,) = [row for row in release.bridges[path] if row["scene_id"] == "SQSCENE_000001"]
    release.bridges[path].remove(gone)
    release.write()
    check_only(release, "bridge", "MLCNT_SQITEM_000003", f"is missing from {path}", most=2)


def test_a_cued_image_that_no_item_asks_about(release: Release, tmp_path: Path) -> None:
    spec = release.specs[0]
    whole = make_release(tmp_path / "whole", [spec], bridges=False)
    whole.image("SQIMG_000002").rename(release.root / "images/ROSE-Squares/SQIMG_000002.png")
    detail = "is not part of a release"
    check_only(release, "layout", "images/ROSE-Squares/SQIMG_000002.png", detail)
    release.manifest.insert(1, whole.listed("SQIMG_000002"))
    release.write()
    check_only(release, "manifest", "SQIMG_000002", "no item shows this image", most=2)


def test_an_image_of_a_scene_that_only_a_bridge_tells_of(release: Release) -> None:
    path = release.image("MKIMG_000001")
    kept = path.read_bytes()
    path.write_bytes(release.image("SQIMG_000005").read_bytes())
    check_only(release, "pixels", "MKIMG_000001", "holds the picture of SQIMG_000005")
    path.write_bytes(kept)
    release.listed("MKIMG_000001")["split"] = "dev"
    release.write()
    check_only(release, "manifest", "MKIMG_000001", "split is 'dev'")


# The summary and the files


@pytest.mark.parametrize(
    ("path", "value", "detail"),
    [
        ("counts.images", 12, "counts.images is 12, but the rows give 7"),
        ("counts.scenes", 5, "counts.scenes is 5"),
        ("counts.items", 30, "counts.items is 30"),
        ("counts.bridge_items", 12, "counts.bridge_items is 12"),
        ("counts.subsets.ROSE-Marks.images", 6, "images is 6, but the rows give 3"),
        ("difficulty.ROSE-Squares.hard", 9, "difficulty.ROSE-Squares is"),
        ("quotas.ROSE-Marks", None, "quotas speaks of ROSE-Marks, but no build"),
        ("pools.ROSE-Marks", None, "pools speaks of ROSE-Marks, but no build"),
        ("rejections.ROSE-Marks", None, "rejections speaks of ROSE-Marks, but no build"),
        ("similarity.ROSE-Marks", None, "similarity.ROSE-Marks.ssim: the rows do not tell it"),
        ("licenses.MIT", 1, "licenses.MIT is 1, but the manifest gives 0"),
    ],
)
def test_a_wrong_summary_value(
    release: Release, tmp_path: Path, path: str, value: object, detail: str
) -> None:
    if value is None:  # what a build says of the subset
        section, name = path.split(".")
        value = make_release(tmp_path / "built").summary[section][name]
    *parents, last = path.split(".")
    inner = release.summary
    for step in parents:
        inner = inner[step]
    inner[last] = value
    release.write()
    details = [each.detail for each in verified(release).faults if each.kind == "summary"]
    assert any(detail in each for each in details), details


def test_cues_are_told_where_there_are_any(release: Release) -> None:
    del release.summary["cues"]["ROSE-Squares"]
    release.write()
    check_only(release, "summary", SUMMARY, "cues has no ROSE-Squares")


def test_a_rule_for_difficulty_is_held_to_where_there_is_one(
    release: Release, tmp_path: Path
) -> None:
    built = make_release(tmp_path / "built")
    release.summary["difficulty_rule"] = built.summary["difficulty_rule"]
    release.write()
    report = verified(release)
    assert {each.where for each in report.faults} == {"SQITEM_000007", "MKITEM_000010"}
    assert all("by difficulty_rule" in each.detail for each in report.faults)


def test_a_built_release_has_a_rule_and_seeds(tmp_path: Path) -> None:
    built = make_release(tmp_path / "built")
    rule, built.summary["difficulty_rule"] = built.summary["difficulty_rule"], None
    built.write()
    check_only(built, "summary", SUMMARY, "difficulty_rule is null, which only a replayed")
    built.summary["difficulty_rule"] = rule
    built.summary["counts"]["subsets"]["ROSE-Marks"]["seed"] = None
    built.write()
    check_only(built, "summary", SUMMARY, "seed is null, which only a replayed release may have")


def test_a_built_release_gives_the_words_of_its_prompts_and_shows_no_stand_ins(
    tmp_path: Path,
) -> None:
    built = make_release(tmp_path / "built")
    prompts = built.summary["prompts"]
    kept, prompts["ROSE-Marks"] = prompts["ROSE-Marks"], None
    built.write()
    check_only(built, "summary", SUMMARY, "prompts.ROSE-Marks is null, which only a replayed")
    prompts["ROSE-Marks"] = kept
    built.summary["substituted_scenes"] = 2
    built.write()
    check_only(built, "summary", SUMMARY, "substituted_scenes is 2, but the rows give 0")


def test_a_built_release_is_no_replayed_one_and_the_other_way(
    release: Release, tmp_path: Path
) -> None:
    built = make_release(tmp_path / "built")
    for each, name in ((built, "rejections.jsonl"), (release, "replay_notes.jsonl")):
        kept = (each.root / name).read_bytes()
        each.summary["replayed"] = not each.summary["replayed"]
        each.write()
        assert (each.root / name).read_bytes() == kept
        places = {(fault.kind, fault.where) for fault in verified(each).faults}
        assert ("layout", name) in places
        assert ("schema", "item.schema.json") in places


def test_notes_are_json_objects(release: Release) -> None:
    write_rows(release.root / "replay_notes.jsonl", [{"any": ["thing"]}])
    assert verified(release).ok
    for data, detail in ((b"[]\n", "not a JSON object"), (b"{}", "does not end with LF")):
        (release.root / "replay_notes.jsonl").write_bytes(data)
        assert detail in verified(release).faults[0].detail
    (release.root / "replay_notes.jsonl").unlink()
    check_only(release, "layout", "replay_notes.jsonl", "is missing")


def test_without_a_summary_it_is_known_by_its_notes(release: Release) -> None:
    (release.root / SUMMARY).unlink()
    assert [(each.kind, each.where) for each in verified(release).faults] == [("layout", SUMMARY)]


# What rows do not tell


def test_packs_of_the_manifest_are_the_summarys(release: Release) -> None:
    release.listed("SQIMG_000001")["target_pack"] = "circles"
    release.write()
    check_only(release, "summary", SUMMARY, "packs has no 'circles'")


@pytest.mark.parametrize(
    "columns", [("pair_key", "pair_key"), ("background_path", "target_path"),
                ("background_char", "target_char")]
)  # fmt: skip
def test_a_pair_on_both_sides_is_told_by_what_there_is(
    release: Release, columns: tuple[str, str]
) -> None:
    """By its key, or else by the paths of its tiles, or else by their characters."""
    for row in every_row(release):
        split = row["rose_subset"] == "ROSE-Squares" and row["split"]
        row.update(dict.fromkeys(("pair_key", "background_path", "target_path")))
        first, second = ("x", "y") if split == "test" else ("y", "x")
        if split and row["scene_id"] != "SQSCENE_000003":
            row.update({columns[0]: first, columns[1]: second})
            if columns[0] == columns[1]:
                row[columns[0]] = f"{first}__{second}"
    release.write()
    found = check_only(release, "split", "SQSCENE_000002", "and test in SQSCENE_000001")
    assert "pair" in found.detail


def test_font_sizes_are_roses_own_share_of_the_cell(release: Release) -> None:
    for row in every_row(release):
        row["font_size"] = 11  # of a source whose options are not told
    release.write()
    assert verified(release).ok
    for row in every_row(release):
        row["primitive_type"] = "CHINESE_GLYPH"
        row["font_size"] = int(row["cell_size"] * 0.72)
    release.write()
    assert verified(release).ok
    for row in every_row(release):
        if row["scene_id"] == "MKSCENE_000002":
            row["font_size"] = 11
    release.write()
    check_only(release, "field", "MKSCENE_000002", "font_size is 11, but must be 21")


def test_stand_ins_are_checked_by_the_manifest_as_all_art_is(release: Release) -> None:
    listed = release.listed("SQIMG_000005")
    listed["background_sha256"] = pixel_hash(release.specs[0].tiles()[0])
    release.write()
    check_only(release, "manifest", "SQIMG_000005", "background_sha256")
