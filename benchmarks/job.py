"""The images of a whole release, against pasting every tile with Pillow and saving as it does.

Both sides are given the tiles of every scene. They make its plain and its cued image, hash the
pixels of both and write both as PNG files. Scenes are taken in chunks, one after another by each
side, so that whatever else the machine does falls on all of them.
"""

from __future__ import annotations

import hashlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.grid import pasted
from benchmarks.material import Layout, evenly
from benchmarks.measure import Line, Table, peak_growth
from rosegen.build import make_part
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.opening import make_pool, open_packs
from rosegen.pairing import BLOCK, pair_up
from rosegen.pipeline import load_pipeline
from rosegen.plan import plan_subset
from rosegen.portion import make_scene
from rosegen.render.cue import CueType
from rosegen.render.hashing import pixel_sha256_of_two
from rosegen.render.png import BandEncoder
from rosegen.scene import T4, Scene
from rosegen.workshop import lined, source_of, subset_of

ROUNDS = 12
CHUNK = 21

Hashes = tuple[str, str]


@dataclass(frozen=True)
class Order:
    """A scene whose images are to be written."""

    layout: Layout
    stem: str  # of both files


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """One table: ``rounds`` chunks of scenes, spread evenly over rose-v0.1."""
    with tempfile.TemporaryDirectory() as folder, LocalPool(2) as pool:
        list(pool.map(len, [""] * 8))  # its workers are up, as those of a build are
        yield _table(Path(folder), pool, _scenes("demo" if tiny else "rose-v0.1"), rounds, tiny)


def _table(
    folder: Path, pool: LocalPool, scenes: Sequence[Scene], rounds: int, tiny: bool
) -> Table:
    size = 2 if tiny else CHUNK
    chosen = iter(evenly(scenes, rounds * size))
    ways: list[tuple[str, Callable[[Sequence[Order]], list[Hashes]]]] = [
        ("Pillow: paste, hash, save", partial(_all, naive)),
        ("rosegen, 1 process", partial(_all, ours)),
        ("rosegen, 2 processes", lambda orders: list(pool.map(ours, orders, chunk=2))),
    ]
    times: list[list[float]] = [[] for _ in ways]
    images = 0
    memory: list[int | None] = []
    for turn in range(rounds):
        layouts = [_layout(scene) for scene in islice(chosen, size)]
        images += 2 * len(layouts)
        told = []
        for place in range(len(ways)):
            index = (turn + place) % len(ways)
            stem = str(folder / f"{index}-")
            orders = [Order(each, f"{stem}{number}") for number, each in enumerate(layouts)]
            begun = time.perf_counter()
            hashes = ways[index][1](orders)
            times[index].append(time.perf_counter() - begun)
            told.append((hashes, [_pixels(order) for order in orders[:2]]))
        _check(told)
        if turn == 0:
            memory = [peak_growth(lambda way=way, o=orders: way(o)) for _, way in ways[:2]]
    lines = []
    for (name, _), own, peak in zip(ways, times, [*memory, None]):
        ratio = statistics.median(first / mine for first, mine in zip(times[0], own))
        each = sum(own) / images
        low, _, high = statistics.quantiles(own, n=4) if len(own) > 1 else (0.0, 0.0, 0.0)
        spread = (high - low) / statistics.median(own)
        whole = f"{each * 1000:.2f} ms an image, {sum(times[0]) / sum(own):.1f}x in all"
        lines.append(Line(name, statistics.median(own), spread, ratio, peak, whole))
    title = f"images of rose-v0.1: {images} of {2 * len(scenes)}, both of a scene"
    return Table(title, rounds, tuple(lines), ("all pixel hashes are equal",))


def _all(make: Callable[[Order], Hashes], orders: Sequence[Order]) -> list[Hashes]:
    return [make(order) for order in orders]


def ours(order: Order) -> Hashes:
    """Write a scene's images as a build does."""
    plain, cued = order.layout.images()
    encoder = BandEncoder()
    hashes = pixel_sha256_of_two(plain.parts, cued.parts)
    Path(f"{order.stem}-plain.png").write_bytes(plain.png(encoder))
    Path(f"{order.stem}-cued.png").write_bytes(cued.png(encoder))
    return hashes


def naive(order: Order) -> Hashes:
    """Write a scene's images with Pillow, as it saves by default."""
    plain, cued = pasted(order.layout)
    plain.save(f"{order.stem}-plain.png")
    cued.save(f"{order.stem}-cued.png")
    return _hash(plain), _hash(cued)


def _hash(image: Image.Image) -> str:
    return hashlib.sha256(b"%dx%d RGB8\n" % image.size + image.tobytes()).hexdigest()


def _pixels(order: Order) -> list[bytes]:
    found = []
    for name in ("plain", "cued"):
        with Image.open(f"{order.stem}-{name}.png") as image:
            found.append(np.asarray(image.convert("RGB")).tobytes())
    return found


def _check(told: Sequence[tuple[list[Hashes], list[list[bytes]]]]) -> None:
    if any(each != told[0] for each in told[1:]):
        raise RosegenError("job: the ways do not give the same pixels")


def _scenes(name: str) -> list[Scene]:
    """All scenes of a pipeline, their subsets known to this process."""
    pipeline = load_pipeline(name)
    make_pool(1, pipeline.subsets, open_packs(pipeline.subsets))
    found = []
    with LocalPool(1) as alone:
        for subset in pipeline.subsets:
            part = make_part(subset, alone, lambda stage, done, total: None)
            plans = list(plan_subset(subset))
            blocks = [plans]
            if part.pairing is None:  # each block of scenes is paired by itself
                blocks = [plans[at : at + BLOCK] for at in range(0, len(plans), BLOCK)]
            for block in blocks:
                pairing = part.pairing or pair_up(subset, block, part.deck, alone)
                found += [make_scene(subset, plan, pairing.matches[plan.number]) for plan in block]
    return found


def _layout(scene: Scene) -> Layout:
    subset, cell = subset_of(scene.subset), scene.grid.cell_size
    majority, exception = (
        lined(source_of(scene.subset).draw(tile, cell), subset.grid_lines)
        for tile in (scene.pair.majority, scene.pair.exception)
    )
    return Layout(
        scene.grid.rows,
        scene.grid.cols,
        cell,
        majority,
        exception,
        scene.exceptions,
        scene.contexts[T4].region.box,
        CueType(scene.cue),
        subset.cue_style,
    )
