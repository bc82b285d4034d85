"""The glyph source: any script and any font, from options to drawn cells."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.sources.admission import Window
from rosegen.sources.base import Candidate, Refusal, Unavailable
from rosegen.sources.glyph import Glyph
from rosegen.sources.similarity import measure
from tests.core_maker import LAW, cached_pack
from tests.sources.font_maker import box, made
from tests.sources.glyph_maker import (
    WHITE,
    AtOnce,
    LastFirst,
    Nobody,
    bars,
    font_bytes,
    font_pack,
    glyph_source,
)

ZWJ = "\u200d"
WEIGHT = ("wght", 100, 400, 900, "Weight")


@pytest.fixture
def pack(tmp_path: Path) -> OpenPack:
    """A face of bars; b and c are nearly as high as a, d is low."""
    return font_pack(tmp_path / "pack", {"bars.ttf": bars(a=700, b=690, c=660, d=150)})


def dejavu(folder: Path) -> OpenPack:
    """A real font of many scripts, which matplotlib brings."""
    file = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    return font_pack(folder, {"DejaVuSans.ttf": file.read_bytes()})


def keys(source: Glyph) -> list[str]:
    return [candidate.key for candidate in source.candidates(AtOnce())]


def pair_of(source: Glyph, key: str) -> Candidate:
    return next(each for each in source.candidates(AtOnce()) if each.key == key)


def complaint(source: Glyph) -> str:
    with pytest.raises(RosegenError) as caught:
        source.open()
        source.candidates(AtOnce())
    assert str(caught.value).startswith("source glyph: ")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def from_font(tmp_path: Path, font: TTFont | bytes, **options: Any) -> Glyph:
    """The source over one made font; all its options and files are its own."""
    return glyph_source(font_pack(tmp_path / "pack", {"made.ttf": font}), tmp_path / "c", **options)


# --- candidates


def test_a_candidate_names_its_face_texts_pack_and_licence(pack: OpenPack, tmp_path: Path) -> None:
    (first, *_) = glyph_source(pack, tmp_path, characters=["abcd"]).candidates(AtOnce())
    assert (first.key, first.group, first.kinds) == ("a__b", "Made-Regular", ("a", "b"))
    assert (first.a.name, first.b.name) == ("Made-Regular/a", "Made-Regular/b")
    assert (first.a.pack, first.a.license) == ("tiny", "CC0-1.0")
    assert first.a.recipe == {"face": "Made-Regular", "text": "a"}


def test_only_what_is_alike_enough_is_a_candidate(pack: OpenPack, tmp_path: Path) -> None:
    assert keys(glyph_source(pack, tmp_path, characters=["abcd"], least_ssim=0.7)) == [
        "a__b",
        "b__c",
        "a__c",
    ]
    assert keys(glyph_source(pack, tmp_path, characters=["abcd"], shortlist=1)) == ["a__b"]
    far = glyph_source(pack, tmp_path, characters=["abcd"], least_ssim=0.1)
    assert {"a__d", "b__d", "c__d"} <= {*keys(far)}


def test_every_face_is_mined_and_keys_are_shared(tmp_path: Path) -> None:
    files = {
        "one.ttf": bars(a=700, b=690),
        "two.ttf": made(
            {"a": [box(50, 0, 400, 700)], "b": [box(50, 0, 400, 680)]},
            {ord("a"): "a", ord("b"): "b"},
            names={"psName": "Two-Regular"},
        ),
    }
    source = glyph_source(font_pack(tmp_path / "pack", files), tmp_path, characters=["ab"])
    found = source.candidates(AtOnce())
    assert [(each.key, each.group) for each in found] == [
        ("a__b", "Made-Regular"),
        ("a__b", "Two-Regular"),
    ]
    chosen = replace(source.config, options={**source.config.options, "faces": ["two.ttf"]})
    assert [each.group for each in Glyph(chosen).candidates(AtOnce())] == ["Two-Regular"]


def test_a_face_at_two_places_of_its_axes_is_two_faces(tmp_path: Path) -> None:
    font = made(
        {"a": [box(100, 0, 400, 700)], "b": [box(100, 0, 400, 690)]},
        {ord("a"): "a", ord("b"): "b"},
        axes=[WEIGHT],
    )
    faces = [{"name": "Made", "axes": {"wght": weight}} for weight in (200, 800)]
    found = from_font(tmp_path, font, characters=["ab"], faces=faces).candidates(AtOnce())
    assert [each.a.name for each in found] == [
        "Made-Regular@wght=200/a",
        "Made-Regular@wght=800/a",
    ]


def test_pairs_that_are_asked_for_come_with_those_that_are_mined(
    pack: OpenPack, tmp_path: Path
) -> None:
    asked = [["d", "a"], ["b", "a"]]
    assert {*keys(glyph_source(pack, tmp_path, pairs=asked))} == {"a__b", "a__d"}
    both = glyph_source(pack, tmp_path, pairs=asked, characters=["abc"], least_ssim=0.7)
    assert {*keys(both)} == {"a__b", "a__c", "b__c", "a__d"}


def test_candidates_are_the_same_however_the_work_is_shared_out(
    packs_cached: None, tmp_path: Path
) -> None:
    options = {"characters": ["U+4E00-U+4EFF"], "shortlist": 300}
    once = glyph_source(cached_pack("noto-sc"), tmp_path / "a", **options)
    again = glyph_source(cached_pack("noto-sc"), tmp_path / "b", **options)
    assert once.candidates(AtOnce()) == again.candidates(LastFirst())
    assert once.refused() == again.refused()
    assert {each.group for each in once.candidates(AtOnce())} == {
        "NotoSansSC-Regular",
        "NotoSerifSC-Regular",
    }


def test_what_was_mined_is_kept_with_what_was_refused(pack: OpenPack, tmp_path: Path) -> None:
    source = glyph_source(pack, tmp_path, characters=["abz"], texts=["a" + ZWJ])
    found, refused = source.candidates(AtOnce()), source.refused()
    assert len(refused) == 2
    again = Glyph(source.config)
    assert again.refused() == ()
    assert again.candidates(Nobody()) == found
    assert again.refused() == refused
    # What does not change what is mined does not mine it again.
    colored = glyph_source(pack, tmp_path, characters=["U+0061", "bz"], texts=["a" + ZWJ])
    assert colored.candidates(Nobody()) == found


@pytest.mark.parametrize(
    "change", [{"em": 0.5}, {"least_ssim": 0.7}, {"shortlist": 5}, {"texts": ["c"]}]
)
def test_what_changes_the_pairs_is_mined_anew(
    pack: OpenPack, tmp_path: Path, change: dict[str, Any]
) -> None:
    glyph_source(pack, tmp_path, characters=["ab"]).candidates(AtOnce())
    changed = glyph_source(pack, tmp_path, **{"characters": ["ab"], **change})
    with pytest.raises(AssertionError, match="nothing was to be mined"):
        changed.candidates(Nobody())
    other = glyph_source(replace(pack, sha256="1" * 64), tmp_path, characters=["ab"])
    with pytest.raises(AssertionError, match="nothing was to be mined"):
        other.candidates(Nobody())


# --- what cannot be used


def test_what_is_named_must_be_there_and_a_set_gives_what_there_is(
    pack: OpenPack, tmp_path: Path
) -> None:
    characters = ["abzU", "script:Latin", "U+0370-U+03FF", "U+0416"]
    source = glyph_source(pack, tmp_path, characters=characters)
    assert "b__c" in keys(source)
    assert set(source.refused()) == {
        Refusal("Made-Regular/z", "not in the face"),
        Refusal("Made-Regular/U", "not in the face"),
        Refusal("Made-Regular/Ж", "not in the face"),
        Refusal("Made-Regular/U+0370-U+03FF", "the face has none of them"),
    }


def test_what_is_excluded_is_neither_used_nor_refused(pack: OpenPack, tmp_path: Path) -> None:
    source = glyph_source(
        pack, tmp_path, characters=["abcz"], exclude=["b", "U+0078-U+007A"], least_ssim=0
    )
    assert keys(source) == ["a__c"]
    assert source.refused() == ()


def test_look_alikes_that_are_one_picture_are_refused(tmp_path: Path) -> None:
    source = glyph_source(
        dejavu(tmp_path / "pack"),
        tmp_path,
        characters=["script:Greek", "ABEHIKMNOPTXYZ", "АВЕНІКМОРТХУ"],
        exclude=["U+0370-U+0390", "U+03AA-U+03FF", "U+1D00-U+1FFF"],
    )
    found = keys(source)
    refused = {no.tile for no in source.refused()}
    assert {no.reason for no in source.refused()} == {"identical"}
    for same in ("A__Α", "A__А", "H__Η", "H__Н", "O__Ο", "O__О", "P__Ρ", "P__Р", "T__Τ"):
        assert f"DejaVuSans/{same}" in refused
        assert same not in found
    assert "O__Θ" in found


def test_colour_glyphs_are_refused(tmp_path: Path) -> None:
    glyphs = {name: [box(100, 0, 400, top)] for name, top in zip("abc", (700, 690, 680))}
    font = made(glyphs, {ord(name): name for name in glyphs}, layers={"c": [("a", 0)]})
    source = from_font(tmp_path, font, characters=["abc"])
    assert keys(source) == ["a__b"]
    assert source.refused() == (Refusal("Made-Regular/c", "colour"),)


def test_emoji_of_a_colour_font_leave_nothing_and_say_why(tmp_path: Path) -> None:
    noto = cached_pack("noto-emoji")
    font = noto.read(noto.pack.contents["colr_font"])
    said = complaint(from_font(tmp_path, font, characters=["😀😃"], texts=["👨\u200d🚀"]))
    assert "no face has two of the texts to draw (refused: tiny/" in said
    assert "): colour 3)" in said


def test_a_tile_that_does_not_fit_its_cell_is_unavailable(tmp_path: Path) -> None:
    font = made(
        {"a": [box(100, 0, 400, 1300)], "b": [box(100, 0, 400, 1300), box(40, 0, 80, 90)]},
        {ord("a"): "a", ord("b"): "b"},
    )
    source = from_font(tmp_path, font, characters=["ab"])
    tile = pair_of(source, "a__b").a
    assert source.draw(tile, 64).shape == (64, 64, 3)
    with pytest.raises(Unavailable, match="^clipped$"):
        source.draw(tile, 20)
    for text, slug in (("z", "not_in_the_face"), (ZWJ, "invisible"), ("\n", "control_character")):
        with pytest.raises(Unavailable, match=f"^{slug}$"):
            source.draw(replace(tile, recipe={**tile.recipe, "text": text}), 64)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, 'give it characters, texts or pairs, for example characters: ["script:Greek"]'),
        ({"characters": []}, "give it characters, texts or pairs"),
        ({"characters": ["script:Grek", "block:Greeek"]}, "'block:Greeek': Unicode has no block"),
        ({"characters": ["ab"], "exclude": ["U+1"]}, "'U+1': write U+0905"),
        ({"characters": ["ab"], "faces": ["Nope"]}, "no font face 'Nope': there are Made-Regular"),
        ({"characters": ["ab"], "color": "#FFFFFF"}, "color is that of the background"),
        ({"characters": ["script:Thai"]}, "(Made-Regular): the face has none of them 1)"),
        ({"characters": ["axyz"]}, "(Made-Regular): not in the face 3)"),
        (
            {"characters": ["ad"], "least_ssim": 0.99},
            "no two of 2 texts are as alike as least_ssim 0.99",
        ),
    ],
)
def test_options_that_lead_nowhere_are_refused_in_one_line(
    pack: OpenPack, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    assert message in complaint(glyph_source(pack, tmp_path, **options))


def wiped(font: TTFont, tag: str, content: bytes = b"\0\0") -> bytes:
    """The font with nothing but zeros, or these two bytes over and over, in a table."""
    data = bytearray(font_bytes(font))
    with TTFont(io.BytesIO(bytes(data)), lazy=True) as packed:
        entry = packed.reader.tables[tag]
    data[entry.offset : entry.offset + entry.length // 2 * 2] = content * (entry.length // 2)
    return bytes(data)


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        (wiped(bars(a=700, b=690), "glyf"), "all its outlines are empty: is its glyf, loca or CFF"),
        (wiped(bars(a=700, b=690), "loca"), "all its outlines are empty: is its glyf, loca or CFF"),
        (
            wiped(made({"a": [box(9, 0, 400, 700)]}, {97: "a"}, cff=True), "CFF "),
            "all its outlines are empty: is its glyf, loca or CFF table broken?",
        ),
        (
            wiped(bars(a=700, b=690), "hmtx"),
            "all its characters are of no width: is its hmtx table broken?",
        ),
        (
            wiped(bars(a=700, b=690), "hmtx", b"\x7d\0"),
            "half its characters are wider than 32 em: is its hmtx table broken?",
        ),
    ],
)
def test_a_face_whose_tables_are_wiped_is_named_with_its_file_and_what_is_wrong(
    tmp_path: Path, file: bytes, fault: str
) -> None:
    alone = glyph_source(font_pack(tmp_path / "a", {"bad.ttf": file}), tmp_path, characters=["ab"])
    assert f"(refused: tiny/bad.ttf (Made-Regular): {fault}" in complaint(alone)
    good = bars(a=700, b=690)
    good["name"].setName("Good-Regular", 6, 3, 1, 0x409)
    both = font_pack(tmp_path / "b", {"bad.ttf": file, "good.ttf": good})
    source = glyph_source(both, tmp_path, characters=["ab"])
    assert keys(source) == ["a__b"]
    (broken,) = [no for no in source.refused() if no.reason == "broken face"]
    assert broken.tile == "Made-Regular"
    assert broken.detail.startswith(f"tiny/bad.ttf: {fault}")


def test_what_many_characters_share_by_a_cmap_of_format_13_is_in_the_face(tmp_path: Path) -> None:
    """As in a font of last resort, where one box stands for a whole script."""
    font = bars(a=700, b=690)
    table = CmapSubtable.newSubtable(13)
    table.platformID, table.platEncID, table.language = 3, 10, 0
    table.format, table.reserved, table.length, table.nGroups = 13, 0, 0, 0
    table.cmap = {**dict.fromkeys(range(0x61, 0x5000), "a"), 0x5000: "b"}
    font["cmap"].tables = [table]
    source = from_font(tmp_path, font, characters=["U+4E00-U+4E02", "U+5000"])
    assert keys(source) == ["一__倀"]
    assert [(no.tile, no.reason) for no in source.refused()] == [
        ("Made-Regular/一__丁", "identical"),
        ("Made-Regular/一__丂", "identical"),
    ]


def test_a_broken_font_in_a_folder_is_named(tmp_path: Path) -> None:
    whole = font_bytes(bars(a=700, b=690))
    files = {"good.ttf": whole, "sub/bad.ttf": whole[:300]}
    source = glyph_source(font_pack(tmp_path / "pack", files), tmp_path, characters=["ab"])
    assert "asset pack tiny: sub/bad.ttf: " in complaint(source)


# --- texts of more than one character


def test_marks_conjuncts_and_joined_sequences_are_tiles(tmp_path: Path) -> None:
    glyphs = {
        "ka": [box(50, 0, 450, 600)],
        "ssa": [box(50, 0, 430, 600)],
        "virama": [],
        "kssa": [box(50, 0, 450, 580)],
        "zwj": [],
        "alt": [box(50, 0, 450, 590)],
        "dot": [box(0, 0, 100, 60)],
        "beh": [box(100, 0, 400, 300)],
        "beh.init": [box(100, 0, 400, 320)],
    }
    cmap = {
        **{0x915: "ka", 0x937: "ssa", 0x94D: "virama", 0x200D: "zwj", 0x307: "dot"},
        0x628: "beh",
    }
    features = """
        languagesystem DFLT dflt; languagesystem dev2 dflt; languagesystem arab dflt;
        markClass \\dot <anchor 50 0> @top;
        feature akhn { sub ka virama ssa by kssa; } akhn;
        feature init { sub beh by beh.init; } init;
        feature mark { pos base \\ka <anchor 250 640> mark @top; } mark;
    """
    font = made(
        glyphs,
        cmap,
        advances={"dot": 0, "virama": 0},
        features=features,
        sequences=[(0x915, 0xFE00, "alt")],
    )
    texts = ["क्ष", "क\ufe00", "क\u0307", "\u0628" + ZWJ, "क\ufe01", "क" + ZWJ, "क\u0323"]
    source = from_font(tmp_path, font, texts=texts, characters=["कषب"], least_ssim=0.5)
    tiles = {tile.name for pair in source.candidates(AtOnce()) for tile in (pair.a, pair.b)}
    assert {f"Made-Regular/{text}" for text in [*texts[:4], *"कषب"]} == tiles
    assert set(source.refused()) == {
        Refusal("Made-Regular/U+0915 U+FE01", "ignored", "U+FE01"),
        Refusal("Made-Regular/U+0915 U+200D", "ignored", "U+200D"),
        Refusal("Made-Regular/क\u0323", "not in the face", "U+0323"),
    }
    pair = pair_of(source, "क__क्ष")
    assert not np.array_equal(source.draw(pair.a, 48), source.draw(pair.b, 48))
    assert source.fields(pair, True, 48)["background_char"] == "क्ष"


def test_letters_that_run_from_the_right_and_digits_of_two_are_drawn_in_one_cell(
    tmp_path: Path,
) -> None:
    source = glyph_source(
        dejavu(tmp_path / "pack"), tmp_path, pairs=[["لا", "لد"], ["11", "II"], ["rn", "m"]]
    )
    for pair in source.candidates(AtOnce()):
        a, b = source.draw(pair.a, 60), source.draw(pair.b, 60)
        assert (a != 255).any()
        assert not np.array_equal(a, b)
    assert source.refused() == ()


# --- a drawn cell


@LAW
@given(st.tuples(*[st.integers(0, 255)] * 3), st.tuples(*[st.integers(0, 255)] * 3), st.data())
def test_ink_is_blended_into_the_background_in_integers(
    tmp_path_factory: pytest.TempPathFactory,
    color: tuple[int, int, int],
    background: tuple[int, int, int],
    data: st.DataObject,
) -> None:
    pack = font_pack(tmp_path_factory.mktemp("pack"), {"bars.ttf": bars(a=700, b=690)})
    source = glyph_source(pack, pack.root, characters=["ab"], color=f"#{bytes(color).hex()}")
    side = data.draw(st.integers(42, 64))
    tile = pair_of(source, "a__b").a
    black = glyph_source(pack, pack.root, characters=["ab"]).draw(tile, side)
    ink = 255 - black[..., :1].astype(int)
    drawn = Glyph(replace(source.config, background=background)).draw(tile, side)
    expected = (np.array(color) * ink + np.array(background) * (255 - ink) + 127) // 255
    assert drawn.dtype == np.uint8
    assert drawn.shape == (side, side, 3)
    assert np.array_equal(drawn, expected)
    assert tuple(drawn[0, 0]) == background


def test_ink_is_black_and_the_em_that_of_rose_unless_said_otherwise(
    pack: OpenPack, tmp_path: Path
) -> None:
    source = glyph_source(pack, tmp_path, characters=["ab"])
    pair = pair_of(source, "a__b")
    drawn = source.draw(pair.a, 64)
    assert {tuple(pixel) for pixel in drawn.reshape(-1, 3)} >= {(0, 0, 0), WHITE}
    assert source.fields(pair, False, 64)["font_size"] == 46
    large = glyph_source(pack, tmp_path, characters=["ab"], em=0.9)
    assert large.fields(pair, False, 64)["font_size"] == 57
    assert (large.draw(pair.a, 64) < 255).sum() > (drawn < 255).sum() * 1.4


def test_the_fields_of_a_row_say_which_text_is_the_majority(pack: OpenPack, tmp_path: Path) -> None:
    source = glyph_source(pack, tmp_path, characters=["ab"])
    pair = pair_of(source, "a__b")
    assert source.fields(pair, flipped=False, cell_size=50) == {
        "font_size": 36,
        "background_char": "a",
        "target_char": "b",
        "source_group": ["a", "b"],
        "source_pair": ["a", "b"],
        "pair_direction": "a_majority_b_target",
        "undirected_pair_key": "a__b",
        "font_name": "Made-Regular",
    }
    flipped = source.fields(pair, flipped=True, cell_size=50)
    assert (flipped["background_char"], flipped["target_char"]) == ("b", "a")
    assert flipped["pair_direction"] == "b_majority_a_target"
    assert flipped["source_pair"] == ["a", "b"]


def test_art_is_what_a_tile_looks_like_at_any_size(tmp_path: Path) -> None:
    glyphs = {"a": [box(100, 0, 400, 700)], "b": [box(100, 0, 400, 690)]}
    cmap = {ord("a"): "a", ord("b"): "b", ord("а"): "a"}
    source = from_font(tmp_path, made(glyphs, cmap), characters=["abа"])
    pair = pair_of(source, "a__b")
    twin = replace(pair.a, recipe={**pair.a.recipe, "text": "а"})
    assert source.art(pair.a) == source.art(twin)
    assert source.art(pair.a) != source.art(pair.b)


# --- settings and options as a pipeline sees them


def test_the_settings_that_suit_it_admit_most_hanzi_it_mines(
    packs_cached: None, tmp_path: Path
) -> None:
    source = glyph_source(
        cached_pack("noto-sc"),
        tmp_path,
        characters=["U+6700-U+68FF"],
        faces=["NotoSansSC-Regular"],
        shortlist=200,
    )
    window = Window({name: tuple(at) for name, at in Glyph.settings["admission"].items()})
    low, high = Glyph.settings["grid"]["cell_size"]
    for cell in (low, high):
        admitted = 0
        found = source.candidates(AtOnce())
        for pair in found:
            a, b = source.draw(pair.a, cell), source.draw(pair.b, cell)
            admitted += window.refusal(measure(a, b).as_dict()) is None
        assert admitted > len(found) / 2


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        ("characters", ["абв", "U+0905-U+0939"], []),
        ("texts", ["rn"], [""]),
        ("pairs", [["O", "0"], ["rn", "m"]], [["O", "O"]]),
        ("pairs", [["O", "0"]], [["O", "0", "Q"]]),
        ("exclude", ["category:M"], "category:M"),
        ("faces", ["A", {"name": "B", "axes": {"wght": 700}}], [{"axes": {"wght": 700}}]),
        ("faces", [{"name": "B"}], [{"name": "B", "axis": {}}]),
        ("em", 0.72, 0),
        ("color", "#00aAfF", "#00aaff\n"),
        ("shortlist", 10, 0),
        ("least_ssim", 0.5, 2),
    ],
)
def test_options_are_checked_and_described(option: str, good: Any, bad: Any) -> None:
    schema = Glyph.options[option]
    Draft202012Validator.check_schema(schema)
    check = Draft202012Validator(schema)
    assert schema["description"]
    assert check.is_valid(good)
    assert not check.is_valid(bad)


def test_the_source_goes_by_its_kind() -> None:
    assert (Glyph.kind, Glyph.primitive_type, Glyph.pack_kinds) == ("glyph", "GLYPH", ("fonts",))
    assert Glyph.variant({}) is Glyph
