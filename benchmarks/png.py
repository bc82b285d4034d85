"""Encoding a scene's plain and cued image as PNG, against Pillow's encoder."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

import numpy as np
from PIL import Image

from benchmarks.material import GLYPH, PIXEL, Pixels, layouts
from benchmarks.measure import MB, Table, Way, compare
from rosegen.errors import RosegenError
from rosegen.render.grid import Banded
from rosegen.render.png import BandEncoder

ROUNDS = 7


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """A table for glyphs and one for pixel art."""
    count = 1 if tiny else 5
    for name, lines, cell in ((GLYPH, 12, 53), (PIXEL, 11, 138)):
        scenes = [layout.images() for layout in layouts(name, lines, cell, count)]
        yield _table(f"PNG of {name}, {lines} x {lines} cells of {cell} px", scenes, rounds)


def _table(title: str, scenes: Sequence[tuple[Banded, Banded]], rounds: int) -> Table:
    whole = [image.array() for scene in scenes for image in scene]
    images = len(whole)

    def pillow(level: int) -> list[bytes]:
        return [_saved(pixels, level) for pixels in whole]

    def bands() -> list[bytes]:
        files = []
        for scene in scenes:
            encoder = BandEncoder()
            files += [image.png(encoder) for image in scene]
        return files

    def check(results: Sequence[list[bytes]]) -> list[str]:
        for files in results:
            for data, pixels in zip(files, whole):
                with Image.open(io.BytesIO(data)) as image:
                    if not np.array_equal(np.asarray(image), pixels):
                        raise RosegenError(
                            "png: a file does not decode to the image it was made of"
                        )
        return []

    ways = [
        Way("Pillow, level 6", lambda: pillow(6)),
        Way("Pillow, level 1", lambda: pillow(1)),
        Way("BandEncoder", bands),
    ]
    return compare(
        f"{title}, {images} images",
        ways,
        rounds,
        check,
        lambda files: f"{sum(map(len, files)) / MB:.3f} MB",
    )


def _saved(pixels: Pixels, level: int) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG", compress_level=level)
    return out.getvalue()
