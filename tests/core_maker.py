"""What the tests of the core share: a small pipeline, its scenes, packs and tiles made on the spot.

Nothing here reads a network; only ``cached_pack`` reads the cache.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import settings

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack, Pack, Source, fetch, load_packs
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.placement import place
from rosegen.plan import ScenePlan, plan_subset
from rosegen.scene import Pair, Scene, Tile

Pixels = npt.NDArray[np.uint8]

ROOT = Path(__file__).resolve().parents[1]
SMALL = Path(__file__).with_name("small_pipeline.yaml")
REFERENCE = ROOT.parent / "shared" / "reference"

# Examples are drawn alike in every run, and none is kept on disk.
LAW = settings(max_examples=60, deadline=None, database=None, derandomize=True)


@lru_cache(maxsize=1)
def small_pipeline() -> Pipeline:
    """The pipeline of two subsets that stands beside this file."""
    return load_pipeline(SMALL)


def small_subset() -> Subset:
    """Its first subset: 24 scenes of grids of 6 to 10 lines with 1, 2 or 4 exceptions."""
    return small_pipeline().subsets[0]


def pair(key: str = "a__b", fields: Mapping[str, Any] | None = None) -> Pair:
    """A pair that nobody drew."""
    return Pair(
        key=key,
        majority=Tile("art/a", "pack-a", "CC0-1.0"),
        exception=Tile("art/b", "pack-b", "MIT"),
        measures={
            "ssim": 0.91,
            "phash_distance": 6,
            "changed_pixel_share": 0.05,
            "max_local_color_difference": 40.5,
        },
        similarity=0.97,
        similarity_level="high",
        fields=fields or {},
        majority_sha256="a" * 64,
        exception_sha256="b" * 64,
    )


def scene_of(subset: Subset, plan: ScenePlan, of: Pair | None = None) -> Scene:
    """The scene of a plan, with a pair that nobody drew."""
    placed = place(subset, plan)
    return Scene(
        subset.name,
        plan.number,
        plan.grid,
        placed.exceptions,
        of or pair(),
        placed.contexts,
        plan.cue,
        plan.split,
    )


@lru_cache(maxsize=8)
def scenes(subset_index: int = 0) -> tuple[Scene, ...]:
    """Every scene of a subset of the small pipeline."""
    subset = small_pipeline().subsets[subset_index]
    return tuple(scene_of(subset, plan) for plan in plan_subset(subset))


def open_pack(
    root: Path, kind: Any, contents: Mapping[str, Any], files: Mapping[str, bytes | str]
) -> OpenPack:
    """A pack of files written under ``root``."""
    for rel, data in files.items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    source = Source("folder", str(root), "", None)
    pack = Pack(
        name="tiny",
        kind=kind,
        source=source,
        license="CC0-1.0",
        attribution="us",
        homepage="https://example.org",
        files=("*",),
        contents=dict(contents),
        default=False,
        path=root / "tiny.yaml",
    )
    # What is drawn of a pack is kept by its hash: two packs of one hash would be one.
    digest = hashlib.sha256(repr((kind, dict(contents), sorted(files.items()))).encode())
    return OpenPack(pack, root, digest.hexdigest(), tuple(sorted(files)))


EMOJI_DATA = [
    {
        "unified": "1F44D",
        "name": "THUMBS UP SIGN",
        "category": "People & Body",
        "subcategory": "hand-fingers-closed",
        "sort_order": 2,
        "skin_variations": {"1F3FB": {"unified": "1F44D-1F3FB"}},
    },
    {
        "unified": "2764-FE0F",
        "name": "HEAVY BLACK HEART",
        "category": "Smileys & Emotion",
        "subcategory": "heart",
        "sort_order": 1,
    },
    {
        "unified": "0023-FE0F-20E3",
        "name": "HASH KEY",
        "category": "Symbols",
        "subcategory": "keycap",
        "sort_order": 3,
    },
]
EMOJI_NAMES_ZH = {"❤️": ":红_心:", "👍": ":拇指向上:"}


def emoji_characters(root: Path) -> OpenPack:
    """Three emoji, one of them with a skin tone, two with a Chinese name."""
    return open_pack(
        root,
        "characters",
        {"emoji_data": "emoji.json", "emoji_names_zh": "zh.json"},
        {
            "emoji.json": json.dumps(EMOJI_DATA),
            "zh.json": json.dumps(EMOJI_NAMES_ZH, ensure_ascii=False),
        },
    )


def cached_pack(name: str) -> OpenPack:
    """A shipped pack as the cache holds it; the test is skipped where it does not."""
    try:
        return fetch(load_packs()[name], offline=True)
    except RosegenError:
        pytest.skip(f"asset pack {name} is not in the cache (rosegen assets fetch {name})")


def noise(seed: int, *shape: int) -> Pixels:
    """Random bytes, the same in every run."""
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
