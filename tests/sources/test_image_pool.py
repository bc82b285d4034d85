"""A folder of pictures: the alike ones become pairs, as looking at every two of them finds."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import imagehash
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from PIL import Image
from skimage.metrics import structural_similarity

from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.sources.image_files import THUMBNAIL
from rosegen.sources.image_pool import ImagePool, hashes_of, nearest
from rosegen.sources.registry import source_class
from rosegen.sources.similarity import luma
from tests.core_maker import LAW
from tests.sources.image_maker import ONE, drawing, picture_pack, png, refusals, source, spotted
from tests.sources.pictures.picture_maker import saved, svg


def files_of(count: int, folder: str = "") -> dict[str, bytes]:
    return {f"{folder}{number:03d}.png": png(drawing(number)) for number in range(count)}


def drawn_in_order(found: ImagePool, names: list[str]) -> list[npt.NDArray[np.uint8]]:
    (pack,) = found.packs_of_kind("images")
    tiles = {tile.recipe["file"]: tile for tile in found.tiles(pack)}
    return [found.draw(tiles[name], THUMBNAIL) for name in names]


@pytest.mark.parametrize(("shortlist", "most", "least"), [(3, 64, -1), (4, 14, 0.6), (99, 20, 0.8)])
def test_pairs_are_those_that_imagehash_and_scikit_image_find(
    tmp_path: Path, shortlist: int, most: int, least: float
) -> None:
    files = files_of(40)
    names = sorted(files)
    found = source(
        ImagePool,
        tmp_path,
        picture_pack(tmp_path / "art", files),
        shortlist=shortlist,
        most_phash=most,
        least_ssim=least,
    )
    tiles = drawn_in_order(found, names)
    hashes = [imagehash.phash(Image.fromarray(tile)) for tile in tiles]
    expected = set()
    for i in range(len(names)):
        others = sorted((hashes[i] - hashes[j], j) for j in range(len(names)) if j != i)
        expected |= {(min(i, j), max(i, j)) for bits, j in others[:shortlist] if bits <= most}
    expected = {
        (i, j)
        for i, j in expected
        if structural_similarity(luma(tiles[i]), luma(tiles[j]), data_range=255) >= least
    }
    got = [(each.a.recipe["file"], each.b.recipe["file"]) for each in found.candidates(ONE)]
    assert got == [(names[i], names[j]) for i, j in sorted(expected)]
    assert 10 <= len(got) < 40 * 39 / 2


@LAW
@given(
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 7), max_size=40),
    st.integers(1, 45),
    st.integers(0, 64),
)
def test_the_nearest_are_those_that_counting_bits_finds(
    values: list[int], keep: int, most: int
) -> None:
    expected = set()
    for i, value in enumerate(values):
        others = sorted(((value ^ v).bit_count(), j) for j, v in enumerate(values) if j != i)
        expected |= {(min(i, j), max(i, j)) for bits, j in others[:keep] if bits <= most}
    got = nearest(hashes_of([f"{value:016x}" for value in values]), keep, most)
    assert [(int(i), int(j)) for i, j in got] == sorted(expected)


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = np.random.default_rng(0).integers(0, 1 << 16, (300, 4)).astype(np.uint16)
    whole = nearest(hashes, 5, 30)
    monkeypatch.setattr("rosegen.sources.image_pool._CELLS", 1000)
    assert np.array_equal(nearest(hashes, 5, 30), whole)
    assert len(whole) > 300


def test_the_same_picture_twice_makes_no_pair(tmp_path: Path) -> None:
    image = Image.fromarray(drawing(1))
    files = files_of(3)
    padded = np.pad(drawing(1), ((9, 0), (0, 30), (0, 0)))
    files |= {"again.webp": saved(image, "WEBP", lossless=True), "padded.png": png(padded)}
    found = source(
        ImagePool, tmp_path, picture_pack(tmp_path / "art", files), most_phash=64, least_ssim=0
    )
    candidates = found.candidates(ONE)
    assert refusals(found) == {
        "again.webp": "identical: to 001.png",
        "padded.png": "identical: to 001.png",
    }
    assert len(candidates) == 3
    for each in candidates:
        assert not np.array_equal(found.draw(each.a, 64), found.draw(each.b, 64))


def test_one_bad_picture_does_not_stop_the_rest(tmp_path: Path) -> None:
    files = files_of(4) | {"bad.png": b"?", "half.png": png(drawing(9))[:-30], "zero.gif": b""}
    files |= {"script.svg": svg("<script/>"), "white.png": png(blank())}
    files["box.svg"] = svg('<rect width="20" height="10" fill="#06c"/>')
    found = source(ImagePool, tmp_path, picture_pack(tmp_path / "art", files), most_phash=64)
    assert found.candidates(ONE)
    refused = refusals(found)
    assert refused.keys() == {
        "bad.png",
        "half.png",
        "zero.gif",
        "box.svg",
        "script.svg",
        "white.png",
    }
    assert refused["box.svg"] == "one colour all over"
    assert refused["white.png"] == "blank on this background"
    assert refused["zero.gif"] == "cannot be opened: is empty (0 bytes): bring the picture again"


def blank() -> npt.NDArray[np.uint8]:
    return np.full((20, 20, 4), 255, np.uint8)


def test_when_nothing_is_left_one_line_says_how_much_was_refused_and_why(tmp_path: Path) -> None:
    pack = picture_pack(tmp_path / "art", {"a.png": b"", "b.png": b"x", "c.png": png(drawing(0))})
    with pytest.raises(RosegenError) as caught:
        source(ImagePool, tmp_path, pack).candidates(ONE)
    assert str(caught.value) == (
        "source image_pool: no two of 1 pictures are alike (bring more, or loosen most_phash and "
        "least_ssim); 2 refused, the first: a.png (cannot be opened: is empty (0 bytes): bring "
        "the picture again)"
    )


def test_within_folders_pairs_stay_in_one_and_folders_share_the_scenes(tmp_path: Path) -> None:
    files: dict[str, bytes] = {}
    for number, folder in enumerate(["", "zoo/", "zoo/old/", "town/"]):
        files |= {f"{folder}{k}.png": png(drawing(10 * number + k)) for k in range(5)}
    pack = picture_pack(tmp_path / "art", files)
    options = {"most_phash": 64, "least_ssim": 0}
    anywhere = source(ImagePool, tmp_path, pack, **options).candidates(ONE)
    within = source(ImagePool, tmp_path, pack, within_folders=True, **options).candidates(ONE)
    assert {each.group for each in anywhere} == {"art"}
    assert len(within) == 4 * 10
    folders = {
        (each.a.name.rpartition("/")[0], each.b.name.rpartition("/")[0], each.group)
        for each in within
    }
    assert folders == {
        ("art", "art", "art"),
        ("art/zoo", "art/zoo", "zoo"),
        ("art/zoo/old", "art/zoo/old", "zoo"),
        ("art/town", "art/town", "town"),
    }
    assert len(anywhere) > len(within)


def test_on_a_whole_canvas_only_pictures_of_one_size_are_compared(tmp_path: Path) -> None:
    files = files_of(4) | {f"large/{k}.png": png(drawing(k, 64, 64)) for k in range(4)}
    found = source(
        ImagePool,
        tmp_path,
        picture_pack(tmp_path / "art", files),
        fit="canvas",
        most_phash=64,
        least_ssim=0,
    )
    sizes = {("large" in each.a.name, "large" in each.b.name) for each in found.candidates(ONE)}
    assert sizes == {(False, False), (True, True)}


def test_each_pack_is_a_pool_of_its_own(tmp_path: Path) -> None:
    packs = [picture_pack(tmp_path / name, files_of(5), name) for name in ("one", "two")]
    found = source(ImagePool, tmp_path, *packs, most_phash=64, least_ssim=0)
    candidates = found.candidates(ONE)
    assert [each.group for each in candidates] == ["one"] * 10 + ["two"] * 10
    assert all(each.a.pack == each.b.pack == each.group for each in candidates)
    assert len({each.key for each in candidates}) == 20


def test_odd_names_make_keys_of_their_own(tmp_path: Path) -> None:
    names = ["a.png", "A.png", "a__b.png", "a, b.png", 'a"b.png', "-a.png", "a\nb.png", "🐱.png"]
    names += ["b.png", "b__a.png", "a.png__b.png", "\u00e9.png", "e\u0301.png"]
    files = {name: png(drawing(seed)) for seed, name in enumerate(names)}
    pack = picture_pack(tmp_path / "art", files)
    if len(list((tmp_path / "art").iterdir())) < len(names):
        pytest.skip("this file system takes some of these names for one")
    found = source(ImagePool, tmp_path, pack, most_phash=64, least_ssim=0, shortlist=99)
    keys = [each.key for each in found.candidates(ONE)]
    assert len(set(keys)) == len(keys) == len(list(combinations(names, 2)))
    assert json.loads(json.dumps(keys)) == keys


def test_one_and_two_workers_find_the_same(tmp_path: Path) -> None:
    files = files_of(60) | {"bad.png": b"x", "again.png": png(drawing(7))}
    pack = picture_pack(tmp_path / "art", files)
    made = []
    for workers in (1, 2):
        found = source(ImagePool, tmp_path / str(workers), pack)  # each with a cache of its own
        with LocalPool(workers) as pool:
            made.append((found.candidates(pool), found.refused()))
    assert made[0] == made[1]
    assert len(made[0][0]) > 60


def test_other_options_are_not_taken_from_the_cache(tmp_path: Path) -> None:
    pack = picture_pack(tmp_path / "art", files_of(20))
    loose = source(ImagePool, tmp_path, pack, most_phash=64, least_ssim=0)
    counts = [len(loose.candidates(ONE))]
    changes = [{"shortlist": 2}, {"most_phash": 10}, {"least_ssim": 0.7}, {"fit": "canvas"}]
    for change in changes:
        options = {"most_phash": 64, "least_ssim": 0, **change}
        fresh = source(ImagePool, tmp_path / "fresh", pack, **options).candidates(ONE)
        assert source(ImagePool, tmp_path, pack, **options).candidates(ONE) == fresh
        counts.append(len(fresh))
    assert counts[0] > max(counts[1:4])
    assert len(loose.candidates(ONE)) == counts[0]


def test_an_edited_picture_is_found_beside_its_original(tmp_path: Path) -> None:
    files = {f"{k}.png": png(np.rot90(drawing(k), k)) for k in range(12)}
    files["edited.png"] = png(spotted(drawing(0)))
    found = source(ImagePool, tmp_path, picture_pack(tmp_path / "art", files), shortlist=2)
    assert ("art/0.png", "art/edited.png") in {
        (each.a.name, each.b.name) for each in found.candidates(ONE)
    }


def test_a_pipeline_finds_the_source_and_its_options_are_schemas() -> None:
    assert source_class("image_pool", {}) is ImagePool
    for schema in ImagePool.options.values():
        Draft202012Validator.check_schema(schema)
    assert not Draft202012Validator(ImagePool.options["most_phash"]).is_valid(65)
