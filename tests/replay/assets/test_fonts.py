"""Glyph scenes from a user's font files."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTCollection, TTFont

from rosegen.errors import RosegenError
from rosegen.replay.assets import Places, resolve
from rosegen.replay.assets.tiles import GlyphTile
from rosegen.sources import text_tile
from tests.replay.assets.maker import GLYPHS, font, glyph_scene, missing_of, tiles_of
from tests.sources.font_maker import box


def in_folder(tmp_path: Path) -> Places:
    return Places(fonts=(tmp_path,))


@pytest.mark.parametrize(
    "name", ["Han-Medium", "HAN-MEDIUM", "Han Sans Full", "han sans", "File_1", "file_1.TTF"]
)
def test_a_face_answers_to_each_of_its_names_in_any_case(tmp_path: Path, name: str) -> None:
    font(tmp_path / "deep" / "er" / "file_1.ttf", "Han-Medium", "Han Sans")
    font(tmp_path / "other.otf", "Other")
    found = tiles_of(glyph_scene(name), in_folder(tmp_path))
    assert (found.majority.name, found.exception.name) == ("Han-Medium/未", "Han-Medium/末")
    assert (found.majority.pack, found.majority.license) == ("user-fonts", "LicenseRef-unknown")
    assert found.notes == found.substitutions == ()


def test_a_glyph_is_black_ink_of_the_size_rose_has_on_the_background(tmp_path: Path) -> None:
    font(tmp_path / "han.ttf", "Han")
    tile = tiles_of(glyph_scene("Han"), in_folder(tmp_path)).majority
    assert isinstance(tile, GlyphTile)
    drawn = tile.draw(48)
    assert drawn.shape == (48, 48, 3)
    ink = text_tile.draw(tile.face, "未", 48, 0.72)
    assert np.array_equal(drawn, np.repeat(255 - ink[..., None], 3, axis=2))
    assert tuple(tile.draw(48, (10, 200, 30))[0, 0]) == (10, 200, 30)


def test_the_file_of_a_collection_stands_for_its_first_face(tmp_path: Path) -> None:
    collection = TTCollection()
    paths = [font(tmp_path / "parts" / f"{n}.ttf", f"Jheng{n}", "Jheng") for n in (1, 2)]
    collection.fonts = [TTFont(path) for path in paths]
    (tmp_path / "fonts").mkdir()
    collection.save(tmp_path / "fonts" / "msjhbd.ttc")
    found = tiles_of(glyph_scene("msjhbd"), Places(fonts=(tmp_path / "fonts",)))
    assert found.majority.name == "Jheng1/未"


def test_copies_of_a_font_are_one_font(tmp_path: Path) -> None:
    original = font(tmp_path / "a" / "han.ttf", "Han")
    (tmp_path / "b").mkdir()
    shutil.copy(original, tmp_path / "b" / "han copy.ttf")
    assert tiles_of(glyph_scene("Han"), in_folder(tmp_path)).majority.name == "Han/未"


def test_two_fonts_of_one_name_are_refused_in_a_line_that_names_both(tmp_path: Path) -> None:
    font(tmp_path / "a.ttf", "Han")
    font(tmp_path / "b.ttf", "Han", fs_type=2)
    line = missing_of(glyph_scene("Han"), in_folder(tmp_path))
    assert line.startswith("font Han: more than one face: Han (a.ttf), Han (b.ttf)")


def test_a_family_of_several_weights_is_not_guessed_at(tmp_path: Path) -> None:
    font(tmp_path / "a.ttf", "Han-Light", "Han")
    font(tmp_path / "b.ttf", "Han-Bold", "Han")
    assert "more than one face" in missing_of(glyph_scene("Han"), in_folder(tmp_path))
    assert tiles_of(glyph_scene("Han-Bold"), in_folder(tmp_path)).majority.name == "Han-Bold/未"


def test_a_name_in_the_fonts_own_language_is_found(tmp_path: Path) -> None:
    path = font(tmp_path / "wqy.ttf", "WenQuanYiZenHei")
    with TTFont(path) as opened:
        opened["name"].setName("文泉驿正黑", 1, 3, 1, 0x804)
        opened.save(tmp_path / "named.ttf")
    path.unlink()
    found = tiles_of(glyph_scene("文泉驿正黑"), in_folder(tmp_path))
    assert found.majority.name == "WenQuanYiZenHei/未"


def test_a_font_that_is_not_there_is_named(tmp_path: Path) -> None:
    font(tmp_path / "han.ttf", "Han")
    assert missing_of(glyph_scene("SimSun"), in_folder(tmp_path)) == "font SimSun"


def test_a_broken_font_matters_only_when_it_is_asked_for(tmp_path: Path) -> None:
    font(tmp_path / "han.ttf", "Han")
    (tmp_path / "simsun.ttf").write_bytes(b"no font")
    assert tiles_of(glyph_scene("Han"), in_folder(tmp_path)).majority.name == "Han/未"
    line = missing_of(glyph_scene("SimSun"), in_folder(tmp_path))
    assert line.startswith("font SimSun: ") and "not a font that can be read" in line


def test_a_file_may_be_named_itself_whatever_its_ending(tmp_path: Path) -> None:
    path = font(tmp_path / "han.ttf", "Han").rename(tmp_path / "han.bin")
    assert tiles_of(glyph_scene("Han"), Places(fonts=(path,))).majority.name == "Han/未"


def test_hidden_files_and_other_endings_are_left_alone(tmp_path: Path) -> None:
    font(tmp_path / ".han.ttf", "Han")
    font(tmp_path / ".hidden" / "han.ttf", "Han")
    (tmp_path / "han.txt").write_text("no font")
    assert missing_of(glyph_scene("Han"), in_folder(tmp_path)) == "font Han"


def test_a_character_the_face_lacks_is_named_and_no_box_is_drawn(tmp_path: Path) -> None:
    font(tmp_path / "han.ttf", "Han")
    line = missing_of(glyph_scene("Han", "未", "龘"), in_folder(tmp_path))
    assert line.startswith("font Han: ") and "'龘' cannot be drawn: not in the face" in line


def test_two_characters_that_look_the_same_are_refused(tmp_path: Path) -> None:
    font(tmp_path / "han.ttf", "Han")
    line = missing_of(glyph_scene("Han", "木", "林"), in_folder(tmp_path))
    assert line == "scene SOMESCENE_000001: the two tiles look the same at 48 px"


def test_what_is_wider_than_its_cell_is_cut_off_and_said_to_be(tmp_path: Path) -> None:
    font(tmp_path / "han.ttf", "Han")
    found = tiles_of(glyph_scene("Han", "二", "未末"), in_folder(tmp_path))
    assert found.notes == ("'二' is wider or taller than its cell: cut off",)
    assert (found.majority.draw(48)[:, 0] < 128).any()


def test_a_place_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RosegenError, match="nowhere: no such file or folder"):
        resolve(glyph_scene("Han"), Places(fonts=(tmp_path / "nowhere",)))


@pytest.mark.parametrize("cell_size", [1, 7, 1025, 10**9])
def test_cells_of_an_absurd_size_are_refused(tmp_path: Path, cell_size: int) -> None:
    font(tmp_path / "han.ttf", "Han")
    line = missing_of(glyph_scene("Han", cell_size=cell_size), in_folder(tmp_path))
    assert f"cells of {cell_size} px" in line


def test_a_mere_dot_is_drawn_and_said_to_be_hardly_visible(tmp_path: Path) -> None:
    font(tmp_path / "a.ttf", "Han", glyphs={"未": GLYPHS["未"], "末": [box(0, 0, 50, 50)]})
    found = tiles_of(glyph_scene("Han"), in_folder(tmp_path))
    assert found.notes == ("'末' is hardly to be seen",)


def test_a_name_with_a_line_break_is_told_in_one_line(tmp_path: Path) -> None:
    font(tmp_path / "a.ttf", "Han")
    assert missing_of(glyph_scene("Han\nX"), in_folder(tmp_path)) == "font Han\\nX"
