"""JPEG: whole ones are seen as libjpeg decodes them, those cut short are refused."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.core_maker import LAW, noise
from tests.sources.pictures.picture_maker import Pixels, opaque, reading, refusal, saved

CUT = "cannot be read as JPEG; it is damaged, cut short or unusual (a scan ends before the picture"
KINDS: Mapping[str, Mapping[str, Any]] = {
    "baseline": {},
    "fine": {"subsampling": 0, "quality": 95},
    "restarts": {"restart_marker_blocks": 3},
    "progressive": {"progressive": True},
    "progressive restarts": {"progressive": True, "restart_marker_rows": 1},
}
END = b"\xff\xd9"


def picture(height: int, width: int) -> Image.Image:
    """A slope of colours with some grain: something in every block."""
    y, x = np.mgrid[:height, :width]
    slope = np.stack([2 * y, 3 * x, 255 - y - x], -1) % 256
    return Image.fromarray((slope // 2 + noise(7, height, width, 3) // 3).astype(np.uint8))


def as_decoded(data: bytes) -> Pixels:
    return opaque(np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))


def scans(data: bytes) -> list[tuple[int, int]]:
    """Where the coded data of each scan start and end."""
    found = []
    for start in re.finditer(b"\xff\xda\x00([\x08\x0a\x0c\x0e])", data):
        at = start.end() - 2 + start[1][0]
        end = re.compile(rb"\xff[\xc4\xda\xd9]").search(data, at)
        assert end is not None
        found.append((at, end.start()))
    return found


def cut(data: bytes, at: int, end: int) -> bytes:
    """The first half of a scan only."""
    return data[: (at + end) // 2].rstrip(b"\xff") + data[end:]


@LAW
@given(st.sampled_from(sorted(KINDS)), st.integers(1, 70), st.integers(1, 70), st.booleans())
def test_whole_ones_are_seen_as_they_are_decoded(
    tmp_path_factory: pytest.TempPathFactory, kind: str, height: int, width: int, plain: bool
) -> None:
    image = Image.new("RGB", (width, height), (40, 90, 200)) if plain else picture(height, width)
    data = saved(image, "JPEG", **KINDS[kind])
    found = reading(tmp_path_factory.getbasetemp(), data)
    assert np.array_equal(found.rgba, as_decoded(data))
    assert found.notes == ()


@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_scan_cut_short_is_refused_whatever_follows(tmp_path: Path, kind: str, mode: str) -> None:
    rgb = picture(120, 90)
    planes = Image.merge("CMYK", [*rgb.split(), rgb.getchannel(1)])  # none of them empty
    data = saved(planes if mode == "CMYK" else rgb.convert(mode), "JPEG", **KINDS[kind])
    found = scans(data)
    assert len(found) > 1 if "progressive" in kind else len(found) == 1
    for at, end in found:
        assert CUT in refusal(tmp_path, cut(data, at, end))


@pytest.mark.parametrize("kind", KINDS)
def test_a_header_taller_than_the_picture_is_refused(tmp_path: Path, kind: str) -> None:
    data = bytearray(saved(picture(64, 48), "JPEG", **KINDS[kind]))
    at = max(data.find(b"\xff\xc0"), data.find(b"\xff\xc2"))
    assert data[at + 5 : at + 7] == b"\0\x40"
    data[at + 5 : at + 7] = b"\0\x80"
    assert CUT in refusal(tmp_path, bytes(data))


def test_a_progressive_one_without_its_last_scans_is_refused(tmp_path: Path) -> None:
    data = saved(picture(40, 40), "JPEG", progressive=True)
    found = scans(data)
    assert len(found) == 10
    for _, end in found[:-1]:
        assert "it ends before its last scans" in refusal(tmp_path, data[:end] + END)


def test_bytes_that_nobody_reads_spoil_nothing(tmp_path: Path) -> None:
    data = saved(picture(33, 47), "JPEG")
    for more in (data[:-2] + b"stray bytes" + END, data + b"and a note \xff\xda\xff"):
        assert np.array_equal(reading(tmp_path, more).rgba, as_decoded(data))


def test_absurdly_many_scans_are_refused_before_they_are_decoded(tmp_path: Path) -> None:
    data = saved(picture(16, 16).convert("L"), "JPEG", progressive=True)
    at, end = scans(data)[-1]
    start = data.rfind(b"\xff\xda", 0, at)
    assert reading(tmp_path, data).rgba.shape == (16, 16, 4)
    many = data[:end] + data[start:end] * 15_000 + END
    assert refusal(tmp_path, many) == "is a JPEG of more than 100 scans: save it as PNG"


def strips() -> bytes:
    """A TIFF of four strips whose tables stand apart."""
    return saved(picture(64, 96), "TIFF", compression="jpeg", strip_size=16 * 96 * 3)


def tile() -> bytes:
    """A TIFF of one tile that is a JPEG with all its tables."""
    inner = saved(picture(64, 96), "JPEG", quality=95)
    tags = {256: 96, 257: 64, 258: 8, 259: 7, 262: 6, 277: 3, 322: 96, 323: 64}
    entries = [struct.pack("<HHIHH", tag, 3, 1, value, 0) for tag, value in tags.items()]
    entries[2] = struct.pack("<HHII", 258, 3, 3, 8)
    start = 14
    entries += [struct.pack("<HHII", 324, 4, 1, start), struct.pack("<HHII", 325, 4, 1, len(inner))]
    entries.append(struct.pack("<HHIHH", 530, 3, 2, 2, 2))
    head = b"II*\0" + struct.pack("<I3H", start + len(inner), 8, 8, 8)
    return head + inner + struct.pack("<H", len(entries)) + b"".join(entries) + bytes(4)


@pytest.mark.parametrize(("data", "count"), [(strips(), 4), (tile(), 1)])
def test_a_jpeg_in_a_tiff_is_refused_when_it_is_cut_short(
    tmp_path: Path, data: bytes, count: int
) -> None:
    seen = reading(tmp_path, data).rgba.astype(int)
    assert np.abs(seen - opaque(np.asarray(picture(64, 96)))).mean() < 25
    found = scans(data)
    assert len(found) == count
    for at, end in found:
        half = data[: (at + end) // 2].rstrip(b"\xff") + END
        told = refusal(tmp_path, half.ljust(end, b"\0") + data[end:])
        assert "read as TIFF; it is damaged, cut short or unusual (a scan ends before" in told
