"""What is measured on: pairs, scenes and rows of the demo, made as a build makes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rosegen.build import make_part
from rosegen.engine.local import LocalPool
from rosegen.geometry import Box, Cell
from rosegen.opening import make_pool, open_packs
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.plan import plan_subset
from rosegen.portion import make_scene
from rosegen.release.rows import make_row
from rosegen.render.cue import CueStyle, CueType
from rosegen.render.grid import Banded, cued_image, plain_image
from rosegen.scene import T4, Scene
from rosegen.sources.base import Source
from rosegen.tasks import make_items
from rosegen.workshop import source_of

Pixels = npt.NDArray[np.uint8]

GLYPH, PIXEL = "ROSE-ChineseGlyph", "ROSE-PixelContent"


@dataclass(frozen=True)
class Layout:
    """What the two images of a scene are made of."""

    rows: int
    cols: int
    cell: int
    majority: Pixels
    exception: Pixels
    exceptions: tuple[Cell, ...]
    box: Box
    kind: CueType
    style: CueStyle

    def images(self) -> tuple[Banded, Banded]:
        """The plain and the cued image, as rosegen makes them."""
        plain = plain_image(self.rows, self.cols, self.majority, self.exception, self.exceptions)
        return plain, cued_image(plain, self.cell, self.box, self.kind, self.style)


@lru_cache(maxsize=1)
def demo() -> Pipeline:
    """The demo pipeline, its subsets known to this process; packs are fetched when missing."""
    pipeline = load_pipeline("demo")
    make_pool(1, pipeline.subsets, open_packs(pipeline.subsets))
    return pipeline


def source(subset: str) -> Source:
    """The opened source of a demo subset."""
    demo()
    return source_of(subset)


@lru_cache(maxsize=8)
def scenes(name: str) -> tuple[Scene, ...]:
    """All scenes of a demo subset."""
    subset = _subset(name)
    pairing = make_part(subset, LocalPool(1), lambda stage, done, total: None).pairing
    if pairing is None:
        raise ValueError("the demo's pairs serve once")
    return tuple(
        make_scene(subset, plan, pairing.matches[plan.number]) for plan in plan_subset(subset)
    )


def _subset(name: str) -> Subset:
    return next(each for each in demo().subsets if each.name == name)


def layouts(name: str, lines: int, cell: int, count: int) -> list[Layout]:
    """The first scenes of a demo subset, laid out on a larger grid than the demo's.

    Args:
        name: the subset.
        lines: rows and columns, at least the demo's 9.
        cell: side of a cell in pixels.
        count: how many, at most the demo's 5.
    """
    return [
        Layout(
            lines,
            lines,
            cell,
            source(name).draw(scene.pair.majority, cell),
            source(name).draw(scene.pair.exception, cell),
            scene.exceptions,
            scene.contexts[T4].region.box,
            CueType(scene.cue),
            _subset(name).cue_style,
        )
        for scene in scenes(name)[:count]
    ]


def tile_pairs(name: str, cell: int, count: int) -> list[tuple[Pixels, Pixels]]:
    """Tiles of ``count`` candidate pairs, spread evenly over all that a subset's source has."""
    own = source(name)
    chosen = evenly(own.candidates(LocalPool(1)), count)
    return [(own.draw(each.a, cell), own.draw(each.b, cell)) for each in chosen]


def rows(subsets: int) -> list[dict[str, Any]]:
    """The rows of the first ``subsets`` subsets of the demo, as they are read from a file."""
    pipeline = demo()
    found = []
    for subset in pipeline.subsets[:subsets]:
        for scene in scenes(subset.name):
            for item in make_items(scene, subset.wording, subset.cue_style):
                row = make_row(pipeline, subset, scene, item)
                found.append(json.loads(json.dumps(row)))
    return found


def evenly(items: Sequence[Any], count: int) -> list[Any]:
    """``count`` of ``items``, evenly spread; all of them when there are not so many."""
    if count >= len(items):
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]
