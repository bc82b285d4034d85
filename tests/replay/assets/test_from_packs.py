"""Rows of rosegen's own releases: their tiles are drawn from packs as their build drew them."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosegen.build import Build
from rosegen.packs import fetch, load_packs
from rosegen.render.hashing import pixel_sha256
from rosegen.replay import RecoveredScene, recover
from rosegen.replay.assets import Places, Tiles, missing_summary, resolve, substitute
from rosegen.replay.assets.pack_faces import face_named
from rosegen.replay.assets.tiles import TileStyle
from rosegen.scene import Tile
from rosegen.sources.base import Candidate, SourceConfig
from rosegen.sources.font_file import at_location
from rosegen.sources.glyph import Glyph
from tests.core_maker import cached_pack, open_pack
from tests.replay.assets.maker import font, missing_of, picture, scene, tiles_of
from tests.sources.font_maker import box


def default_packs() -> Mapping[str, Any]:
    return {p.name: fetch(p, offline=True) for p in load_packs().values() if p.default}


def own_scene(kind: str, pack: str, majority: str, exception: str, **more: Any) -> RecoveredScene:
    """A scene as rosegen's own rows tell it."""
    columns = {
        "background_pack": pack,
        "target_pack": pack,
        "background_path": majority,
        "target_path": exception,
        **more.pop("columns", {}),
    }
    return scene(kind, columns, **{"cell_size": 64, **more})


def test_every_tile_of_a_release_is_drawn_again_pixel_by_pixel(demo: Build) -> None:
    scenes = recover(sorted(demo.out.glob("metadata_*.jsonl"))).scenes
    rows = (demo.out / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    manifest = {row["scene_id"]: row for row in map(json.loads, rows)}
    places = Places(packs=default_packs())
    for each in scenes:
        found = tiles_of(each, places)
        row, cell_size = manifest[each.scene_id], each.grid.cell_size
        for role, tile in (("background", found.majority), ("target", found.exception)):
            assert pixel_sha256([tile.draw(cell_size)]) == row[f"{role}_sha256"], tile.name
            assert tile.name == each.columns[f"{role}_path"]
            assert (tile.pack, tile.license) == (row[f"{role}_pack"], row[f"{role}_license"])
        assert found.notes == ()
    assert len(scenes) == len({row["scene_id"] for row in manifest.values()}) > 0


@pytest.mark.parametrize("options", [{}, {"em": 0.5}])
def test_a_glyph_is_drawn_as_its_source_draws_it(
    tmp_path: Path, options: Mapping[str, Any]
) -> None:
    pack, face = cached_pack("noto-sc"), "NotoSansSC-Regular"
    config = SourceConfig("glyph", options, {"noto-sc": pack}, tmp_path, (250, 240, 9), 0.84)
    source = Glyph(config)
    one, other = (
        Tile(f"{face}/{text}", "noto-sc", "OFL-1.1", {"face": face, "text": text})
        for text in "未末"
    )
    fields = source.fields(Candidate("未__末", face, one, other, ("未", "末")), False, 57)
    own = own_scene("GLYPH", "noto-sc", one.name, other.name, columns=fields, cell_size=57)
    found = tiles_of(own, Places(packs={"noto-sc": pack}))
    for tile, drawn in ((one, found.majority), (other, found.exception)):
        assert np.array_equal(drawn.draw(57, (250, 240, 9)), source.draw(tile, 57))


def test_a_tile_can_be_sent_to_another_process(tmp_path: Path) -> None:
    pack = cached_pack("twemoji")
    own = own_scene("EMOJI_CONTENT", "twemoji", "twemoji/1f423.svg", "twemoji/1f424.svg")
    found = tiles_of(own, Places(packs={"twemoji": pack}))
    again: Tiles = pickle.loads(pickle.dumps(found))
    assert again == found
    assert np.array_equal(again.exception.draw(50), found.exception.draw(50))


def test_rosegens_own_sprites_need_no_pack() -> None:
    name = "rosegen-sprites/creature/slime/"
    line = missing_of(own_scene("PIXEL_EDIT", "rosegen-sprites", name, name), Places())
    assert line == f"sprite {name}: pack rosegen-sprites has none of that name"


def test_a_users_own_edits_and_file_names_of_any_kind_are_found(tmp_path: Path) -> None:
    for seed, name in enumerate(("a/bell~add-0.png", "a/bell.png", "b/bell.png")):
        picture(tmp_path / name, seed)
    files = {name: (tmp_path / name).read_bytes() for name in ("a/bell~add-0.png", "a/bell.png")}
    files["b/bell.png"] = (tmp_path / "b/bell.png").read_bytes()
    contents = {"images": {"glob": "a/*.png"}, "edits": {"glob": "b/*.png"}, "size": [16, 16]}
    places = Places(packs={"tiny": open_pack(tmp_path / "pack", "sprites", contents, files)})
    plain, edited = "tiny/bell", "tiny/bell~True"
    found = tiles_of(own_scene("PIXEL_EDIT", "tiny", plain, edited), places)
    assert not np.array_equal(found.majority.draw(32), found.exception.draw(32))
    # A file that is called what an edit would be called is that file.
    found = tiles_of(own_scene("PIXEL_EDIT", "tiny", plain, "tiny/bell~add-0"), places)
    assert not np.array_equal(found.majority.draw(32), found.exception.draw(32))


@pytest.mark.parametrize(
    "name",
    [
        "craftax/no_such",
        "craftax/sapling~repaint-0",
        "craftax/sapling~add-x",
        "craftax/sapling~True",
        "craftax/",
        "other/sapling",
        "sapling",
        "",
    ],
)
def test_a_sprite_that_a_pack_does_not_have_is_named(name: str) -> None:
    places = Places(packs={"craftax": cached_pack("craftax")})
    line = missing_of(own_scene("PIXEL_EDIT", "craftax", "craftax/sapling", name), places)
    assert line == f"sprite {name}: pack craftax has none of that name"


def test_an_edit_that_a_sprite_does_not_give_is_refused() -> None:
    places = Places(packs={"craftax": cached_pack("craftax")})
    edits = [
        own_scene("PIXEL_EDIT", "craftax", "craftax/sapling", f"craftax/sapling~{edit}-{take}")
        for edit in ("add", "move", "mirror", "erase")
        for take in range(4)
    ]
    lines = [str(found) for found in (resolve(e, places) for e in edits)]
    assert any("the sprite gives no such edit" in line for line in lines)


def test_packs_that_are_not_at_hand_are_named() -> None:
    glyphs = own_scene("GLYPH", "noto-sc", "NotoSansSC-Regular/未", "NotoSansSC-Regular/末")
    assert missing_of(glyphs, Places()) == "pack noto-sc"


def test_an_emoji_or_a_face_that_a_pack_does_not_have_is_named(tmp_path: Path) -> None:
    emoji = own_scene("EMOJI_CONTENT", "twemoji", "twemoji/1f423.svg", "noto/1f424.svg")
    line = missing_of(emoji, Places(packs={"twemoji": cached_pack("twemoji")}))
    assert line == "emoji noto/1f424.svg: pack twemoji has none of that name"
    path = font(tmp_path / "han.ttf", "Han")
    pack = open_pack(tmp_path / "pack", "fonts", {}, {"han.ttf": path.read_bytes()})
    places = Places(packs={"tiny": pack})
    line = missing_of(own_scene("GLYPH", "tiny", "Han/未", "Song/末"), places)
    assert line == "font Song: pack tiny has no such face"


def test_glyphs_are_drawn_at_the_size_their_row_tells(tmp_path: Path) -> None:
    path = font(tmp_path / "han.ttf", "Han")
    pack = open_pack(tmp_path / "pack", "fonts", {}, {"han.ttf": path.read_bytes()})
    places = Places(packs={"tiny": pack})
    widths = {}
    for size in (20, 40, 60):
        own = own_scene("GLYPH", "tiny", "Han/未", "Han/末", columns={"font_size": size})
        drawn = tiles_of(own, places).majority.draw(64)
        widths[size] = np.count_nonzero((drawn < 128).any(axis=(0, 2)))
    assert widths == {20: 6, 40: 12, 60: 18}  # the character is 0.3 em wide


def test_a_face_at_a_place_of_its_axes_is_found_by_the_name_tiles_have() -> None:
    pack = cached_pack("noto-sans-cjk-vf")
    face = face_named(pack, "NotoSansCJKsc-Light@wght=650")
    plain = face_named(pack, "NotoSansCJKsc-Light")
    assert face is not None and plain is not None
    assert face.font == at_location(plain.font, {"wght": 650})
    assert face_named(pack, "NoSuch@wght=650") is None
    line = missing_of(
        own_scene("GLYPH", "noto-sans-cjk-vf", "NotoSansCJKsc-Light@wght=x/未", "x/y"),
        Places(packs={"noto-sans-cjk-vf": pack}),
    )
    assert "'wght=x' is no place of an axis" in line


def test_a_text_may_hold_a_slash_and_a_backslash(tmp_path: Path) -> None:
    path = font(tmp_path / "han.ttf", "Han", glyphs={"/": [[(0, 0), (0, 9e2), (3e2, 0)]]})
    files = {"han.ttf": path.read_bytes()}
    places = Places(packs={"tiny": open_pack(tmp_path / "pack", "fonts", {}, files)})
    found = tiles_of(own_scene("GLYPH", "tiny", "Han//", "Han/\\"), places)
    assert (found.majority.name, found.exception.name) == ("Han//", "Han/\\")


def test_a_text_that_a_tiles_name_spells_is_drawn_as_its_own_column_has_it(tmp_path: Path) -> None:
    """A name has no backslash: without the column, the spelling is all there is."""
    shapes = {char: [[(0, 0), (0, 9e2), (3e2, 0)]] for char in "\\U+05C"}
    path = font(tmp_path / "han.ttf", "Han", glyphs=shapes | {"未": [box(0, 0, 99, 99)]})
    files = {"han.ttf": path.read_bytes()}
    places = Places(packs={"tiny": open_pack(tmp_path / "pack", "fonts", {}, files)})
    names = ("GLYPH", "tiny", "Han/U+005C", "Han/未")
    for char, drawn in (("\\", "\\"), ("U+005C", "U+005C"), ("未", "U+005C")):
        own = own_scene(*names, columns={"background_char": char, "target_char": "未"})
        found = tiles_of(own, places)
        assert found.majority.name == "Han/U+005C"
        assert (found.majority.text, found.exception.text) == (drawn, "未")  # type: ignore[attr-defined]


def test_a_pair_that_measures_otherwise_than_its_row_says_is_noted() -> None:
    places = Places(packs={"twemoji": cached_pack("twemoji")})
    names = ("twemoji/1f423.svg", "twemoji/1f424.svg")
    own = own_scene("EMOJI_CONTENT", "twemoji", *names, columns={"ssim": 0.123456})
    (note,) = tiles_of(own, places).notes
    assert note.startswith("its row says SSIM 0.123456, drawn here it is ")
    true = float(note.partition("drawn here it is ")[2].partition(":")[0])
    own = own_scene("EMOJI_CONTENT", "twemoji", *names, columns={"ssim": true})
    assert tiles_of(own, places).notes == ()


def test_the_ink_and_background_of_a_release_go_into_what_is_compared() -> None:
    places = Places(packs={"twemoji": cached_pack("twemoji")})
    names = ("twemoji/1f423.svg", "twemoji/1f424.svg")
    drawn = []
    for ink, background in ((0.84, (255, 255, 255)), (0.5, (20, 30, 40))):
        own = own_scene("EMOJI_CONTENT", "twemoji", *names, columns={"ssim": 2.0})
        found = resolve(own, places, TileStyle(background, ink))
        assert isinstance(found, Tiles)
        drawn.append((found.notes, found.majority.draw(64, background)))
    (first_note, first), (second_note, second) = drawn
    assert first_note != second_note
    assert not np.array_equal(first, second)


def test_a_release_of_stand_ins_is_replayed_from_the_packs_it_names() -> None:
    packs = {name: cached_pack(name) for name in ("twemoji", "openmoji")}
    first = scene("EMOJI_STYLE", {"unicode_key": "1f9eb", "majority_style": "a"} | _paths("1f9eb"))
    places = Places(packs=packs)
    missing = resolve(first, places)
    assert not isinstance(missing, Tiles)
    stood_in = substitute(first, missing, places)
    assert isinstance(stood_in, Tiles)
    columns = {
        **first.columns,
        "background_pack": stood_in.majority.pack,
        "target_pack": stood_in.exception.pack,
        "background_path": stood_in.majority.name,
        "target_path": stood_in.exception.name,
    }
    again = tiles_of(scene("EMOJI_STYLE", columns), places)
    assert (again.majority, again.exception) == (stood_in.majority, stood_in.exception)


def _paths(stem: str) -> dict[str, str]:
    return {"background_path": f"a\\{stem}.svg", "target_path": f"b\\{stem}.png"}


def test_the_summary_tells_how_to_get_packs() -> None:
    glyphs = own_scene("GLYPH", "noto-sc", "NotoSansSC-Regular/未", "NotoSansSC-Regular/末")
    found = resolve(glyphs, Places())
    assert not isinstance(found, Tiles)
    assert missing_summary([found, found]) == (
        "not at hand: 1 pack (noto-sc for 2 scenes): run `rosegen assets fetch` for the packs, "
        "or give --substitute"
    )
