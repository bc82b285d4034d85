"""Fit a picture into a cell so that neither its size nor its padding tells it apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

Pixels = npt.NDArray[np.uint8]
Color = tuple[int, int, int]


def crop_to_ink(rgba: Pixels, least_alpha: int = 8) -> Pixels | None:
    """The smallest part of an RGBA picture that holds every visible pixel; None when empty."""
    visible = rgba[..., 3] >= least_alpha
    rows, cols = np.flatnonzero(visible.any(axis=1)), np.flatnonzero(visible.any(axis=0))
    if rows.size == 0:
        return None
    return rgba[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]


def flatten(rgba: Pixels, background: Color) -> Pixels:
    """Straight-alpha RGBA over a plain background, in integers: uint8 (height, width, 3)."""
    alpha = rgba[..., 3:].astype(np.uint32)
    color = rgba[..., :3].astype(np.uint32)
    back = np.array(background, np.uint32)
    return ((color * alpha + back * (255 - alpha) + 127) // 255).astype(np.uint8)


def centred(picture: Pixels, cell_size: int, background: Color) -> Pixels:
    """``picture`` (height, width, 3) in the middle of a cell of the background colour."""
    height, width, _ = picture.shape
    cell = np.empty((cell_size, cell_size, 3), np.uint8)
    cell[:] = background
    top, left = (cell_size - height) // 2, (cell_size - width) // 2
    cell[top : top + height, left : left + width] = picture
    return cell


def fit_smooth(rgba: Pixels, cell_size: int, ink: float, background: Color) -> Pixels:
    """Scale an ink-cropped picture, aspect kept, so that its longer side fills ``ink`` of the cell.

    Args:
        rgba: uint8 (height, width, 4), straight alpha, cropped to its ink.
        cell_size: side of the cell in pixels.
        ink: share of the side to fill, in (0, 1].
        background: RGB.

    Returns:
        uint8 (cell_size, cell_size, 3).
    """
    height, width, _ = rgba.shape
    side = max(1, round(cell_size * ink))
    longer = max(height, width)
    size = (max(1, round(width * side / longer)), max(1, round(height * side / longer)))
    flat = Image.fromarray(flatten(rgba, background))
    return centred(np.asarray(flat.resize(size, Image.Resampling.LANCZOS)), cell_size, background)


def fit_pixel_art(rgba: Pixels, cell_size: int, ink: float, background: Color, mode: str) -> Pixels:
    """Scale pixel art without smoothing.

    Args:
        rgba: uint8 (height, width, 4); the whole canvas, so that two tiles keep their registration.
        cell_size: side of the cell in pixels.
        ink: share of the side that may be filled, in (0, 1].
        background: RGB.
        mode: ``integer`` (the largest whole factor that fits, crisp) or ``stretch`` (fills the
            box exactly, so that some pixels are a screen pixel wider than others).

    Returns:
        uint8 (cell_size, cell_size, 3).
    """
    height, width, _ = rgba.shape
    side = max(1, int(cell_size * ink))
    flat = flatten(rgba, background)
    longer = max(height, width)
    if mode == "integer" and longer <= side:
        factor = side // longer
        scaled = flat.repeat(factor, axis=0).repeat(factor, axis=1)
    else:
        tall, wide = max(1, side * height // longer), max(1, side * width // longer)
        rows = np.arange(tall) * height // tall
        cols = np.arange(wide) * width // wide
        scaled = flat[rows][:, cols]
    return centred(scaled, cell_size, background)
