"""Pixel-art scenes from a user's folders."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rosegen.replay.assets import Places, Tiles, resolve
from rosegen.replay.assets.tiles import SPRITE_INK
from rosegen.sources.fitting import fit_pixel_art
from rosegen.sources.pictures import open_picture
from tests.replay.assets.maker import (
    edit_scene,
    missing_of,
    picture,
    relatives_scene,
    scene,
    tiles_of,
)

NAME = "bell-default(1).png"


def pair_in(root: Path, original: str, edited: str) -> None:
    picture(root / original, 1)
    picture(root / edited, 2)


def names_of(found: Tiles) -> tuple[str, str]:
    return found.majority.name, found.exception.name


@pytest.mark.parametrize(
    ("original", "edited"),
    [
        (f"originals/{NAME}", f"edits/{NAME}"),
        (f"Original/{NAME}", f"EDITED/{NAME}"),
        (f"before/{NAME}", f"after/{NAME}"),
        (f"base/set 1/{NAME}", f"variants/set 1/{NAME}"),
        (f"PixelEdit/original/{NAME}", f"PixelEdit/edited/{NAME}"),
        (f"edit_pairs/baseImages/{NAME}", f"edit_pairs/editImages/{NAME}"),
        (f"art/{NAME}", f"art/edits/{NAME}"),
        (f"originals/{NAME}", f"repainted/{NAME}"),
        (NAME, f"edited/{NAME}"),
        (f"art/{NAME}", "art/bell-default(1).edit.png"),
        (f"art/{NAME}", "art/bell-default(1)_edited.png"),
    ],
)
def test_an_edit_is_told_from_its_original_by_where_it_lies(
    tmp_path: Path, original: str, edited: str
) -> None:
    pair_in(tmp_path / "top", original, edited)
    found = tiles_of(edit_scene(NAME), Places(sprites=(tmp_path / "top",)))
    assert names_of(found) == (f"top/{original}", f"top/{edited}")
    assert found.majority.pack == "user-sprites"
    assert found.notes == (
        "which of the two sprites is the majority is not recorded: the original is taken",
    )


def test_the_two_folders_may_be_named_one_by_one(tmp_path: Path) -> None:
    pair_in(tmp_path, f"originals/{NAME}", f"edits/{NAME}")
    folders = (tmp_path / "edits", tmp_path / "originals")
    found = tiles_of(edit_scene(NAME), Places(sprites=folders))
    assert names_of(found) == (f"originals/{NAME}", f"edits/{NAME}")


@pytest.mark.parametrize(
    "files",
    [
        (f"a/{NAME}", f"b/{NAME}"),
        (f"edits/a/{NAME}", f"edits/b/{NAME}"),
        (f"edits/{NAME}", f"after/{NAME}"),
        (f"originals/{NAME}", f"edits/a/{NAME}", f"edits/b/{NAME}"),
        (f"originals/{NAME}", f"edits/{NAME}", f"other/{NAME}"),
        (f"original edit/{NAME}", f"x/{NAME}"),
    ],
)
def test_what_the_folders_do_not_tell_is_refused_in_one_line(
    tmp_path: Path, files: Sequence[str]
) -> None:
    for seed, file in enumerate(files):
        picture(tmp_path / "top" / file, seed)
    line = missing_of(edit_scene(NAME), Places(sprites=(tmp_path / "top",)))
    assert line.startswith(f"sprite {NAME}: which is the original and which the edit is not told")
    assert all(str(tmp_path / "top" / file) in line for file in files)


def test_a_folder_above_both_has_no_say(tmp_path: Path) -> None:
    pair_in(tmp_path / "edits of originals", f"x/{NAME}", f"edit/{NAME}")
    found = tiles_of(edit_scene(NAME), Places(sprites=(tmp_path,)))
    assert found.exception.name.endswith(f"edit/{NAME}")


def test_copies_of_a_sprite_are_one(tmp_path: Path) -> None:
    pair_in(tmp_path, f"originals/{NAME}", f"edits/{NAME}")
    (tmp_path / "originals" / "again").mkdir()
    shutil.copy(tmp_path / "originals" / NAME, tmp_path / "originals" / "again" / NAME)
    found = tiles_of(edit_scene(NAME), Places(sprites=(tmp_path,)))
    assert found.exception.name.endswith(f"edits/{NAME}")


def test_what_is_missing_of_an_edit_pair_is_named(tmp_path: Path) -> None:
    assert missing_of(edit_scene(NAME), Places()) == f"sprite {NAME}"
    picture(tmp_path / "originals" / NAME, 1)
    places = Places(sprites=(tmp_path,))
    assert missing_of(edit_scene(NAME), places) == f"sprite {NAME} (the edit)"
    shutil.move(tmp_path / "originals", tmp_path / "edits")
    places = Places(sprites=(tmp_path,))
    assert missing_of(edit_scene(NAME), places) == f"sprite {NAME} (the original)"


def test_an_edit_that_changed_nothing_is_refused(tmp_path: Path) -> None:
    picture(tmp_path / "originals" / NAME, 1)
    picture(tmp_path / "edits" / NAME, 1)
    line = missing_of(edit_scene(NAME), Places(sprites=(tmp_path,)))
    assert line == "scene SOMESCENE_000001: the two tiles look the same at 64 px"


def test_pixel_art_is_scaled_as_the_record_says(tmp_path: Path) -> None:
    pair_in(tmp_path, f"originals/{NAME}", f"edits/{NAME}")
    rgba = open_picture(tmp_path / "originals" / NAME).rgba
    for mode in ("stretch", "integer"):
        found = tiles_of(edit_scene(NAME, mode), Places(sprites=(tmp_path,)))
        fitted = fit_pixel_art(rgba, 70, SPRITE_INK, (9, 8, 7), mode)
        assert np.array_equal(found.majority.draw(70, (9, 8, 7)), fitted)


def test_a_way_of_scaling_that_is_not_known_is_refused(tmp_path: Path) -> None:
    pair_in(tmp_path, f"originals/{NAME}", f"edits/{NAME}")
    line = missing_of(edit_scene(NAME, "letterbox"), Places(sprites=(tmp_path,)))
    assert line == f"sprite {NAME}: asset_resize_mode 'letterbox' is none of integer, stretch"


def test_of_two_relatives_the_first_is_the_majority_and_that_is_said(tmp_path: Path) -> None:
    pair_in(tmp_path, "x/fall.png", "y/the-fall.png")
    found = tiles_of(relatives_scene(), Places(sprites=(tmp_path,)))
    assert names_of(found) == (f"{tmp_path.name}/x/fall.png", f"{tmp_path.name}/y/the-fall.png")
    assert found.notes == (
        "which of the two sprites is the majority is not recorded: the first is taken",
    )


def test_relatives_are_found_in_any_case_but_as_spelled_if_they_can_be(tmp_path: Path) -> None:
    pair_in(tmp_path, "a/FALL.png", "a/the-fall.png")
    assert "FALL.png" in tiles_of(relatives_scene(), Places(sprites=(tmp_path,))).majority.name
    picture(tmp_path / "b" / "fall.png", 3)
    assert "b/fall.png" in tiles_of(relatives_scene(), Places(sprites=(tmp_path,))).majority.name


def test_of_a_sprite_that_has_an_edit_relatives_take_the_original(tmp_path: Path) -> None:
    pair_in(tmp_path, "originals/fall.png", "edits/fall.png")
    picture(tmp_path / "originals" / "the-fall.png", 3)
    found = tiles_of(relatives_scene(), Places(sprites=(tmp_path,)))
    assert found.majority.name.endswith("originals/fall.png")


def test_several_sprites_of_a_name_are_refused_and_named(tmp_path: Path) -> None:
    pair_in(tmp_path, "a/fall.png", "b/fall.png")
    line = missing_of(relatives_scene(), Places(sprites=(tmp_path,)))
    assert line.startswith("sprite fall.png: several files: ")
    assert line.endswith(", sprite the-fall.png")


def test_names_that_hold_the_mark_between_names_are_parted_rightly(tmp_path: Path) -> None:
    pair_in(tmp_path, "a__b.png", "c___d.png")
    found = tiles_of(relatives_scene("a__b.png__c___d.png"), Places(sprites=(tmp_path,)))
    assert names_of(found) == (f"{tmp_path.name}/a__b.png", f"{tmp_path.name}/c___d.png")


@pytest.mark.parametrize("key", ["fall.png", "__", "a__b__c", ""])
def test_a_pair_key_that_does_not_name_two_sprites_is_refused(key: str) -> None:
    line = missing_of(relatives_scene(key), Places())
    assert line == "scene SOMESCENE_000001: its rows do not name two sprites"


def test_the_subset_tells_the_kind_where_no_row_does(tmp_path: Path) -> None:
    pair_in(tmp_path, f"originals/{NAME}", f"edits/{NAME}")
    columns = {"pair_key": NAME, "asset_resize_mode": "stretch"}
    silent = scene(None, columns, subset="ROSE-PixelEdit")
    assert isinstance(resolve(silent, Places(sprites=(tmp_path,))), Tiles)
    unknown = scene(None, columns, subset="ROSE-Other")
    assert "cannot be drawn" in missing_of(unknown, Places(sprites=(tmp_path,)))
