"""Anyone's picture files: read, cropped, fitted into a cell, or refused with a reason."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from rosegen.errors import RosegenError
from rosegen.packs import PICTURE_SUFFIXES, OpenPack
from rosegen.sources.fitting import (
    Color,
    crop_to_visible,
    fit_flat_pixel_art,
    fit_flat_smooth,
    flatten,
)
from rosegen.sources.pictures import open_picture
from rosegen.sources.pictures.refusal import shown
from rosegen.sources.similarity import CHANGED_STEP, luma, phash_bits

Pixels = npt.NDArray[np.uint8]

FITS = ("canvas", "ink")
RESIZE_MODES = ("smooth", "integer", "stretch")

THUMBNAIL = 64
"""Side in pixels of the cell that every picture is looked at in before it becomes a tile."""

LEAST_SHOWN = 0.0025
"""A picture that differs from the background in a smaller share of the cell is nearly blank."""

_GRAIN = 4  # of 255: what the coding of a JPEG may do to a picture of one colour
_LARGEST_CELL = 512  # a subset's schema says so
_ROOM_STEP = 64  # pixels, so that one drawing serves cells of nearly one size
_SMALLEST_DRAWING, _LARGEST_DRAWING = 256, 4096  # pixels of an SVG's longer side


@dataclass(frozen=True)
class Look:
    """How pictures are put into cells.

    Attributes:
        fit: ``canvas`` (the whole of it) or ``ink`` (what is visible).
        resize: ``smooth``, or ``integer`` or ``stretch`` for pixel art.
        ink: share of the cell's side that may be filled, in (0, 1].
        background: RGB.
    """

    fit: str
    resize: str
    ink: float
    background: Color

    def fitted(self, flat: Pixels, cell_size: int) -> Pixels:
        """What ``open_visible`` gave, as it stands in a cell: uint8 (cell_size, cell_size, 3)."""
        if self.resize == "smooth":
            return fit_flat_smooth(flat, cell_size, self.ink, self.background)
        return fit_flat_pixel_art(flat, cell_size, self.ink, self.background, self.resize)


@dataclass(frozen=True)
class Opened:
    """A picture over the background, cropped as its look says, and never much larger than needed.

    Attributes:
        flat: uint8 (height, width, 3); None when nothing is visible.
        size: width and height of the whole picture, in its own pixels.
        is_drawing: whether it is an SVG, whose size is only that of its drawing.
    """

    flat: Pixels | None
    size: tuple[int, int]
    is_drawing: bool


def picture_names(pack: OpenPack) -> list[str]:
    """The picture files of a pack, by their endings, without hidden ones; in the pack's order.

    Raises:
        RosegenError: there is none.
    """
    found = [
        name
        for name in pack.files
        if Path(name).suffix.lower() in PICTURE_SUFFIXES
        and not any(part.startswith(".") for part in name.split("/"))
    ]
    if not found:
        endings = " ".join(sorted(PICTURE_SUFFIXES))
        raise RosegenError(f"asset pack {pack.pack.name}: holds no picture file ({endings})")
    return found


def open_visible(path: Path, look: Look, room: int) -> Opened:
    """Read a picture for cells that ``room_for`` gives this room.

    An SVG is drawn so large that its visible part fills the room as it will fill the cell.

    Raises:
        RosegenError: as ``open_picture`` does.
    """
    side = _SMALLEST_DRAWING
    while side < room:
        side *= 2
    while True:
        picture = open_picture(path, svg_side=side)
        flat = flatten(picture.rgba, look.background)
        is_drawing = any(note.startswith("drawn from SVG") for note in picture.notes)
        part = crop_to_visible(flat, look.background) if look.fit == "ink" else flat
        if part is None or not is_drawing or side >= _LARGEST_DRAWING:
            break
        if max(part.shape[:2]) >= look.ink * room:
            break
        side *= 2
    height, width, _ = flat.shape
    if part is not None and look.resize == "smooth":
        part = _reduced(part)
    return Opened(part, (width, height), is_drawing)


def room_for(cell_size: int) -> int:
    """Pixels that a drawing has for each side of a cell: twice as many, in steps of 64."""
    return -(-2 * cell_size // _ROOM_STEP) * _ROOM_STEP


def _reduced(flat: Pixels) -> Pixels:
    """A large picture averaged down by a whole factor, to twice the largest cell or more."""
    factor = max(flat.shape[:2]) // (2 * _LARGEST_CELL)
    return flat if factor < 2 else np.asarray(Image.fromarray(flat).reduce(factor))


@dataclass(frozen=True)
class Seen:
    """What is known of a picture once it has been looked at.

    Attributes:
        reason: why it is no tile; empty when it is one.
        detail: more of that.
        size: width and height of the whole picture.
        is_drawing: whether that is only the size an SVG was drawn at.
        sha256: of its pixels at thumbnail size.
        phash: the 64 bits of its perceptual hash in hex.
    """

    reason: str = ""
    detail: str = ""
    size: tuple[int, int] = (0, 0)
    is_drawing: bool = False
    sha256: str = ""
    phash: str = ""

    @staticmethod
    def of(record: Mapping[str, Any]) -> Seen:
        """What ``asdict`` made a mapping of, and JSON a list of what is a tuple."""
        width, height = record["size"]
        return Seen(**{**record, "size": (int(width), int(height))})


@dataclass(frozen=True)
class LookTask:
    """A run of pictures for one worker to look at."""

    paths: tuple[Path, ...]
    look: Look


def look_at(task: LookTask) -> tuple[list[Seen], Pixels]:
    """What is seen of each picture, and the luma of their thumbnails.

    Returns:
        One ``Seen`` each, and uint8 (n, THUMBNAIL, THUMBNAIL), 0 where there is no tile.
    """
    lumas = np.zeros((len(task.paths), THUMBNAIL, THUMBNAIL), np.uint8)
    seen = [_seen(path, task.look, thumbnail) for path, thumbnail in zip(task.paths, lumas)]
    return seen, lumas


def _seen(path: Path, look: Look, thumbnail: Pixels) -> Seen:
    """What is seen of one picture, whose luma fills ``thumbnail``."""
    try:
        opened = open_visible(path, look, room_for(THUMBNAIL))
    except RosegenError as error:
        return Seen("cannot be opened", str(error).removeprefix(f"{shown(path)}: "))
    if opened.flat is None:
        return Seen("blank on this background")
    cell = look.fitted(opened.flat, THUMBNAIL)
    share = share_shown(cell, look.background)
    if share == 0:
        return Seen("blank on this background")
    if share < LEAST_SHOWN:
        return Seen("nearly blank on this background", f"{share:.2%} of the cell")
    colors = opened.flat.reshape(-1, 3)
    if int((colors.max(axis=0) - colors.min(axis=0)).max()) <= _GRAIN:
        return Seen("one colour all over")
    thumbnail[:] = luma(cell)
    return Seen(
        size=opened.size,
        is_drawing=opened.is_drawing,
        sha256=hashlib.sha256(cell.tobytes()).hexdigest(),
        phash=np.packbits(phash_bits(cell)).tobytes().hex(),
    )


def share_shown(cell: Pixels, background: Color) -> float:
    """Share of a cell's pixels that differ from the background by more than ``CHANGED_STEP``."""
    back = np.array(background, np.uint8)
    step = (np.maximum(cell, back) - np.minimum(cell, back)).max(axis=-1)
    return int(np.count_nonzero(step > CHANGED_STEP)) / int(step.size)
