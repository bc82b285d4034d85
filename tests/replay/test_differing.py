"""A picture that comes out otherwise than in the release it is from is counted and explained."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rosegen.packs import load_packs
from tests.core_maker import cached_pack
from tests.replay.maker import Row, lines, run, write
from tests.replay.test_options import PIPELINE, build_options, variable_font
from tests.sources.font_maker import box, made, saved


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of glyphs alone. Tests must not change it."""
    return build_options(tmp_path_factory.mktemp("letters"), PIPELINE.partition("  - name: St")[0])


@pytest.fixture
def records(release: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(release, tmp_path / "records"))


def fonts_of(release: Path) -> Path:
    return release.parent / "type"


def change_summary(release: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = release / "export_summary.json"
    summary = json.loads(path.read_text(encoding="utf-8"))
    change(summary)
    path.write_text(json.dumps(summary), encoding="utf-8")


def change_manifest(release: Path, change: Callable[[Row], None], count: int) -> None:
    rows = lines(release / "manifest.jsonl")
    for row in rows[:count]:
        change(row)
    write(release / "manifest.jsonl", rows)


def noted(made: Path) -> list[Row]:
    return [row for row in lines(made / "replay_notes.jsonl") if row["note"] == "differing"]


def test_tiles_that_come_out_otherwise_are_counted_told_and_an_exit_code(
    records: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_summary(records, lambda it: it["sources"]["Letters"]["options"].pop("color"))
    call = (records, "--fonts", fonts_of(release), "--out", tmp_path / "made")
    ran = run(capsys, *call)
    reason = (
        "the majority and exception tiles are drawn otherwise: the files given for pack type may "
        "be others"
    )
    assert (ran.code, ran.err) == (1, [])
    assert ran.out[1:] == [
        "24 of 24 pictures are not those of the release: see replay_notes.jsonl",
        f"  24: {reason}",
    ]
    notes = noted(tmp_path / "made")
    assert len({note["image_id"] for note in notes}) == 24
    assert notes[0] == {
        "note": "differing",
        "image_id": "LEIMG_000001",
        "scene_id": "LESCENE_000001",
        "reason": reason,
    }
    quiet = run(capsys, *call, "--force", "--quiet")
    assert (quiet.code, quiet.out) == (1, ran.out[1:])
    ran = run(capsys, *call, "--force", "--json")
    said = json.loads(ran.out[0])
    assert (ran.code, said["compared_images"], said["differing_images"]) == (1, 24, 24)
    assert said["differences"] == {reason: 24}


def test_pictures_that_are_the_releases_are_counted_too(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run(capsys, release, "--fonts", fonts_of(release), "--out", tmp_path / "made", "--json")
    said = json.loads(ran.out[0])
    assert (ran.code, said["compared_images"], said["differing_images"]) == (0, 24, 0)
    assert said["differences"] == {}
    assert noted(tmp_path / "made") == []


def test_another_file_of_a_fonts_name_is_found_out(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the two faces, the light one is the same in both files."""
    variable_font(tmp_path / "fonts" / "bars.ttf", wider=60)
    ran = run(capsys, release, "--fonts", tmp_path / "fonts", "--out", tmp_path / "made")
    rows = [*lines(release / "metadata_dev.jsonl"), *lines(release / "metadata_test.jsonl")]
    bold = {row["image_id"] for row in rows if "@" in row["font_name"]}
    assert (ran.code, {note["image_id"] for note in noted(tmp_path / "made")}) == (1, bold)
    assert 0 < len(bold) < 24


def test_a_cue_that_is_drawn_otherwise_is_told_from_tiles_that_are(
    records: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cues = [row["cue_type"] for row in lines(release / "manifest.jsonl")]
    change_summary(records, lambda it: it["cues"]["Letters"].update(mask_alpha=200))
    ran = run(capsys, records, "--fonts", fonts_of(release), "--out", tmp_path / "made")
    masks = cues.count("MASK")
    assert ran.code == 1
    assert ran.out[-1] == f"  {masks}: the cue is drawn otherwise"
    assert 0 < masks < 12


@pytest.mark.parametrize(
    ("tiles", "reason"),
    [
        (True, "the tiles stand in other cells than the rows say"),
        (False, "it is drawn otherwise, for a reason that the release does not tell"),
    ],
)
def test_what_a_manifest_tells_of_tiles_tells_why(
    tiles: bool,
    reason: str,
    records: Path,
    release: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def change(row: Row) -> None:
        row["pixel_sha256"] = "0" * 64
        if not tiles:
            del row["target_sha256"]

    change_manifest(records, change, 1)
    ran = run(capsys, records, "--fonts", fonts_of(release), "--out", tmp_path / "made")
    assert (ran.code, ran.out[-1]) == (1, f"  1: {reason}")


def test_tools_that_are_others_than_they_were_are_named(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = Path(shutil.copytree(small, tmp_path / "records"))
    change_manifest(
        records, lambda row: row.update(pixel_sha256="0" * 64, target_sha256="0" * 64), 3
    )
    change_summary(records, lambda it: it["toolchain"].update(numpy="0.1"))
    ran = run(capsys, records, "--out", tmp_path / "made")
    assert (ran.code, len(ran.out)) == (1, 3)
    assert ran.out[-1].startswith("  3: the exception tile is drawn otherwise: numpy is ")
    assert ran.out[-1].endswith(", was 0.1")


def test_a_manifest_that_tells_nothing_is_compared_with_nothing(
    records: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third, _, *rest = lines(records / "manifest.jsonl")
    first["pixel_sha256"], second["image_id"], third["pixel_sha256"] = None, 7, "0" * 63
    kept = write(tmp_path / "kept", [first, second, third, *rest]).read_text(encoding="utf-8")
    (records / "manifest.jsonl").write_text(f"[]\nno row\n{kept}", encoding="utf-8")
    call = (records, "--fonts", fonts_of(release), "--out", tmp_path / "made", "--json")
    ran = run(capsys, *call)
    assert (ran.code, json.loads(ran.out[0])["compared_images"]) == (0, 20)
    (records / "manifest.jsonl").unlink()
    ran = run(capsys, *call, "--force")
    assert (ran.code, json.loads(ran.out[0])["compared_images"]) == (0, 0)


# --- art that stands in for other art


def test_pictures_of_stand_ins_are_compared_with_nothing(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for pack in load_packs().values():
        if pack.default and pack.kind == "fonts":
            cached_pack(pack.name)
    ran = run(capsys, release, "--substitute", "--out", tmp_path / "made")
    assert (ran.code, ran.out[1:]) == (
        0,
        ["12 scenes show art that stands in for other art: see replay_notes.jsonl"],
    )
    ran = run(capsys, release, "--substitute", "--out", tmp_path / "made", "--force", "--json")
    assert (ran.code, json.loads(ran.out[0])["compared_images"]) == (0, 0)


def test_a_scene_that_showed_stand_ins_where_it_was_published_may_show_its_own_art(
    records: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenes = set()
    for path in records.glob("metadata_*.jsonl"):
        rows = lines(path)
        scenes.add(rows[0]["scene_id"])
        rows = [
            {**row, "substituted": ["X for font Y"] if row["scene_id"] in scenes else None}
            for row in rows
        ]
        write(path, rows)

    def change(row: Row) -> None:
        if row["scene_id"] in scenes:
            row["pixel_sha256"] = "0" * 64

    change_manifest(records, change, 24)
    call = (records, "--fonts", fonts_of(release), "--out", tmp_path / "made", "--json")
    ran = run(capsys, *call)
    said = json.loads(ran.out[0])
    assert (ran.code, said["compared_images"], said["differing_images"]) == (0, 20, 0)


def test_a_font_of_another_shape_that_is_called_alike_draws_its_own_shapes(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The measures in the rows say so as well, for each scene."""
    glyphs = {n: [box(100, 0, 130 + 20 * k, 300)] for k, n in enumerate("ABCDEFGHIJ")}
    names = {"psName": "Bars-Regular", "familyName": "Bars", "fullName": "Bars Regular"}
    axes = [("wght", 100, 400, 900, "Weight")]
    (tmp_path / "fonts").mkdir()
    saved(
        made(glyphs, {ord(n): n for n in glyphs}, names=names, axes=axes),
        tmp_path / "fonts" / "a.ttf",
    )
    ran = run(capsys, release, "--fonts", tmp_path / "fonts", "--out", tmp_path / "made")
    assert (ran.code, ran.out[1].split(" pictures")[0]) == (1, "24 of 24")
    kinds = [note["note"] for note in lines(tmp_path / "made" / "replay_notes.jsonl")]
    assert kinds == ["differing"] * 24 + ["assumption"] * 12
