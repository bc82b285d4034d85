"""Whatever a record says, its tiles are found or something is said to be missing, in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.replay.assets import Missing, Places, Tiles, missing_summary, resolve, substitute
from tests.core_maker import LAW, open_pack
from tests.replay.assets.maker import font, picture, scene, svg

KINDS = ("CHINESE_GLYPH", "GLYPH", "EMOJI_STYLE", "EMOJI_CONTENT", "PIXEL_EDIT", "PIXEL_CONTENT")
COLUMNS = (
    *("font_name", "background_char", "target_char", "font_size", "pair_key", "unicode_key"),
    *("background_path", "target_path", "background_pack", "target_pack", "asset_resize_mode"),
    *("majority_style", "target_style", "background_unicode", "target_unicode", "ssim"),
)
WORDS = (
    *(
        "Han",
        "未",
        "末",
        "craftax",
        "tiny",
        "twemoji",
        "twemoji/1f9eb.svg",
        "user-fonts",
        "stretch",
    ),
    *("twemoji_svg\\1f9eb.svg", "pngfile\\1f9eb.png", "a.png", "a.png__b.png", "Han/未", "Han/末"),
    *(
        "rosegen-sprites",
        "tiny/a",
        "tiny/a~add-0",
        "..\\..\\a.png",
        "/",
        "\\",
        "~",
        "Han@wght=nan/未",
    ),
)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """One of everything."""
    root: Path = tmp_path_factory.mktemp("places")
    han = font(root / "fonts" / "han.ttf", "Han")
    svg(root / "emoji" / "twemoji_svg" / "1f9eb.svg", "#204080")
    picture(root / "emoji" / "pngfile" / "1f9eb.png", 1)
    art = picture(root / "sprites" / "a.png", 2)
    picture(root / "sprites" / "edits" / "a.png", 3)
    picture(root / "sprites" / "b.png", 4)
    contents = {"images": {"glob": "*.png"}, "size": [16, 16]}
    packs = {
        "tiny": open_pack(root / "p1", "sprites", contents, {"a.png": art.read_bytes()}),
        "craftax": open_pack(root / "p2", "fonts", {}, {"han.ttf": han.read_bytes()}),
        "images": open_pack(root / "p3", "images", {}, {"a.png": art.read_bytes()}),
    }
    return Places((root / "fonts",), (root / "emoji",), (root / "sprites",), packs)


values = st.one_of(
    st.sampled_from(WORDS),
    st.text(max_size=12),
    st.integers(-5, 10**12),
    st.floats(),
    st.lists(st.text(max_size=3), max_size=2),
)


@LAW
@given(
    kind=st.sampled_from((*KINDS, "OTHER", None)),
    columns=st.dictionaries(st.sampled_from(COLUMNS), values, max_size=len(COLUMNS)),
    cell_size=st.sampled_from((1, 8, 16, 48, 10**12)),
)
def test_every_record_ends_in_two_tiles_or_in_one_line(
    places: Places, kind: str | None, columns: dict[str, Any], cell_size: int
) -> None:
    of = scene(kind, columns, cell_size=cell_size)
    found = resolve(of, places)
    stand_in = found if isinstance(found, Tiles) else substitute(of, found, places)
    for each in (found, stand_in):
        if isinstance(each, Tiles):
            one, other = each.majority.draw(cell_size), each.exception.draw(cell_size)
            assert one.shape == other.shape == (cell_size, cell_size, 3)
            assert (one != other).any()
            assert all(map(str.isprintable, map(str, each.substitutions)))
        else:
            assert isinstance(each, Missing)
            assert each.lacks and str(each).isprintable()
            assert missing_summary([each]).isprintable()
