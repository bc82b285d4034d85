"""Portraits from a DiceBear definition: a tiny one made here, and the shipped style."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosegen.draws import Draws
from rosegen.errors import RosegenError
from rosegen.sources.dicebear import Portrait, draw_portrait, render_portrait
from rosegen.sources.pixel_art import open_library
from tests.core_maker import cached_pack, open_pack


def rect(x: int, y: int, fill: Any, side: int = 2) -> dict[str, Any]:
    attributes = {"x": x, "y": y, "width": side, "height": side, "fill": fill}
    return {"type": "element", "name": "rect", "attributes": attributes}


TINY: dict[str, Any] = {
    "canvas": {
        "width": 8,
        "height": 8,
        "elements": [
            rect(0, 0, {"type": "color", "name": "skin"}, 8),
            {"type": "component", "name": "eyes", "attributes": {"transform": "translate(4 0)"}},
            {"type": "component", "name": "hat"},
        ],
    },
    "components": {
        "eyes": {
            "variants": {
                "up": {"elements": [rect(0, 0, "#000000")]},
                "down": {"elements": [rect(0, 6, "#000000")]},
            }
        },
        "hat": {"probability": 5, "variants": {"red": {"elements": [rect(0, 6, "#ff0000")]}}},
    },
    "colors": {"skin": {"values": ["#ffcc99", "#885533"]}},
}


def test_a_portrait_is_drawn_part_by_part() -> None:
    pixels = render_portrait(TINY, Portrait({"eyes": "down", "hat": "red"}, {"skin": "#ffcc99"}))
    expected = np.empty((8, 8, 4), np.uint8)
    expected[:] = (255, 204, 153, 255)
    expected[6:, 4:6, :3] = 0
    expected[6:, :2, :3] = (255, 0, 0)
    assert np.array_equal(pixels, expected)


def test_parts_that_are_absent_are_not_drawn() -> None:
    portrait = Portrait({"eyes": "up", "hat": "red"}, {"skin": "#885533"})
    bare = portrait.changed("hat", None)
    assert portrait.variants["hat"] == "red"
    assert (render_portrait(TINY, bare)[6:, :2] == (0x88, 0x55, 0x33, 255)).all()


def test_draws_decide_and_optional_parts_are_there_half_the_time() -> None:
    portraits = [draw_portrait(TINY, Draws("p", n)) for n in range(200)]
    assert portraits == [draw_portrait(TINY, Draws("p", n)) for n in range(200)]
    hats = sum(portrait.variants["hat"] is not None for portrait in portraits)
    assert 70 < hats < 130
    assert {portrait.variants["eyes"] for portrait in portraits} == {"up", "down"}
    assert {portrait.colors["skin"] for portrait in portraits} == {"#ffcc99", "#885533"}


def test_ids_of_two_components_do_not_clash() -> None:
    """Both define a clip "c": each must be cut by its own."""

    def clipped(x: int, height: int) -> list[dict[str, Any]]:
        clip = {"type": "element", "name": "clipPath", "attributes": {"id": "c"}}
        window = rect(x, 0, "#000")
        window["attributes"]["height"] = height
        drawn = rect(x, 0, "#00ff00", 8)
        drawn["attributes"]["clip-path"] = "url(#c)"
        return [{**clip, "children": [window]}, drawn]

    definition = {
        "canvas": {
            "width": 8,
            "height": 8,
            "elements": [{"type": "component", "name": name} for name in ("one", "two")],
        },
        "components": {
            "one": {"variants": {"v": {"elements": clipped(0, 3)}}},
            "two": {"variants": {"v": {"elements": clipped(4, 6)}}},
        },
        "colors": {},
    }
    pixels = render_portrait(definition, Portrait({"one": "v", "two": "v"}, {}))
    alpha = pixels[..., 3] > 0
    assert (alpha[:, :2].sum(), alpha[:, 4:6].sum()) == (6, 12)


def test_the_shipped_style_gives_many_portraits_and_their_relatives() -> None:
    library = open_library(cached_pack("dicebear-pixel-art"))
    related = library.related()
    assert len(related) > 300
    looks = {art.pixels.tobytes() for art in library.art.values()}
    assert len(looks) == len(library.art)
    for a, b in related:
        one, other = library.art[a].pixels, library.art[b].pixels
        assert one.shape == other.shape == (16, 16, 4)
        assert set(np.unique(one[..., 3])) <= {0, 255}
        assert library.art[a].family == library.art[b].family
        assert 0 < (one != other).any(axis=-1).mean() < 0.8


@pytest.mark.parametrize(
    "text", ["no json", "{}", json.dumps(TINY)], ids=["no json", "another form", "another style"]
)
def test_another_definition_is_used_or_refused_in_one_line(text: str, tmp_path: Path) -> None:
    """A style need not have hair, glasses and a beard to have relatives."""
    pack = open_pack(tmp_path, "sprites", {"dicebear": "style.json"}, {"style.json": text})
    try:
        library = open_library(pack)
    except RosegenError as error:
        assert "asset pack tiny" in str(error)
        assert text != json.dumps(TINY)
        return
    assert len(library.art) > 1
