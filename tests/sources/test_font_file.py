"""Font files as people bring them: good ones, packed ones, and broken ones."""

from __future__ import annotations

import random
import struct
import tracemalloc
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import brotli
import pytest
from fontTools.ttLib import TTCollection, TTFont, woff2
from fontTools.ttLib.tables.TupleVariation import TupleVariation

from rosegen.errors import RosegenError
from rosegen.sources.font_file import (
    FontFace,
    at_location,
    characters,
    find_face,
    list_faces,
    read_license,
)
from rosegen.sources.text_tile import draw, identical, why_not
from tests.core_maker import cached_pack
from tests.sources.font_maker import box, made, saved, with_table

A, B = ord("A"), ord("B")
GLYPHS = {"A": [box(100, 0, 400, 700)], "B": [box(50, 0, 450, 500)]}
CMAP = {A: "A", B: "B"}
WEIGHT = ("wght", 100, 400, 900, "Weight")


def plain(**more: Any) -> TTFont:
    """A font with an A and a B."""
    return made(GLYPHS, CMAP, **more)


def one_face(path: Path) -> FontFace:
    (face,) = list_faces(path)
    return face


def renamed(name: str) -> TTFont:
    first = name.split(maxsplit=1)[0]
    return plain(names={"psName": name.replace(" ", ""), "fullName": name, "familyName": first})


def complaint(path: Path) -> str:
    """What is said of a broken file: one line that names it."""
    with pytest.raises(RosegenError) as caught:
        list_faces(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


# --- what a file says of itself


def test_a_face_is_listed_with_the_names_the_font_gives_it(tmp_path: Path) -> None:
    names = {
        "familyName": "Made Light",
        "styleName": "Italic",
        "typographicFamily": "Made",
        "typographicSubfamily": "Light Italic",
        "fullName": "Made Light Italic",
        "psName": "Made-LightItalic",
    }
    face = one_face(saved(plain(names=names), tmp_path / "a.ttf"))
    assert (face.postscript_name, face.full_name) == ("Made-LightItalic", "Made Light Italic")
    assert (face.family, face.style) == ("Made", "Light Italic")
    assert (face.index, face.axes, face.location) == (0, (), ())
    assert (face.outlines, face.color_tables) == (True, ())
    assert face.label == "Made-LightItalic (a.ttf)"


def test_a_font_without_names_goes_by_its_file(tmp_path: Path) -> None:
    font = plain()
    font["name"].names = []
    face = one_face(saved(font, tmp_path / "hand drawn.ttf"))
    assert face.postscript_name == face.family == "hand drawn"
    assert face.full_name == "hand drawn Regular"


def test_a_font_named_in_another_language_alone_keeps_that_name(tmp_path: Path) -> None:
    font = plain()
    font["name"].names = [r for r in font["name"].names if r.nameID != 1]
    font["name"].setName("造字", 1, 3, 1, 0x804)
    assert one_face(saved(font, tmp_path / "a.ttf")).family == "造字"


def test_a_name_never_breaks_the_line_it_is_printed_on(tmp_path: Path) -> None:
    font = plain(names={"psName": "Two\nlines\x1b[31m" + "x" * 5000})
    label = one_face(saved(font, tmp_path / "a.ttf")).label
    assert label.startswith("Two lines [31mxx")
    assert label.isprintable()
    assert len(label) < 250


def test_a_variable_font_is_listed_with_its_axes(tmp_path: Path) -> None:
    axes = [WEIGHT, ("BEND", -1, 0, 1.5, "Bend")]
    face = one_face(saved(plain(axes=axes), tmp_path / "a.ttf"))
    weight, bend = face.axes
    assert (weight.tag, weight.name) == ("wght", "Weight")
    assert (weight.least, weight.default, weight.most) == (100, 400, 900)
    assert (bend.tag, bend.least, bend.default, bend.most) == ("BEND", -1, 0, 1.5)


def test_a_place_on_the_axes_is_checked_and_kept_in_their_order(tmp_path: Path) -> None:
    axes = [WEIGHT, ("BEND", -1, 0, 1.5, "Bend")]
    face = one_face(saved(plain(axes=axes), tmp_path / "a.ttf"))
    placed = at_location(face, {"BEND": 1, "wght": 650.5})
    assert placed.location == (("wght", 650.5), ("BEND", 1.0))
    assert placed.label == "Made-Regular (a.ttf, wght 650.5, BEND 1)"
    with pytest.raises(RosegenError, match=r"axis wght goes from 100 to 900, not 901"):
        at_location(face, {"wght": 901})
    with pytest.raises(RosegenError, match="not nan"):
        at_location(face, {"wght": float("nan")})
    with pytest.raises(RosegenError, match=r"no axis 'slnt'.*wght 100 to 900, BEND -1 to 1\.5"):
        at_location(face, {"slnt": 0})
    still = one_face(saved(plain(), tmp_path / "b.ttf"))
    with pytest.raises(RosegenError, match=r"no axis 'wght' \(its axes: none\)"):
        at_location(still, {"wght": 400})


def test_the_licence_fields_are_read_as_they_stand(tmp_path: Path) -> None:
    names = {
        "copyright": "© 2026 us",
        "licenseDescription": "Free to use.\nAsk first.",
        "licenseInfoURL": "https://example.org/licence",
    }
    said = read_license(one_face(saved(plain(names=names, fs_type=0x304), tmp_path / "a.ttf")))
    assert said.copyright == "© 2026 us"
    assert said.description == "Free to use. Ask first."
    assert said.url == "https://example.org/licence"
    assert (said.fs_type, said.embedding) == (0x304, "preview and print")
    assert (said.may_be_subset, said.bitmaps_only) == (False, True)


@pytest.mark.parametrize(
    ("fs_type", "embedding"),
    [
        (0, "installable"),
        (2, "restricted"),
        (4, "preview and print"),
        (8, "editable"),
        (0xE, "editable"),  # the least strict
        (1, "unknown"),
    ],
)
def test_embedding_bits_are_put_in_words(fs_type: int, embedding: str, tmp_path: Path) -> None:
    said = read_license(one_face(saved(plain(fs_type=fs_type), tmp_path / "a.ttf")))
    assert (said.fs_type, said.embedding) == (fs_type, embedding)
    assert (said.may_be_subset, said.bitmaps_only) == (True, False)


def test_a_font_that_says_nothing_of_its_licence_is_not_made_to(tmp_path: Path) -> None:
    font = plain()
    del font["OS/2"]
    said = read_license(one_face(saved(font, tmp_path / "a.ttf")))
    assert (said.copyright, said.description, said.url) == ("", "", "")
    assert (said.fs_type, said.embedding) == (None, "unstated")


def test_colour_and_bitmap_faces_are_told_from_outlines(tmp_path: Path) -> None:
    colored = plain(layers={"A": [("B", 0)]})
    assert one_face(saved(colored, tmp_path / "color.ttf")).color_tables == ("COLR",)
    bitmaps = plain()
    for tag in ("glyf", "loca"):
        del bitmaps[tag]
    bitmaps["maxp"].tableVersion = 0x5000
    path = saved(bitmaps, tmp_path / "bitmaps.ttf")
    assert "neither outlines nor bitmaps" in complaint(path)
    face = one_face(with_table(path, "EBDT", bytes(8)))
    assert (face.outlines, face.color_tables) == (False, ())
    assert why_not(face, "A", 48) == "bitmaps only"


# --- what a face has glyphs for


def test_characters_are_those_with_a_glyph_of_their_own(tmp_path: Path) -> None:
    font = made(GLYPHS, {**CMAP, ord("C"): ".notdef", 0x1F600: "A"})
    assert characters(one_face(saved(font, tmp_path / "a.ttf"))).mapped == {A, B, 0x1F600}


def test_variation_sequences_are_listed_whether_they_change_the_glyph_or_not(
    tmp_path: Path,
) -> None:
    font = plain(sequences=[(A, 0xFE00, "B"), (B, 0xE0101, None)])
    known = characters(one_face(saved(font, tmp_path / "a.ttf")))
    assert known.sequences == {(A, 0xFE00), (B, 0xE0101)}


def test_overlapping_and_disagreeing_maps_list_what_is_drawn(tmp_path: Path) -> None:
    # Both segments of the table in use hold K, L and M; the table for old Macs holds a "!".
    ends, starts = (ord("M"), ord("Z"), 0xFFFF), (A, ord("K"), 0xFFFF)
    segments = (*ends, 0, *starts, 1 - A, 2 - ord("K"), 1, 0, 0, 0)
    table = struct.pack(">14H3h3H", 4, 16 + 6 * 4, 0, 6, 4, 1, 2, *segments)
    old = struct.pack(">3H256B", 0, 262, 0, *[0] * 33, 1, *[0] * 222)
    head = struct.pack(">HH" + "HHL" * 2, 0, 2, 1, 0, 20, 3, 1, 20 + len(old))
    many = {f"g{k}": [box(100, 0, 130 + 5 * k, 700)] for k in range(30)}
    path = saved(made(many, {A: "g0"}), tmp_path / "a.ttf")
    face = one_face(with_table(path, "cmap", head + old + table))
    assert characters(face).mapped == set(range(A, ord("Z") + 1))
    for char in characters(face).mapped:
        assert why_not(face, chr(char), 64) is None
    assert why_not(face, "!", 64) == "not in the face: U+0021"


# --- collections and packed files


def test_a_collection_lists_each_face_by_its_index(tmp_path: Path) -> None:
    collection = TTCollection()
    collection.fonts = [renamed("First Sans"), renamed("Second Sans")]
    path = tmp_path / "both.ttc"
    collection.save(str(path))
    first, second = list_faces(path)
    assert [face.index for face in (first, second)] == [0, 1]
    assert [face.label for face in (first, second)] == [
        "FirstSans (both.ttc)",
        "SecondSans (both.ttc#1)",
    ]
    assert find_face([first, second], "both.ttc#1") == second


def test_of_a_collection_the_face_that_is_broken_is_named(tmp_path: Path) -> None:
    collection = TTCollection()
    collection.fonts = [renamed("First Sans"), renamed("Second Sans")]
    path = tmp_path / "both.ttc"
    collection.save(str(path))
    data = bytearray(path.read_bytes())
    assert struct.unpack_from(">L", data, 8) == (2,)
    for offset in (len(data) + 9, len(data) - 4, 5):
        struct.pack_into(">L", data, 16, offset)  # of the second
        path.write_bytes(data)
        told = f"{path}#1: no table directory where the face should start"
        assert complaint(path) == told


@pytest.mark.parametrize("flavor", ["woff", "woff2"])
def test_a_web_font_holds_the_same_face_as_the_font_it_was_made_from(
    tmp_path: Path, flavor: str
) -> None:
    loose = one_face(saved(plain(), tmp_path / "a.ttf"))
    packed = plain()
    packed.flavor = flavor
    # What a file is called does not matter.
    face = one_face(saved(packed, tmp_path / "a.ttf.download"))
    assert face.postscript_name == loose.postscript_name
    assert characters(face) == characters(loose)
    assert (draw(face, "A", 48) == draw(loose, "A", 48)).all()


def test_a_woff2_without_brotli_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(woff2, "haveBrotli", False)
    path = tmp_path / "a.woff2"
    path.write_bytes(b"wOF2" + bytes(60))
    assert "pip install brotli" in complaint(path)


def test_a_woff_that_inflates_to_more_than_it_says_is_refused(tmp_path: Path) -> None:
    bomb = zlib.compress(bytes(1 << 22))
    head = struct.pack(
        ">4sLLHHLHHLLLLL", b"wOFF", 0x10000, 64 + len(bomb), 1, 0, 9999, 1, 0, *[0] * 5
    )
    entry = struct.pack(">4sLLLL", b"glyf", 64, len(bomb), len(bomb) + 8, 0)
    path = tmp_path / "bomb.woff"
    path.write_bytes(head + entry + bomb)
    assert "table 'glyf' is longer than it says" in complaint(path)
    entry = struct.pack(">4sLLLL", b"glyf", 64, len(bomb), 0xFFFFFFF0, 0)
    path = tmp_path / "promise.woff"
    path.write_bytes(head + entry + bomb)
    assert "unpacks to more than" in complaint(path)


def test_a_woff2_that_unpacks_to_more_than_it_says_is_refused_before_it_fills_the_memory(
    tmp_path: Path,
) -> None:
    bomb = brotli.compress(bytes(1 << 28), quality=5)
    entry = b"\0\x64"  # cmap, of 100 bytes
    size = 48 + len(entry) + len(bomb)
    head = struct.pack(">4sLLHHLLHH20x", b"wOF2", 0x10000, size, 1, 0, 128, len(bomb), 1, 0)
    path = tmp_path / "bomb.woff2"
    path.write_bytes(head + entry + bomb)
    tracemalloc.start()
    assert "the web font is longer than it says" in complaint(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 26
    tracemalloc.stop()


# --- finding a face


@pytest.fixture
def family(tmp_path: Path) -> list[FontFace]:
    files = {
        "sans.ttf": renamed("Made Sans"),
        "bold.ttf": renamed("Made Sans Bold"),
        "other.ttf": renamed("Strange Serif"),
    }
    return [
        face for name, font in files.items() for face in list_faces(saved(font, tmp_path / name))
    ]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("MadeSansBold", "bold.ttf"),
        ("madesansbold", "bold.ttf"),
        ("Made Sans", "sans.ttf"),
        ("strange", "other.ttf"),
        ("bold.ttf", "bold.ttf"),
        ("BOLD", "bold.ttf"),
        ("MadeSans (sans.ttf)", "sans.ttf"),
    ],
)
def test_a_face_is_found_by_any_name_it_goes_by(
    family: list[FontFace], name: str, file: str
) -> None:
    assert Path(find_face(family, name).path).name == file


def test_a_name_that_fits_several_faces_lists_them(family: list[FontFace]) -> None:
    with pytest.raises(RosegenError) as caught:
        find_face(family, "Made")
    assert str(caught.value) == (
        "font 'Made' is more than one face: MadeSans (sans.ttf), MadeSansBold (bold.ttf)"
    )


def test_a_name_that_fits_none_lists_what_there_is(family: list[FontFace]) -> None:
    with pytest.raises(RosegenError, match=r"no font face 'Nobody': there are MadeSans \(sans"):
        find_face(family, "Nobody")
    with pytest.raises(RosegenError, match=r"StrangeSerif \(other\.ttf\) and 3 more$"):
        find_face([*family, *family, *family, *family, *family], "Nobody")
    with pytest.raises(RosegenError, match="there are none"):
        find_face([], "Nobody")


# --- broken files


def test_what_is_no_font_is_refused(tmp_path: Path) -> None:
    contents = {"empty.ttf": b"", "page.ttf": b"<!doctype html>", "old.pfb": b"\x80\x01%!PS"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        assert "not a font that can be read" in complaint(tmp_path / name)
    assert "cannot read the font" in complaint(tmp_path / "missing.ttf")
    assert "cannot read the font" in complaint(tmp_path)


def test_a_font_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    whole = saved(plain(), tmp_path / "whole.ttf").read_bytes()
    # The last table may be padded by up to three bytes.
    for length in [*range(0, len(whole) - 4, 13), len(whole) - 4]:
        path = tmp_path / f"{length}.ttf"
        path.write_bytes(whole[:length])
        assert complaint(path)


def test_a_font_without_what_every_face_needs_is_refused(tmp_path: Path) -> None:
    whole = saved(plain(), tmp_path / "whole.ttf")

    def broken(tag: bytes, new: bytes) -> str:
        content = whole.read_bytes().replace(tag, new, 1)
        path = tmp_path / f"no_{new.decode()}.ttf"
        path.write_bytes(content)
        return complaint(path)

    assert "no table cmap" in broken(b"cmap", b"cmax")
    assert "no table head" in broken(b"head", b"heaa")
    assert "neither outlines nor bitmaps" in broken(b"glyf", b"glyx")


def test_a_broken_head_is_not_taken_for_a_thousand_units(tmp_path: Path) -> None:
    font = plain()
    whole = saved(font, tmp_path / "whole.ttf").read_bytes()
    at = TTFont(tmp_path / "whole.ttf").reader.tables["head"].offset
    for name, place, value in (("magic", 12, 0), ("small", 18, 15), ("large", 18, 16385)):
        content = bytearray(whole)
        struct.pack_into(">H", content, at + place, value)
        path = tmp_path / f"{name}.ttf"
        path.write_bytes(content)
        assert "the head table is broken" in complaint(path)


def test_an_axis_without_a_readable_tag_is_refused(tmp_path: Path) -> None:
    whole = saved(plain(axes=[WEIGHT]), tmp_path / "whole.ttf").read_bytes()
    path = tmp_path / "axis.ttf"
    path.write_bytes(whole.replace(b"wght", b"\xff\xfe\x00\x00"))
    assert "a design axis has no readable tag" in complaint(path)


def test_a_collection_that_promises_too_much_is_refused(tmp_path: Path) -> None:
    promises = {
        "none": (b"", 0, "0 faces"),
        "many": (b"", 0xFFFFFFFF, "4294967295 faces"),
        "short": (bytes(4), 3, "cut short in its list of faces"),
        "nowhere": (struct.pack(">L", 0xFFFFFF00), 1, "no table directory"),
        "itself": (struct.pack(">L", 0), 1, "no table directory"),
    }
    for name, (offsets, count, expected) in promises.items():
        path = tmp_path / f"{name}.ttc"
        path.write_bytes(struct.pack(">4sLL", b"ttcf", 0x10000, count) + offsets)
        assert expected in complaint(path)


def mutants() -> list[bytes]:
    """Fonts with a few bytes gone wrong, the same in every run."""
    chance = random.Random(20261006)
    features = """
        markClass acute <anchor 0 500> @top;
        feature mark { pos base A <anchor 250 700> mark @top; } mark;
        feature liga { sub A B by B; } liga;
    """
    glyphs = {**GLYPHS, "acute": [box(-80, 550, 80, 640)]}
    cmap = {**CMAP, 0x301: "acute"}
    wider = [TupleVariation({"wght": (0, 1, 1)}, [(40, 0)] * 8)]
    bases = [
        made(glyphs, cmap, features=features, sequences=[(A, 0xFE00, "B")], advances={"acute": 0}),
        made(glyphs, cmap, features=features, cff=True),
        made(glyphs, cmap, layers={"A": [("B", 0)]}),
        plain(axes=[WEIGHT], deltas={"A": wider}),
    ]
    packed = plain()
    packed.flavor = "woff"
    found = []
    for font in [*bases, packed]:
        whole = written(font)
        for _ in range(60):
            content = bytearray(whole)
            for _ in range(chance.choice((1, 2, 8, 40))):
                content[chance.randrange(len(content))] = chance.choice((0, 1, 0x7F, 0xFF, 0x80))
            found.append(bytes(content))
    return found


def written(font: TTFont) -> bytes:
    out = BytesIO()
    font.save(out)
    return out.getvalue()


def test_broken_fonts_are_refused_or_drawn_but_never_crash(tmp_path: Path) -> None:
    side, refused, drawn = 24, 0, 0
    for number, content in enumerate(mutants()):
        path = tmp_path / f"{number}.ttf"
        path.write_bytes(content)
        try:
            faces = list_faces(path)
        except RosegenError as error:
            assert "\n" not in str(error)
            refused += 1
            continue
        for plain_face in faces:
            # Both ends of the axis, where there is one.
            ends = {axis.tag: axis.most for axis in plain_face.axes if axis.tag == "wght"}
            face = at_location(plain_face, ends)
            assert face.label.isprintable()
            assert read_license(face).embedding
            assert all(point <= 0x10FFFF for point in characters(face).mapped)
            for text in ("A", "B", "A\u0301", "AB", "A\ufe00"):
                reason = why_not(face, text, side)
                assert reason is None or "\n" not in reason
                try:
                    assert draw(face, text, side).shape == (side, side)
                    drawn += 1
                except RosegenError:
                    assert reason is not None
            if why_not(face, "A", 24) is None and why_not(face, "B", 24) is None:
                assert identical(face, "A", "B") in (True, False)
    assert refused > 20
    assert drawn > 500


# --- the fonts of the packs


def test_the_faces_of_the_packs_are_what_their_pack_files_say(packs_cached: None) -> None:
    for name in ("noto-sc", "noto-sans-cjk-vf", "wqy-microhei", "maple-mono-cn", "lxgw-wenkai"):
        pack = cached_pack(name)
        for entry in pack.pack.contents["faces"]:
            faces = list_faces(pack.path(entry["file"]))
            face = faces[entry.get("index", 0)]
            assert face.family == entry["family"]
            placed = at_location(face, entry.get("axes", {}))
            assert dict(placed.location) == entry.get("axes", {})
            assert face.outlines


def test_the_collection_of_five_languages_is_told_apart(packs_cached: None) -> None:
    pack = cached_pack("noto-sans-cjk-vf")
    faces = list_faces(pack.path(pack.pack.contents["faces"][0]["file"]))
    assert [face.family[-2:] for face in faces] == ["JP", "KR", "SC", "TC", "HK"]
    assert find_face(faces, "Noto Sans CJK SC").index == 2
    assert {(axis.tag, axis.least, axis.most) for face in faces for axis in face.axes} == {
        ("wght", 100, 900)
    }
    said = read_license(faces[2])
    assert "SIL Open Font License" in said.description
    assert (said.embedding, said.may_be_subset) == ("installable", True)
    assert {ord("国"), ord("a"), ord("я")} <= characters(faces[2]).mapped


def test_a_colour_font_of_the_packs_is_known_for_one(packs_cached: None) -> None:
    pack = cached_pack("noto-emoji")
    face = one_face(pack.path(pack.pack.contents["colr_font"]))
    assert "COLR" in face.color_tables
