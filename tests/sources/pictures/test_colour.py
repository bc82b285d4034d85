"""Colours: sRGB, whatever they were stored as."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms

from tests.core_maker import noise
from tests.sources.pictures.picture_maker import opaque, reading, saved
from tests.sources.pictures.profile_maker import cmyk_profile, grey_profile, rgb_profile


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"quality": 100, "subsampling": 0}])
def test_colours_of_a_jpeg_are_rgb(tmp_path: Path, options: dict[str, Any]) -> None:
    image = Image.new("RGB", (40, 24), (200, 40, 90))
    found = reading(tmp_path, saved(image, "JPEG", **options))
    assert np.abs(found.rgba.astype(int) - (200, 40, 90, 255)).max() <= 4


def without_adobe(jpeg: bytes) -> bytes:
    at = jpeg.index(b"\xff\xee\0\x0eAdobe")
    return jpeg[:at] + jpeg[at + 16 :]


@pytest.mark.parametrize("change", [lambda jpeg: jpeg, without_adobe])
def test_a_cmyk_jpeg_is_not_shown_as_its_negative(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    ink = Image.new("CMYK", (40, 24), (0, 255, 255, 0))
    found = reading(tmp_path, change(saved(ink, "JPEG", quality=95)))
    assert np.abs(found.rgba.astype(int) - (255, 0, 0, 255)).max() <= 4
    assert found.notes == ("CMYK converted",)


CONVERTED = "colours converted from their ICC profile to sRGB"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF"])
def test_colours_of_another_profile_become_srgb(tmp_path: Path, kind: str) -> None:
    # Red and blue change places in this profile.
    image = Image.new("RGB", (32, 16), (220, 120, 30))
    data = saved(image, kind, icc_profile=rgb_profile((2, 1, 0)), lossless=True, quality=100)
    found = reading(tmp_path, data)
    assert np.abs(found.rgba.astype(int) - (30, 120, 220, 255)).max() <= 3
    assert found.notes == (CONVERTED,)


@pytest.mark.parametrize("mode", ["RGBA", "P"])
def test_alpha_and_palettes_go_through_a_profile_too(tmp_path: Path, mode: str) -> None:
    pixels = np.array([[(220, 120, 30, 255), (0, 255, 10, 0)]], np.uint8).repeat(3, axis=1)
    image = Image.fromarray(pixels)
    if mode == "P":
        image = image.quantize(2)
    found = reading(tmp_path, saved(image, "PNG", icc_profile=rgb_profile((2, 1, 0))))
    assert np.array_equal(found.rgba[..., 3], pixels[..., 3])
    assert np.abs(found.rgba[0, 0].astype(int) - (30, 120, 220, 255)).max() <= 3


@pytest.mark.parametrize("own", [True, False])
def test_an_srgb_profile_changes_not_one_value(tmp_path: Path, own: bool) -> None:
    profile = rgb_profile((0, 1, 2))
    if not own:
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    pixels = noise(8, 40, 40, 3)
    found = reading(tmp_path, saved(Image.fromarray(pixels), "PNG", icc_profile=profile))
    assert np.array_equal(found.rgba, opaque(pixels))
    assert found.notes == ()


@pytest.mark.parametrize("mode", ["L", "LA"])
def test_grey_of_another_profile_becomes_srgb(tmp_path: Path, mode: str) -> None:
    image = Image.new(mode, (4, 4), 128 if mode == "L" else (128, 200))  # type: ignore[arg-type]
    found = reading(tmp_path, saved(image, "PNG", icc_profile=grey_profile()))
    # Half the light is 188 of 255 in sRGB.
    assert np.abs(found.rgba[..., :3].astype(int) - 188).max() <= 1
    assert (found.rgba[..., 3] == (255 if mode == "L" else 200)).all()
    assert found.notes == (CONVERTED,)


@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_inks_are_what_their_profile_says(tmp_path: Path, kind: str) -> None:
    image = Image.new("CMYK", (16, 16), (255, 0, 0, 0))
    found = reading(tmp_path, saved(image, kind, icc_profile=cmyk_profile(), quality=100))
    red, green, blue = found.rgba[..., :3].astype(int).mean(axis=(0, 1))
    assert red > 200
    assert max(green, blue) < 60
    assert found.notes == ("CMYK converted", CONVERTED)


@pytest.mark.parametrize("mode", ["RGB", "CMYK", "L"])
@pytest.mark.parametrize("profile", [b"nonsense", grey_profile()[:140], b"\0" * 200])
def test_a_broken_profile_is_ignored_with_a_note(tmp_path: Path, mode: str, profile: bytes) -> None:
    image = Image.new(mode, (16, 16))
    found = reading(tmp_path, saved(image, "TIFF", icc_profile=profile))
    assert np.array_equal(found.rgba, np.asarray(image.convert("RGBA")))
    assert found.notes[-1] == "broken ICC profile ignored"


def test_a_profile_of_another_kind_of_colour_is_ignored(tmp_path: Path) -> None:
    image = Image.new("RGB", (4, 4), (10, 20, 30))
    found = reading(tmp_path, saved(image, "PNG", icc_profile=grey_profile()))
    assert (found.rgba == (10, 20, 30, 255)).all()
    assert found.notes == ("ICC profile of another kind of colour ignored",)
