"""A release that showed stand-ins is replayed with the same stand-ins, which its rows tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rosegen.replay import RecoveredScene
from rosegen.replay.assets import Missing, Places, Tiles, resolve, substitute
from tests.core_maker import cached_pack
from tests.replay.assets.maker import (
    content_scene,
    edit_scene,
    glyph_scene,
    relatives_scene,
    style_scene,
)


def as_written(of: RecoveredScene, found: Tiles, **more: Any) -> RecoveredScene:
    """The scene as the rows of a replayed release tell it: whose packs are shown, and for what."""
    told = {
        "background_pack": found.majority.pack,
        "target_pack": found.exception.pack,
        "background_path": "mine/wanted.png",
        "target_path": "mine/other.png",
        **of.columns,
        "substituted": [str(each) for each in found.substitutions],
        **more,
    }
    return replace(of, columns=told)


@pytest.mark.parametrize(
    ("of", "packs"),
    [
        (lambda: glyph_scene("SourceHanSansCN-Heavy"), ("noto-sc", "wqy-microhei")),
        (style_scene, ("twemoji", "noto-emoji")),
        (content_scene, ("twemoji", "noto-emoji")),
        (edit_scene, ()),
        (relatives_scene, ()),
    ],
    ids=["glyphs", "style", "content", "edit", "relatives"],
)
def test_what_stood_in_stands_in_again_without_being_allowed_to(
    of: Callable[[], RecoveredScene], packs: tuple[str, ...]
) -> None:
    places = Places(packs={name: cached_pack(name) for name in packs})
    missing = resolve(of(), places)
    assert isinstance(missing, Missing)
    found = substitute(of(), missing, places)
    assert isinstance(found, Tiles)
    again = resolve(as_written(of(), found), places)
    assert isinstance(again, Tiles), str(again)
    assert (again.majority, again.exception) == (found.majority, found.exception)
    assert again.substitutions == found.substitutions


@pytest.mark.parametrize("said", [["nothing of the kind"], "x for font y", [3], [], None])
def test_a_column_that_tells_no_stand_in_is_passed_over(said: object) -> None:
    missing = resolve(edit_scene(), Places())
    assert isinstance(missing, Missing)
    found = substitute(edit_scene(), missing, Places())
    assert isinstance(found, Tiles)
    assert isinstance(resolve(as_written(edit_scene(), found, substituted=said), Places()), Missing)


def test_a_stand_in_that_is_not_at_hand_leaves_the_scene_missing() -> None:
    missing = resolve(edit_scene(), Places())
    assert isinstance(missing, Missing)
    found = substitute(edit_scene(), missing, Places())
    assert isinstance(found, Tiles)
    gone = as_written(edit_scene(), found, substituted=["rosegen-sprites/no-such for sprite x"])
    assert isinstance(resolve(gone, Places()), Missing)
