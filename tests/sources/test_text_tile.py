"""Text in a cell: where it stands, what it looks like, and when it cannot be used."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from fontTools.ttLib.tables.TupleVariation import TupleVariation
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from rosegen.errors import RosegenError
from rosegen.sources.font_file import FontFace, at_location, list_faces
from rosegen.sources.text_tile import (
    FONT_SHARE,
    LEAST_INK,
    REASONS,
    draw,
    identical,
    pictures,
    why_not,
)
from tests.core_maker import LAW, cached_pack
from tests.sources.font_maker import BOX_OF_NOTDEF, box, made, saved
from tests.sources.glyph_maker import pack_face

Pixels = npt.NDArray[np.uint8]

SIDE = 139  # 100 px to the em, so that ten units of a made font are a pixel
ZWJ = "\u200d"


def face_of(tmp_path: Path, glyphs: Mapping[str, Any], cmap: Mapping[int, str], **more: Any) -> Any:
    """A made font's face."""
    (face,) = list_faces(saved(made(glyphs, cmap, **more), tmp_path / "made.ttf"))
    return face


def letters(tmp_path: Path, glyphs: Mapping[str, Any], **more: Any) -> Any:
    """A face whose glyphs are named by their own character."""
    return face_of(tmp_path, glyphs, {ord(name): name for name in glyphs if len(name) == 1}, **more)


def ink_box(ink: Pixels) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the pixels that are at least half ink (right, bottom out)."""
    rows, cols = np.flatnonzero((ink > 127).any(axis=1)), np.flatnonzero((ink > 127).any(axis=0))
    return int(cols[0]), int(rows[0]), int(cols[-1]) + 1, int(rows[-1]) + 1


# --- where a text stands, and what it looks like


def test_the_em_has_the_share_of_the_cell_that_hanzi_have() -> None:
    # ROSE's own rows: font_size 30 at 42 px, 38 at 53 px, 46 at 64 px.
    assert [int(side * FONT_SHARE) for side in (42, 53, 64, SIDE)] == [30, 38, 46, 100]


def test_a_glyph_is_drawn_to_the_unit(tmp_path: Path) -> None:
    face = letters(tmp_path, {"A": [box(100, 0, 400, 700)]})
    ink = draw(face, "A", SIDE)
    # 30 x 70 px; its advance of 50 px is in the middle of 139, and so is its height: half a pixel
    # is left over on both axes, and only the baseline is moved to a whole one.
    assert ink.shape == (SIDE, SIDE)
    assert ink.dtype == np.uint8
    assert ink.sum(dtype=np.int64) == pytest.approx(255 * 30 * 70, rel=0.01)
    assert (ink[:, 54] >= 127).sum() == 70
    assert set(np.unique(ink[:, 60])) == {0, 255}
    assert ink_box(ink)[1::2] == (35, 105)


def test_the_picture_is_the_same_on_every_machine(tmp_path: Path) -> None:
    arch = [(60, 0), (180, 520), (330, 520), (450, 0), (370, 0), (255, 400)]
    face = letters(tmp_path, {"n": [arch, box(205, 600, 305, 720)]})
    expected = [
        "........................",
        "........................",
        "........................",
        "........................",
        "........................",
        "...........22...........",
        "...........78...........",
        "...........67...........",
        "........................",
        "..........2883..........",
        "..........5996..........",
        "..........7888..........",
        "..........94591.........",
        ".........28.293.........",
        ".........44..95.........",
        ".........5...67.........",
        ".........3...491........",
        "........11...193........",
        "........................",
        "........................",
        "........................",
        "........................",
        "........................",
        "........................",
    ]
    ninths = (draw(face, "n", 24).astype(int) * 9 + 127) // 255
    shown = ["".join(str(v) if v else "." for v in row) for row in ninths]
    assert shown == expected


def test_all_texts_of_a_face_stand_on_one_baseline_at_one_size(tmp_path: Path) -> None:
    shapes = {
        "H": [box(50, 0, 450, 700)],
        "x": [box(50, 0, 450, 500)],
        "p": [box(50, -200, 450, 500)],
        "-": [box(50, 250, 450, 300)],
    }
    face = letters(tmp_path, shapes)
    boxes = {name: ink_box(draw(face, name, SIDE)) for name in shapes}
    baseline = boxes["H"][3]
    assert boxes["x"][3] == baseline
    assert boxes["p"][3] == baseline + 20
    assert boxes["x"][1] == boxes["p"][1] == baseline - 50
    assert (boxes["-"][1], boxes["-"][3]) == (baseline - 30, baseline - 25)
    assert {box[0] for box in boxes.values()} == {SIDE // 2 - 20}


def test_half_of_the_characters_have_their_middle_above_that_of_the_cell(tmp_path: Path) -> None:
    for low in (-500, 0, 900):
        shapes = {
            "a": [box(50, low, 450, low + 100)],
            "b": [box(50, low, 450, low + 300)],
            "c": [box(50, low, 450, low + 600)],
        }
        folder = tmp_path / str(low)
        folder.mkdir()
        _, top, _, bottom = ink_box(draw(letters(folder, shapes), "b", SIDE))
        assert abs((top + bottom) / 2 - SIDE / 2) <= 0.5


def test_the_middle_of_the_advance_stands_in_the_middle_of_the_cell(tmp_path: Path) -> None:
    shapes = {"a": [box(0, 0, 100, 500)], "b": [box(300, 0, 400, 500)]}
    face = letters(tmp_path, shapes, advances={"a": 400, "b": 400})
    left, right = (ink_box(draw(face, name, 278)) for name in "ab")
    assert (left[0], left[2]) == (139 - 40, 139 - 20)
    assert (right[0], right[2]) == (139 + 20, 139 + 40)


def test_a_mark_on_its_own_stands_in_the_middle(tmp_path: Path) -> None:
    glyphs = {"a": [box(50, 0, 450, 500)], "\u0301": [box(-400, 100, -200, 400)]}
    face = letters(tmp_path, glyphs, advances={"\u0301": 0})
    left, _, right, _ = ink_box(draw(face, "\u0301", SIDE))
    assert abs((left + right) / 2 - SIDE / 2) <= 0.5
    assert why_not(face, "\u0301", SIDE) is None


def test_marks_are_put_where_the_face_says(tmp_path: Path) -> None:
    features = """
        markClass \\acute <anchor 50 0> @top;
        feature mark { pos base \\a <anchor 250 600> mark @top; } mark;
    """
    glyphs = {"a": [box(100, 0, 400, 500)], "acute": [box(0, 0, 100, 100)]}
    cmap = {ord("a"): "a", 0x301: "acute"}
    face = face_of(tmp_path, glyphs, cmap, advances={"acute": 0}, features=features)
    bare, marked = draw(face, "a", SIDE), draw(face, "a\u0301", SIDE)
    mark = np.where(marked > bare, marked, 0).astype(np.uint8)
    _, top, _, bottom = ink_box(bare)
    left, mark_top, right, mark_bottom = ink_box(mark)
    assert (bottom - top, mark_bottom - mark_top) == (50, 10)
    assert mark_bottom == top - 10  # 600 less 500 units
    assert abs((left + right) / 2 - SIDE / 2) <= 1
    assert why_not(face, "a\u0301", SIDE) is None


def test_letters_that_run_from_the_right_do(tmp_path: Path) -> None:
    glyphs = {"tall": [box(50, 0, 250, 700)], "low": [box(50, 0, 250, 200)]}
    face = face_of(
        tmp_path, glyphs, {0x5D0: "tall", 0x5D1: "low"}, advances={"tall": 300, "low": 300}
    )
    ink = draw(face, "\u05d0\u05d1", SIDE) > 127
    heights = ink.sum(axis=0)
    assert heights[: SIDE // 2].max() == 20
    assert heights[SIDE // 2 :].max() == 70


def test_letters_take_the_form_that_a_joiner_asks_for(tmp_path: Path) -> None:
    glyphs = {"beh": [box(100, 0, 400, 300)], "beh.init": [box(100, 0, 400, 600)]}
    features = """
        languagesystem DFLT dflt; languagesystem arab dflt;
        feature init { sub beh by beh.init; } init;
    """
    face = face_of(tmp_path, glyphs, {0x628: "beh"}, features=features)
    alone, initial = (ink_box(draw(face, text, SIDE)) for text in ("\u0628", "\u0628" + ZWJ))
    assert (alone[3] - alone[1], initial[3] - initial[1]) == (30, 60)
    assert why_not(face, "\u0628" + ZWJ, SIDE) is None
    assert not identical(face, "\u0628", "\u0628" + ZWJ)


def test_a_joined_sequence_is_one_picture(tmp_path: Path) -> None:
    glyphs = {
        "man": [box(100, 0, 300, 500)],
        "rocket": [box(100, 0, 300, 700)],
        "zwj": [],
        "flyer": [box(0, 0, 500, 500)],
    }
    cmap = {0x1F468: "man", 0x1F680: "rocket", 0x200D: "zwj"}
    features = "feature ccmp { sub man zwj rocket by flyer; } ccmp;"
    face = face_of(tmp_path, glyphs, cmap, features=features)
    flyer = "\U0001f468" + ZWJ + "\U0001f680"
    assert why_not(face, flyer, SIDE) is None
    left, _, right, _ = ink_box(draw(face, flyer, SIDE))
    assert right - left in (50, 51)
    assert why_not(face, "\U0001f680" + ZWJ + "\U0001f468", SIDE) == "ignored: U+200D"


def test_a_variation_selector_chooses_its_glyph(tmp_path: Path) -> None:
    glyphs = {"A": [box(100, 0, 400, 700)], "A.slashed": [box(100, 0, 400, 300)]}
    known = [(ord("A"), 0xFE00, "A.slashed"), (ord("A"), 0xFE02, None)]
    face = face_of(tmp_path, glyphs, {ord("A"): "A"}, sequences=known)
    _, top, _, bottom = ink_box(draw(face, "A\ufe00", SIDE))
    assert bottom - top == 30
    assert why_not(face, "A\ufe00", SIDE) is None
    # The face knows this one too, and has one glyph for both.
    assert why_not(face, "A\ufe02", SIDE) is None
    assert why_not(face, "A\ufe01", SIDE) == "ignored: U+FE01"
    # Text or emoji style is a wish that Unicode lets a font ignore.
    assert why_not(face, "A\ufe0f", SIDE) is None


def test_a_place_on_the_axes_shows(tmp_path: Path) -> None:
    wider = TupleVariation({"wght": (0, 1, 1)}, [(0, 0)] * 2 + [(100, 0)] * 2 + [(0, 0)] * 4)
    face = letters(
        tmp_path,
        {"I": [box(100, 0, 200, 700)]},
        axes=[("wght", 100, 400, 900, "Weight")],
        deltas={"I": [wider]},
    )
    for weight, units in ((100, 100), (400, 100), (650, 150), (900, 200)):
        ink = draw(at_location(face, {"wght": weight}), "I", SIDE)
        assert ink.sum(dtype=np.int64) / 255 / 70 == pytest.approx(units / 10, abs=0.1)


def test_overlapping_contours_are_no_darker(tmp_path: Path) -> None:
    shapes = {"+": [box(50, 300, 450, 400), box(200, 100, 300, 600)]}
    ink = draw(letters(tmp_path, shapes), "+", SIDE)
    assert ink.sum(dtype=np.int64) / 255 == pytest.approx(40 * 10 + 10 * 50 - 10 * 10, rel=0.01)


def test_both_kinds_of_outline_give_one_picture(tmp_path: Path) -> None:
    shapes = {"A": [box(100, 0, 400, 700), box(50, 750, 450, 790)]}
    first = letters(tmp_path, shapes)
    folder = tmp_path / "cff"
    folder.mkdir()
    assert np.array_equal(draw(first, "A", 50), draw(letters(folder, shapes, cff=True), "A", 50))


# --- when a text cannot be used


@pytest.fixture
def face(tmp_path: Path) -> Any:
    """A face of letters with one fault each."""
    glyphs = {
        "A": [box(100, 0, 400, 700)],
        "B": [box(100, 0, 400, 500)],
        " ": [],
        "_": [],
        ".": [box(240, 0, 260, 20)],
        "|": [box(248, 0, 250, 700)],
        "t": [box(*BOX_OF_NOTDEF)],
        "\u200b": [box(100, 0, 400, 700)],
        "l": [box(-600, 0, 400, 300)],
        "r": [box(100, 0, 1100, 300)],
        "u": [box(100, 0, 400, 1300)],
        "d": [box(100, -900, 400, 100)],
        "o": [box(-3000, -3000, 3000, 3000)],
        "f": [box(4000, 0, 4100, 300)],
    }
    cmap = {ord(name): name for name in glyphs} | {ord("n"): ".notdef"}
    return face_of(tmp_path, glyphs, cmap)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A", None),
        ("B", None),
        ("", "empty"),
        ("A" * 33, "too long: 33 code points (the most is 32)"),
        ("A\n", "control character: U+000A"),
        ("\ud800", "control character: U+D800"),
        ("A\u2028", "control character: U+2028"),
        ("Z", "not in the face: U+005A"),
        ("n", "not in the face: U+006E"),
        ("A\u0301\U0001f600", "not in the face: U+0301 U+1F600"),
        ("t", "not in the face: U+0074 is drawn as the missing glyph"),
        ("\u200d", "invisible"),
        ("\u200b", "invisible"),
        ("\ufe0f\u200d", "invisible"),
        ("A\u200d", "ignored: U+200D"),
        ("A\U000e0067\U000e007f", "ignored: U+E0067 U+E007F"),
        ("AB", "more than one cluster: 2"),
        (" ", "blank"),
        ("_", "blank"),
        (".", "near-blank: 0.02% of the cell is ink"),
        ("l", "clipped: left"),
        ("r", "clipped: right"),
        ("u", "clipped: top"),
        ("d", "clipped: bottom"),
        ("o", "clipped: left, right, top, bottom"),
        ("f", "clipped: right"),
    ],
)
def test_a_text_is_refused_with_its_reason(face: FontFace, text: str, reason: str | None) -> None:
    assert why_not(face, text, SIDE) == reason
    assert reason is None or reason.split(":")[0] in REASONS


def test_many_texts_at_once_give_what_each_gives_alone(face: FontFace) -> None:
    texts = ["A", "B", "AB", "Z", " ", ".", "u", "\u200b", "B"]
    shown = pictures(face, texts, SIDE)
    for text, picture in zip(texts, shown):
        reason = why_not(face, text, SIDE)
        if reason is None:
            assert np.array_equal(picture, draw(face, text, SIDE))
        else:
            assert picture == reason
    assert sum(isinstance(picture, str) for picture in shown) == 6
    assert pictures(face, [], SIDE) == []


def test_a_line_too_pale_to_see_is_near_blank(tmp_path: Path) -> None:
    shapes = {
        "H": [box(100, 0, 400, 700)],
        "=": [box(50, k, 450, k + 2) for k in range(0, 700, 40)],
    }
    face = letters(tmp_path, shapes)
    assert why_not(face, "H", SIDE) is None
    assert why_not(face, "=", SIDE) == "near-blank: no pixel is more than 20% ink"


def test_several_clusters_are_let_through_when_they_are_wanted(face: FontFace) -> None:
    assert why_not(face, "AB", SIDE, one_cluster=False) is None
    assert why_not(face, "AAAA", SIDE, one_cluster=False) == "clipped: left, right"


def test_ink_that_only_touches_the_side_of_the_cell_is_clipped(tmp_path: Path) -> None:
    reasons = {}
    for top in range(1000, 1100, 5):
        shapes = {"A": [box(100, 0, 400, 700)], "B": [box(100, 0, 400, 700)]}
        folder = tmp_path / str(top)
        folder.mkdir()
        face = letters(folder, {**shapes, "u": [box(100, 0, 400, top)]})
        reasons[top] = why_not(face, "u", SIDE)
        touched = bool(draw(face, "u", SIDE)[0].any())
        assert touched == (reasons[top] is not None)
    assert set(reasons.values()) == {None, "clipped: top"}
    assert list(reasons.values()) == sorted(reasons.values(), key=lambda reason: reason is not None)


def test_a_smaller_share_makes_room(face: FontFace) -> None:
    assert why_not(face, "u", SIDE) == "clipped: top"
    assert why_not(face, "u", SIDE, share=0.4) is None
    left, top, right, bottom = ink_box(draw(face, "A", SIDE, share=0.36))
    assert (bottom - top, right - left) == (35, 15)


def test_a_cell_without_room_for_a_pixel_of_em_is_a_mistake(face: FontFace) -> None:
    with pytest.raises(ValueError, match="leaves no pixel"):
        draw(face, "A", 1)


def test_a_colour_glyph_is_refused_and_a_plain_one_of_the_same_face_is_not(tmp_path: Path) -> None:
    shapes = {"A": [box(100, 0, 400, 700)], "B": [box(100, 0, 400, 500)]}
    face = letters(tmp_path, shapes, layers={"A": [("B", 0), ("A", 1)]})
    assert why_not(face, "A", SIDE) == "colour"
    assert why_not(face, "B", SIDE) is None


def test_a_text_that_a_face_makes_millions_of_glyphs_of_is_refused_and_others_are_not(
    tmp_path: Path,
) -> None:
    names = "ABCDEFGH"
    rules = "".join(
        f"lookup {a}{a} {{ sub {a} by {' '.join(b * 60)}; }} {a}{a};\n"
        for a, b in itertools.pairwise(names)
    )
    rules += "feature ccmp {" + "".join(f"lookup {a}{a};" for a in names[:-1]) + "} ccmp;"
    face = letters(tmp_path, {name: [box(100, 0, 400, 700)] for name in names}, features=rules)
    bomb = "broken shaping: Made-Regular (made.ttf) makes absurdly many glyphs of it"
    first, last = pictures(face, ["A", "H"], SIDE)
    assert first == why_not(face, "A", SIDE) == bomb
    assert not isinstance(last, str)
    assert last.any()
    with pytest.raises(RosegenError, match="absurdly many glyphs"):
        draw(face, "A", SIDE)


def test_an_outline_that_reaches_absurdly_far_is_refused(tmp_path: Path) -> None:
    shapes = {"A": [box(100, 0, 400, 700)]}
    far = TupleVariation({"wght": (0, 1, 1)}, [(32000, 32000)] * 8)
    font = {"axes": [("wght", 0, 0, 1, "Weight")], "deltas": {"A": [far] * 3}}
    face = at_location(letters(tmp_path, shapes, **font), {"wght": 1})
    reason = why_not(face, "A", SIDE)
    assert reason is not None
    assert reason.startswith("broken outline: Made-Regular (made.ttf, wght 1): glyph 1 reaches")
    with pytest.raises(RosegenError, match="reaches absurdly far"):
        draw(face, "A", SIDE)


# --- when two texts are one picture


def test_look_alikes_from_two_scripts_are_identical_however_they_were_drawn(tmp_path: Path) -> None:
    corners = box(100, 0, 400, 700)
    glyphs = {
        "A": [corners],
        "Α": [corners[2:] + corners[:2]],  # begins at another corner
        "А": [[(x + 70, y) for x, y in corners]],  # stands further right
        "Ᾱ": [corners, box(200, 100, 300, 600)],  # has a contour that does not show
        "Á": [[(x, y + 20) for x, y in corners]],
        "a": [box(100, 0, 400, 690)],
        " ": [],
        "_": [],
    }
    face = letters(tmp_path, glyphs)
    for other in "AΑАᾹ":
        assert identical(face, "A", other)
        assert identical(face, other, "A")
    for other in "Áa ":
        assert not identical(face, "A", other)
    assert identical(face, " ", "_")


def test_composed_and_decomposed_letters_are_identical(tmp_path: Path) -> None:
    features = """
        markClass \\acute <anchor 50 0> @top;
        feature mark { pos base \\a <anchor 250 600> mark @top; } mark;
    """
    glyphs = {
        "a": [box(100, 0, 400, 500)],
        "acute": [box(0, 0, 100, 100)],
        "aacute": [box(200, 600, 300, 700), box(100, 0, 400, 500)],
    }
    cmap = {ord("a"): "a", 0x301: "acute", 0xE1: "aacute"}
    face = face_of(tmp_path, glyphs, cmap, advances={"acute": 0}, features=features)
    assert identical(face, "á", "a\u0301")
    assert not identical(face, "a", "á")


# --- with the fonts of the packs


@pytest.mark.parametrize("pack", ["noto-sc", "wqy-microhei", "maple-mono-cn"])
def test_glyphs_look_as_freetype_draws_them(packs_cached: None, pack: str) -> None:
    face = pack_face(pack)
    side = 400
    font = ImageFont.truetype(
        face.path, int(side * FONT_SHARE), face.index, layout_engine=ImageFont.Layout.BASIC
    )
    for char in "国永Rg&8":
        canvas = Image.new("L", (side, side), 0)
        ImageDraw.Draw(canvas).text((side / 2, side / 2), char, fill=255, font=font, anchor="mm")
        expected = np.asarray(canvas)
        ours = draw(face, char, side)
        left, top, right, bottom = ink_box(ours)
        there = ink_box(expected)
        # FreeType's hinting moves an edge by a pixel at most.
        assert abs(right - left - (there[2] - there[0])) <= 2
        assert abs(bottom - top - (there[3] - there[1])) <= 2
        assert ours.sum(dtype=np.int64) == pytest.approx(expected.sum(dtype=np.int64), rel=0.05)


@LAW
@given(st.text(min_size=1, max_size=4), st.integers(20, 120))
def test_what_is_let_through_has_ink_and_air_around_it(
    packs_cached: None, text: str, side: int
) -> None:
    face = pack_face("noto-sc")
    reason = why_not(face, text, side)
    if reason is None:
        ink = draw(face, text, side)
        assert not any(edge.any() for edge in (ink[0], ink[-1], ink[:, 0], ink[:, -1]))
        assert ink.sum(dtype=np.int64) >= LEAST_INK * 255 * side * side
    else:
        assert reason.split(":")[0] in REASONS


def test_what_the_face_has_of_several_scripts_can_be_used(packs_cached: None) -> None:
    face = pack_face("noto-sc")
    for char in "IlO0aAоОАΑΩβжЯ国かカ∑∞①★€":
        assert why_not(face, char, 64) is None
    assert why_not(face, "ക", 64) == "not in the face: U+0D15"
    assert why_not(face, "\u3000", 64) == "blank"
    assert not identical(face, "I", "l")


def test_emoji_of_a_colour_font_are_refused(packs_cached: None) -> None:
    pack = cached_pack("noto-emoji")
    (face,) = list_faces(pack.path(pack.pack.contents["colr_font"]))
    assert why_not(face, "😀", 64) == "colour"
    assert why_not(face, "👨\u200d🚀", 64) == "colour"
