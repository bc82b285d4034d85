"""Emoji scenes from a user's folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from rosegen.errors import RosegenError
from rosegen.replay.assets import Places, resolve
from rosegen.replay.assets.tiles import EmojiFileTile, PackEmojiTile
from tests.core_maker import cached_pack
from tests.replay.assets.maker import (
    content_scene,
    missing_of,
    picture,
    scene,
    style_scene,
    svg,
    tiles_of,
)


def places(*folders: Path) -> Places:
    return Places(emoji=folders)


def test_a_style_pair_is_found_by_its_recorded_paths(tmp_path: Path) -> None:
    svg(tmp_path / "twemoji_svg" / "1f9eb.svg", "#204080")
    picture(tmp_path / "pngfile" / "1f9eb.png", 1)
    found = tiles_of(style_scene(), places(tmp_path))
    assert (found.majority.name, found.exception.name) == (
        "twemoji_svg/1f9eb.svg",
        "pngfile/1f9eb.png",
    )
    assert (found.majority.pack, found.exception.license) == ("user-emoji", "LicenseRef-unknown")
    assert found.notes == ()


@pytest.mark.parametrize(
    "name",
    [
        "2764-fe0f-200d-1fa79.png",
        "2764-200d-1fa79.png",
        "2764-FE0F-200D-1FA79.PNG",
        "2764_200d_1fa79.webp",
        "02764-200d-1fa79.gif",
    ],
)
def test_an_emoji_is_found_however_its_code_points_are_spelled(tmp_path: Path, name: str) -> None:
    svg(tmp_path / "twemoji_svg" / "2764-fe0f-200d-1fa79.svg", "#a02020")
    picture(tmp_path / "PngFile" / name, 2)
    found = tiles_of(style_scene("2764-fe0f-200d-1fa79"), places(tmp_path))
    assert found.exception.name == f"pngfile/{name}"


def test_the_folders_of_providers_may_be_named_themselves_or_lie_deeper(tmp_path: Path) -> None:
    svg(tmp_path / "x" / "twemoji_svg" / "animals" / "1f9eb.svg", "#204080")
    picture(tmp_path / "y" / "pngfile" / "1f9eb.png", 1)
    found = tiles_of(style_scene(), places(tmp_path / "x", tmp_path / "y" / "pngfile"))
    assert found.exception.name == "pngfile/1f9eb.png"


def test_the_picture_nearest_to_its_providers_folder_and_ending_as_recorded_is_meant(
    tmp_path: Path,
) -> None:
    svg(tmp_path / "twemoji_svg" / "1f9eb.svg", "#204080")
    meant = picture(tmp_path / "pngfile" / "1f9eb.png", 1)
    picture(tmp_path / "pngfile" / "1f9eb.webp", 2)
    picture(tmp_path / "pngfile" / "old" / "1f9eb.png", 3)
    tile = tiles_of(style_scene(), places(tmp_path)).exception
    other = tiles_of(style_scene(), places(tmp_path, meant.parent)).exception
    assert tile == other and np.array_equal(tile.draw(48), other.draw(48))
    assert isinstance(tile, EmojiFileTile)
    assert (tile.name, tile.path) == ("pngfile/1f9eb.png", meant)


def test_several_pictures_that_answer_alike_are_refused_and_named(tmp_path: Path) -> None:
    svg(tmp_path / "twemoji_svg" / "1f9eb.svg", "#204080")
    one = picture(tmp_path / "pngfile" / "a" / "1f9eb.png", 1)
    two = picture(tmp_path / "pngfile" / "b" / "1f9eb.png", 2)
    line = missing_of(style_scene(), places(tmp_path))
    assert line == f"emoji pngfile/1f9eb: several files: {one}, {two}"
    shutil.copy(one, two)  # copies of a file are one
    assert tiles_of(style_scene(), places(tmp_path)).exception.name == "pngfile/1f9eb.png"


def test_what_is_missing_is_named_by_provider_and_code_points(tmp_path: Path) -> None:
    assert missing_of(style_scene(), places()) == "emoji twemoji_svg/1f9eb, emoji pngfile/1f9eb"
    svg(tmp_path / "twemoji_svg" / "1f423.svg", "#a0a020")
    lacks = resolve(content_scene(), places(tmp_path)).lacks  # type: ignore[union-attr]
    assert [str(lack) for lack in lacks] == ["emoji twemoji_svg/1f424"]
    assert lacks[0].provider is None  # its provider is there
    lacks = resolve(style_scene("1f423"), places(tmp_path)).lacks  # type: ignore[union-attr]
    assert [lack.provider for lack in lacks] == ["pngfile"]


@pytest.mark.parametrize(
    "recorded", ["..\\secret\\1f9eb.svg", "twemoji_svg\\..\\..\\secret\\1f9eb.svg", "{}"]
)
def test_no_recorded_path_leads_out_of_the_users_folders(tmp_path: Path, recorded: str) -> None:
    svg(tmp_path / "secret" / "1f9eb.svg", "#204080")
    svg(tmp_path / "emoji" / "pngfile" / "1f9eb.svg", "#a02020")
    path = recorded.format(tmp_path / "secret" / "1f9eb.svg")
    columns = {**style_scene().columns, "background_path": path}
    line = missing_of(scene("EMOJI_STYLE", columns), places(tmp_path / "emoji"))
    assert line == "emoji secret/1f9eb"


def test_a_picture_that_cannot_be_shown_is_refused_in_one_line(tmp_path: Path) -> None:
    svg(tmp_path / "twemoji_svg" / "1f423.svg", "#a0a020")
    (tmp_path / "twemoji_svg" / "1f424.svg").write_text("<svg\nthis is none")
    line = missing_of(content_scene(), places(tmp_path))
    assert line.startswith("scene SOMESCENE_000001: ") and "1f424.svg" in line


def test_two_emoji_that_look_the_same_are_refused(tmp_path: Path) -> None:
    svg(tmp_path / "twemoji_svg" / "1f423.svg", "#a0a020")
    svg(tmp_path / "twemoji_svg" / "1f424.svg", "#a0a020")
    assert "look the same" in missing_of(content_scene(), places(tmp_path))


def test_an_svg_of_a_user_is_drawn_as_a_pack_draws_it(tmp_path: Path) -> None:
    pack = cached_pack("twemoji")
    files = {Path(rel).name: rel for rel in pack.files}
    (tmp_path / "twemoji_svg").mkdir()
    for name in ("1f423.svg", "1f424.svg"):
        shutil.copy(pack.path(files[name]), tmp_path / "twemoji_svg" / name)
    found = tiles_of(content_scene(), places(tmp_path))
    for tile, key in ((found.majority, "1f423"), (found.exception, "1f424")):
        packed = PackEmojiTile(f"twemoji/{key}.svg", "twemoji", "CC-BY-4.0", pack, key)
        assert np.array_equal(tile.draw(57), packed.draw(57))


def test_an_emoji_fills_the_share_of_the_cell_that_a_build_gives_it(tmp_path: Path) -> None:
    svg(tmp_path / "twemoji_svg" / "1f423.svg", "#000000")
    svg(tmp_path / "twemoji_svg" / "1f424.svg", "#0000ff")
    drawn = tiles_of(content_scene(cell_size=50), places(tmp_path)).majority.draw(50)
    assert np.count_nonzero((drawn < 128).all(axis=2)) == round(50 * 0.84) ** 2


def test_a_record_that_names_no_emoji_says_so() -> None:
    line = missing_of(scene("EMOJI_CONTENT", {"background_emoji": "🐣"}), places())
    assert line == "scene SOMESCENE_000001: its rows do not name two emoji and their providers"


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RosegenError, match="no such folder"):
        resolve(style_scene(), places(tmp_path / "nowhere"))
