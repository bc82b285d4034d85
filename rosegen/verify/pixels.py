"""Check one scene's two images: exceptions and cue are read from the pixels alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rosegen.verify.cells import Kind, cell_at, kinds, lay_out
from rosegen.verify.cues import (
    MASK,
    OUTLINE,
    Cue,
    Look,
    candidates,
    changed_extent,
    draw,
    edges,
    mask_by_color,
    outline_by_color,
    reach,
)
from rosegen.verify.grid import Spot, bounds_text, labels
from rosegen.verify.lines import GridLines
from rosegen.verify.png import Pixels, Scratch, Size, decode, pixel_sha256, read_png
from rosegen.verify.reading import UnreadableError
from rosegen.verify.report import Fault, fault
from rosegen.verify.through import Through, told_apart

_MOST_NAMED = 6

# One scene at a time is checked in a process.
_BASE, _CUED, _DRAWN = Scratch(), Scratch(), Scratch()


@dataclass(frozen=True)
class ImageTask:
    """An image and what the release says of it."""

    image_id: str
    path: str
    sha256: str | None
    """The manifest's pixel hash; None where the manifest does not speak of the image."""


@dataclass(frozen=True)
class SceneTask:
    """What a worker needs to check a scene's images."""

    root: str
    base: ImageTask
    cued: ImageTask | None
    """None when no item asks about a cue."""
    rows: int
    cols: int
    cell_size: int
    targets: tuple[Spot, ...]
    tiles: tuple[str, str] | None
    """The manifest's hashes of the majority and the exception tile."""
    cue: Cue | None
    """The cue the rows speak of; None when they make no sense."""
    look: Look | None
    """How the subset's cues look; None when the summary cannot be read."""
    lines: GridLines | None
    """The lines around its cells, if there are any."""
    through: Through | None

    @property
    def size(self) -> Size:
        """The size both images must have."""
        return Size(self.cols * self.cell_size, self.rows * self.cell_size)


@dataclass(frozen=True)
class ImageResult:
    """What was found in an image."""

    image_id: str
    faults: tuple[Fault, ...] = ()
    sha256: str | None = None
    """Hash of its pixels; None when they could not be decoded."""


@dataclass(frozen=True)
class SceneResult:
    """What was found in a scene's images."""

    base: ImageResult
    cued: ImageResult | None
    tiles: tuple[str, str] | None = None
    """Hashes of the majority and the exception tile, when the plain image is sound."""
    shown: Cue | None = None
    """The cue read from the pixels, when there is one drawn as the summary says."""
    unlike_look: str | None = None
    """How a cue that is where it should be is drawn otherwise than the summary says."""
    unlike_lines: str | None = None
    """How the lines around sound cells are not drawn as the summary says."""


@dataclass(frozen=True)
class _Plain:
    """The plain image as far as it can be trusted."""

    result: ImageResult
    pixels: Pixels | None = None
    """The image as it must be, to compare the cued one with."""
    tiles: tuple[str, str] | None = None
    majority: Pixels | None = None
    unlike_lines: str | None = None


def _named(spots: list[Spot] | tuple[Spot, ...]) -> str:
    names = labels(spots)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    cells = "cell" if len(names) == 1 else "cells"
    return f"{cells} {' '.join(names[:_MOST_NAMED])}{more}"


def _exception(found: list[Kind], task: SceneTask) -> Kind:
    """The kind of cell that is the exception: the manifest's, or that at most of the targets."""
    if task.tiles is not None:
        for kind in found[1:]:
            if pixel_sha256(kind.tile) == task.tiles[1]:
                return kind
    targets = set(task.targets)
    return max(found[1:], key=lambda kind: len(targets.intersection(kind.spots)))


def _layout_problem(found: list[Kind], exception: Kind, targets: tuple[Spot, ...]) -> str | None:
    odd = [spot for kind in found[1:] if kind is not exception for spot in kind.spots]
    if odd:
        verb = "looks" if len(odd) == 1 else "look"
        return f"{_named(odd)} {verb} like neither the majority nor the other exceptions"
    if set(exception.spots) != set(targets):
        seen, said = _named(exception.spots), _named(targets)
        return f"the pixels have exceptions at {seen}, the rows at {said}"
    return None


def _check_base(task: SceneTask) -> _Plain:
    image_id = task.base.image_id
    try:
        pixels = decode(read_png(Path(task.root), task.base.path, task.size), _BASE)
    except UnreadableError as error:
        return _Plain(ImageResult(image_id, (fault("image", image_id, str(error)),)))
    sha256 = pixel_sha256(pixels)
    as_listed = task.base.sha256 in (None, sha256)
    aside = "" if as_listed else "; its hash is not the manifest's either"

    def bad(detail: str, kind: str = "pixels") -> ImageResult:
        return ImageResult(image_id, (fault(kind, image_id, detail),), sha256)

    found = kinds(pixels, task.cell_size)
    if len(found) == 1:
        return _Plain(bad(f"all cells are alike, there is no exception{aside}"))
    majority, exception = found[0], _exception(found, task)
    tiles = pixel_sha256(majority.tile), pixel_sha256(exception.tile)
    problem = _layout_problem(found, exception, task.targets)
    if problem is not None:
        if tiles != task.tiles:
            return _Plain(bad(problem + aside))
        meant = lay_out(majority.tile, exception.tile, task.targets, task.rows, task.cols)
        return _Plain(bad(problem + aside), meant, majority=majority.tile)
    if not as_listed:
        if tiles == task.tiles:
            detail = f"pixel_sha256 is not that of the pixels, {sha256}, which agree with the rows"
            return _Plain(bad(detail, "manifest"), pixels, tiles, majority.tile)
        which = exception.spots if not task.tiles or tiles[0] == task.tiles[0] else majority.spots
        return _Plain(bad(f"{_named(which)}: pixels are not those the manifest has the hash of"))
    result = ImageResult(image_id, (), sha256)
    unlike_lines = None
    if task.tiles is not None and tiles != task.tiles:
        name = "background_sha256" if tiles[0] != task.tiles[0] else "target_sha256"
        result = bad(f"{name} is not the hash of the image's own tile", "manifest")
    elif (unlike_lines := _lines_problem(task, majority, exception)) is not None:
        result = bad(unlike_lines)
    elif task.through is not None:
        told = told_apart(pixels, task.rows, task.cols, task.through)
        if told != set(task.targets):
            seen = _named(sorted(told)) if told else "nothing"
            detail = f"after {task.through} exceptions can no longer be told: {seen} stands out"
            result = bad(detail, "through")
    return _Plain(result, pixels, tiles, majority.tile, unlike_lines)


def _lines_problem(task: SceneTask, majority: Kind, exception: Kind) -> str | None:
    """Where tiles lack the lines that cells have around them."""
    if task.lines is None:
        return None
    for name, kind in (("majority", majority), ("exceptions", exception)):
        lacking = task.lines.lacking(kind.tile)
        if lacking:
            line = f"line of {task.lines.width} px in {task.lines.color}"
            return f"the tile of the {name} has no {line} at its {', '.join(lacking)}"
    return None


def _footprint(cue: Cue, task: SceneTask, look: Look) -> npt.NDArray[np.bool_]:
    """The pixels a cue is drawn on: bool (height, width)."""
    under = np.zeros((task.size.height, task.size.width), np.bool_)
    top, bottom, left, right = reach(cue, task.cell_size, look)
    under[top:bottom, left:right] = True
    if cue.kind == OUTLINE:
        y1, y2, x1, x2 = edges(cue.box, task.cell_size)
        half = look.half(task.cell_size)
        under[y1 + half : max(y2 - half, 0), x1 + half : max(x2 - half, 0)] = False
    return under


def _cells_of(where: npt.NDArray[np.bool_], task: SceneTask) -> list[Spot]:
    cell = task.cell_size
    hit = where.reshape(task.rows, cell, task.cols, cell).any(axis=(1, 3))
    return [(int(row) + 1, int(col) + 1) for row, col in np.argwhere(hit)]


@dataclass(frozen=True)
class _Misdrawn:
    detail: str
    look: bool = False
    """Whether only the look of the cue is not as it must be."""


def _diagnose(cued: Pixels, base: Pixels, cue: Cue, task: SceneTask, look: Look) -> _Misdrawn:
    """Say what is wrong with a cued image that no cue on the plain image gives."""
    meant = _DRAWN.copy_of(base)
    draw(meant, cue, task.cell_size, look)
    unlike = (cued != meant).any(axis=-1)
    under = _footprint(cue, task, look)
    stray = _cells_of(unlike & ~under, task)
    if stray:
        verb = "differs" if len(stray) == 1 else "differ"
        return _Misdrawn(f"{_named(stray)} {verb} from the plain image outside the cue, {cue}")
    wrong = unlike[under]
    colors = np.unique(cued[under], axis=0) if cue.kind == OUTLINE else None
    if colors is not None and len(colors) == 1:
        got = tuple(int(level) for level in colors[0])
        return _Misdrawn(f"the outline is drawn in {got}, not in {look.outline_color}", True)
    if cue.kind == MASK and 2 * int(wrong.sum()) > wrong.size:
        says = f"{look.mask_color} at {look.mask_alpha} of 255"
        return _Misdrawn(f"the mask is not drawn in {says}", True)
    return _Misdrawn(
        f"{_named(_cells_of(unlike, task))}: the cue, {cue}, is not drawn as it must be"
    )


def _color_problem(cued: Pixels, cue: Cue, task: SceneTask, look: Look) -> str | None:
    """Whether the cue can be told without the plain image, by its colour alone."""
    if cue.kind == OUTLINE:
        boxes = outline_by_color(cued, task.cell_size, look)
        if boxes == [cue.box]:
            return None
        seen = "; ".join(map(bounds_text, boxes[:3])) or "no box"
        return f"by its colour alone the outline is {seen}, not {bounds_text(cue.box)}"
    r1, r2, c1, c2 = cue.box
    region = {(row, col) for row in range(r1, r2 + 1) for col in range(c1, c2 + 1)}
    if region <= set(task.targets):
        return None  # no majority cell is masked that could be known by its unmasked fellows
    read = mask_by_color(kinds(cued, task.cell_size), look)
    if read is None:
        return "by its colour alone no mask can be told"
    masked, plain = read
    if masked <= region and not plain & region:
        return None
    return f"by its colour alone the mask does not cover {bounds_text(cue.box)}"


def _hidden(cued: Pixels, majority: Pixels, cue: Cue, task: SceneTask, look: Look) -> list[Spot]:
    """Exceptions that the cue has made look like the majority."""
    found = []
    for spot in task.targets:
        as_majority = majority.copy()
        top, left = ((place - 1) * task.cell_size for place in spot)
        draw(as_majority, cue, task.cell_size, look, top=top, left=left)
        if np.array_equal(cell_at(cued, spot, task.cell_size), as_majority):
            found.append(spot)
    return found


def _read_cue(cued: Pixels, base: Pixels, task: SceneTask, look: Look) -> Cue | None:
    """The cue that turns the plain image into the cued one, found from their difference."""
    extent = changed_extent(base, cued)
    if extent is None:
        return None
    y1, y2, x1, x2 = extent
    for cue in candidates(extent, task.cell_size, look):
        # Only where the images differ, or the cue is, can the drawn one be unlike the cued one.
        top, bottom, left, right = reach(cue, task.cell_size, look)
        ys = slice(min(y1, top), max(y2, bottom))
        xs = slice(min(x1, left), max(x2, right))
        drawn = _DRAWN.copy_of(base[ys, xs])
        draw(drawn, cue, task.cell_size, look, top=ys.start, left=xs.start)
        if np.array_equal(drawn, cued[ys, xs]):
            return cue
    return None


def _check_cued(
    task: SceneTask, image: ImageTask, plain: _Plain
) -> tuple[ImageResult, Cue | None, str | None]:
    image_id = image.image_id
    try:
        cued = decode(read_png(Path(task.root), image.path, task.size), _CUED)
    except UnreadableError as error:
        return ImageResult(image_id, (fault("image", image_id, str(error)),)), None, None
    sha256 = pixel_sha256(cued)
    as_listed = image.sha256 in (None, sha256)

    def result(*found: tuple[str, str]) -> ImageResult:
        faults = tuple(fault(kind, image_id, detail) for kind, detail in found)
        return ImageResult(image_id, faults, sha256)

    aside = "" if as_listed else "; its hash is not the manifest's either"
    if plain.pixels is None or plain.majority is None or task.look is None:
        if as_listed:
            return result(), None, None
        return result(("pixels", "pixels are not those the manifest has the hash of")), None, None
    shown = _read_cue(cued, plain.pixels, task, task.look)
    if shown is None:
        if np.array_equal(cued, plain.pixels):
            return result(("cue", f"is the plain image: no cue is to be seen{aside}")), None, None
        if task.cue is None:
            return result(("cue", f"the pixels show no cue that can be read{aside}")), None, None
        wrong = _diagnose(cued, plain.pixels, task.cue, task, task.look)
        found = result(("cue", wrong.detail + aside))
        return found, None, wrong.detail if wrong.look and as_listed else None
    problem = _color_problem(cued, shown, task, task.look)
    if problem is not None:
        return result(("cue", problem)), shown, None
    hidden = _hidden(cued, plain.majority, shown, task, task.look)
    if hidden:
        return result(("cue", f"the cue hides {_named(hidden)}, an exception")), shown, None
    if not as_listed and shown == task.cue:
        detail = f"pixel_sha256 is not that of the pixels, {sha256}, which agree with the rows"
        return result(("manifest", detail)), shown, None
    return result(), shown, None


def check_scene_pixels(task: SceneTask) -> SceneResult:
    """Decode a scene's images and compare what they show with what the rows say."""
    plain = _check_base(task)
    result = SceneResult(plain.result, None, plain.tiles, unlike_lines=plain.unlike_lines)
    if task.cued is None:
        return result
    cued, shown, unlike_look = _check_cued(task, task.cued, plain)
    return replace(result, cued=cued, shown=shown, unlike_look=unlike_look)
