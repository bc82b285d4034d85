"""All that is missing, in one line."""

from __future__ import annotations

from pathlib import Path

from rosegen.replay import RecoveredScene
from rosegen.replay.assets import Missing, Places, missing_summary, resolve
from tests.replay.assets.maker import (
    content_scene,
    edit_scene,
    font,
    glyph_scene,
    picture,
    relatives_scene,
    style_scene,
    svg,
)


def summary(places: Places, *scenes: RecoveredScene) -> str:
    found = [resolve(each, places) for each in scenes]
    line = missing_summary(each for each in found if isinstance(each, Missing))
    assert line.isprintable() or not line
    return line


def test_nothing_missing_is_nothing_said() -> None:
    assert missing_summary([]) == ""


def test_the_most_wanted_are_named_and_the_options_that_help(tmp_path: Path) -> None:
    glyphs = [glyph_scene(name) for name in ("A", "B", "B", "C", "D", "E")]
    assert summary(Places(), *glyphs) == (
        "not at hand: 5 fonts (B for 2 scenes, A for 1 scene, C for 1 scene, ...): "
        "give --fonts, or --substitute"
    )


def test_a_provider_is_counted_once_a_scene_and_single_emoji_by_name(tmp_path: Path) -> None:
    svg(tmp_path / "twemoji_svg" / "1f423.svg", "#204080")
    line = summary(Places(emoji=(tmp_path,)), content_scene(), style_scene(), style_scene("1f423"))
    assert line == (
        "not at hand: emoji provider pngfile (2 scenes), 2 emoji (twemoji_svg/1f424, "
        "twemoji_svg/1f9eb): give --emoji, or --substitute"
    )


def test_sprites_are_counted_by_name() -> None:
    line = summary(Places(), edit_scene("a.png"), relatives_scene("a.png__b.png"))
    assert line == "not at hand: 2 sprites (a.png, b.png): give --sprites, or --substitute"


def test_what_is_there_but_will_not_do_is_told_with_its_scene_and_reason(tmp_path: Path) -> None:
    font(tmp_path / "fonts" / "han.ttf", "Han")
    picture(tmp_path / "originals" / "a.png", 1)
    picture(tmp_path / "edits" / "a.png", 1)
    places = Places(fonts=(tmp_path / "fonts",), sprites=(tmp_path,))
    line = summary(places, glyph_scene("Song"), *[edit_scene("a.png", number=n) for n in range(5)])
    assert line.startswith(
        "not at hand: 1 font (Song for 1 scene): give --fonts, or --substitute; "
    )
    assert "5 scenes cannot be drawn: SOMESCENE_000000 (the two tiles look the same" in line
    assert line.endswith(" and 2 more")
