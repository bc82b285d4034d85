"""Pictures that people bring: opened whatever they are called, or refused in one line."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rosegen.errors import RosegenError
from rosegen.sources.pictures import open_picture, open_picture_bytes
from tests.core_maker import noise
from tests.sources.pictures.picture_maker import (
    chunk,
    png,
    reading,
    refusal,
    samples,
    saved,
    svg,
    tiff,
)


def test_a_picture_is_read_only_and_in_one_piece(tmp_path: Path) -> None:
    found = reading(tmp_path, saved(Image.fromarray(noise(5, 9, 14, 4)), "PNG"))
    assert found.rgba.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        found.rgba[0, 0] = 0


def test_a_wrong_ending_does_not_matter(tmp_path: Path) -> None:
    pixels = noise(5, 9, 14, 4)
    path = tmp_path / "picture.jpeg"
    path.write_bytes(saved(Image.fromarray(pixels), "PNG"))
    assert np.array_equal(open_picture(path).rgba, pixels)


def test_what_is_not_there_or_no_file_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "empty").touch()
    cases = {
        "nothing": "is not there: check the name",
        "link": "is a link to a file that is not there: mend the link",
        "loop": "cannot be read (",
        ".": "is a folder, not a picture: name a file in it",
        "empty": "is empty (0 bytes)",
        "n" * 300: "cannot be read (",
        "a\0b": "cannot be read (",
    }
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        cases["pipe"] = "is not a plain file"
    for name, message in cases.items():
        with pytest.raises(RosegenError, match=".") as caught:
            open_picture(tmp_path / name)
        assert message in str(caught.value), name
        assert "\n" not in str(caught.value)


def test_a_name_that_no_terminal_can_print_is_spelled_out(tmp_path: Path) -> None:
    with pytest.raises(RosegenError) as caught:
        open_picture(tmp_path / "a\nb\udc80\u202ec.png")
    assert str(caught.value).startswith(f"{tmp_path}/a\\nb\\udc80\\u202ec.png: is not there")


def test_a_file_one_may_not_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "picture.png").write_bytes(b"x")
    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(RosegenError, match=r"cannot be read \(Permission denied\): check"):
        open_picture(tmp_path / "picture.png")


def test_a_file_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "picture"
    path.touch()
    os.truncate(path, (128 << 20) + 1)
    with pytest.raises(RosegenError, match="larger than 128 MiB"):
        open_picture(path)


@pytest.mark.parametrize(
    "data", [b"hello", b"\0", b"%PDF-1.4\n", b"PK\3\4", b"\0\0\0\x1cftypavif", b"8BPS\0\1"]
)
def test_what_is_no_picture_is_told_which_kinds_are(tmp_path: Path, data: bytes) -> None:
    assert "(PNG, JPEG, GIF, WebP, BMP, ICO, TIFF, SVG): save it as PNG" in refusal(tmp_path, data)


def bombs() -> dict[str, bytes]:
    """Small files that say they are huge."""
    side = 20000
    image = Image.new("1", (4, 4), 1)
    bmp = bytearray(saved(image, "BMP"))
    bmp[18:26] = struct.pack("<ii", side, side)
    gif = bytearray(saved(image, "GIF"))
    gif[6:10] = struct.pack("<HH", side, side)
    jpeg = bytearray(saved(image.convert("L"), "JPEG"))
    at = jpeg.index(b"\xff\xc0")
    jpeg[at + 5 : at + 9] = struct.pack(">HH", side, side)
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    small = png(np.zeros((2, 2), int), 8, 0)
    huge = small[:8] + chunk(b"IHDR", header) + small[33:]
    entry = struct.pack("<BBBBHHII", 16, 16, 0, 0, 1, 32, len(huge), 22)
    webp = bytearray(samples()["animated webp"])
    webp[24:30] = struct.pack("<I", 16382)[:3] * 2
    flat = struct.pack("<IiiHHIIiiII", 40, side, 2 * side, 1, 32, 0, 0, 0, 0, 0, 0)
    flat_entry = struct.pack("<BBBBHHII", 16, 16, 0, 0, 1, 32, len(flat), 22)
    return {
        "PNG": huge,
        "BMP": bytes(bmp),
        "GIF": bytes(gif),
        "JPEG": bytes(jpeg),
        "WEBP": bytes(webp),
        "TIFF": tiff(np.zeros((4, 4), np.uint8)).replace(
            struct.pack("<HHII", 256, 4, 1, 4), struct.pack("<HHII", 256, 4, 1, 10**9)
        ),
        "icon of PNG": struct.pack("<HHH", 0, 1, 1) + entry + huge,
        "icon of BMP": struct.pack("<HHH", 0, 1, 1) + flat_entry + flat,
    }


@pytest.mark.parametrize("kind", list(bombs()))
def test_a_huge_picture_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def decoded(*_: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load_prepare", decoded)
    assert "make it smaller" in refusal(tmp_path, bombs()[kind])


def test_the_most_a_side_may_have_is_the_callers_to_say(tmp_path: Path) -> None:
    data = saved(Image.new("RGB", (60, 20)), "PNG")
    assert reading(tmp_path, data, max_side=60).rgba.shape == (20, 60, 4)
    assert "60 x 20 pixels, more than 59 a side" in refusal(tmp_path, data, max_side=59)


@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "TIFF", "ICO"])
def test_a_picture_that_shows_nothing_is_refused(tmp_path: Path, kind: str) -> None:
    data = saved(Image.new("RGBA", (16, 16)), kind, lossless=True)
    assert "is fully transparent" in refusal(tmp_path, data)


# Bytes that are no file of their own.


@pytest.mark.parametrize("name", list(samples()))
def test_bytes_are_the_picture_that_a_file_of_them_is(tmp_path: Path, name: str) -> None:
    data = samples()[name]
    found, filed = open_picture_bytes(data, "art"), reading(tmp_path, data)
    assert np.array_equal(found.rgba, filed.rgba)
    assert found.notes == filed.notes
    assert not found.rgba.flags.writeable


REFUSED = {
    **bombs(),
    "nothing": b"",
    "no picture": b"hello",
    "half a picture": samples()["png"][:99],
    "half a page": samples()["jpeg tiff"][:200],
    "clear": saved(Image.new("RGBA", (4, 4)), "PNG"),
    "script": svg("<script>1</script>"),
    "elsewhere": svg('<use href="http://127.0.0.1:9/a.svg#a"/>'),
    "huge drawing": svg(size='width="1e9" height="10"'),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_bytes_are_refused_for_what_a_file_of_them_is(tmp_path: Path, case: str) -> None:
    with pytest.raises(RosegenError) as caught:
        open_picture_bytes(REFUSED[case], "pack: a/b.png")
    assert str(caught.value) == f"pack: a/b.png: {refusal(tmp_path, REFUSED[case])}"


def test_too_many_bytes_are_refused() -> None:
    with pytest.raises(RosegenError, match=r"^art: is larger than 128 MiB"):
        open_picture_bytes(bytes((128 << 20) + 1), "art")


def test_a_name_of_bytes_is_spelled_out_in_one_line() -> None:
    with pytest.raises(RosegenError) as caught:
        open_picture_bytes(b"", "a\nb\udc80.png")
    assert str(caught.value).startswith("a\\nb\\udc80.png: is empty (0 bytes)")


def test_sides_of_bytes_are_the_callers_to_say() -> None:
    assert open_picture_bytes(svg(), "art", svg_side=40).rgba.shape == (20, 40, 4)
    data = saved(Image.new("RGB", (60, 20)), "PNG")
    assert open_picture_bytes(data, "art", max_side=60).rgba.shape == (20, 60, 4)
    with pytest.raises(RosegenError, match="60 x 20 pixels, more than 59 a side"):
        open_picture_bytes(data, "art", max_side=59)
