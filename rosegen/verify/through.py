"""What is left of an image on its way to a model: resizing and JPEG, and whether it is enough."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from rosegen.errors import RosegenError
from rosegen.verify.grid import Spot
from rosegen.verify.png import Pixels

Floats = npt.NDArray[np.float32]

_STEP = re.compile(
    r"resize:(?P<longest>[1-9][0-9]{1,4})|jpeg:(?P<quality>[1-9][0-9]?|100)(?::(?P<chroma>444|422|420))?"
)
_CHROMA = {"444": 0, "422": 1, "420": 2}
_SAMPLE = 31
"""Cells that the look of the majority is estimated from; exceptions are few among them."""
_NOISE = 6.0
"""Levels a pixel may stray by without being unusual, as strong compression makes it."""
_LEAST_GAP = 1.2
"""Exceptions must stand out from the most unusual majority cell by this factor."""


@dataclass(frozen=True)
class Through:
    """A chain of steps, each ``resize:LONGEST`` or ``jpeg:QUALITY[:444|422|420]``."""

    spec: str

    def __str__(self) -> str:
        return self.spec

    @classmethod
    def parse(cls, spec: str) -> Through:
        """Check a chain such as ``resize:1024,jpeg:85``.

        Raises:
            RosegenError: when a step is anything else.
        """
        for step in spec.split(","):
            if _STEP.fullmatch(step) is None:
                raise RosegenError(
                    f"--through {spec!r}: {step!r} is not a step; write resize:LONGEST_SIDE (10 to"
                    " 99999) or jpeg:QUALITY (1 to 100, with :444, :422 or :420), joined by commas"
                )
        return cls(spec)

    def apply(self, pixels: Pixels) -> Image.Image:
        """Send an image, uint8 (height, width, 3), through the steps.

        JPEG uses 4:2:0 unless told otherwise; resizing (Lanczos) never enlarges.
        """
        image = Image.fromarray(pixels)
        for step in self.spec.split(","):
            match = _STEP.fullmatch(step)
            if match is None:
                raise ValueError(f"{step!r} is not a step")
            if match["longest"]:
                share = min(1.0, int(match["longest"]) / max(image.size))
                size = (max(1, round(image.width * share)), max(1, round(image.height * share)))
                if size != image.size:
                    image = image.resize(size, Image.Resampling.LANCZOS)
            else:
                buffer = io.BytesIO()
                chroma = _CHROMA[match["chroma"] or "420"]
                image.save(buffer, "JPEG", quality=int(match["quality"]), subsampling=chroma)
                image = Image.open(buffer)
                image.load()
        return image


def _cells(image: Image.Image, rows: int, cols: int) -> Floats:
    """The grid's cells, brought to one whole number of pixels: (rows * cols, side, side, 3)."""
    side = max(4, round(image.width / cols), round(image.height / rows))
    if image.size != (cols * side, rows * side):
        image = image.resize((cols * side, rows * side), Image.Resampling.BICUBIC)
    grid = np.asarray(image, np.float32).reshape(rows, side, cols, side, 3)
    return grid.transpose(0, 2, 1, 3, 4).reshape(rows * cols, side, side, 3)


def _scores(cells: Floats) -> npt.NDArray[np.float64]:
    """How far each cell is from the majority, in units of what its pixels vary by anyhow."""
    count = len(cells)
    chosen = np.unique(np.linspace(0, count - 1, min(count, _SAMPLE)).round().astype(int))
    sample = cells[chosen]
    usual = np.median(sample, axis=0)
    spread = np.median(np.abs(sample - usual), axis=0) + _NOISE
    side = cells.shape[1]
    window = max(2, side // 8)
    whole = side // window * window
    scores = np.empty(count)
    for index in range(count):
        unusual = ((cells[index] - usual) / spread) ** 2
        energy = unusual[:whole, :whole].reshape(
            whole // window, window, whole // window, window, 3
        )
        scores[index] = float(energy.mean(axis=(1, 3, 4)).max())
    return scores


def told_apart(pixels: Pixels, rows: int, cols: int, through: Through) -> set[Spot]:
    """The cells that stand out from the majority after an image was sent through.

    Cells are scored by their most unusual part; the widest gap between neighbouring scores, taken
    as a ratio and among the more unusual half only, parts exceptions from the majority.

    Args:
        pixels: uint8 (height, width, 3).
        rows: rows of the grid.
        cols: columns of the grid.
        through: what the image is sent through.

    Returns:
        The cells above the gap; none when there is no gap.
    """
    scores = _scores(_cells(through.apply(pixels), rows, cols)) + 1e-3
    order = np.argsort(scores)
    half = len(order) // 2
    ratios = scores[order][half + 1 :] / scores[order][half:-1]
    if not ratios.size or float(ratios.max()) < _LEAST_GAP:
        return set()
    first = half + 1 + int(ratios.argmax())
    return {(int(index) // cols + 1, int(index) % cols + 1) for index in order[first:]}
