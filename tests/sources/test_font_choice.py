"""Which faces a subset gets: named by pack or pipeline, told apart, or refused with a reason."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTCollection, TTFont

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.sources.font_choice import PackFace, choose_faces, read_place
from rosegen.sources.font_file import find_face, path_name
from tests.core_maker import cached_pack
from tests.sources.font_maker import box, made
from tests.sources.glyph_maker import font_bytes, font_pack

WEIGHT = ("wght", 100, 400, 900, "Weight")
SHAPES = {"A": [box(100, 0, 400, 700)], "B": [box(50, 0, 450, 500)]}


def font(name: str = "Made-Regular", **more: Any) -> TTFont:
    family, _, style = name.partition("-")
    names = {"psName": name, "familyName": family, "fullName": f"{family} {style}"}
    return made(SHAPES, {ord(char): char for char in SHAPES}, names=names, **more)


def collection(*names: str) -> bytes:
    whole = TTCollection()
    whole.fonts = [font(name) for name in names]
    out = io.BytesIO()
    whole.save(out)
    return out.getvalue()


def chosen(pack: OpenPack, *wanted: Any) -> list[PackFace]:
    return choose_faces([pack], list(wanted) or None)


def complaint(pack: OpenPack, *wanted: Any) -> str:
    with pytest.raises(RosegenError) as caught:
        chosen(pack, *wanted)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_folder_gives_every_face_of_its_fonts_in_order(tmp_path: Path) -> None:
    files = {
        "b/two.TTC": collection("Two-Light", "Two-Bold"),
        "a.ttf": font("One-Regular"),
        "LICENSE.txt": b"Free.",
        "c.woff": font("Three-Regular"),
    }
    pack = font_pack(tmp_path, files)
    faces = chosen(pack)
    assert [face.name for face in faces] == [
        "One-Regular",
        "Two-Light",
        "Two-Bold",
        "Three-Regular",
    ]
    assert [face.place for face in faces] == [
        "tiny/a.ttf",
        "tiny/b/two.TTC#0",
        "tiny/b/two.TTC#1",
        "tiny/c.woff",
    ]
    assert {(face.pack, face.license, face.sha256) for face in faces} == {
        ("tiny", "CC0-1.0", pack.sha256)
    }


@pytest.mark.parametrize(
    "name",
    [
        "Two-Bold",
        "two-bold",
        "Two Bold",
        "two.ttc#1",
        "b/two.ttc#1",
        "tiny/b/two.ttc#1",
        "Two-Bold (two.ttc#1)",
    ],
)
def test_a_face_goes_by_any_of_its_names(tmp_path: Path, name: str) -> None:
    files = {"b/two.ttc": collection("Two-Light", "Two-Bold"), "a.ttf": font("One-Regular")}
    (face,) = chosen(font_pack(tmp_path, files), name)
    assert face.name == "Two-Bold"


def test_faces_come_in_the_order_they_are_named_and_once(tmp_path: Path) -> None:
    pack = font_pack(tmp_path, {"a.ttf": font("One-Regular"), "b.ttf": font("Two-Regular")})
    faces = chosen(pack, "Two", "a.ttf", "Two-Regular")
    assert [face.name for face in faces] == ["Two-Regular", "One-Regular"]


def test_a_place_on_the_axes_is_part_of_the_name(tmp_path: Path) -> None:
    axes = [WEIGHT, ("BEND", -1, 0, 1.5, "Bend")]
    pack = font_pack(tmp_path, {"a.ttf": font(axes=axes)})
    light, bold, plain = chosen(
        pack,
        {"name": "a.ttf", "axes": {"BEND": 0.1234567, "wght": 200}},
        {"name": "Made", "axes": {"wght": 700}},
        {"name": "Made"},
    )
    assert light.name == "Made-Regular@wght=200,BEND=0.1234567"
    assert light.font.location == (("wght", 200.0), ("BEND", 0.1234567))
    assert (bold.name, plain.name) == ("Made-Regular@wght=700", "Made-Regular")
    said = complaint(pack, {"name": "Made", "axes": {"wght": 1000}})
    assert "axis wght goes from 100 to 900, not 1000" in said
    assert "no axis 'wdth'" in complaint(pack, {"name": "Made", "axes": {"wdth": 80}})


def test_a_pack_may_name_its_faces_itself(tmp_path: Path) -> None:
    listed = [
        {"name": "Thin", "family": "Made", "file": "a.ttf", "axes": {"wght": 100}},
        {"name": "Fat", "family": "Made", "file": "a.ttf", "axes": {"wght": 900}},
        {"name": "Two", "family": "Two", "file": "b.ttc", "index": 1},
    ]
    files = {"a.ttf": font(axes=[WEIGHT]), "b.ttc": collection("Two-Light", "Two-Bold")}
    pack = font_pack(tmp_path, files, listed)
    assert [face.name for face in chosen(pack)] == ["Thin", "Fat", "Two"]
    (fat,) = chosen(pack, "fat")
    assert fat.font.location == (("wght", 900.0),)
    (two,) = chosen(pack, "Two-Bold")
    assert (two.name, two.index) == ("Two", 1)
    (between,) = chosen(pack, {"name": "Fat", "axes": {"wght": 500}})
    assert (between.name, between.font.location) == ("Fat@wght=500", (("wght", 500.0),))
    said = complaint(pack, "Made-Regular")
    assert said == "font 'Made-Regular' is more than one face: name one of Thin, Fat"


def test_an_index_that_a_collection_does_not_have_is_refused(tmp_path: Path) -> None:
    listed = [{"name": "Two", "family": "Two", "file": "b.ttc", "index": 2}]
    pack = font_pack(tmp_path, {"b.ttc": collection("Two-Light", "Two-Bold")}, listed)
    assert "b.ttc has 2 faces, so that there is no index 2" in complaint(pack)


def test_two_faces_of_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    pack = font_pack(tmp_path, {"a.ttf": font(), "b/a.ttf": font(), "b/c.ttf": font("C-Regular")})
    said = complaint(pack)
    assert said == (
        "tiny/a.ttf and tiny/b/a.ttf are both called Made-Regular: name in `faces` the one to "
        "use, by its file"
    )
    for name in ("Made-Regular", "Made Regular", "Made"):
        assert complaint(pack, name) == (
            f"font {name!r} is more than one face: name one of tiny/a.ttf (Made-Regular), "
            f"tiny/b/a.ttf (Made-Regular)"
        )
    assert [face.place for face in chosen(pack, "a.ttf")] == ["tiny/a.ttf"]
    assert [face.place for face in chosen(pack, "b/a.ttf")] == ["tiny/b/a.ttf"]
    assert [face.place for face in chosen(pack, "tiny/b/a.ttf")] == ["tiny/b/a.ttf"]


def test_files_that_differ_by_case_alone_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "probe").write_bytes(b"")
    if (tmp_path / "PROBE").exists():
        pytest.skip("this file system does not tell case apart")
    pack = font_pack(tmp_path, {"a.ttf": font("One-Regular"), "A.ttf": font("Two-Regular")})
    assert [face.name for face in chosen(pack, "A.ttf")] == ["Two-Regular"]
    assert [face.name for face in chosen(pack, "a.ttf")] == ["One-Regular"]
    assert "is more than one face" in complaint(pack, "a.TTF")


def test_a_face_that_no_pack_has_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    pack = font_pack(tmp_path, {"a.ttf": font("One-Regular"), "b.ttf": font("Two-Regular")})
    said = complaint(pack, "Three")
    assert said == "no font face 'Three': there are One-Regular, Two-Regular"
    many = {f"{k}.ttf": font(f"F{k}-Regular") for k in range(30)}
    assert complaint(font_pack(tmp_path / "many", many), "Three").endswith(" and 18 more")


def test_a_broken_font_file_is_named_as_the_pack_has_it(tmp_path: Path) -> None:
    whole = font_bytes(font())
    pack = font_pack(tmp_path, {"good.ttf": font(), "sub/bad.ttf": whole[: len(whole) // 2]})
    said = complaint(pack)
    assert said.startswith("asset pack tiny: sub/bad.ttf: ")
    assert str(tmp_path) not in said


def test_a_pack_without_a_font_says_so(tmp_path: Path) -> None:
    said = complaint(font_pack(tmp_path, {"readme.md": b"none"}))
    assert said.startswith("asset pack tiny has no font file (.otc, .otf, ")


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("../../Made-Regular", "..-..-Made-Regular"),
        ("C:\\Made\\Regular", "C--Made-Regular"),
        ("..", "--"),
        (".", "-"),
        ("/", "-"),
        ("Made-Regular", "Made-Regular"),
        ("Made.Regular", "Made.Regular"),
    ],
)
def test_a_name_of_a_font_never_makes_a_path_of_its_own(
    tmp_path: Path, name: str, called: str
) -> None:
    pack = font_pack(tmp_path, {"a.ttf": font(name), "b.ttf": font("Other-Bold")})
    face = chosen(pack)[0]
    assert face.name == path_name(name) == called
    # Rows have that name only, and it leads back to the face.
    fonts = [each.font for each in chosen(pack)]
    for wanted in (name, called):
        assert chosen(pack, wanted) == [face]
        assert find_face(fonts, wanted) == face.font


@pytest.mark.parametrize(
    ("pack", "names"),
    [
        ("noto-sc", ["NotoSansSC-Regular", "NotoSerifSC-Regular"]),
        ("wqy-microhei", ["WenQuanYiMicroHei"]),
        ("maple-mono-cn", ["MapleMono-NF-CN-Medium"]),
        ("lxgw-wenkai", ["LXGWWenKai-Regular"]),
        (
            "noto-sans-cjk-vf",
            [f"NotoSansCJKsc-{style}" for style in ("Light", "Medium", "Bold", "Black")],
        ),
    ],
)
def test_the_shipped_packs_keep_the_names_of_their_faces(pack: str, names: list[str]) -> None:
    faces = choose_faces([cached_pack(pack)], None)
    assert [face.name for face in faces] == names
    assert choose_faces([cached_pack(pack)], names) == faces


@pytest.mark.parametrize(
    ("name", "base", "axes"),
    [
        ("Made-Regular@wght=700", "Made-Regular", {"wght": 700.0}),
        ("a@b@BEND=0.1234567,wght=200", "a@b", {"BEND": 0.1234567, "wght": 200.0}),
        ("Made-Regular", "Made-Regular", {}),
        ("Made@Home", "Made@Home", {}),
        ("Made@", "Made@", {}),
        ("Made=@", "Made=@", {}),
        ("", "", {}),
    ],
)
def test_a_name_leads_back_to_its_place(name: str, base: str, axes: dict[str, float]) -> None:
    assert read_place(name) == (base, axes)


@pytest.mark.parametrize("place", ["wght=", "wght=x", "wght=1,", "wght=1,wdth", "=x"])
def test_a_place_that_is_no_number_is_refused(place: str) -> None:
    with pytest.raises(RosegenError, match="is no place of an axis"):
        read_place(f"Made@{place}")
