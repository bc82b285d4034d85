"""Fit a picture into a cell so that neither its size nor its padding tells it apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

Pixels = npt.NDArray[np.uint8]
Color = tuple[int, int, int]

_BAND = 64  # rows that are worked on at once, so that a large picture needs little memory


def crop_to_ink(rgba: Pixels, least_alpha: int = 8) -> Pixels | None:
    """The smallest part of an RGBA picture that holds every visible pixel; None when empty."""
    visible = rgba[..., 3] >= least_alpha
    rows, cols = np.flatnonzero(visible.any(axis=1)), np.flatnonzero(visible.any(axis=0))
    if rows.size == 0:
        return None
    return rgba[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]


def crop_to_visible(flat: Pixels, background: Color, least_step: int = 8) -> Pixels | None:
    """The smallest part of a flattened picture outside which nothing stands out.

    Unlike ``crop_to_ink`` it also takes away what is painted in the colour of the background.

    Args:
        flat: uint8 (height, width, 3).
        background: RGB.
        least_step: how much a channel of a visible pixel differs from the background, of 255.

    Returns:
        A view of ``flat``; None when nothing in it is visible.
    """
    top = _first_visible(flat, background, least_step)
    if top is None:
        return None
    bottom = len(flat) - (_first_visible(flat[::-1], background, least_step) or 0)
    columns = flat[top:bottom].swapaxes(0, 1)
    left = _first_visible(columns, background, least_step) or 0
    right = len(columns) - (_first_visible(columns[::-1], background, least_step) or 0)
    return flat[top:bottom, left:right]


def _first_visible(flat: Pixels, background: Color, least_step: int) -> int | None:
    """The first row that holds a visible pixel; of most pictures, few rows need be looked at."""
    back = np.array(background, np.uint8)
    for start in range(0, len(flat), _BAND):
        band = flat[start : start + _BAND]
        step = np.maximum(band, back) - np.minimum(band, back)
        rows = (step >= least_step).any(axis=(1, 2))
        if rows.any():
            return start + int(rows.argmax())
    return None


def flatten(rgba: Pixels, background: Color) -> Pixels:
    """Straight-alpha RGBA over a plain background, in integers: uint8 (height, width, 3)."""
    if (rgba[..., 3] == 255).all():
        return np.ascontiguousarray(rgba[..., :3])
    back = np.array(background, np.uint32)
    flat = np.empty((*rgba.shape[:-1], 3), np.uint8)
    for top in range(0, rgba.shape[0], _BAND):
        band = rgba[top : top + _BAND].astype(np.uint32)
        color, alpha = band[..., :3], band[..., 3:]
        flat[top : top + _BAND] = (color * alpha + back * (255 - alpha) + 127) // 255
    return flat


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
    return fit_flat_smooth(flatten(rgba, background), cell_size, ink, background)


def fit_flat_smooth(flat: Pixels, cell_size: int, ink: float, background: Color) -> Pixels:
    """``fit_smooth`` of a picture that is flattened already: uint8 (height, width, 3)."""
    height, width, _ = flat.shape
    side = max(1, round(cell_size * ink))
    longer = max(height, width)
    size = (max(1, round(width * side / longer)), max(1, round(height * side / longer)))
    scaled = Image.fromarray(flat).resize(size, Image.Resampling.LANCZOS)
    return centred(np.asarray(scaled), cell_size, background)


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
    return fit_flat_pixel_art(flatten(rgba, background), cell_size, ink, background, mode)


def fit_flat_pixel_art(
    flat: Pixels, cell_size: int, ink: float, background: Color, mode: str
) -> Pixels:
    """``fit_pixel_art`` of a picture that is flattened already: uint8 (height, width, 3)."""
    height, width, _ = flat.shape
    side = max(1, int(cell_size * ink))
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
