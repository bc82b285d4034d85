"""Bring colours to sRGB by their ICC profile."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image, ImageCms

from rosegen.sources.pictures.model import Pixels

_SPACES = {"L": "GRAY", "RGB": "RGB", "CMYK": "CMYK"}
_SAME = 2
"""Of 255: a profile that changes no colour by more stands for sRGB, and is not applied."""


def srgb(colour: Image.Image, profile: bytes | None) -> tuple[Pixels, tuple[str, ...]]:
    """The colours in sRGB, uint8 (height, width, 3), and what was done to them."""
    notes = ("CMYK converted",) if colour.mode == "CMYK" else ()
    plain = np.asarray(colour.convert("RGB"))
    if profile is None:
        return plain, notes
    try:
        transform = _to_srgb(profile, colour.mode)
        if transform is None:
            return plain, (*notes, "ICC profile of another kind of colour ignored")
        if transform is _NONE_NEEDED:
            return plain, notes
        converted = transform.apply(colour)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return plain, (*notes, "broken ICC profile ignored")
    return np.asarray(converted), (*notes, "colours converted from their ICC profile to sRGB")


_NONE_NEEDED: Any = object()


@lru_cache(maxsize=32)  # making one takes longer than drawing a small picture with it
def _to_srgb(profile: bytes, mode: str) -> Any:
    """The transform from a profile; None when it is of another kind of colour."""
    own = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    if own.profile.xcolor_space.strip() != _SPACES[mode]:
        return None
    transform = ImageCms.buildTransform(
        own,
        ImageCms.createProfile("sRGB"),
        mode,
        "RGB",
        ImageCms.Intent.RELATIVE_COLORIMETRIC,
        flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )
    same = mode != "CMYK" and _changes_nothing(transform, mode)
    return _NONE_NEEDED if same else transform


def _changes_nothing(transform: ImageCms.ImageCmsTransform, mode: str) -> bool:
    """Whether colours all over the gamut, and all greys, stay as they are."""
    steps = np.arange(0, 256, 17)
    grey = np.arange(256).repeat(3).reshape(-1, 3)
    cube = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    probes = np.concatenate([grey, cube] if mode == "RGB" else [grey]).astype(np.uint8)[None]
    probe = Image.fromarray(probes).convert(mode)
    after = np.asarray(transform.apply(probe)).astype(int)
    return bool(np.abs(after - probes).max() <= _SAME)
