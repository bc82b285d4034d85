"""Anyone's picture files: each is shown rightly in a cell, or refused with a reason."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rosegen.errors import RosegenError
from rosegen.sources.fitting import crop_to_visible, flatten
from rosegen.sources.image_files import (
    THUMBNAIL,
    Look,
    LookTask,
    Seen,
    look_at,
    open_visible,
    picture_names,
    room_for,
    share_shown,
)
from rosegen.sources.similarity import luma
from tests.core_maker import LAW, noise
from tests.sources.image_maker import WHITE, drawing, picture_pack, png, spotted
from tests.sources.pictures.picture_maker import HEAD, chunk, saved, svg, tiff

Pixels = npt.NDArray[np.uint8]

INK = Look("ink", "smooth", 0.9, WHITE)
CANVAS = Look("canvas", "smooth", 0.9, WHITE)
ROOM = room_for(THUMBNAIL)


def look(tmp_path: Path, data: bytes, at: Look = INK) -> Seen:
    """What is seen of a file of these bytes."""
    path = tmp_path / "x.png"
    path.write_bytes(data)
    (seen,), _ = look_at(LookTask((path,), at))
    return seen


def cell(tmp_path: Path, data: bytes, at: Look = INK, side: int = 80) -> Pixels:
    """A file of these bytes in a cell."""
    path = tmp_path / "x"
    path.write_bytes(data)
    flat = open_visible(path, at, room_for(side)).flat
    assert flat is not None
    return at.fitted(flat, side)


BASE = drawing(3, 40, 56)
OPAQUE = np.dstack([flatten(BASE, WHITE), np.full(BASE.shape[:2], 255, np.uint8)])
MIRRORED = Image.fromarray(OPAQUE[..., :3]).transpose(Image.Transpose.ROTATE_90)


def turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6  # the first row is the right side: turn it clockwise to see it
    return saved(MIRRORED, "PNG", exif=exif)


def palette() -> bytes:
    few = Image.fromarray(BASE).convert("RGB").quantize(16)
    clear = Image.fromarray(BASE[..., 3])
    pixels = np.where(np.asarray(clear) == 0, 200, np.asarray(few)).astype(np.uint8)
    image = Image.fromarray(pixels, "P")
    image.putpalette((few.getpalette() or [])[:48] + [0] * 720)
    return saved(image, "PNG", transparency=200)


def deep() -> bytes:
    return tiff(OPAQUE[..., :3].astype(np.uint16) * 257, photometric="rgb")


def animated(kind: str, **options: bool) -> bytes:
    first = Image.fromarray(OPAQUE[..., :3])
    others = [Image.fromarray(noise(k, *BASE.shape[:2], 3)) for k in range(2)]
    return saved(first, kind, save_all=True, append_images=others, **options)


SHOWN = {
    "transparent PNG": (png(BASE), 0),
    "palette with transparency": (palette(), 0),
    "opaque PNG on the background's white": (png(OPAQUE), 0),
    "16-bit TIFF": (deep(), 0),
    "turned by EXIF": (turned(), 0),
    "animated PNG": (animated("PNG"), 0),
    "animated WebP": (animated("WEBP", lossless=True), 0),
    "animated GIF": (animated("GIF"), 2),
    "CMYK JPEG": (saved(Image.fromarray(OPAQUE[..., :3]).convert("CMYK"), "JPEG", quality=98), 40),
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_file_shows_is_in_the_cell_whatever_its_coding(tmp_path: Path, name: str) -> None:
    data, near = SHOWN[name]
    expected = cell(tmp_path, png(BASE)).astype(int)
    got = cell(tmp_path, data)
    assert np.abs(got - expected).max() <= near
    assert np.abs(got - expected).mean() <= near / 10
    assert look(tmp_path, data).reason == ""


def bomb() -> bytes:
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(b"\0" * 4000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + body + chunk(b"IEND", b"")


ENTITIES = f'<!DOCTYPE svg [<!ENTITY a "{"b" * 99}">]><svg {HEAD} viewBox="0 0 9 9">&a;</svg>'

REFUSED = {
    "fully transparent": (png(np.zeros((9, 9, 4), np.uint8)), "is fully transparent"),
    "huge header": (bomb(), "60000 x 60000 pixels"),
    "cut short": (png(BASE)[:-40], "damaged, cut short"),
    "zero bytes": (b"", "empty (0 bytes)"),
    "text": (b"no picture at all", "no picture of a kind that is read"),
    "web page": (b"<!doctype html><title>404</title>", "no picture of a kind that is read"),
    "script": (svg("<script>alert(1)</script>"), "holds a script"),
    "external picture": (svg('<image href="http://127.0.0.1/a.png"/>'), "holds another picture"),
    "external style": (svg('<rect fill="url(file:///x#a)" width="9" height="9"/>'), "outside"),
    "entity bomb": (ENTITIES.encode(), "declares XML entities"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_shown_is_refused_without_its_path(tmp_path: Path, name: str) -> None:
    data, reason = REFUSED[name]
    seen = look(tmp_path, data)
    assert seen.reason == "cannot be opened"
    assert reason in seen.detail
    assert str(tmp_path) not in seen.detail
    assert "\n" not in seen.detail


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "link.png").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.png")
    names = ("folder.png", "link.png", "pipe.png", "absent.png")
    seen, lumas = look_at(LookTask(tuple(tmp_path / name for name in names), INK))
    assert [each.detail.split(":")[0] for each in seen] == [
        "is a folder, not a picture",
        "is a link to a file that is not there",
        "is not a plain file",
        "is not there",
    ]
    assert not lumas.any()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(png(BASE))
    path.chmod(0)
    (seen,), _ = look_at(LookTask((path,), INK))
    assert "cannot be read (Permission denied)" in seen.detail


def plain(*color: int, side: int = 20) -> Pixels:
    return np.full((side, side, 4), color, np.uint8)


def hairline() -> Pixels:
    picture = plain(255, 255, 255, 255, side=64)
    picture[10, 3:8] = (0, 0, 0, 255)
    return picture


UNFIT = {
    "white on white": (png(plain(255, 255, 255, 255)), "ink", "blank on this background"),
    "nearly white": (png(plain(250, 250, 245, 255)), "ink", "blank on this background"),
    "faint": (png(plain(0, 0, 0, 9)), "canvas", "blank on this background"),
    "white drawing": (svg('<rect width="9" height="9" fill="#fff"/>'), "ink", "blank on this"),
    "one colour": (png(plain(200, 30, 40, 255)), "ink", "one colour all over"),
    "one half-clear colour": (png(plain(0, 0, 0, 128)), "canvas", "one colour all over"),
    "one colour as JPEG": (
        saved(Image.new("RGB", (50, 50), (201, 33, 47)), "JPEG"),
        "ink",
        "one colour all over",
    ),
    "a few pixels": (png(hairline()), "canvas", "nearly blank on this background"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_what_would_not_be_seen_in_a_cell_is_refused(tmp_path: Path, name: str) -> None:
    data, fit, reason = UNFIT[name]
    assert look(tmp_path, data, Look(fit, "smooth", 0.9, WHITE)).reason.startswith(reason)


def test_a_white_picture_is_fine_on_another_background(tmp_path: Path) -> None:
    white = plain(255, 255, 255, 255)
    white[5:9, 5:9] = (90, 90, 90, 255)
    white[6:8, 6:8, 3] = 0
    assert look(tmp_path, png(white), Look("ink", "smooth", 0.9, (20, 20, 60))).reason == ""


@pytest.mark.parametrize("count", [10, 11])
def test_nearly_blank_starts_at_a_quarter_of_a_percent_of_the_cell(count: int) -> None:
    picture = np.full((THUMBNAIL, THUMBNAIL, 3), 255, np.uint8)
    picture.reshape(-1, 3)[:count] = 0
    assert share_shown(picture, WHITE) == count / THUMBNAIL**2
    assert (count / THUMBNAIL**2 < 0.0025) == (count == 10)


@LAW
@given(
    st.integers(0, 10**6),
    *(st.integers(0, 30) for _ in range(4)),
    st.sampled_from(["smooth", "integer", "stretch"]),
)
def test_padding_clear_or_painted_does_not_show_in_a_cell(
    seed: int, top: int, bottom: int, left: int, right: int, resize: str
) -> None:
    rgba = drawing(seed)
    around = ((top, bottom), (left, right), (0, 0))
    clear = np.pad(rgba, around)
    painted = np.pad(np.where(rgba[..., 3:] == 0, 255, rgba), around, constant_values=255)
    at = Look("ink", resize, 0.9, WHITE)

    def shown(pixels: Pixels) -> Pixels:
        part = crop_to_visible(flatten(pixels, WHITE), WHITE)
        assert part is not None
        return at.fitted(part, 80)

    assert np.array_equal(shown(clear), shown(rgba))
    assert np.array_equal(shown(painted), shown(rgba))


@pytest.mark.parametrize("side", [64, 80, 96, 150])
@pytest.mark.parametrize("scale", [1, 0.1])
def test_an_svg_is_drawn_at_twice_its_size_in_the_cell(
    tmp_path: Path, side: int, scale: float
) -> None:
    body = '<path d="M0 0H100V60H0Z" fill="#a33"/><path d="M20 20h30v20h-30z" fill="#36c"/>'
    path = tmp_path / "x.svg"
    path.write_bytes(svg(f'<g transform="scale({scale})">{body}</g>', 'viewBox="0 0 100 60"'))
    flat = open_visible(path, INK, room_for(side)).flat
    assert flat is not None
    assert max(flat.shape[:2]) >= 2 * 0.9 * side
    whole = cell(tmp_path, svg(body, 'viewBox="0 0 100 60"'), side=side)
    assert np.abs(INK.fitted(flat, side).astype(int) - whole).mean() < 2


def test_a_large_picture_is_kept_small_and_looks_the_same(tmp_path: Path) -> None:
    large = np.asarray(Image.fromarray(OPAQUE).resize((5600, 4000), Image.Resampling.NEAREST))
    path = tmp_path / "x.png"
    path.write_bytes(saved(Image.fromarray(large), "PNG", compress_level=1))
    opened = open_visible(path, CANVAS, ROOM)
    assert opened.size == (5600, 4000)
    assert opened.flat is not None
    assert 1024 <= max(opened.flat.shape[:2]) < 2048
    direct = CANVAS.fitted(flatten(large, WHITE), 80).astype(int)
    assert np.abs(CANVAS.fitted(opened.flat, 80) - direct).max() <= 12


def test_a_look_is_at_the_picture_as_it_will_be_drawn(tmp_path: Path) -> None:
    paths = []
    for number in range(3):
        paths.append(tmp_path / f"{number}.png")
        paths[-1].write_bytes(png(drawing(number)))
    seen, lumas = look_at(LookTask(tuple(paths), INK))
    for path, each, thumbnail in zip(paths, seen, lumas):
        assert np.array_equal(thumbnail, luma(cell(tmp_path, path.read_bytes(), INK, THUMBNAIL)))
        assert each.size == (48, 48)
        assert not each.is_drawing
    assert len({each.sha256 for each in seen}) == 3


def test_pixel_art_stays_crisp(tmp_path: Path) -> None:
    art = drawing(1, 16, 16)
    got = cell(tmp_path, png(art), Look("canvas", "integer", 0.9, WHITE), 80)
    assert np.array_equal(got[8:72, 8:72], flatten(art, WHITE).repeat(4, 0).repeat(4, 1))
    colors = set(map(tuple, flatten(art, WHITE).reshape(-1, 3).tolist()))
    stretched = cell(tmp_path, png(art), Look("ink", "stretch", 0.9, WHITE), 80)
    assert set(map(tuple, stretched.reshape(-1, 3).tolist())) <= colors


def test_on_one_canvas_an_edit_keeps_its_place(tmp_path: Path) -> None:
    rgba = drawing(5, 60, 60)
    hat = spotted(rgba)
    hat[0:6, 20:40] = (0, 0, 0, 255)  # changes what a crop would keep
    a, b = cell(tmp_path, png(rgba), CANVAS), cell(tmp_path, png(hat), CANVAS)
    same = np.s_[55:70]
    assert np.array_equal(a[same], b[same])
    assert (a != b).any()


def test_picture_files_are_told_by_their_endings_and_hidden_ones_left_out(tmp_path: Path) -> None:
    names = ["a.PNG", "b/c.Jpeg", "d.txt", ".e.png", "__MACOSX/._f.png", ".g/h.png", "i", "j.svg"]
    pack = picture_pack(tmp_path, dict.fromkeys(names, b"x"))
    assert picture_names(pack) == ["a.PNG", "b/c.Jpeg", "j.svg"]
    with pytest.raises(RosegenError, match="asset pack art: holds no picture file"):
        picture_names(picture_pack(tmp_path, {"d.txt": b"x"}))
