"""Mining confusable hanzi, in a face of the packs."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest
from PIL import ImageFont
from skimage.metrics import structural_similarity

from rosegen.sources.chinese_glyph import Face, known_characters, open_face
from rosegen.sources.glyph_mining import Confusable, gb2312_hanzi, mine, render_glyph
from tests.core_maker import cached_pack

CHARS = "未末土士己已王玉田由甲申日曰目木术本大太犬天夫人入八儿几九力刀又口囗回国图土"


@lru_cache(maxsize=1)
def face() -> Face:
    pack = cached_pack("noto-sc")
    entry = pack.pack.contents["faces"][0]
    path = str(pack.path(entry["file"]))
    return Face(entry["name"], entry["family"], path, entry["index"], (), "noto-sc", "OFL-1.1", "")


def font(size: int = 48) -> ImageFont.FreeTypeFont:
    return open_face(face(), size)


def test_gb_2312_has_6763_hanzi_in_its_own_order() -> None:
    chars = gb2312_hanzi()
    assert len(chars) == len(set(chars)) == 6763
    assert (chars[0], chars[3754], chars[3755], chars[-1]) == ("啊", "座", "亍", "齄")
    assert all("一" <= char <= "龥" for char in chars)


def test_the_face_has_the_hanzi_and_is_not_said_to_have_more() -> None:
    assert len(known_characters(face(), gb2312_hanzi())) == 6763
    assert known_characters(face(), ["一", "\ue000", "\U0010ffff"]) == ["一"]


@pytest.mark.parametrize(("size", "side"), [(48, 52), (30, 42), (46, 64)])
def test_glyphs_stand_in_the_middle_and_are_not_cut_off(size: int, side: int) -> None:
    for char in "国田口回图":
        ink = np.argwhere(render_glyph(font(size), char, side) > 64)
        (top, left), (bottom, right) = ink.min(axis=0), ink.max(axis=0)
        assert top > 0
        assert left > 0
        assert bottom < side - 1
        assert right < side - 1
        assert abs((top + bottom) / 2 - (side - 1) / 2) <= 3
        assert abs((left + right) / 2 - (side - 1) / 2) <= 2


def test_every_pair_that_is_alike_enough_is_found() -> None:
    chars = sorted(set(CHARS))
    mined = mine(font(), chars, shortlist=10_000, least_ssim=0.6)
    glyphs = {char: render_glyph(font(), char, 52) for char in chars}
    expected = {}
    for a, b in combinations(chars, 2):
        score = structural_similarity(glyphs[a], glyphs[b], data_range=255)
        if round(float(score), 6) >= 0.6:
            expected[a, b] = score
    assert {(pair.a, pair.b) for pair in mined} == set(expected)
    for pair in mined:
        assert pair.a < pair.b
        assert pair.ssim == pytest.approx(expected[pair.a, pair.b], abs=1e-6)
    assert mined == sorted(mined, key=lambda pair: (-pair.ssim, pair.a, pair.b))
    best = {(pair.a, pair.b) for pair in mined[:12]}
    assert {("未", "末"), ("土", "士"), ("己", "已")} <= best


def test_the_shortlist_holds_the_pairs_of_highest_cosine() -> None:
    chars = sorted(set(CHARS))
    everything = mine(font(), chars, 10_000, -1.0)
    assert len(everything) == len(chars) * (len(chars) - 1) // 2
    few = mine(font(), chars, 20, -1.0)
    assert 20 <= len(few) <= 25  # ties at the end are all in
    assert set(few) <= set(everything)
    assert few == mine(font(), chars, 20, -1.0)
    blocks = {
        char: render_glyph(font(), char, 52).reshape(13, 4, 13, 4).mean(axis=(1, 3)).ravel()
        for char in chars
    }

    def cosine(pair: Confusable) -> float:
        a, b = blocks[pair.a], blocks[pair.b]
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    # Thumbnails are coarse, so the order near the cut may differ a little from the exact one.
    exact = sorted(everything, key=cosine, reverse=True)
    assert set(exact[:12]) <= set(few) <= set(exact[:40])


def test_characters_without_ink_are_left_out() -> None:
    assert mine(font(), ["\u3000", "一"], 10, -1.0) == []
    pairs = mine(font(), ["\u3000", "未", "末"], 10, 0.0)
    assert [(pair.a, pair.b) for pair in pairs] == [("未", "末")]
