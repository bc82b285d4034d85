"""Sprite files are read like any picture: rightly, or refused in one line."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rosegen.errors import RosegenError
from rosegen.sources.pixel_art import open_library
from tests.core_maker import cached_pack, noise, open_pack
from tests.sources.image_maker import drawing, png
from tests.sources.pictures.picture_maker import saved, svg

FILES = {"images": {"glob": "*"}}
SHEET = {"sheet": {"file": "sheet.png", "tile": [8, 8], "margin": 1, "spacing": 2}}


@pytest.mark.parametrize("name", ["craftax", "urizen-onebit"])
def test_the_sprites_of_shipped_packs_are_what_pillow_reads(name: str) -> None:
    pack = cached_pack(name)
    library = open_library(pack)
    whole = {
        rel: np.array(Image.open(io.BytesIO(pack.read(rel))).convert("RGBA"))
        for rel in pack.files
        if rel.endswith(".png")
    }
    assert len(library.art) > 30
    for art in library.art.values():
        if "sheet" in pack.pack.contents:
            sheet = pack.pack.contents["sheet"]
            row, col = int(art.name[1:3]), int(art.name[4:])
            step = [side + sheet.get("spacing", 0) for side in sheet["tile"]]
            top, left = (sheet.get("margin", 0) + n * s for n, s in zip((row, col), step[::-1]))
            height, width, _ = art.pixels.shape
            expected = whole[sheet["file"]][top : top + height, left : left + width]
        else:
            expected = whole[pack.images()[art.name]]
        assert np.array_equal(art.pixels, expected)


def test_blank_files_are_left_out_and_the_others_kept(tmp_path: Path) -> None:
    clear = np.zeros((8, 8, 4), np.uint8)
    files = {"a.png": png(drawing(1, 16, 16)), "clear.png": png(clear), "red.png": png(clear + 255)}
    library = open_library(open_pack(tmp_path, "sprites", FILES, files))
    assert list(library.art) == ["a"]
    assert np.array_equal(library.art["a"].pixels, drawing(1, 16, 16))


def test_blank_tiles_and_blank_sheets_are_no_errors(tmp_path: Path) -> None:
    sheet = np.zeros((20, 20, 4), np.uint8)
    clear = open_pack(tmp_path / "clear", "sprites", SHEET, {"sheet.png": png(sheet)})
    assert open_library(clear).art == {}
    sheet[1:9, 11:19] = noise(1, 8, 8, 4)
    some = open_pack(tmp_path / "some", "sprites", SHEET, {"sheet.png": png(sheet)})
    library = open_library(some)
    assert list(library.art) == ["r00c001"]
    assert np.array_equal(library.art["r00c001"].pixels, noise(1, 8, 8, 4))


def test_a_sheet_may_be_a_long_strip(tmp_path: Path) -> None:
    strip = np.zeros((10, 9000, 4), np.uint8)
    strip[1:9, -9:-1] = noise(1, 8, 8, 4)
    pack = open_pack(tmp_path, "sprites", SHEET, {"sheet.png": png(strip)})
    assert len(open_library(pack).art) == 1


def test_sprites_of_other_codings_are_shown_rightly(tmp_path: Path) -> None:
    art = drawing(2, 16, 16)
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    turned = Image.fromarray(art[::-1, ::-1])
    deep = Image.fromarray(noise(1, 16, 16).astype(np.uint16) * 257)
    files = {"a.png": saved(turned, "PNG", exif=exif), "b.png": saved(deep, "PNG")}
    library = open_library(open_pack(tmp_path, "sprites", FILES, files))
    assert np.array_equal(library.art["a"].pixels, art)
    assert np.array_equal(library.art["b"].pixels[..., 0], noise(1, 16, 16))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", r"is empty \(0 bytes\)"),
        (b"text", "is no picture of a kind that is read"),
        (png(drawing(0))[:-30], "damaged, cut short"),
        (svg(), "is an SVG, which has no pixels of its own: save it as PNG"),
        (svg("<script/>"), "holds a script"),
    ],
)
def test_a_sprite_that_cannot_be_read_is_named_with_its_pack(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    pack = open_pack(tmp_path, "sprites", FILES, {"x.png": data})
    with pytest.raises(RosegenError, match=rf"^asset pack tiny: x\.png: .*{reason}"):
        open_library(pack)
