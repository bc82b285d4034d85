"""rosegen's own pixel-art sprites, drawn from text grids and palettes.

The drawings are under ``assets/sprites`` (CC0-1.0), where a README gives the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rosegen.errors import RosegenError
from rosegen.sources.sprites_draw import Codes, Drawer
from rosegen.sources.sprites_format import Kind, read_kinds

SMALLEST_CANVAS = 16
LARGEST_CANVAS = 32
LEAST_SPAN = 0.75  # of the canvas side, by the larger side of the drawing


@dataclass(frozen=True, eq=False)
class Sprite:
    """One drawing.

    Attributes:
        name: Unique and stable, category/kind/variants, e.g. "creature/slime/round-dot-green".
        category: First element of the name.
        kind: Second element; sprites of one kind share their parts and their canvas size.
        parts: Slot to variant, in drawing order, colour slots last; the name's third element.
        pixels: Read-only uint8 (side, side, 4), RGBA with straight alpha, alpha 0 or 255;
            side is 16 to 32.
    """

    name: str
    category: str
    kind: str
    parts: Mapping[str, str]
    pixels: NDArray[np.uint8]


def load_sprites(root: Path) -> tuple[Sprite, ...]:
    """Draw every sprite of the files under ``root``, always in the same order.

    Args:
        root: Folder of sprite files and their ``palette.yaml``.

    Raises:
        RosegenError: a file is malformed, a part leaves its canvas, or two sprites look the same;
            the message names file, kind and part.
    """
    sprites: list[Sprite] = []
    seen: dict[tuple[int, bytes], str] = {}
    for kind in read_kinds(root):
        for sprite in _draw_kind(kind):
            look = (len(sprite.pixels), sprite.pixels.tobytes())
            if look in seen:
                raise RosegenError(
                    f"{kind.where}: {sprite.name} looks the same as {seen[look]};"
                    " change a part or drop one from sprites"
                )
            seen[look] = sprite.name
            sprites.append(sprite)
    return tuple(sprites)


def differing_parts(a: Sprite, b: Sprite) -> tuple[str, ...]:
    """The slots in which two sprites of one kind differ, in drawing order, colour slots last.

    Raises:
        RosegenError: the sprites are of different kinds.
    """
    if (a.category, a.kind) != (b.category, b.kind):
        raise RosegenError(f"{a.name} and {b.name} are of different kinds; compare within one")
    return tuple(slot for slot in a.parts if a.parts[slot] != b.parts[slot])


def _draw_kind(kind: Kind) -> Iterator[Sprite]:
    drawer = Drawer(kind)
    shapes: dict[tuple[str, ...], Codes] = {}
    keys = []
    for choice in kind.choices:
        key = tuple(variant for slot, variant in choice.items() if slot not in kind.ramps)
        if key not in shapes:
            shapes[key] = drawer.shape(choice)
        keys.append(key)
    window = _Window.around(shapes.values(), kind)
    for key, shape in shapes.items():
        span = max(_span(shape))
        if span < LEAST_SPAN * window.side:
            raise RosegenError(
                f"{kind.where}: {'-'.join(key)} spans {span} of {window.side} pixels;"
                " draw its parts as large as those of its kind"
            )
        shapes[key] = window.cut(shape)
    for key, choice in zip(keys, kind.choices, strict=True):
        name = f"{kind.category}/{kind.name}/{'-'.join(choice.values())}"
        pixels = drawer.colour(shapes[key], choice)
        pixels.setflags(write=False)
        yield Sprite(name, kind.category, kind.name, MappingProxyType(dict(choice)), pixels)


def _span(shape: Codes) -> tuple[int, int]:
    """Width and height of what is drawn, 0 0 for nothing."""
    ys, xs = np.nonzero(shape)
    return (int(np.ptp(xs)) + 1, int(np.ptp(ys)) + 1) if len(xs) else (0, 0)


@dataclass(frozen=True)
class _Window:
    """The square that all drawings of a kind are cut to, so that they lie over each other."""

    left: int
    top: int
    right: int
    bottom: int
    side: int

    @staticmethod
    def around(shapes: Iterable[Codes], kind: Kind) -> _Window:
        """The smallest window that holds all the shapes, SMALLEST_CANVAS at least."""
        ys, xs = np.nonzero(np.maximum.reduce(list(shapes)))
        if not len(xs):
            raise RosegenError(f"{kind.where}: nothing is drawn; give its layers pixels")
        left, right = int(xs.min()), int(xs.max()) + 1
        top, bottom = int(ys.min()), int(ys.max()) + 1
        side = max(right - left, bottom - top, SMALLEST_CANVAS)
        if side > LARGEST_CANVAS:
            raise RosegenError(
                f"{kind.where}: needs {side} x {side} pixels with its outline, more than"
                f" {LARGEST_CANVAS}; draw it smaller"
            )
        return _Window(left, top, right, bottom, side)

    def cut(self, shape: Codes) -> Codes:
        """The shape centred in the square; the spare pixel of an odd rest goes right and below."""
        art = shape[self.top : self.bottom, self.left : self.right]
        height, width = art.shape
        y, x = (self.side - height) // 2, (self.side - width) // 2
        square: Codes = np.zeros((self.side, self.side), np.int16)
        square[y : y + height, x : x + width] = art
        return square
