"""Art that is at hand, in part at hand, or not: what is drawn, what is said, what is marked."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from rosegen.replay import replay
from rosegen.verify import verify_release
from tests.replay.assets.maker import GLYPHS, font, picture, svg
from tests.replay.maker import (
    Row,
    as_published,
    by_id,
    lines,
    needs_rose,
    release_rows,
    rose_slice,
    run,
    write,
)

pytestmark = needs_rose


@pytest.fixture(scope="module")
def clicks() -> list[Row]:
    """Two scenes of each of ROSE's subsets."""
    return rose_slice(2)[0]


@pytest.fixture(scope="module")
def art(clicks: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fonts, emoji and sprites of the names the rows have."""
    root = tmp_path_factory.mktemp("art")
    faces: dict[str, list[str]] = {}
    for row in clicks:
        if "font_name" in row:
            faces.setdefault(row["font_name"], []).extend(row["source_pair"])
        for key in ("background_path", "target_path"):
            if key in row:
                provider, name = row[key].split("\\")
                path = root / "emoji" / provider / name
                draw = svg if path.suffix == ".svg" else picture
                look = f"#{len(provider):02x}40{len(list(root.rglob('*'))):02x}"
                draw(path, look if draw is svg else len(name) + len(provider))
    shapes = [GLYPHS[name] for name in ("未", "末")]
    for number, (name, texts) in enumerate(faces.items()):
        drawn = {text: shapes[place % 2] for place, text in enumerate(dict.fromkeys(texts))}
        font(root / "fonts" / f"f{number}.ttf", name, glyphs=drawn)
    for row in clicks:
        if row["rose_subset"] == "ROSE-PixelEdit":
            picture(root / "sprites" / "originals" / row["pair_key"], 1)
            picture(root / "sprites" / "edits" / row["pair_key"], 2)
        elif row["rose_subset"] == "ROSE-PixelContent":
            for number, name in enumerate(row["pair_key"].split("__")):
                picture(root / "sprites" / "all" / name, number)
    return root


def options(art: Path, *kinds: str) -> list[str]:
    return [part for kind in kinds for part in (f"--{kind}", str(art / kind))]


def test_with_all_art_at_hand_nothing_is_substituted(
    clicks: list[Row], art: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "rows.jsonl", clicks)
    every = options(art, "fonts", "emoji", "sprites")
    ran = run(capsys, path, *every, "--out", tmp_path / "made")
    assert (ran.code, ran.err, len(ran.out)) == (0, [], 1)
    rows = release_rows(tmp_path / "made")
    assert {row["substituted"] for row in rows} == {None}
    made = by_id(rows)
    for row in clicks:
        published = as_published(made[row["item_id"]])
        assert {key: published[key].replace("/", "\\") if key.endswith("_path") else published[key]
                for key in published} == row  # fmt: skip
    packs = {row["target_pack"] for row in lines(tmp_path / "made/manifest.jsonl")}
    assert packs == {"user-fonts", "user-emoji", "user-sprites"}
    notes = lines(tmp_path / "made/replay_notes.jsonl")
    assert {note["note"] for note in notes} == {"assumption"}  # which sprite is the majority
    assert "All of them show the art" in (tmp_path / "made/README.md").read_text(encoding="utf-8")
    report = verify_release(tmp_path / "made", workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]
    allowed = run(capsys, path, *every, "--substitute", "--out", tmp_path / "again")
    assert allowed.code == 0
    assert (tmp_path / "again/manifest.jsonl").read_bytes() == (
        tmp_path / "made/manifest.jsonl"
    ).read_bytes()


def test_two_workers_draw_the_users_art_as_one_does(
    clicks: list[Row], art: Path, tmp_path: Path
) -> None:
    path = write(tmp_path / "rows.jsonl", clicks)
    for workers in (1, 2):
        replay(
            [path],
            tmp_path / str(workers),
            fonts=[art / "fonts"],
            emoji=[art / "emoji"],
            sprites=[art / "sprites"],
            workers=workers,
            offline=True,
        )
    manifests = [(tmp_path / name / "manifest.jsonl").read_bytes() for name in "12"]
    assert manifests[0] == manifests[1]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((), ["fonts (", "emoji provider twemoji_svg", "sprites (", "--fonts, --emoji, --sprites"]),
        (("fonts", "emoji"), ["6 sprites (", "give --sprites, or --substitute"]),
        (("sprites", "emoji"), ["give --fonts, or --substitute"]),
    ],
)
def test_without_substitute_one_line_says_what_is_missing_and_nothing_is_written(
    given: tuple[str, ...],
    says: list[str],
    clicks: list[Row],
    art: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write(tmp_path / "rows.jsonl", clicks)
    ran = run(capsys, path, *options(art, *given), "--out", tmp_path / "made")
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
    assert [part for part in says if part not in ran.err[0]] == []
    assert list(tmp_path.iterdir()) == [path]


def test_where_some_art_is_missing_only_the_rows_concerned_are_marked_and_counted(
    packs_cached: None,
    clicks: list[Row],
    art: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write(tmp_path / "rows.jsonl", clicks)
    given = options(art, "fonts", "emoji")
    ran = run(capsys, path, *given, "--substitute", "--out", tmp_path / "made")
    assert (ran.code, ran.err) == (0, [])
    assert ran.out[1].startswith("4 scenes show art that stands in")
    for row in release_rows(tmp_path / "made"):
        assert bool(row["substituted"]) is row["rose_subset"].startswith("ROSE-Pixel")
    summary = json.loads((tmp_path / "made/export_summary.json").read_text(encoding="utf-8"))
    assert summary["substituted_scenes"] == 4
    card = (tmp_path / "made/README.md").read_text(encoding="utf-8")
    assert "Of the 10 scenes, 4 show other art" in card
    assert "(ROSE-PixelEdit 2, ROSE-PixelContent 2)" in card
    marked = {n["scene_id"] for n in lines(tmp_path / "made/replay_notes.jsonl")
              if n["note"] == "substitution"}  # fmt: skip
    assert {name[:5] for name in marked} == {"PEDIT", "PCONT"}


def test_a_scene_that_does_not_name_its_art_is_lost_even_where_art_may_be_substituted(
    packs_cached: None, clicks: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    untold: Mapping[str, tuple[str, ...]] = {
        "CHSCENE_000001": ("background_char", "target_char", "source_pair", "pair_key"),
        "ESTYSCENE_000001": ("background_path", "target_path", "majority_style", "target_style"),
        "PEDITSCENE_000001": ("pair_key",),
        "PCONTSCENE_000001": ("pair_key",),
    }
    rows = copy.deepcopy(clicks)
    for row in rows:
        for key in untold.get(row["scene_id"], ()):
            del row[key]
    path = write(tmp_path / "rows.jsonl", rows)
    ran = run(capsys, path, "--substitute", "--out", tmp_path / "made")
    assert (ran.code, ran.err) == (1, [])
    lost = [line for line in ran.out if ": lost: " in line]
    assert [line.partition(":")[0] for line in lost] == list(untold)
    assert "its rows do not name a font and two characters" in lost[0]
    made = {row["scene_id"] for row in release_rows(tmp_path / "made")}
    assert made == {row["scene_id"] for row in clicks} - set(untold)


def test_a_folder_of_art_that_is_not_there_is_one_line(
    clicks: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "rows.jsonl", clicks)
    for option in ("--fonts", "--emoji", "--sprites"):
        ran = run(capsys, path, option, tmp_path / "nowhere", "--out", tmp_path / "made")
        assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
        assert "nowhere" in ran.err[0]
    assert list(tmp_path.iterdir()) == [path]
