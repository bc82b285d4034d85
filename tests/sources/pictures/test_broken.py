"""Files that are not whole: nothing wrong is shown, and nothing but a refusal is raised."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from tests.core_maker import LAW
from tests.sources.pictures.picture_maker import BOX, chunk, reading, samples, svg

# The same files every time, and none kept.
FUZZ = settings(LAW, max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])

RASTERS = sorted(name for name in samples() if name != "svg")


@pytest.mark.parametrize("name", RASTERS)
def test_of_a_picture_cut_short_nothing_wrong_is_shown(tmp_path: Path, name: str) -> None:
    whole = samples()[name]
    expected = reading(tmp_path, whole).rgba
    refused = 0
    for length in range(0, len(whole), max(1, len(whole) // 60)):
        try:
            found = reading(tmp_path, whole[:length]).rgba
        except RosegenError:
            refused += 1
        else:
            # What is missing is no part of the first picture.
            assert np.array_equal(found, expected), length
    assert refused >= 20


def fault(tmp_path: Path, data: bytes, capfd: pytest.CaptureFixture[str]) -> str:
    """What is wrong with how a file was opened or refused; empty when nothing is."""
    try:
        rgba = reading(tmp_path, data).rgba
    except RosegenError as error:
        text = str(error)
        text.encode()
        fine = "\n" not in text and text.startswith(f"{tmp_path / 'picture'}: ")
    else:
        text = f"{rgba.dtype} {rgba.shape}"
        fine = rgba.dtype == np.uint8 and rgba.shape[2:] == (4,) and bool(rgba[..., 3].any())
    said = "".join(capfd.readouterr())
    return said or ("" if fine else text)


@FUZZ
@given(start=st.sampled_from([*(data[:12] for data in samples().values()), b""]), rest=st.binary())
def test_random_bytes_open_or_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], start: bytes, rest: bytes
) -> None:
    assert fault(tmp_path, start + rest, capfd) == ""


@st.composite
def broken(draw: st.DrawFn, whole: bytes) -> bytes:
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        # Most of what can go wrong stands at the start.
        at = draw(st.integers(0, min(80, len(data))) | st.integers(0, len(data)))
        length = draw(st.sampled_from([0, 1, 1, 1, 2, 4, 40]))
        data[at : at + length] = draw(st.binary(min_size=0, max_size=4))
    return bytes(data)


@FUZZ
@given(data=st.sampled_from(RASTERS).flatmap(lambda name: broken(samples()[name])))
def test_broken_pictures_open_or_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], data: bytes
) -> None:
    assert fault(tmp_path, data, capfd) == ""


@FUZZ
@given(
    st.sampled_from(["png", "deep png", "palette png", "animated png"]),
    st.integers(0, 8),
    st.integers(0, 30),
    st.binary(max_size=6),
)
def test_broken_chunks_with_good_checksums_open_or_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, which: int, at: int, new: bytes
) -> None:
    whole, place, number, out = samples()[name], 8, 0, b""
    out = whole[:8]
    while place < len(whole):
        (length,) = struct.unpack_from(">I", whole, place)
        kind = whole[place + 4 : place + 8]
        content = whole[place + 8 : place + 8 + length]
        if number == which:
            content = content[:at] + new + content[at + len(new) :]
        out += chunk(kind, content)
        place += 12 + length
        number += 1
    assert fault(tmp_path, out, capfd) == ""


@settings(FUZZ, max_examples=40)
@given(data=broken(svg(BOX + '<g id="a" transform="scale(2)" opacity=".5"/><use href="#a"/>')))
def test_broken_svg_opens_or_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], data: bytes
) -> None:
    assert fault(tmp_path, data, capfd) == ""


def test_libtiff_and_pillow_say_nothing_past_us(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    for name in ("jpeg tiff", "lzw tiff", "paged tiff"):
        whole = samples()[name]
        for length in range(100, len(whole), len(whole) // 9):
            assert fault(tmp_path, whole[:length], capfd) == ""
    os.write(2, b"and afterwards others may speak")
    assert capfd.readouterr().err == "and afterwards others may speak"
    assert not recwarn.list
