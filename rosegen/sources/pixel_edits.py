"""Localized edits of a sprite: a small connected patch inside it is recoloured, erased, added,
moved or mirrored. The silhouette never changes, so an edit cannot be told by its outline.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from skimage.measure import label

from rosegen.draws import Draws
from rosegen.sources.similarity import lab

Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

# A patch covers this share of the sprite's ink.
LEAST_SHARE = 0.015
LARGEST_SHARE = 0.10
# CIE 1976 difference below which two colours of a sprite are too close to tell apart.
LEAST_COLOR_STEP = 22.0

_TRIES = 24


def edit(pixels: Pixels, operation: str, draws: Draws) -> Pixels | None:
    """The sprite with one patch edited; None when the sprite gives no such edit.

    Args:
        pixels: RGBA uint8 (height, width, 4).
        operation: one of ``OPERATIONS``.
        draws: decides the patch.
    """
    ink = pixels[..., 3] > 0
    if not ink.any():
        return None
    for _ in range(_TRIES):
        edited = OPERATIONS[operation](pixels, ink, draws)
        if edited is None:
            return None
        if _shows(pixels, edited, ink):
            return edited
    return None


def _shows(pixels: Pixels, edited: Pixels, ink: Mask) -> bool:
    """Whether the edit is of the right size, and its colours differ enough to be seen."""
    step = np.sqrt(((lab(pixels[..., :3]) - lab(edited[..., :3])) ** 2).sum(axis=-1))
    changed = (step >= LEAST_COLOR_STEP) & ink
    share = np.count_nonzero(changed) / np.count_nonzero(ink)
    return bool(LEAST_SHARE <= share <= LARGEST_SHARE)


def _patches(pixels: Pixels, ink: Mask) -> list[Mask]:
    """Connected patches of one colour, of a size that may be edited, from the top left."""
    index = np.unique(pixels[..., :3][ink], axis=0, return_inverse=True)[1]
    classes = np.zeros(ink.shape, np.int64)
    classes[ink] = index.reshape(-1) + 1
    total = np.count_nonzero(ink)
    labels: npt.NDArray[np.int64] = label(  # type: ignore[no-untyped-call]
        classes, background=0, connectivity=1
    )
    sizes = np.bincount(labels.ravel())
    least, largest = max(2, total * LEAST_SHARE), total * LARGEST_SHARE
    return [labels == k for k in range(1, len(sizes)) if least <= sizes[k] <= largest]


def _neighbours(mask: Mask) -> Mask:
    """Pixels that touch a patch by an edge."""
    grown = np.zeros_like(mask)
    grown[1:] |= mask[:-1]
    grown[:-1] |= mask[1:]
    grown[:, 1:] |= mask[:, :-1]
    grown[:, :-1] |= mask[:, 1:]
    return grown & ~mask


def _surrounding_color(pixels: Pixels, ink: Mask, patch: Mask) -> npt.NDArray[np.uint8] | None:
    """The commonest colour around a patch, within the sprite."""
    around = pixels[..., :3][_neighbours(patch) & ink]
    if around.size == 0:
        return None
    colors, counts = np.unique(around, axis=0, return_counts=True)
    return np.asarray(colors[counts.argmax()])


def _recolour(pixels: Pixels, ink: Mask, draws: Draws) -> Pixels | None:
    """A patch takes another colour of the sprite, or its own with the channels exchanged."""
    patches = _patches(pixels, ink)
    if not patches:
        return None
    patch = draws.choice(patches)
    own = pixels[..., :3][patch][0]
    palette = [np.asarray(c) for c in np.unique(pixels[..., :3][ink], axis=0)]
    palette += [own[[1, 2, 0]], own[[2, 0, 1]]]
    edited = pixels.copy()
    edited[..., :3][patch] = draws.choice(palette)
    return edited


def _erase(pixels: Pixels, ink: Mask, draws: Draws) -> Pixels | None:
    """A detail takes the colour around it."""
    patches = _patches(pixels, ink)
    if not patches:
        return None
    patch = draws.choice(patches)
    color = _surrounding_color(pixels, ink, patch)
    edited = pixels.copy()
    if color is not None:
        edited[..., :3][patch] = color
    return edited


_STAMPS = tuple(
    np.array([[cell == "#" for cell in row] for row in rows])
    for rows in (
        ("##", "##"),
        (".#.", "###", ".#."),
        ("###", "###"),
        ("##", "##", "##"),
        (".##.", "####", "####", ".##."),
        ("#.#", ".#.", "#.#"),
        ("####", "####"),
    )
)


def _add(pixels: Pixels, ink: Mask, draws: Draws) -> Pixels | None:
    """A small mark of one of the sprite's colours on a plain part of it."""
    stamp = draws.choice(_STAMPS)
    height, width = stamp.shape
    rows, cols = ink.shape
    if height > rows or width > cols:
        return None
    top, left = draws.below(rows - height + 1), draws.below(cols - width + 1)
    place = np.zeros_like(ink)
    place[top : top + height, left : left + width] = stamp
    palette = np.unique(pixels[..., :3][ink], axis=0)
    edited = pixels.copy()
    under = pixels[..., :3][place]
    # On the silhouette or across several colours a mark looks like a fault, not like a feature.
    if ink[place].all() and len(np.unique(under, axis=0)) == 1:
        edited[..., :3][place] = draws.choice([np.asarray(c) for c in palette])
    return edited


def _move(pixels: Pixels, ink: Mask, draws: Draws) -> Pixels | None:
    """A detail moves by one to three pixels; what it leaves takes the colour around it."""
    patches = _patches(pixels, ink)
    if not patches:
        return None
    patch = draws.choice(patches)
    down, right = draws.between(-3, 3), draws.between(-3, 3)
    color = _surrounding_color(pixels, ink, patch)
    moved = _shifted(patch, down, right)
    edited = pixels.copy()
    stays = np.count_nonzero(moved) == np.count_nonzero(patch)  # nothing leaves the canvas
    if color is not None and stays and ink[moved].all():
        own = pixels[..., :3][patch][0]
        edited[..., :3][patch] = color
        edited[..., :3][moved] = own
    return edited


def _shifted(mask: Mask, down: int, right: int) -> Mask:
    """A mask moved over its canvas; what leaves it is gone."""
    rows, cols = mask.shape
    moved = np.zeros_like(mask)
    moved[max(down, 0) : rows + min(down, 0), max(right, 0) : cols + min(right, 0)] = mask[
        max(-down, 0) : rows + min(-down, 0), max(-right, 0) : cols + min(-right, 0)
    ]
    return moved


def _mirror(pixels: Pixels, ink: Mask, draws: Draws) -> Pixels | None:
    """A small square of the sprite is mirrored in place."""
    side = draws.between(3, 6)
    rows, cols = ink.shape
    if side > min(rows, cols):
        return None
    top, left = draws.below(rows - side + 1), draws.below(cols - side + 1)
    across = draws.below(2) == 0
    place = (slice(top, top + side), slice(left, left + side))
    edited = pixels.copy()
    if ink[place].all():
        colors = pixels[place][..., :3]  # soft edges stay where they are
        edited[place][..., :3] = colors[:, ::-1] if across else colors[::-1]
    return edited


OPERATIONS: dict[str, Callable[[Pixels, Mask, Draws], Pixels | None]] = {
    "recolour": _recolour,
    "erase": _erase,
    "add": _add,
    "move": _move,
    "mirror": _mirror,
}
