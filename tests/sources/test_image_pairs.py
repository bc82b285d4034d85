"""Pairs that someone brings: found by name or list, told apart by keys, or refused."""

from __future__ import annotations

import json
import os
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from PIL import Image

from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.sources.base import Candidate
from rosegen.sources.image_files import Seen
from rosegen.sources.image_pairs import ImagePairs, have_one_size, pairs_by_name
from rosegen.sources.pictures import twins
from rosegen.sources.registry import source_class
from tests.core_maker import LAW
from tests.sources.image_maker import ONE, drawing, picture_pack, png, refusals, source, spotted
from tests.sources.pictures.picture_maker import saved, svg


def pictures(*names: str) -> dict[str, bytes]:
    """A file of each name: all differ, and an edit looks like what it is an edit of."""
    return {name: png(drawing(number)) for number, name in enumerate(names)}


def pair(name: str, edit: str, seed: int = 0) -> dict[str, bytes]:
    return {name: png(drawing(seed)), edit: png(spotted(drawing(seed)))}


def ends(found: list[Candidate]) -> list[tuple[str, str]]:
    return [(each.a.name, each.b.name) for each in found]


def test_an_original_makes_a_pair_with_each_of_its_edits(tmp_path: Path) -> None:
    names = [
        "a.png",
        "a.edit.png",
        "a.edit2.png",
        "a.edit-hat.png",
        "sub/b.png",
        "sub/b.EDIT_x.png",
    ]
    found = source(ImagePairs, tmp_path, picture_pack(tmp_path / "art", pictures(*names)))
    candidates = list(found.candidates(ONE))
    assert ends(candidates) == [
        ("art/a.png", "art/a.edit-hat.png"),
        ("art/a.png", "art/a.edit.png"),
        ("art/a.png", "art/a.edit2.png"),
        ("art/sub/b.png", "art/sub/b.EDIT_x.png"),
    ]
    assert [each.group for each in candidates] == ["art", "art", "art", "sub"]
    assert candidates[0].kinds == ("art/a.png", "art/a.edit-hat.png")
    assert candidates[0].a.license == "CC0-1.0"
    assert found.refused() == []


NAMED = {
    "another ending": (["a.jpg", "a.edit.png"], [("a.jpg", "a.edit.png")], {}),
    "its own ending first": (
        ["a.jpg", "a.png", "a.edit.PNG"],
        [("a.png", "a.edit.PNG")],
        {"a.jpg": ""},
    ),
    "several originals": (
        ["a.bmp", "a.jpg", "a.edit.png"],
        [],
        {"a.bmp": "", "a.jpg": "", "a.edit.png": "several originals: a.bmp, a.jpg"},
    ),
    "an edit of an edit": (
        ["a.png", "a.edit.png", "a.edit.edit2.png"],
        [("a.png", "a.edit.png"), ("a.edit.png", "a.edit.edit2.png")],
        {},
    ),
    "another word": (["a.png", "a.editor.png", "a.edited.png"], [], None),
    "another folder": (["a.png", "b/a.edit.png"], [], None),
    "a folder that looks like an edit": (["x.png", "x.edit-/y.png"], [], None),
    "dots": (["v1.2.png", "v1.2.edit-3.4.png"], [("v1.2.png", "v1.2.edit-3.4.png")], {}),
    "another case": (["Cat.png", "cat.edit.png"], [("Cat.png", "cat.edit.png")], {}),
    "its own case first": (
        ["Cat.png", "cat.png", "cat.edit.png"],
        [("cat.png", "cat.edit.png")],
        {"Cat.png": ""},
    ),
    "another normalisation": (
        ["e\u0301.png", "\u00e9.edit.png"],
        [("e\u0301.png", "\u00e9.edit.png")],
        {},
    ),
    "odd names": (
        ['-a, "b"\n.png', '-a, "b"\n.edit.png', "🐱 .png", "🐱 .edit1.png"],
        [('-a, "b"\n.png', '-a, "b"\n.edit.png'), ("🐱 .png", "🐱 .edit1.png")],
        {},
    ),
}


@pytest.mark.parametrize("case", NAMED)
def test_partners_are_told_by_their_names(case: str) -> None:
    names, pairs, alone = NAMED[case]
    assert pairs_by_name(names) == (pairs, dict.fromkeys(names, "") if alone is None else alone)


@LAW
@given(st.lists(st.from_regex(r"(d/|)[ab](\.edit[12]?){0,2}\.(png|jpg)", fullmatch=True)))
def test_every_name_is_in_a_pair_or_alone_and_every_edit_in_at_most_one(names: list[str]) -> None:
    names = sorted(set(names))
    pairs, alone = pairs_by_name(names)
    assert {name for each in pairs for name in each} | alone.keys() == set(names)
    assert not {name for each in pairs for name in each} & alone.keys()
    edits = [edit for _, edit in pairs]
    assert len(set(edits)) == len(edits)
    assert all(a != b for a, b in pairs)


def test_a_picture_without_a_partner_is_refused_and_the_rest_goes_on(tmp_path: Path) -> None:
    files = {**pair("a.png", "a.edit.png"), "x.png": png(drawing(7)), "bad.png": b"no"}
    files |= {"bad.edit.png": png(drawing(8)), "notes.txt": b"hello"}
    found = source(ImagePairs, tmp_path, picture_pack(tmp_path / "art", files))
    assert ends(list(found.candidates(ONE))) == [("art/a.png", "art/a.edit.png")]
    refused = refusals(found)
    assert refused["x.png"] == "no partner"
    assert refused["bad.png"].startswith("cannot be opened: is no picture of a kind that is read")
    assert refused["bad.edit.png"] == "no partner: its partner is refused"
    assert len(refused) == 3


def test_pictures_of_two_sizes_keep_no_registration_unless_they_are_cropped(tmp_path: Path) -> None:
    files = {"a.png": png(drawing(0)), "a.edit.png": png(spotted(drawing(0, 60, 60)))}
    files |= pair("b.png", "b.edit.png", 1)
    pack = picture_pack(tmp_path / "art", files)
    found = source(ImagePairs, tmp_path, pack)
    assert ends(list(found.candidates(ONE))) == [("art/b.png", "art/b.edit.png")]
    assert refusals(found)["a.edit.png"] == "sizes differ: 60 x 60, and a.png is 48 x 48"
    assert len(source(ImagePairs, tmp_path, pack, fit="ink").candidates(ONE)) == 2


def test_a_drawing_fits_a_picture_of_its_shape(tmp_path: Path) -> None:
    box = '<rect x="2" y="2" width="6" height="6" fill="#c83c5a"/>'
    files = {
        "a.svg": svg(box),  # 20 x 10
        "a.edit-1.svg": svg(box + '<path d="M11 2h4v4h-4z"/>'),
        "a.edit-2.png": saved(Image.new("RGB", (60, 30), (200, 60, 90)).rotate(20), "PNG"),
        "a.edit-3.png": png(drawing(3, 40, 60)),
    }
    found = source(ImagePairs, tmp_path, picture_pack(tmp_path / "art", files))
    assert [each.b.name for each in found.candidates(ONE)] == [
        "art/a.edit-1.svg",
        "art/a.edit-2.png",
    ]
    assert refusals(found)["a.edit-3.png"].startswith("sizes differ: 60 x 40")


@LAW
@given(st.integers(1, 3000), st.integers(1, 3000))
def test_a_drawing_of_any_picture_has_its_size(width: int, height: int) -> None:
    drawn = [max(1, round(side * 256 / max(width, height))) for side in (width, height)]
    a, b = Seen(size=(width, height)), Seen(size=(drawn[0], drawn[1]), is_drawing=True)
    assert have_one_size(a, b)
    assert have_one_size(b, a)
    assert have_one_size(a, a)
    assert not have_one_size(a, Seen(size=(width, height + 1)))


def test_an_edit_that_changes_nothing_is_refused(tmp_path: Path) -> None:
    image = Image.fromarray(drawing(0))
    files = {"a.png": png(drawing(0)), "a.edit.webp": saved(image, "WEBP", lossless=True)}
    files |= pair("b.png", "b.edit.png", 1)
    found = source(ImagePairs, tmp_path, picture_pack(tmp_path / "art", files))
    assert len(found.candidates(ONE)) == 1
    assert refusals(found)["a.edit.webp"] == "identical: to a.png"
    assert refusals(found)["a.png"] == "no partner: its partner is refused"


def test_when_nothing_is_left_one_line_says_how_much_was_refused_and_why(tmp_path: Path) -> None:
    files = {"a.png": b"", "a.edit.png": png(drawing(1)), "b.png": png(drawing(2))}
    found = source(ImagePairs, tmp_path, picture_pack(tmp_path / "art", files))
    with pytest.raises(RosegenError) as caught:
        found.candidates(ONE)
    assert str(caught.value) == (
        "source image_pairs: no pair of pictures is left (name edits of cat.png cat.edit.png, or "
        "list pairs); 3 refused, the first: b.png (no partner)"
    )


def test_names_that_some_systems_mix_up_are_different_tiles(tmp_path: Path) -> None:
    composed, apart = "\u00e9", "e\u0301"
    stems = ["Cat", "cat", composed, apart]
    files: dict[str, bytes] = {}
    for seed, stem in enumerate(stems):
        files |= pair(f"{stem}.png", f"{stem}.edit.png", seed)
    pack = picture_pack(tmp_path / "art", files)
    if len(list((tmp_path / "art").iterdir())) < len(files):
        pytest.skip("this file system takes such names for one")
    assert len(twins([Path(name) for name in files])) == 4
    found = source(ImagePairs, tmp_path, pack)
    candidates = found.candidates(ONE)
    assert len({each.key for each in candidates}) == len(candidates) == 4
    assert len({found.draw(each.a, 64).tobytes() for each in candidates}) == 4
    assert {unicodedata.normalize("NFC", each.a.name).casefold() for each in candidates} == {
        "art/cat.png",
        f"art/{composed}.png",
    }
    assert found.refused() == []


def test_a_name_that_is_no_unicode_is_refused_and_never_written(tmp_path: Path) -> None:
    files = pair("a.png", "a.edit.png")
    pack = picture_pack(tmp_path / "art", files)
    odd = os.fsdecode(b"\xff.png")
    try:
        (tmp_path / "art" / odd).write_bytes(png(drawing(4)))
    except OSError:
        pytest.skip("this file system has no such names")
    found = source(ImagePairs, tmp_path, replace(pack, files=(*pack.files, odd)))
    assert len(found.candidates(ONE)) == 1
    assert refusals(found) == {r"\udcff.png": "its name is not Unicode"}
    json.dumps([each.tile for each in found.refused()], ensure_ascii=False).encode()


LIST = "a,b,key,group,license\nx.png,sub\\y.png,,,\nsub/y.png,z.png,mine,zoo,MIT\n"


def listed(tmp_path: Path, text: str, *packs: str) -> ImagePairs:
    files = pictures("x.png", "sub/y.png", "z.png", "unlisted.png")
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    made = [picture_pack(tmp_path / name, files, name, "CC-BY-4.0") for name in packs or ("art",)]
    return source(ImagePairs, tmp_path, *made, pairs="list.csv")


def test_a_list_says_who_is_paired_with_whom(tmp_path: Path) -> None:
    found = listed(tmp_path, LIST)
    first, second = found.candidates(ONE)
    assert (first.a.name, first.b.name, first.group) == ("art/x.png", "art/sub/y.png", "art")
    assert (second.key, second.group) == ("mine", "zoo")
    assert [tile.license for tile in (first.a, first.b, second.a, second.b)] == [
        "CC-BY-4.0",
        "MIT",
        "MIT",
        "MIT",
    ]
    assert found.refused() == []  # what is not listed was never offered


def test_in_two_packs_the_pack_is_named_before_the_path(tmp_path: Path) -> None:
    found = listed(tmp_path, "a,b\none/x.png,two/x.png\none/z.png,one/sub/y.png\n", "one", "two")
    assert [each.key for each in found.candidates(ONE)] == ["one/sub/y.png//one/z.png"]
    assert refusals(found)["two/x.png"] == "identical: to one/x.png"
    with pytest.raises(RosegenError, match=r"list\.csv:2: no such picture 'x\.png': is one/x\.png"):
        listed(tmp_path, "a,b\nx.png,two/z.png\n", "one", "two").candidates(ONE)


def test_the_key_of_another_pair_cannot_be_taken(tmp_path: Path) -> None:
    text = "a,b,key\nx.png,z.png,\nsub/y.png,z.png,art/x.png//art/z.png\n"
    with pytest.raises(RosegenError, match=r"list\.csv:3: key .* is that of line 2"):
        listed(tmp_path, text).candidates(ONE)


def test_keys_do_not_hang_on_the_direction_nor_on_underscores(tmp_path: Path) -> None:
    files = pictures("a__b.png", "c.png", "a.png", "b.png__c.png", "a_.png", "_c.png")
    pack = picture_pack(tmp_path / "art", files)
    pairs = [("a__b.png", "c.png"), ("a.png", "b.png__c.png"), ("a_.png", "_c.png")]
    keys = []
    for ends_of in (pairs, [(b, a) for a, b in pairs]):
        text = "a,b\n" + "".join(f"{a},{b}\n" for a, b in ends_of)
        (tmp_path / "list.csv").write_text(text, encoding="utf-8")
        found = source(ImagePairs, tmp_path, pack, pairs="list.csv")
        keys.append([each.key for each in found.candidates(ONE)])
    assert keys[0] == keys[1]
    assert len(set(keys[0])) == 3


def test_one_and_two_workers_find_and_draw_the_same(tmp_path: Path) -> None:
    files: dict[str, bytes] = {"bad.png": b"x", "bad.edit.png": b"y"}
    for seed in range(20):
        files |= pair(f"{seed}.png", f"{seed}.edit.png", seed)
    pack = picture_pack(tmp_path / "art", files)
    made = []
    for workers in (1, 2):
        found = source(ImagePairs, tmp_path / str(workers), pack)  # each with a cache of its own
        with LocalPool(workers) as pool:
            candidates = found.candidates(pool)
        pixels = [
            found.draw(tile, 72).tobytes() for each in candidates for tile in (each.a, each.b)
        ]
        made.append((candidates, found.refused(), pixels))
    assert made[0] == made[1]
    assert len(made[0][0]) == 20


def test_a_second_look_is_not_needed_and_says_the_same(tmp_path: Path) -> None:
    files = {**pair("a.png", "a.edit.png"), "bad.png": b"x", "bad.edit.png": b""}
    pack = picture_pack(tmp_path / "art", files)
    first = source(ImagePairs, tmp_path, pack)
    candidates = first.candidates(ONE)
    (tmp_path / "art" / "a.png").write_bytes(b"gone")  # the cache goes by what the pack holds
    again = source(ImagePairs, tmp_path, pack)
    assert again.candidates(ONE) == candidates
    assert again.refused() == first.refused()
    assert again.candidates(ONE) == candidates


def test_art_is_equal_for_tiles_that_look_the_same(tmp_path: Path) -> None:
    files = {**pair("a.png", "a.edit.png"), **pair("b.png", "b.edit.png")}
    found = source(ImagePairs, tmp_path, picture_pack(tmp_path / "art", files))
    one, other = found.candidates(ONE)
    assert found.art(one.a) == found.art(other.a) != found.art(one.b)
    assert found.fields(one, False, 64) == {}


def test_tiles_are_drawn_from_their_recipe_alone_whatever_was_drawn_before(tmp_path: Path) -> None:
    box = '<rect x="2" y="2" width="2" height="1" fill="#c83c5a"/><path d="M3 2l.6.9-.4.2z"/>'
    files = {"a.svg": svg(box), "a.edit.svg": svg(box + '<path d="M2 2h.5v.5z" fill="#06f"/>')}
    pack = picture_pack(tmp_path / "art", files)
    found = source(ImagePairs, tmp_path, pack, fit="ink")
    (only,) = found.candidates(ONE)
    for size in (150, 64, 65, 96, 97, 128, 64):
        drawn = found.draw(only.a, size)
        assert drawn.shape == (size, size, 3)
        assert np.array_equal(
            source(ImagePairs, tmp_path, pack, fit="ink").draw(only.a, size), drawn
        )


def test_few_pictures_are_kept_in_memory(tmp_path: Path) -> None:
    files: dict[str, bytes] = {}
    for seed in range(12):
        files |= pair(f"{seed}.png", f"{seed}.edit.png", seed)
    found = source(ImagePairs, tmp_path, picture_pack(tmp_path / "art", files))
    found.most_bytes = 5 * 48 * 48 * 3
    for each in found.candidates(ONE):
        found.draw(each.a, 64)
        found.draw(each.b, 64)
    assert found.bytes_kept() <= found.most_bytes


def test_a_pipeline_finds_the_source_and_its_options_are_schemas() -> None:
    assert source_class("image_pairs", {}) is ImagePairs
    for schema in ImagePairs.options.values():
        Draft202012Validator.check_schema(schema)
    assert set(ImagePairs.option_files) <= ImagePairs.options.keys()
