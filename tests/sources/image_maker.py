"""Folders of pictures made on the spot, and the sources that read them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from PIL import Image

from rosegen.engine.local import LocalPool
from rosegen.packs import OpenPack
from rosegen.sources.base import SourceConfig
from rosegen.sources.image_source import ImageSource
from tests.core_maker import open_pack
from tests.sources.pictures.picture_maker import saved

Pixels = npt.NDArray[np.uint8]
Kind = TypeVar("Kind", bound=ImageSource)

WHITE = (255, 255, 255)


def drawing(seed: int, height: int = 48, width: int = 48) -> Pixels:
    """RGBA of a disc, and on it a bar and a spot that the seed places; clear around it."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width] / [[[height]], [[width]]]
    rgba = np.zeros((height, width, 4), np.uint8)
    rgba[(y - 0.5) ** 2 + (x - 0.5) ** 2 < 0.16] = (240, 180, 60, 255)
    top, left = rng.uniform(0.2, 0.65, 2)
    rgba[(y > top) & (y < top + 0.12) & (x > 0.25) & (x < 0.75)] = (30, 60, 160, 255)
    rgba[(y - left) ** 2 + (x - top) ** 2 < 0.006] = (200, 20, 40, 255)
    return rgba


def spotted(rgba: Pixels) -> Pixels:
    """An edit: a dark square in the middle."""
    edited = rgba.copy()
    height, width = rgba.shape[:2]
    middle = np.s_[height * 2 // 5 : height * 3 // 5, width * 2 // 5 : width * 3 // 5]
    edited[middle] = (40, 20, 60, 255)
    return edited


def png(rgba: Pixels) -> bytes:
    return saved(Image.fromarray(rgba), "PNG")


def picture_pack(
    root: Path, files: Mapping[str, bytes], name: str = "art", license: str = "CC0-1.0"
) -> OpenPack:
    """A pack of pictures, known by what is in it."""
    opened = open_pack(root, "images", {}, files)
    digest = hashlib.sha256()
    for rel in opened.files:
        digest.update(rel.encode() + b"\0" + hashlib.sha256(files[rel]).digest())
    pack = replace(opened.pack, name=name, license=license)
    return replace(opened, pack=pack, sha256=digest.hexdigest())


def source(
    kind: type[Kind], tmp_path: Path, *packs: OpenPack, ink: float = 0.9, **options: Any
) -> Kind:
    """A source of these packs, whose options' paths start from ``tmp_path``."""
    return kind(
        SourceConfig(
            kind=kind.kind,
            options=options,
            packs={pack.pack.name: pack for pack in packs},
            cache=tmp_path / "cache",
            background=WHITE,
            ink=ink,
            folder=tmp_path,
        )
    )


def refusals(found: ImageSource) -> dict[str, str]:
    """What a source refused: file to reason, with its detail after a colon."""
    return {
        each.tile: f"{each.reason}: {each.detail}" if each.detail else each.reason
        for each in found.refused()
    }


ONE = LocalPool(1)
