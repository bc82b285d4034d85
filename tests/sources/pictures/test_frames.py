"""Several pictures in one file, and frames smaller than their picture."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core_maker import noise
from tests.sources.pictures.picture_maker import reading, saved


def frames(count: int) -> list[Image.Image]:
    return [Image.fromarray(noise(seed, 8, 12, 3)).quantize(16) for seed in range(count)]


@pytest.mark.parametrize(
    ("kind", "word"), [("GIF", "frames"), ("WEBP", "frames"), ("TIFF", "pages")]
)
def test_of_several_frames_or_pages_the_first_is_taken(
    tmp_path: Path, kind: str, word: str
) -> None:
    first, *others = frames(5)
    data = saved(first, kind, save_all=True, append_images=others, lossless=True)
    found = reading(tmp_path, data)
    assert np.array_equal(found.rgba, np.asarray(first.convert("RGBA")))
    assert found.notes == (f"first of 5 {word}",)


@pytest.mark.parametrize(
    ("order", "big"),
    [("<", False), (">", False), ("<", True)],  # Pillow reads no BigTIFF that starts with MM
)
@pytest.mark.parametrize(
    ("pages", "note"),
    [(1, ()), (3, ("first of 3 pages",)), (300_000, ("first of more than 10000 pages",))],
)
def test_pages_of_a_tiff_are_counted_while_they_are_few(
    tmp_path: Path, order: str, big: bool, pages: int, note: tuple[str, ...]
) -> None:
    count, value, start = ("Q", "Q", 16) if big else ("H", "L", 8)
    tags = {256: 2, 257: 1, 258: 8, 259: 1, 262: 1, 273: start, 277: 1, 278: 1, 279: 2}
    kinds = {tag: 4 if tag in (256, 257, 273, 278, 279) else 3 for tag in tags}
    room = 8 if big else 4
    entries = b"".join(
        struct.pack(f"{order}HH{value}", tag, kinds[tag], 1)
        + struct.pack(order + ("L" if kinds[tag] == 4 else "H"), each).ljust(room, b"\0")
        for tag, each in tags.items()
    )
    page = struct.pack(order + count, len(tags)) + entries
    size = len(page) + struct.calcsize(order + value)
    links = [start + 2 + size * (number + 1) for number in range(pages - 1)]
    head = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}H", 43 if big else 42)
    head += struct.pack(f"{order}HHQ", 8, 0, 18) if big else struct.pack(f"{order}L", 10)
    data = (
        head
        + b"\x28\xc8"
        + b"".join(page + struct.pack(order + value, link) for link in [*links, 0])
    )
    found = reading(tmp_path, data)
    assert found.rgba[0, :, 0].tolist() == [40, 200]
    assert found.notes == note


@pytest.mark.parametrize("still", [True, False])
def test_an_animated_png_is_what_still_readers_show(tmp_path: Path, still: bool) -> None:
    first, *others = (frame.convert("RGB") for frame in frames(4))
    data = saved(first, "PNG", save_all=True, append_images=others, default_image=still)
    found = reading(tmp_path, data)
    assert np.array_equal(found.rgba, np.asarray(first.convert("RGBA")))
    assert found.notes == ("the still picture beside 3 frames" if still else "first of 4 frames",)


def gif_of_a_small_frame(clear: bool) -> bytes:
    """A canvas of 4 x 3 of which the first frame covers the pixel in column 1 of row 1."""
    control = b"!\xf9\4" + bytes((int(clear), 0, 0, 1, 0))
    frame = b"," + struct.pack("<4H", 1, 1, 1, 1) + b"\0"
    # Codes of 3 bits: clear (4), colour 0, end (5).
    pixel = bytes((2, 2, 0b01_000_100, 0b1, 0))
    palette = bytes((9, 8, 7, 255, 255, 255, 1, 2, 3, 4, 5, 6))
    return (
        b"GIF89a"
        + struct.pack("<2H", 4, 3)
        + b"\x81\2\0"
        + palette
        + control
        + frame
        + pixel
        + b";"
    )


@pytest.mark.parametrize("clear", [True, False])
def test_what_the_first_frame_of_a_gif_leaves_open_is_clear(tmp_path: Path, clear: bool) -> None:
    found = reading(tmp_path, gif_of_a_small_frame(clear))
    expected = np.zeros((3, 4), np.uint8)
    expected[1, 1] = 255
    assert np.array_equal(found.rgba[..., 3], expected)
    assert found.rgba[1, 1].tolist() == [9, 8, 7, 255]


def test_the_transparent_colour_of_a_gif_is_clear(tmp_path: Path) -> None:
    image = Image.fromarray(np.array([[0, 1], [1, 2]], np.uint8)).convert("P")
    image.putpalette([9, 9, 9, 200, 0, 0, 0, 0, 200])
    found = reading(tmp_path, saved(image, "GIF", transparency=1))
    assert found.rgba[..., 3].tolist() == [[255, 0], [0, 255]]
    assert found.rgba[1, 1].tolist() == [0, 0, 200, 255]
