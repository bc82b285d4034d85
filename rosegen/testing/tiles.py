"""What a source draws: whole tiles that stand inside their cells, and stay as they were drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rosegen.scene import Tile
from rosegen.sources.base import Candidate, Source, Unavailable
from rosegen.testing.breach import Breach, BreachError, calling, first_of, shown
from rosegen.testing.subject import Subject

Pixels = npt.NDArray[np.uint8]

_RULE = "tile"
_EXTREMES = (16, 512)  # what schemas/subset.schema.json allows
_OTHER_BACKGROUND = (90, 140, 200)
_SLUG = re.compile(r"[A-Za-z0-9_.-]{1,60}")


def tile_breaches(subject: Subject) -> Iterator[Breach]:
    """Every rule for tiles that is broken.

    Raises:
        BreachError: nothing can be drawn.
    """
    source, tiles = subject.opening, subject.tiles()
    background = subject.subset.background
    drawn = 0
    for side in subject.cell_sizes:
        for tile in tiles:
            pixels = drawn_tile(source, tile, side)
            if pixels is not None:
                drawn += 1
                _refuse_misplaced(subject, tile, pixels, background)
    if drawn == 0:
        what = f"none of the {len(tiles)} tiles tried can be drawn"
        raise BreachError(Breach(_RULE, what, "list candidates that can, or say so in refused"))
    for side in _EXTREMES:
        for tile in tiles[:2]:
            drawn_tile(source, tile, side)
    yield from _kept(source, tiles, subject.cell_sizes[0])
    yield from _background(subject, tiles)
    yield from first_of(list(_same_art(source, subject.some())))


def drawn_tile(source: Source, tile: Tile, side: int) -> Pixels | None:
    """A tile as the source draws it; None when it is unavailable.

    Raises:
        BreachError: it is no tile of that size.
    """
    with calling(_RULE, f"draw of {tile.name!r} at {side} px", "draw any tile at 16 to 512 px"):
        try:
            pixels: Any = source.draw(tile, side)
        except Unavailable as reason:
            if _SLUG.fullmatch(str(reason)) is None:
                what = f"{tile.name!r} is Unavailable for {shown(str(reason))}"
                mend = "give a short slug, such as no_ray: refusals are counted by it"
                raise BreachError(Breach(_RULE, what, mend)) from None
            return None
    is_array = isinstance(pixels, np.ndarray)
    if not is_array or pixels.dtype != np.uint8 or pixels.shape != (side, side, 3):
        got = f"{pixels.dtype} {pixels.shape}" if is_array else type(pixels).__name__
        what = f"draw of {tile.name!r} at {side} px gives {got}"
        raise BreachError(Breach(_RULE, what, f"give a NumPy array, uint8 ({side}, {side}, 3)"))
    tile_pixels: Pixels = pixels
    return tile_pixels


def _rim(pixels: Pixels) -> Pixels:
    """The outermost pixels: (n, 3)."""
    return np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])


def _has_margin(subject: Subject, side: int) -> bool:
    """Whether ``ink`` leaves a pixel of background on every side."""
    return side * (1 - subject.subset.ink) >= 2


def _refuse_misplaced(
    subject: Subject, tile: Tile, pixels: Pixels, background: tuple[int, int, int]
) -> None:
    what = f"{tile.name!r} at {len(pixels)} px"
    if (pixels == np.array(background, np.uint8)).all():
        mend = "leave it out, and say so in refused"
        raise BreachError(Breach(_RULE, f"{what} is all background", mend))
    if _has_margin(subject, len(pixels)) and (_rim(pixels) != background).any():
        ink = subject.subset.ink
        mend = f"draw inside the middle {ink:g} of the cell (config.ink), or say ink 1 in settings"
        raise BreachError(Breach(_RULE, f"{what} touches the edge of its cell", mend))


def _kept(source: Source, tiles: list[Tile], side: int) -> Iterator[Breach]:
    """An array must not change after it was given away, nor what is drawn with it."""
    mend = "give a new array each time"
    held = [
        (tile, pixels) for tile in tiles if (pixels := drawn_tile(source, tile, side)) is not None
    ]
    copies = [pixels.copy() for _, pixels in held]
    for tile, _ in held[::-1]:
        drawn_tile(source, tile, side)
    for (tile, pixels), copy in zip(held, copies):
        if not np.array_equal(pixels, copy):
            yield Breach(_RULE, f"{tile.name!r} changes when another tile is drawn", mend)
            return
    for (tile, pixels), copy in zip(held, copies):
        if pixels.flags.writeable:
            pixels[:] = 255 - copy
        again = drawn_tile(source, tile, side)
        if again is None or not np.array_equal(again, copy):
            yield Breach(_RULE, f"{tile.name!r} is drawn from the array that was given away", mend)
            return


def _background(subject: Subject, tiles: list[Tile]) -> Iterator[Breach]:
    """The margin shows whether a source paints the background that it is given."""
    source, side = subject.instance(_OTHER_BACKGROUND), subject.cell_sizes[-1]
    for tile in tiles[:4] if _has_margin(subject, side) else ():
        pixels = drawn_tile(source, tile, side)
        if pixels is not None and (_rim(pixels) != _OTHER_BACKGROUND).any():
            what = f"{tile.name!r} has another background than the subset's"
            yield Breach(_RULE, what, "paint config.background behind every tile")
            return


def _same_art(source: Source, pairs: list[Candidate]) -> Iterator[Breach]:
    rule = "art"
    for pair in pairs:
        with calling(rule, f"art of {pair.key!r}", "return bytes for every tile that can be drawn"):
            try:
                arts: list[Any] = [source.art(tile) for tile in (pair.a, pair.b)]
            except Unavailable:
                continue
        if not all(isinstance(art, bytes) for art in arts):
            yield Breach(rule, f"art of {pair.key!r} gives no bytes", "give bytes")
        elif arts[0] == arts[1]:
            yield Breach(
                rule,
                f"the tiles of {pair.key!r} have the same art",
                "pair tiles that look different, and tell them apart in art",
            )
