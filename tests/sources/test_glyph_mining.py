"""Mining confusable texts: what is found, what is refused, and that nothing depends on chance."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view
from skimage.metrics import structural_similarity

from rosegen.sources.base import Refusal
from rosegen.sources.font_file import FontFace, list_faces
from rosegen.sources.glyph_mining import (
    SIDE,
    Confusable,
    Mined,
    Mining,
    ink_ssim,
    mine,
    nearest,
    shown_name,
)
from rosegen.sources.text_tile import FONT_SHARE, draw
from tests.core_maker import LAW, noise
from tests.sources.font_maker import BOX_OF_NOTDEF, box, made, saved
from tests.sources.glyph_maker import AtOnce, LastFirst, bars, pack_face

Pixels = npt.NDArray[np.uint8]


def seen_ssim(a: Pixels, b: Pixels) -> float:
    """scikit-image's SSIM over those of its windows that hold ink of either picture."""
    _, each = structural_similarity(a, b, data_range=255, full=True)
    held = sliding_window_view(np.maximum(a, b) > 0, (7, 7)).any(axis=(2, 3))
    return float(each[3:-3, 3:-3][held].mean())


CHARS = "".join(
    sorted({*"未末土士己已王玉田由甲申日曰目木术本大太犬天夫人入八儿几九力刀又口囗回国图"})
)


def mined(face: FontFace, texts: Any, pairs: Any = (), pool: Any = None, **more: Any) -> Mined:
    settings = {"em": FONT_SHARE, "shortlist": 10_000, "least_ssim": 0.4, **more}
    return mine(Mining(face, tuple(texts), tuple(pairs), **settings), pool or AtOnce())


def made_face(folder: Path, font: Any) -> FontFace:
    (face,) = list_faces(saved(font, folder / "made.ttf"))
    return face


def found_in(result: Mined) -> set[tuple[str, str]]:
    return {(pair.a, pair.b) for pair in result.pairs}


# --- what is found


def test_every_pair_that_is_alike_enough_is_found(packs_cached: None) -> None:
    face = pack_face("noto-sc")
    glyphs = {char: draw(face, char, SIDE) for char in CHARS}
    expected = {}
    for a, b in combinations(CHARS, 2):
        score = seen_ssim(glyphs[a], glyphs[b])
        if round(score, 6) >= 0.4:
            expected[a, b] = score
    result = mined(face, CHARS)
    assert found_in(result) == set(expected)
    for pair in result.pairs:
        assert pair.a < pair.b
        assert pair.ssim == pytest.approx(expected[pair.a, pair.b], abs=1e-6)
    assert list(result.pairs) == sorted(result.pairs, key=lambda p: (-p.ssim, p.a, p.b))
    best = {(pair.a, pair.b) for pair in result.pairs[:12]}
    assert {("未", "末"), ("土", "士"), ("己", "已")} <= best
    assert result.refused == ()
    assert result.usable == len(CHARS)


def test_a_few_letters_are_all_compared(tmp_path: Path) -> None:
    face = made_face(tmp_path, bars(a=700, b=680, c=300, d=100))
    result = mined(face, "abcd", shortlist=6, least_ssim=-0.5)
    assert found_in(result) == set(combinations("abcd", 2))
    assert (result.pairs[0].a, result.pairs[0].b) == ("a", "b")


def test_a_shortlist_keeps_what_is_most_alike(packs_cached: None) -> None:
    face = pack_face("noto-sc")
    every, few = mined(face, CHARS), mined(face, CHARS, shortlist=20)
    assert len(few.pairs) <= 20
    assert set(few.pairs) <= set(every.pairs)
    assert set(every.pairs[:8]) <= set(few.pairs)


def test_nothing_depends_on_the_order_of_texts_or_of_work(packs_cached: None) -> None:
    face = pack_face("noto-sc")
    texts = [chr(point) for point in range(0x4E00, 0x4E00 + 300)]
    once = mined(face, texts, [("一", "丁")], shortlist=400)
    assert once.pairs
    assert mined(face, texts[::-1], [("丁", "一")], shortlist=400) == once
    assert mined(face, texts, [("一", "丁")], LastFirst(), shortlist=400) == once


def test_texts_of_several_letters_are_mined_with_characters(packs_cached: None) -> None:
    result = mined(pack_face("noto-sc"), ["m", "rn", "W", "vv", "i"], least_ssim=0.35)
    assert ("m", "rn") in found_in(result)
    assert ("i", "m") not in found_in(result)


def test_less_than_two_texts_make_no_pair(tmp_path: Path) -> None:
    face = made_face(tmp_path, bars(a=700))
    assert mined(face, "a") == Mined((), (), 1)
    assert mined(face, "") == Mined((), (), 0)


# --- what is asked for


def test_a_pair_that_is_asked_for_is_taken_however_little_alike(tmp_path: Path) -> None:
    face = made_face(tmp_path, bars(a=700, b=680, c=100))
    result = mined(face, "", [("c", "a")], least_ssim=0.99)
    assert found_in(result) == {("a", "c")}
    assert result.pairs[0].ssim < 0.99
    assert found_in(mined(face, "ab", [("c", "a")])) == {("a", "b"), ("a", "c")}


def test_a_pair_that_is_asked_for_is_refused_when_it_cannot_be_drawn(tmp_path: Path) -> None:
    font = made({"a": [box(100, 0, 400, 700)]}, {ord(char): "a" for char in "aА"})
    result = mined(made_face(tmp_path, font), "", [("a", "b"), ("a", "А")])
    assert result.pairs == ()
    assert result.refused == (Refusal("b", "not in the face"), Refusal("a__А", "identical"))


# --- what is refused


def test_texts_that_cannot_be_used_are_refused_with_their_reason(tmp_path: Path) -> None:
    glyphs = {
        "a": [box(100, 0, 400, 700)],
        "b": [box(100, 0, 400, 680)],
        " ": [],
        "u": [box(100, 0, 400, 1300)],
        ".": [box(240, 0, 250, 10)],
        "t": [box(*BOX_OF_NOTDEF)],
    }
    face = made_face(tmp_path, made(glyphs, {ord(name): name for name in glyphs}))
    result = mined(face, [*"ab u.tz", "a\u200d", "a\u0301", "\u0301"])
    assert found_in(result) == {("a", "b")}
    assert result.usable == 2
    assert set(result.refused) == {
        Refusal("U+0020", "blank"),
        Refusal("u", "clipped", "top"),
        Refusal(".", "near-blank", "0.01% of the cell is ink"),
        Refusal("t", "not in the face", "U+0074 is drawn as the missing glyph"),
        Refusal("z", "not in the face"),
        Refusal("U+0061 U+200D", "ignored", "U+200D"),
        Refusal("a\u0301", "not in the face", "U+0301"),
        Refusal("U+0301", "not in the face"),
    }


def test_texts_that_look_the_same_are_no_pair(tmp_path: Path) -> None:
    corners = box(100, 0, 400, 700)
    glyphs = {
        "A": [corners],
        "Α": [corners[2:] + corners[:2]],  # one picture, drawn from another corner
        "А": [[(x + 20, y) for x, y in corners]],  # the same further right
        "B": [box(100, 0, 400, 690)],
    }
    face = made_face(tmp_path, made(glyphs, {ord(name): name for name in glyphs}))
    result = mined(face, glyphs)
    assert found_in(result) == {("A", "B"), ("B", "А")}
    assert set(result.refused) == {Refusal("A__Α", "identical"), Refusal("A__А", "identical")}


def test_a_face_of_one_picture_for_everything_is_seen_through_at_once(tmp_path: Path) -> None:
    glyphs = {"box": [box(100, 0, 400, 700)], "bar": [box(100, 0, 400, 690)]}
    many = range(0x4E00, 0x4E00 + 3000)
    face = made_face(tmp_path, made(glyphs, {0x41: "bar"} | dict.fromkeys(many, "box")))
    result = mined(face, ["A", *map(chr, many)], shortlist=50)
    assert found_in(result) == {("A", "一")}
    assert len(result.refused) == 2999
    assert {no.reason for no in result.refused} == {"identical"}
    assert all(no.tile.startswith("一__") for no in result.refused)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rn", "rn"),
        ("凤", "凤"),
        ("é", "é"),
        ("\u0301", "U+0301"),
        ("\u093f", "U+093F"),
        ("a b", "U+0061 U+0020 U+0062"),
        ("क्\u200dष", "U+0915 U+094D U+200D U+0937"),
        ("葛\U000e0100", "U+845B U+E0100"),
        ("\u3164", "U+3164"),
        ("\ud800", "U+D800"),
        ("", ""),
    ],
)
def test_a_text_that_would_not_be_seen_in_a_list_is_shown_by_its_code_points(
    text: str, shown: str
) -> None:
    assert shown_name(text) == shown


# --- the shortlist


def exact_order(inks: Pixels) -> list[tuple[int, int]]:
    """Every pair by falling cosine of its 7-bit thumbnails, in exact fractions of integers."""
    n = len(inks)
    quarters = inks.reshape(n, inks.shape[1] // 2, 2, inks.shape[2] // 2, 2).astype(int)
    thumbs = (quarters.sum(axis=(2, 4)) // 8).reshape(n, -1)
    squares = (thumbs * thumbs).sum(axis=1)

    def score(pair: tuple[int, int]) -> float:
        i, j = pair
        root = np.sqrt(float(max(squares[i], 1))) * np.sqrt(float(max(squares[j], 1)))
        return float(thumbs[i] @ thumbs[j]) / float(root)

    return sorted(combinations(range(n), 2), key=lambda pair: (-score(pair), pair))


@LAW
@given(st.integers(0, 10_000), st.integers(2, 14), st.integers(1, 100))
def test_the_shortlist_is_the_pairs_of_highest_cosine(seed: int, n: int, count: int) -> None:
    inks = noise(seed, n, 8, 8) // noise(seed + 1, n, 1, 1).clip(1)
    first, second = nearest(inks, count)
    assert sorted(zip(first, second)) == sorted(exact_order(inks)[:count])


def test_of_pairs_as_alike_as_each_other_the_first_are_shortlisted() -> None:
    inks = np.full((40, 8, 8), 200, np.uint8)
    first, second = nearest(inks, 45)
    assert list(zip(first, second)) == list(combinations(range(40), 2))[:45]


def test_a_shortlist_over_several_blocks_of_thumbnails_misses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inks = noise(7, 60, 16, 16)
    whole = nearest(inks, 100)
    monkeypatch.setattr("rosegen.sources.glyph_mining._PRODUCTS", 200)
    parts = nearest(inks, 100)
    assert sorted(zip(*parts)) == sorted(zip(*whole)) == sorted(exact_order(inks)[:100])


def test_an_ssim_is_that_of_the_two_pictures_in_the_cell(tmp_path: Path) -> None:
    face = made_face(tmp_path, bars(a=700, b=600))
    (pair,) = mined(face, "ab", em=0.5).pairs
    a, b = (draw(face, char, SIDE, 0.5) for char in "ab")
    assert pair == Confusable("a", "b", pytest.approx(seen_ssim(a, b), abs=1e-6))


@LAW
@given(st.integers(0, 10_000), st.integers(1, 40))
def test_an_ssim_does_not_depend_on_the_white_around_the_ink(seed: int, margin: int) -> None:
    a, b = noise(seed, 2, 1, 20, 20)
    a, b = (np.pad(ink, ((0, 0), (6, 6), (6, 6))) for ink in (a, b))
    wide = [np.pad(ink, ((0, 0), (margin, margin), (margin, margin))) for ink in (a, b)]
    (score,) = ink_ssim(a, b)
    assert score == pytest.approx(seen_ssim(a[0], b[0]), abs=2e-6)
    assert ink_ssim(*wide) == pytest.approx([score], abs=2e-6)


def test_blank_pictures_are_alike() -> None:
    blank = np.zeros((2, 16, 16), np.uint8)
    assert ink_ssim(blank, blank).tolist() == [1, 1]
