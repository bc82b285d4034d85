"""Stand-ins for what is not at hand: the same everywhere, of the same kind, and told apart."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosegen.packs import OpenPack, fetch, load_packs
from rosegen.replay import RecoveredScene, recover
from rosegen.replay.assets import Missing, Places, Tiles, missing_summary, resolve, substitute
from rosegen.replay.assets.looks import LEAST_CHANGED
from rosegen.sources.similarity import changed_pixel_share
from tests.core_maker import cached_pack, open_pack
from tests.replay.assets.maker import (
    content_scene,
    edit_scene,
    font,
    glyph_scene,
    picture,
    relatives_scene,
    scene,
    style_scene,
    svg,
)
from tests.replay.maker import GLOBAL_CLICK, needs_rose

DEFAULTS = tuple(sorted(pack.name for pack in load_packs().values() if pack.default))


def packs(*names: str) -> dict[str, OpenPack]:
    return {name: cached_pack(name) for name in names}


def stood_in(of: RecoveredScene, places: Places) -> Tiles:
    """Tiles with stand-ins, which differ in as many pixels as can be seen."""
    missing = resolve(of, places)
    assert isinstance(missing, Missing)
    found = substitute(of, missing, places)
    assert isinstance(found, Tiles), str(found)
    size = of.grid.cell_size
    one, other = found.majority.draw(size), found.exception.draw(size)
    assert one.shape == other.shape == (size, size, 3)
    assert changed_pixel_share(one, other) >= LEAST_CHANGED
    return found


def lines(found: Tiles) -> list[str]:
    return [str(each) for each in found.substitutions]


# --- glyphs


def test_the_characters_stay_and_the_face_is_the_nearest_in_style() -> None:
    places = Places(packs=packs("noto-sc", "noto-sans-cjk-vf", "wqy-microhei", "maple-mono-cn"))
    wanted = {
        "GenRyuMinTW-Heavy": "NotoSerifSC-Regular",
        "simsun": "NotoSerifSC-Regular",
        "SourceHanSansCN-Heavy": "NotoSansCJKsc-Black",
        "SourceHanSansCN-Medium": "NotoSansCJKsc-Medium",
        "msjhbd": "NotoSansCJKsc-Bold",
        "Dengl": "NotoSansCJKsc-Light",
    }
    for name, used in wanted.items():
        found = stood_in(glyph_scene(name, "大", "犬"), places)
        assert (found.majority.name, found.exception.name) == (f"{used}/大", f"{used}/犬")
        assert lines(found) == [f"{used} for font {name}"]
        assert found.majority.license == "OFL-1.1"


def test_a_face_that_lacks_a_character_or_draws_both_alike_is_passed_over(tmp_path: Path) -> None:
    first = font(tmp_path / "alike.ttf", "Alike", glyphs={})
    for name, chars in (("Alike", "木林"), ("Lacks", "木"), ("Good", "未末")):
        glyphs = {c: [[(0, 0), (0, 300 + 90 * (c in "未")), (300, 0)]] for c in chars}
        font(tmp_path / f"{name}.ttf", name, glyphs=glyphs)
    first.unlink()
    files = {path.name: path.read_bytes() for path in tmp_path.glob("*.ttf")}
    places = Places(packs={"tiny": open_pack(tmp_path / "pack", "fonts", {}, files)})
    assert stood_in(glyph_scene("X"), places).majority.name == "Good/未"
    none = glyph_scene("X", "木", "林")
    missing = resolve(none, places)
    assert isinstance(missing, Missing)
    assert str(substitute(none, missing, places)) == "font X: nothing at hand can stand in for it"


def test_a_word_stays_a_word_and_is_said_to_be_cut_off() -> None:
    found = stood_in(glyph_scene("msjhbd", "崇高", "鬼祟"), Places(packs=packs("noto-sc")))
    assert found.majority.name == "NotoSansSC-Regular/崇高"
    assert found.notes == tuple(
        f"'{text}' is wider or taller than its cell: cut off" for text in ("崇高", "鬼祟")
    )


def test_a_font_that_is_there_but_lacks_a_character_is_replaced_whole(tmp_path: Path) -> None:
    font(tmp_path / "han.ttf", "Han")
    places = Places(fonts=(tmp_path,), packs=packs("noto-sc"))
    found = stood_in(glyph_scene("Han", "未", "龘"), places)
    assert found.majority.pack == found.exception.pack == "noto-sc"
    assert lines(found) == ["NotoSansSC-Regular for font Han"]


# --- emoji


def test_a_style_pair_keeps_its_emoji_and_gets_two_providers() -> None:
    places = Places(packs=packs("twemoji", "openmoji", "noto-emoji"))
    for number, stem in enumerate(("1f9eb", "1f486-1f3fe-200d-2642-fe0f", "2653", "1f3fd"), 1):
        found = stood_in(style_scene(stem, number=number), places)
        key = stem.replace("-fe0f", "")
        assert found.majority.name == f"twemoji/{key}.svg"  # it is named so
        assert found.exception.name in (f"openmoji/{key}.svg", f"noto/{key}.svg")
        assert lines(found) == [
            f"twemoji/{key}.svg for emoji twemoji_svg/{stem}",
            f"{found.exception.name} for emoji pngfile/{stem}",
        ]


def test_the_tile_of_a_style_pair_that_is_at_hand_is_kept(tmp_path: Path) -> None:
    svg(tmp_path / "twemoji_svg" / "1f9eb.svg", "#204080")
    places = Places(emoji=(tmp_path,), packs=packs("twemoji", "openmoji"))
    found = stood_in(style_scene(), places)
    assert found.majority.pack == "user-emoji"
    assert lines(found) == ["openmoji/1f9eb.svg for emoji pngfile/1f9eb"]


def test_two_packs_of_one_provider_are_not_two_styles() -> None:
    places = Places(packs=packs("twemoji", "iconify-twemoji"))
    missing = resolve(style_scene(), places)
    assert isinstance(missing, Missing)
    assert isinstance(substitute(style_scene(), missing, places), Missing)


def test_a_content_pair_comes_from_one_provider(tmp_path: Path) -> None:
    svg(tmp_path / "twemoji_svg" / "1f423.svg", "#204080")
    places = Places(emoji=(tmp_path,), packs=packs("openmoji"))
    found = stood_in(content_scene(), places)
    assert lines(found) == [
        "openmoji/1f423.svg for the found twemoji_svg/1f423.svg",
        "openmoji/1f424.svg for emoji twemoji_svg/1f424",
    ]


@pytest.mark.parametrize("make", [style_scene, content_scene])
def test_emoji_that_no_pack_draws_become_others(make: Any) -> None:
    places = Places(packs=packs("twemoji", "openmoji", "emoji-data"))
    of = make("1f9eb-1f9eb")
    found = stood_in(of, places)
    assert "1f9eb-1f9eb" not in found.majority.name
    assert found.substitutions[0].wanted == "emoji twemoji_svg/1f9eb-1f9eb"
    assert found == stood_in(of, places)


# --- pixel art


def test_a_sprite_and_an_edit_of_it_stand_in_for_an_edit_pair() -> None:
    places = Places()
    for number in range(6):
        found = stood_in(edit_scene(f"bell-{number}.png", number=number + 1), places)
        original, tilde, edit = found.exception.name.rpartition("~")
        assert (original, tilde) == (found.majority.name, "~") and edit
        assert found.majority.pack == "rosegen-sprites" and found.majority.license == "CC0-1.0"
        assert lines(found) == [
            f"{original} and {found.exception.name} for sprite bell-{number}.png"
        ]


def test_two_related_sprites_stand_in_for_relatives() -> None:
    places = Places(packs=packs("craftax", "dicebear-pixel-art"))
    for number in range(6):
        found = stood_in(relatives_scene(f"a-{number}.png__b.png"), places)
        assert found.majority.pack == found.exception.pack
        assert "~" not in found.majority.name + found.exception.name
        assert [s.wanted for s in found.substitutions] == [f"sprite a-{number}.png", "sprite b.png"]


def test_a_pair_has_the_same_stand_in_in_whatever_scene_it_is_wanted() -> None:
    places = Places()
    first = stood_in(edit_scene(number=1), places)
    assert stood_in(edit_scene(number=7), places) == first
    assert stood_in(edit_scene("other.png"), places).majority != first.majority


def test_a_users_own_pack_of_edits_may_stand_in(tmp_path: Path) -> None:
    for seed, name in enumerate(("a/bell.png", "b/bell.png")):
        picture(tmp_path / name, seed)
    files = {name: (tmp_path / name).read_bytes() for name in ("a/bell.png", "b/bell.png")}
    contents = {"images": {"glob": "a/*.png"}, "edits": {"glob": "b/*.png"}, "size": [16, 16]}
    places = Places(packs={"tiny": open_pack(tmp_path / "pack", "sprites", contents, files)})
    used = {stood_in(edit_scene(f"{n}.png"), places).majority.pack for n in range(12)}
    assert used <= {"tiny", "rosegen-sprites"} and "rosegen-sprites" in used


# --- in general


def test_what_cannot_be_replaced_stays_missing() -> None:
    odd = scene("OTHER", {})
    missing = resolve(odd, Places())
    assert isinstance(missing, Missing)
    assert substitute(odd, missing, Places()) == missing
    huge = glyph_scene("Han", cell_size=10**9)
    missing = resolve(huge, Places())
    assert isinstance(missing, Missing)
    assert substitute(huge, missing, Places()) == missing


def test_without_packs_glyphs_and_emoji_have_no_stand_in() -> None:
    for of in (glyph_scene("Han"), style_scene(), content_scene()):
        missing = resolve(of, Places())
        assert isinstance(missing, Missing)
        line = str(substitute(of, missing, Places()))
        assert line.endswith(": nothing at hand can stand in for it")


@lru_cache(maxsize=1)
def rose_scenes() -> tuple[RecoveredScene, ...]:
    return recover([GLOBAL_CLICK]).scenes


def default_packs() -> Mapping[str, OpenPack]:
    return {name: fetch(load_packs()[name], offline=True) for name in DEFAULTS}


@needs_rose
def test_nothing_of_roses_is_at_hand_and_one_line_says_so() -> None:
    line = missing_summary(map(lacking, rose_scenes()))
    assert line == (
        "not at hand: 48 fonts (SourceHanSansCN-Medium for 14 scenes, SourceHanSansCN-ExtraLight "
        "for 12 scenes, msjhbd for 10 scenes, ...), emoji provider twemoji_svg (442 scenes), emoji "
        "provider pngfile (221 scenes), 475 sprites (self-portrait-default(1).png, "
        "robot-girl-default.png, cat-default.png, ...): give --fonts, --emoji, --sprites, or "
        "--substitute"
    )


def lacking(of: RecoveredScene) -> Missing:
    found = resolve(of, Places())
    assert isinstance(found, Missing)
    return found


@needs_rose
def test_every_ninth_scene_of_roses_gets_stand_ins_that_differ(packs_cached: None) -> None:
    places = Places(packs=default_packs())
    chosen = rose_scenes()[::9]
    assert len(chosen) == 124
    found = {each.scene_id: stood_in(each, places) for each in chosen}
    assert all(tiles.substitutions for tiles in found.values())
    # Whatever the order of the packs, and whichever scenes there are beside.
    turned = Places(packs=dict(reversed(default_packs().items())))  # type: ignore[call-overload]
    for each in chosen[::-13]:
        again = stood_in(each, turned)
        assert again == found[each.scene_id]
        assert np.array_equal(again.exception.draw(50), found[each.scene_id].exception.draw(50))
